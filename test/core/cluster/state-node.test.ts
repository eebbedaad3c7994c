import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../lib/apis/kubernetes.ts';
import { UNDERUTILIZED_TAINT } from '../../../lib/apis/taints.ts';
import type { StateNode } from '../../../lib/core/cluster/state-node.ts';
import { freeResources, stateNodes } from '../../../lib/core/cluster/state-node.ts';
import { aClaim, claimSpec, launchedClaim } from '../../builders/node-claims.ts';
import { asking } from '../../builders/node-pools.ts';
import { aNode, type NodeOptions } from '../../builders/nodes.ts';
import { aPod, runningPod } from '../../builders/pods.ts';
import { aSnapshot, initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { NOW_MS } from '../../builders/times.ts';

/** A node of Kerf that has joined and is not initialized yet. */
function starting(node: NodeOptions, spec: Parameters<typeof claimSpec>[0] = {}): StateNode | undefined {
  const nodeClaim = launchedClaim({ spec: claimSpec(spec) });
  const [stateNode] = stateNodes(
    aSnapshot({ nodes: [aNode({ providerId: 'aws:///eu-west-3a/i-1', ...node })], nodeClaims: [nodeClaim] }),
  );
  return stateNode;
}

/** A pending pod that is nominated to `node-1`. */
function nominated(name: string, managedFields?: Pod['metadata']['managedFields']): Pod {
  const pod = aPod({ name });
  const metadata = { ...pod.metadata, ...(managedFields !== undefined && { managedFields }) };
  return { ...pod, metadata, status: { ...pod.status, nominatedNodeName: 'node-1' } };
}

describe('nodes and claims of a snapshot', () => {
  test('initialized nodes come first, then the others by name (B15)', () => {
    const snapshot = snapshotOf([initializedNode({ name: 'z' }), initializedNode({ name: 'y' })], {
      nodeClaims: [
        initializedNode({ name: 'z' }).nodeClaim,
        initializedNode({ name: 'y' }).nodeClaim,
        aClaim({ name: 'a' }),
      ],
    });
    expect(stateNodes(snapshot).map(({ name }) => name)).toEqual(['y', 'z', 'a']);
  });

  test.each([
    ['without a providerID', {}, 'general-abcde'],
    ['with the providerID of another instance', { providerId: 'aws:///us-east-1a/i-0a1b2c3d' }, undefined],
  ])('a Node with the name of the node of a claim, %s', (_, over, expected) => {
    const name = 'ip-10-0-1-5.ec2.internal';
    const nodeClaim = launchedClaim({ name: 'general-abcde', nodeName: name });
    const [found] = stateNodes(aSnapshot({ nodes: [aNode({ name, ...over })], nodeClaims: [nodeClaim] }));
    expect(found?.nodeClaim?.name).toBe(expected);
  });

  test.each([
    ['without a requirement', [], 'default'],
    ['that requires the label', [asking('karpenter.k8s.aws/instance-tenancy', 'Exists')], 'default'],
    ['that excludes the default', [asking('karpenter.k8s.aws/instance-tenancy', 'NotIn', 'default')], 'dedicated'],
  ])(
    'a claim %s has the tenancy that its launch asks for, until its node has the label (C19)',
    (_, requirements, tenancy) => {
      const spec = claimSpec({ requirements });
      const [inFlight] = stateNodes(aSnapshot({ nodeClaims: [launchedClaim({ spec })] }));
      for (const found of [inFlight, starting({}, { requirements })]) {
        const expected = found?.requirements.get('karpenter.k8s.aws/instance-tenancy');
        expect([...(expected?.values ?? [])]).toEqual([tenancy]);
      }
    },
  );

  test('a pod for which the kube-scheduler deletes others counts on its node; a nomination of Kerf does not (B6)', () => {
    const ours = [{ manager: 'kerf', subresource: 'status' }];
    const { node, nodeClaim } = initializedNode({ name: 'node-1' });
    const pods = [nominated('preempts'), nominated('planned', ours)];
    const [found] = stateNodes(aSnapshot({ nodes: [node], nodeClaims: [nodeClaim], pods }));
    expect(found?.pods.map(({ metadata }) => metadata.name)).toEqual(['preempts']);
  });

  test('it is the same object until its node, its record or one of its pods changes', () => {
    const { node, nodeClaim } = initializedNode({ name: 'node-1' });
    const [one, other] = [runningPod('node-1', { name: 'one' }), runningPod('node-1', { name: 'other' })];
    const ask = (pods: readonly Pod[], record = nodeClaim) =>
      stateNodes(aSnapshot({ nodes: [node], nodeClaims: [record], pods }))[0];
    const first = ask([one]);
    expect(ask([one])).toBe(first);
    for (const [pods, record] of [
      [[other], nodeClaim],
      [[one, other], nodeClaim],
      [[], nodeClaim],
      [[one], { ...nodeClaim }],
    ] as const) {
      const next = ask(pods, record);
      expect(next).not.toBe(first);
      expect(next?.pods).toEqual(pods);
      expect(next?.nodeClaim).toBe(record);
    }
  });

  test('a node and its claim are matched by the provider id', () => {
    expect(starting({ name: 'ip-10' })).toMatchObject({ name: 'ip-10', nodeClaim: { name: 'general-1' } });
  });

  test('a claim without a node is included by its record', () => {
    const [stateNode] = stateNodes(aSnapshot({ nodeClaims: [aClaim({ name: 'general-x' })] }));
    expect(stateNode).toMatchObject({ name: 'general-x', allocatable: { cpu: 2_000 }, initialized: false, pods: [] });
  });

  test('a claim whose node disappeared is not used for pods', () => {
    const lost = launchedClaim({ registeredAtMs: NOW_MS, nodeLostAtMs: NOW_MS });
    expect(stateNodes(aSnapshot({ nodeClaims: [lost] }))).toMatchObject([{ deleting: true }]);
    expect(stateNodes(aSnapshot({ nodeClaims: [launchedClaim()] }))).toMatchObject([{ deleting: false }]);
  });

  test('a claim that is launched has the labels of its offering', () => {
    const [stateNode] = stateNodes(aSnapshot({ nodeClaims: [launchedClaim({}, { zone: 'eu-west-3b' })] }));
    expect(stateNode?.labels).toMatchObject({ 'topology.kubernetes.io/zone': 'eu-west-3b' });
  });

  test('terminating pods count until they are gone; terminal pods do not', () => {
    const pods = [
      runningPod('node-1', { name: 'a', requests: { cpu: '500m' } }),
      runningPod('node-1', { name: 'b', requests: { cpu: '250m' }, deletionMs: NOW_MS }),
      runningPod('node-1', { name: 'c', requests: { cpu: '1' }, status: { phase: 'Succeeded' } }),
    ];
    const [stateNode] = stateNodes(aSnapshot({ nodes: [aNode()], pods }));
    expect(stateNode && freeResources(stateNode)).toMatchObject({ cpu: 1_250, pods: 27 });
  });
});

describe('the taints of a node (B16)', () => {
  test('of Kerf that is starting: startup and temporary taints do not count', () => {
    const taints = [
      { key: 'cni', effect: 'NoSchedule' },
      { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
      { key: 'mine', effect: 'NoSchedule' },
    ] as const;
    expect(starting({ taints }, { startupTaints: [taints[0]] })?.taints).toEqual([taints[2]]);
    expect(starting({ taints }, { startupTaints: [{ ...taints[0], value: 'changed' }] })?.taints).toEqual([taints[2]]);
  });

  test('of Kerf that is starting: taints of the claim count before the node has them', () => {
    const team = { key: 'team', value: 'a', effect: 'NoSchedule' } as const;
    expect(starting({}, { taints: [team] })?.taints).toEqual([team]);
  });

  test('of an initialized node all count', () => {
    const taints = [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }] as const;
    expect(stateNodes(snapshotOf([initializedNode({ taints })]))[0]?.taints).toEqual(taints);
  });

  test('of a node that Kerf does not manage, all count', () => {
    const taints = [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }] as const;
    expect(stateNodes(aSnapshot({ nodes: [aNode({ taints })] }))[0]?.taints).toEqual(taints);
  });

  test('of Kerf: a PreferNoSchedule taint counts if its claim has it, and not if others added it', () => {
    const own = { key: 'team', value: 'a', effect: 'PreferNoSchedule' } as const;
    const added = { key: 'descheduler', effect: 'PreferNoSchedule' } as const;
    const node = initializedNode({ taints: [own, added] }, { spec: claimSpec({ taints: [own] }) });
    expect(stateNodes(snapshotOf([node]))[0]?.taints).toEqual([own]);
    expect(starting({ taints: [added] }, { taints: [own] })?.taints).toEqual([own]);
    expect(stateNodes(aSnapshot({ nodes: [aNode({ taints: [added] })] }))[0]?.taints).toEqual([added]);
  });

  test('the taint of nodes that are used last does not count on a node whose record cannot be read or is not given', () => {
    const node = aNode({ taints: [UNDERUTILIZED_TAINT] });
    expect(stateNodes(aSnapshot({ nodes: [node] }))[0]?.taints).toEqual([]);
  });

  test('an unschedulable node has one more', () => {
    expect(stateNodes(aSnapshot({ nodes: [aNode({ unschedulable: true })] }))[0]?.taints).toEqual([
      { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' },
    ]);
  });
});

describe('the resources of a starting node (B17)', () => {
  const claimed = { cpu: 2_000, memory: 2 ** 33, 'nvidia.com/gpu': 1 };
  test.each([
    ['not reported yet', { cpu: '1900m', memory: '7Gi' }, 1],
    ['reported as none yet', { cpu: '1900m', memory: '7Gi', 'nvidia.com/gpu': '0' }, 1],
    ['reported', { cpu: '1900m', memory: '7Gi', 'nvidia.com/gpu': '2' }, 2],
  ])('an extended resource that is %s', (_, allocatable, gpus) => {
    const node = aNode({ providerId: 'aws:///eu-west-3a/i-1', allocatable });
    const [stateNode] = stateNodes(aSnapshot({ nodes: [node], nodeClaims: [launchedClaim({ allocatable: claimed })] }));
    expect(stateNode?.allocatable).toMatchObject({ cpu: 1_900, 'nvidia.com/gpu': gpus });
  });

  test('an initialized node has the resources that it reports', () => {
    const node = initializedNode({ allocatable: { cpu: '1' } }, { allocatable: claimed });
    expect(stateNodes(snapshotOf([node]))[0]?.allocatable).toEqual({ cpu: 1_000 });
  });
});
