import { describe, expect, test } from 'vitest';
import type { EC2NodeClass } from '../../../../lib/apis/ec2-node-class.ts';
import { formatTime, MINUTE_MS } from '../../../../lib/apis/formats/time.ts';
import type { Condition } from '../../../../lib/apis/kubernetes.ts';
import type { Reason } from '../../../../lib/core/model/reasons.ts';
import {
  decideNodeClass,
  finalizersWanted,
  launchable,
} from '../../../../lib/core/node-class/status/decide-node-class.ts';
import type { NodeClassView } from '../../../../lib/core/node-class/status/findings.ts';
import { aReservation, launchContext } from '../../../builders/launch-context.ts';
import { aNodeClass } from '../../../builders/node-pools.ts';
import { NOW_MS } from '../../../builders/times.ts';

const { resolved } = launchContext();
const LATER_MS = NOW_MS + 7 * MINUTE_MS;

function seen(over: Partial<NodeClassView> = {}): NodeClassView {
  const nodeClass = { ...aNodeClass(), metadata: { name: 'default', generation: 1 } };
  return { nodeClass, found: resolved, problems: [], instanceProfile: { kind: 'ready', name: 'node' }, ...over };
}

function asking(spec: Partial<EC2NodeClass['spec']>): EC2NodeClass {
  return { ...aNodeClass(spec), metadata: { name: 'default', generation: 1 } };
}

/** The class after the verdict was written. */
function written(view: NodeClassView, nowMs = NOW_MS): EC2NodeClass {
  const { patch = {} } = decideNodeClass(view, nowMs);
  const { annotations, status } = patch;
  const { nodeClass } = view;
  return {
    ...nodeClass,
    metadata: { ...nodeClass.metadata, annotations: { ...nodeClass.metadata.annotations, ...annotations } },
    ...(status === undefined ? {} : { status }),
  };
}

function conditionOf(nodeClass: EC2NodeClass, type: string): Condition | undefined {
  return nodeClass.status?.conditions?.find((one) => one.type === type);
}

function without(...fields: readonly (keyof typeof resolved)[]): NodeClassView['found'] {
  return Object.fromEntries(Object.entries(resolved).filter(([key]) => !fields.some((field) => field === key)));
}

describe('a class that finds all it selects', () => {
  test('shows it, and is Ready for its generation (A3.27, A3.28)', () => {
    const nodeClass = written(seen());
    expect(nodeClass.status).toMatchObject({
      subnets: [
        { id: 'subnet-a', zone: 'eu-west-3a', zoneID: 'euw3-az1' },
        { id: 'subnet-b', zone: 'eu-west-3b', zoneID: 'euw3-az2' },
      ],
      securityGroups: [{ id: 'sg-1', name: 'nodes' }],
      amis: [{ id: 'ami-amd64', name: 'amd64', requirements: [{ key: 'kubernetes.io/arch', operator: 'In' }] }],
      instanceProfile: 'node',
    });
    expect(nodeClass.status?.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'AMIsReady=True',
      'CapacityReservationsReady=True',
      'SubnetsReady=True',
      'SecurityGroupsReady=True',
      'InstanceProfileReady=True',
      'ValidationSucceeded=True',
      'Ready=True',
    ]);
    expect(conditionOf(nodeClass, 'Ready')).toMatchObject({
      observedGeneration: 1,
      lastTransitionTime: formatTime(NOW_MS),
    });
  });

  test.each(['AL2023', 'AL2', 'Bottlerocket'] as const)(
    'and works out its kubelet for each type is Ready before there is a type (A3.17, %s)',
    (amiFamily) => {
      const kubelet = { maxPods: 'min(max_pods, vcpus * 8)', kubeReserved: { cpu: 'vcpus * 20', memory: '1Gi' } };
      const nodeClass = written(seen({ nodeClass: asking({ amiFamily, kubelet }) }));
      expect(conditionOf(nodeClass, 'ValidationSucceeded')).toMatchObject({ status: 'True' });
    },
  );

  test('is hashed (A3.26)', () => {
    expect(written(seen()).metadata.annotations).toHaveProperty(['karpenter.k8s.aws/ec2nodeclass-hash']);
  });

  test('is written once: a later look that finds the same writes nothing', () => {
    const nodeClass = written(seen());
    expect(decideNodeClass(seen({ nodeClass }), LATER_MS)).toEqual({ blocked: [] });
  });

  test('is not written again because the API server gives keys and conditions back in another order', () => {
    const nodeClass = written(seen());
    const { conditions = [], ...rest } = nodeClass.status ?? {};
    const reversed = Object.fromEntries(Object.entries(rest).toReversed());
    const shuffled = { ...nodeClass, status: { conditions: conditions.toReversed(), ...reversed } };
    expect(decideNodeClass(seen({ nodeClass: shuffled }), LATER_MS).patch).toBeUndefined();
  });

  test('is not written again because another subnet has more free addresses by now', () => {
    const nodeClass = written(seen());
    const found = { ...resolved, subnets: resolved.subnets.toReversed() };
    expect(decideNodeClass(seen({ nodeClass, found }), LATER_MS).patch).toBeUndefined();
  });

  test('shows reservations and blocks as they end (A3.27)', () => {
    const block = { type: 'capacity-block', instanceType: 'p5.48xlarge', availableInstances: 3 } as const;
    const reservation = aReservation({ ...block, endsAtMs: LATER_MS });
    const view = seen({
      nodeClass: asking({ capacityReservationSelectorTerms: [{ id: 'cr-1' }] }),
      found: { ...resolved, capacityReservations: [reservation] },
    });
    expect(written(view).status?.capacityReservations).toEqual([
      {
        id: 'cr-1',
        availabilityZone: 'eu-west-3a',
        instanceType: 'p5.48xlarge',
        instanceMatchCriteria: 'targeted',
        ownerID: '123456789012',
        reservationType: 'capacity-block',
        state: 'active',
        endTime: formatTime(LATER_MS),
      },
    ]);
  });
});

describe('a class that is not ready', () => {
  test.each<{ type: string; field: keyof typeof resolved; reason: Reason; spec?: Partial<EC2NodeClass['spec']> }>([
    { type: 'SubnetsReady', field: 'subnets', reason: 'SubnetsNotFound' },
    { type: 'SecurityGroupsReady', field: 'securityGroups', reason: 'SecurityGroupsNotFound' },
    { type: 'AMIsReady', field: 'images', reason: 'AMINotFound' },
    { type: 'AMIsReady', field: 'images', reason: 'UnsupportedKubernetesVersion' },
    {
      type: 'PlacementGroupReady',
      field: 'placementGroup',
      reason: 'PlacementGroupNotFound',
      spec: { placementGroupSelector: { name: 'x' } },
    },
  ])('says $type=False where $field are not found: $reason', ({ type, field, reason, spec = {} }) => {
    const problems = [{ reason, message: 'EC2NodeClass default: none' }];
    const verdict = { nodeClass: asking(spec), found: without(field), problems };
    const nodeClass = written(seen(verdict));
    expect(conditionOf(nodeClass, type)).toMatchObject({ status: 'False', reason, message: 'none' });
    expect(conditionOf(nodeClass, 'Ready')).toMatchObject({ status: 'False', reason, message: 'none' });
    expect(conditionOf(nodeClass, 'ValidationSucceeded')).toMatchObject({
      status: 'False',
      reason: 'DependenciesNotReady',
      message: `waiting for ${type}`,
    });
    expect(decideNodeClass(seen(verdict), NOW_MS).blocked).toEqual([
      { subject: { kind: 'EC2NodeClass', name: 'default' }, reason, message: 'none', numbers: {} },
    ]);
  });

  test('is Unknown, not False, for resources that EC2 did not allow to read', () => {
    const problems = [{ reason: 'Refused', message: 'describe subnets: UnauthorizedOperation' }] as const;
    const nodeClass = written(seen({ found: without('subnets'), problems }));
    expect(conditionOf(nodeClass, 'SubnetsReady')).toMatchObject({ status: 'Unknown', reason: 'Refused' });
    expect(conditionOf(nodeClass, 'SecurityGroupsReady')).toMatchObject({ status: 'True' });
    expect(conditionOf(nodeClass, 'Ready')).toMatchObject({ status: 'Unknown', reason: 'Refused' });
  });

  test.each([
    ['RoleNotFound', 'False'],
    ['IamNotReachable', 'Unknown'],
    ['Refused', 'Unknown'],
  ] as const)('says of its profile %s that it is %s', (reason, status) => {
    const instanceProfile = { kind: 'not-ready', reason, message: 'role node' } as const;
    const nodeClass = written(seen({ instanceProfile }));
    expect(conditionOf(nodeClass, 'InstanceProfileReady')).toMatchObject({ status, reason, message: 'role node' });
    expect(conditionOf(nodeClass, 'Ready')).toMatchObject({ status, reason });
    expect(nodeClass.status).not.toHaveProperty('instanceProfile');
  });

  test('tells all that is missing in one sentence', () => {
    const problems = [
      { reason: 'SubnetsNotFound', message: 'no subnets' },
      { reason: 'AMINotFound', message: 'no images' },
    ] as const;
    const { blocked } = decideNodeClass(seen({ found: without('subnets', 'images'), problems }), NOW_MS);
    expect(blocked).toMatchObject([{ reason: 'AMINotFound', message: 'no images; no subnets' }]);
  });

  test.each<[string, Partial<EC2NodeClass['spec']>]>([
    ['TagValidationFailed', { tags: { 'karpenter.sh/nodepool': 'mine' } }],
    ['TagValidationFailed', { tags: { 'kubernetes.io/cluster/demo': 'owned' } }],
    ['InvalidKubeletConfiguration', { kubelet: { registerWithTaints: [] } }],
    ['KubeletExpressionInvalid', { kubelet: { maxPods: '0 - 1', kubeReserved: { cpu: 'vcpus *' } } }],
    ['KubeletExpressionEvaluationFailed', { kubelet: { maxPods: '0 - 1' } }],
    ['InvalidKubeletConfiguration', { kubelet: { evictionHard: { 'memory.available': '-5%' } } }],
    ['UnsupportedKubeletConfiguration', { amiFamily: 'AL2', kubelet: { featureGates: { A: true } } }],
    ['KubeletExpressionInvalid', { kubelet: { maxPods: 'vcpus *' } }],
    ['UserDataSizeLimitExceeded', { userData: 'x'.repeat(17_000) }],
  ])('is refused with %s (A3.14, A3.16, A3.18, A3.29, C75)', (reason, spec) => {
    const nodeClass = written(seen({ nodeClass: asking(spec) }));
    expect(conditionOf(nodeClass, 'ValidationSucceeded')).toMatchObject({ status: 'False', reason });
    expect(conditionOf(nodeClass, 'Ready')).toMatchObject({ status: 'False', reason });
  });

  test('is refused for an expression that gives nothing for some type (A3.17)', () => {
    const problems = [{ reason: 'KubeletExpressionEvaluationFailed', message: 'fails for m5.large' }] as const;
    const nodeClass = asking({ kubelet: { maxPods: 'max_pods' } });
    expect(decideNodeClass(seen({ nodeClass, problems }), NOW_MS).blocked).toMatchObject(problems);
  });

  test('is not refused for an expression as such: Kerf has them on (A3.17)', () => {
    const kubelet = { maxPods: 'min(max_pods, vcpus * 8)', kubeReserved: { cpu: 'vcpus * 10' } };
    expect(decideNodeClass(seen({ nodeClass: asking({ kubelet }) }), NOW_MS).blocked).toEqual([]);
  });

  test('is refused where the network of the services is not known, which AL2023 needs (A3.29)', () => {
    const found = { ...resolved, bootstrap: { ...resolved.bootstrap, serviceCidr: '' } };
    const reason = 'ClusterCIDRResolutionFailed';
    expect(decideNodeClass(seen({ found }), NOW_MS).blocked).toMatchObject([{ reason }]);
    const bottlerocket = asking({ amiSelectorTerms: [{ alias: 'bottlerocket@latest' }] });
    expect(decideNodeClass(seen({ found, nodeClass: bottlerocket }), NOW_MS).blocked).toEqual([]);
  });

  test('is refused with what we may not do', () => {
    const refusal = { reason: 'CreateFleetAuthCheckFailed', message: 'not authorized' } as const;
    expect(conditionOf(written(seen({ refusal })), 'ValidationSucceeded')).toMatchObject({
      status: 'False',
      ...refusal,
    });
  });

  test('is warned, and stays ready, where user data has less than a tenth of its room left (C75)', () => {
    const nodeClass = written(seen({ nodeClass: asking({ userData: `#!/bin/sh\n${'#'.repeat(14_800)}` }) }));
    const { status, message } = conditionOf(nodeClass, 'ValidationSucceeded') ?? {};
    expect(status).toBe('True');
    expect(message).toMatch(/^user data has 1[4-6]\d{3} bytes without .* at most 16384$/);
  });
});

describe('conditions over time', () => {
  const ready = written(seen());
  const lost = { found: without('subnets'), problems: [{ reason: 'SubnetsNotFound', message: 'none' }] } as const;

  test('lastTransitionTime moves with the answer, and only of the condition that changed', () => {
    const nodeClass = written(seen({ nodeClass: ready, ...lost }), LATER_MS);
    expect(conditionOf(nodeClass, 'SubnetsReady')?.lastTransitionTime).toBe(formatTime(LATER_MS));
    expect(conditionOf(nodeClass, 'AMIsReady')?.lastTransitionTime).toBe(formatTime(NOW_MS));
  });

  test('another reason or message for the same answer is written without moving it', () => {
    const first = written(seen(lost));
    const problems = [{ reason: 'SubnetsNotFound', message: 'still none' }] as const;
    const second = written(seen({ ...lost, nodeClass: first, problems }), LATER_MS);
    expect(conditionOf(second, 'SubnetsReady')).toMatchObject({
      message: 'still none',
      lastTransitionTime: formatTime(NOW_MS),
    });
  });

  test('a new generation is observed though nothing else changed', () => {
    const nodeClass = { ...ready, metadata: { ...ready.metadata, generation: 2 } };
    const after = written(seen({ nodeClass }), LATER_MS);
    expect(conditionOf(after, 'Ready')).toMatchObject({
      observedGeneration: 2,
      lastTransitionTime: formatTime(NOW_MS),
    });
  });

  test('what was found before and is not any more is shown no longer', () => {
    expect(written(seen({ nodeClass: ready, ...lost }), LATER_MS).status).not.toHaveProperty('subnets');
  });

  test('conditions of other controllers are kept, and obsolete ones of Kerf are removed', () => {
    const old = { status: 'False', reason: 'x', message: '', lastTransitionTime: formatTime(NOW_MS) } as const;
    const conditions = [
      { type: 'example.com/Audited', ...old },
      { type: 'PlacementGroupReady', ...old },
    ];
    const nodeClass = written(seen({ nodeClass: { ...ready, status: { ...ready.status, conditions } } }));
    expect(conditionOf(nodeClass, 'example.com/Audited')).toBeDefined();
    expect(conditionOf(nodeClass, 'PlacementGroupReady')).toBeUndefined();
  });
});

describe('before a class is looked at', () => {
  test('its finalizer is put on beside those of others (A3.30), unless it is there or the class is going', () => {
    const other = { ...aNodeClass(), metadata: { name: 'default', finalizers: ['example.com/x'] } };
    const finalizers = ['example.com/x', 'karpenter.k8s.aws/termination'];
    expect(finalizersWanted(other)).toEqual({ finalizers });
    expect(finalizersWanted({ ...other, metadata: { name: 'default', finalizers } })).toBeUndefined();
    const going = { ...other, metadata: { ...other.metadata, deletionTimestamp: formatTime(NOW_MS) } };
    expect(finalizersWanted(going)).toBeUndefined();
  });

  test('our permissions are worth asking for only where nothing else is in the way', () => {
    expect(launchable(seen())).toMatchObject({ instanceProfile: 'node', securityGroups: [{ id: 'sg-1' }] });
    expect(launchable(seen({ nodeClass: asking({ kubelet: { registerWithTaints: [] } }) }))).toBeUndefined();
    expect(launchable(seen({ found: without('images') }))).toBeUndefined();
    const instanceProfile = { kind: 'not-ready', reason: 'RoleNotFound', message: '' } as const;
    expect(launchable(seen({ instanceProfile }))).toBeUndefined();
  });
});
