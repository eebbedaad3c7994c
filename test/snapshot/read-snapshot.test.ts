import { describe, expect, test } from 'vitest';
import { parseTime } from '../../lib/apis/formats/time.ts';
import { isProvisionable } from '../../lib/core/cluster/pods.ts';
import { stateNodes } from '../../lib/core/cluster/state-node.ts';
import { type ReadSnapshot, readSnapshot } from '../../lib/snapshot/read-snapshot.ts';
import { aDocument, aGivenClaim, aGivenNode, aGivenPod, aGivenPool, aGivenType } from './documents.ts';

function read(
  over: Readonly<Record<string, unknown>> = {},
  files: Readonly<Record<string, unknown>> = {},
): ReadSnapshot {
  const all: Readonly<Record<string, unknown>> = { 'a.json': aDocument(over), ...files };
  return readSnapshot({ readText: (path) => JSON.stringify(all[path]) }, { path: 'a.json', nowMs: 1_000 });
}

const GIB = 2 ** 30;

describe('pods', () => {
  test('a pod without a node is unschedulable (B6)', () => {
    const [pod] = read({ pods: [aGivenPod()] }).snapshot.pods;
    expect(pod).toMatchObject({ metadata: { namespace: 'default' }, status: { phase: 'Pending' } });
    expect(pod !== undefined && isProvisionable(pod)).toBe(true);
  });

  test('a pod with a node is running', () => {
    const [pod] = read({ pods: [aGivenPod('a', { nodeName: 'node-1' })] }).snapshot.pods;
    expect(pod?.status).toEqual({ phase: 'Running', conditions: [] });
  });

  test('a pod with a scheduling gate is not unschedulable (B6)', () => {
    const [pod] = read({ pods: [aGivenPod('a', { schedulingGates: [{ name: 'wait' }] })] }).snapshot.pods;
    expect(pod !== undefined && isProvisionable(pod)).toBe(false);
  });

  test('a nomination of another component counts only if its node exists (B6)', () => {
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }];
    const pods = ['node-1', 'lost'].map((nominatedNodeName) =>
      aGivenPod(`for-${nominatedNodeName}`, {}, { status: { phase: 'Pending', conditions, nominatedNodeName } }),
    );
    const { snapshot } = read({ nodes: [aGivenNode('node-1')], pods });
    expect(snapshot.pods.filter(isProvisionable).map(({ metadata }) => metadata.name)).toEqual(['for-lost']);
  });

  test('the values of a pod are kept', () => {
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'SchedulerError' }];
    const [pod] = read({ pods: [aGivenPod('a', {}, { status: { phase: 'Pending', conditions } })] }).snapshot.pods;
    expect(pod?.status?.conditions).toEqual(conditions);
  });

  test('a status is kept as the API server has it, with any phase and years that RFC 3339 cannot write', () => {
    const conditions = [{ type: 'PodScheduled', status: 'odd', lastTransitionTime: '10000-01-01T13:59:59Z' }];
    const status = { phase: 'Odd', startTime: '-0001-12-31T10:00:00Z', conditions };
    const [pod] = read({ pods: [aGivenPod('a', {}, { status })] }).snapshot.pods;
    expect(pod?.status).toEqual(status);
  });

  test('an empty nodeName and null mean no node', () => {
    const { pods } = read({
      pods: [aGivenPod('a', { nodeName: '' }), aGivenPod('b', { nodeName: null, affinity: null })],
    }).snapshot;
    expect(pods.map((pod) => [isProvisionable(pod), 'affinity' in pod.spec])).toEqual([
      [true, false],
      [true, false],
    ]);
  });

  test('UIDs are derived from namespace and name, so that a snapshot read twice is the same', () => {
    const uids = (): readonly unknown[] =>
      read({ pods: [aGivenPod('a'), aGivenPod('b')] }).snapshot.pods.map(({ metadata }) => metadata.uid);
    expect(uids()).toEqual(uids());
    expect(new Set(uids()).size).toBe(2);
  });

  test('fields that decisions do not read may have any value', () => {
    const container = { name: 'main', env: 7, command: { odd: true }, livenessProbe: [] };
    const { pods } = read({ pods: [aGivenPod('a', { containers: [container], dnsConfig: 'odd' })] }).snapshot;
    expect(pods).toHaveLength(1);
  });
});

describe('nodes and claims', () => {
  test('a node is ready and has its hostname label', () => {
    const [node] = read({ nodes: [aGivenNode()] }).snapshot.nodes;
    expect(node?.metadata.labels?.['kubernetes.io/hostname']).toBe('node-1');
    expect(node?.status?.conditions).toEqual([{ type: 'Ready', status: 'True' }]);
  });

  test.each(['aws:///us-east-1a/i-0abc', 'peer:///n0', 'odd'])(
    'a claim has the node of its providerID %s',
    (providerID) => {
      const { snapshot } = read({
        nodes: [aGivenNode('node-1', { spec: { providerID } }), aGivenNode('node-2')],
        nodeClaims: [aGivenClaim('x', { providerID, nodeName: 'node-2' })],
      });
      const nodes = stateNodes(snapshot);
      expect(nodes.map(({ name, nodeClaim, initialized }) => [name, nodeClaim?.name, initialized])).toEqual([
        ['node-1', 'claim-x', true],
        ['node-2', undefined, true],
      ]);
    },
  );

  test('a launched claim has an instance with the type, zone and price of its labels', () => {
    const [claim] = read({ nodes: [aGivenNode()], nodeClaims: [aGivenClaim()] }).snapshot.nodeClaims;
    expect(claim).toMatchObject({
      nodePool: 'general',
      nodeName: 'node-1',
      launch: {
        kind: 'launched',
        instance: { id: 'i-node1', instanceType: 'm5.large', zone: 'us-east-1a', priceUsdPerHour: 0.1 },
      },
      holds: { cpu: 2_000, memory: 8 * GIB, pods: 29 },
      initializedAtMs: parseTime('2024-01-01T00:00:00Z'),
    });
  });

  test('a node without the label initialized is not initialized (B17)', () => {
    const labels = { 'karpenter.sh/nodepool': 'general', 'karpenter.sh/initialized': 'true' };
    const { snapshot } = read({
      nodes: [aGivenNode('node-1', { metadata: { name: 'node-1', labels: {} } })],
      nodeClaims: [aGivenClaim('node-1', {}, { metadata: { name: 'c', labels } })],
    });
    expect(stateNodes(snapshot).map(({ initialized }) => initialized)).toEqual([false]);
  });

  test('a claim without a providerID is in flight, with the allocatable resources of its smallest type (B3)', () => {
    const spec = {
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
      requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m5.xlarge', 'm5.2xlarge'] }],
      resources: { requests: { cpu: '3' } },
    };
    const claim = { metadata: { name: 'c', labels: { 'karpenter.sh/nodepool': 'general' } }, spec };
    const [record] = read({ nodeClaims: [claim] }).snapshot.nodeClaims;
    expect(record?.launch).toEqual({ kind: 'planned' });
    expect(record?.allocatable).toEqual({ cpu: 4_000, memory: 16 * GIB, pods: 29 });
    expect(record?.holds).toEqual({ cpu: 8_000, memory: 32 * GIB, pods: 29 });
    expect(record?.options[0]).toMatchObject({ instanceType: 'm5.xlarge', capacityType: 'spot' });
  });

  test('a claim that is being deleted has a deletion', () => {
    const metadata = { name: 'c', deletionTimestamp: '2026-01-31T07:00:00Z' };
    const { snapshot } = read({ nodes: [aGivenNode()], nodeClaims: [aGivenClaim('node-1', {}, { metadata })] });
    expect(stateNodes(snapshot).map(({ deleting }) => deleting)).toEqual([true]);
  });
});

describe('NodePools and instance types', () => {
  test('a NodePool has the defaults of the API server (A1.11)', () => {
    const [view] = read().snapshot.nodePools;
    expect(view?.nodePool).toMatchObject({
      kind: 'NodePool',
      spec: { disruption: { consolidateAfter: '0s' }, template: { spec: { expireAfter: '720h' } } },
    });
    expect(view?.unusable).toBeUndefined();
  });

  test('a NodePool that is not ready cannot launch nodes, with the reason (B12)', () => {
    const conditions = [{ type: 'Ready', status: 'False', reason: 'NodeClassNotReady', message: 'no subnets' }];
    const [view] = read({ nodePools: [aGivenPool('general', {}, { status: { conditions } })] }).snapshot.nodePools;
    expect(view?.unusable).toEqual({
      reason: 'NodePoolNotReady',
      message: 'the NodePool is not ready (NodeClassNotReady: no subnets)',
    });
  });

  test('a NodePool has all types, or those of nodePoolInstanceTypes', () => {
    const nodePools = [aGivenPool('a'), aGivenPool('b')];
    const { snapshot } = read({ nodePools, nodePoolInstanceTypes: { b: ['m5.xlarge'] } });
    expect(snapshot.nodePools.map(({ instanceTypes }) => instanceTypes.map(({ name }) => name))).toEqual([
      ['m5.large', 'm5.xlarge', 'm5.2xlarge'],
      ['m5.xlarge'],
    ]);
  });

  test('instanceTypeNames selects types, also those of files', () => {
    const { instanceTypes, warnings } = read(
      { instanceTypesFile: 'more/types.json', instanceTypeNames: ['m5.large', 'c5.large', 'nope'] },
      { 'more/types.json': { instanceTypes: [aGivenType('c5.large')] } },
    );
    expect(instanceTypes.map(({ name }) => name)).toEqual(['m5.large', 'c5.large']);
    expect(warnings).toEqual(['a.json: instanceTypeNames: the snapshot has no instance type "nope"']);
  });

  test.each([
    [
      'in separate lists',
      { kubeReserved: { cpu: '100m' }, systemReserved: {}, evictionThreshold: { memory: '1.073741824e+09' } },
    ],
    ['in one list', { cpu: '0.1', memory: '1Gi' }],
  ])('overhead %s is subtracted from the capacity (C13)', (_how, overhead) => {
    const [type] = read({ instanceTypes: [aGivenType('m5.large', 2, { overhead })] }).instanceTypes;
    expect(type?.allocatable).toEqual({ cpu: 1_900, memory: 7 * GIB, pods: 29 });
    expect(type?.capacity).toEqual({ cpu: 2_000, memory: 8 * GIB, pods: 29 });
  });

  test('missing requirements are derived from the name and the available offerings', () => {
    const offerings = [
      { capacityType: 'spot', zone: 'us-east-1a', price: 1, available: false },
      { capacityType: 'on-demand', zone: 'us-east-1b', price: 2 },
    ];
    const [type] = read({ instanceTypes: [aGivenType('m5.large', 2, { offerings })] }).instanceTypes;
    expect(type?.requirements).toEqual({
      'node.kubernetes.io/instance-type': ['m5.large'],
      'kubernetes.io/arch': ['amd64'],
      'kubernetes.io/os': ['linux'],
      'topology.kubernetes.io/zone': ['us-east-1b'],
      'karpenter.sh/capacity-type': ['on-demand'],
    });
  });

  test('an offering without capacity is unavailable until its mark expires (C32)', () => {
    const offering = { instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'spot' };
    const lacking = (until: string): readonly string[] =>
      read({ unavailableOfferings: [{ ...offering, until }] }).instanceTypes.flatMap(({ name, offerings }) =>
        offerings
          .filter(({ available }) => !available)
          .map(({ zone, capacityType }) => `${name} ${zone} ${capacityType}`),
      );
    expect(lacking('2026-01-31T08:03:00Z')).toEqual(['m5.large us-east-1a spot']);
    expect(lacking('2026-01-31T07:59:00Z')).toEqual([]);
  });

  test('reserved offerings are available only if reserved capacity is enabled (F17)', () => {
    const offerings = [{ capacityType: 'reserved', zone: 'us-east-1a', price: 0 }];
    const available = (reservedCapacity: boolean): readonly boolean[] =>
      read({
        options: { reservedCapacity },
        instanceTypes: [aGivenType('m5.large', 2, { offerings })],
      }).instanceTypes.flatMap((type) => type.offerings.map((offering) => offering.available));
    expect([available(false), available(true)]).toEqual([[false], [true]]);
  });
});

describe('the rest', () => {
  test('the time is that of the options, or else the current time', () => {
    expect(read().nowMs).toBe(parseTime('2026-01-31T08:00:00Z'));
    expect(read({ options: {} }).nowMs).toBe(1_000);
  });

  test('the policies are engine options; the other options are separate', () => {
    const policies = {
      preferencePolicy: 'Ignore',
      preferencePriceFactor: 2,
      minValuesPolicy: 'BestEffort',
      spotToSpotConsolidation: true,
      fleetConsolidation: false,
      lowScoreWaits: true,
      softTaints: false,
    };
    const { snapshot, options: kept } = read({ options: { ...policies, reservedCapacity: true } });
    expect(snapshot.options).toEqual(policies);
    expect(kept.reservedCapacity).toBe(true);
  });

  test('each namespace in use has an object; given ones keep their labels (B52)', () => {
    const { namespaces } = read({
      pods: [aGivenPod('a', {}, { metadata: { name: 'a', namespace: 'shop' } }), aGivenPod()],
      namespaces: [{ metadata: { name: 'shop', labels: { tier: 'web' } } }],
    }).snapshot;
    expect(namespaces?.map(({ metadata }) => [metadata.name, metadata.labels?.['tier']])).toEqual([
      ['shop', 'web'],
      ['default', undefined],
    ]);
  });

  test('a nomination is a name or an object, until it expires (B5)', () => {
    const nominations = [
      'node-1',
      { node: 'node-2', until: '2026-01-31T08:01:00Z' },
      { node: 'node-3', until: '2026-01-31T07:00:00Z' },
    ];
    expect(read({ nominations }).snapshot.nominated).toEqual(['node-1', 'node-2']);
  });

  test('an unknown field with a similar name gives a warning', () => {
    const { nodePools: _, ...rest } = aDocument();
    const { warnings } = read({ ...rest, nodePools: undefined, nodepools: [] });
    expect(warnings).toEqual(['a.json: "nodepools" is not a known field; did you mean nodePools?']);
  });
});
