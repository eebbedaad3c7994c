import { describe, expect, test } from 'vitest';
import type { Node, Pod } from '../../../lib/apis/kubernetes.ts';
import { observeTermination, terminationViewOf } from '../../../lib/controllers/observe/observe-termination.ts';
import type { Deletion, NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { decideTermination, type TerminationView } from '../../../lib/core/node-claim/termination.ts';
import type { DescribedInstance } from '../../../lib/ports/cloud-provider.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import { simulatedCluster } from '../../../lib/simulator/kubernetes/simulated-cluster.ts';
import { kubernetesState } from '../../../lib/simulator/kubernetes/state.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { someManifests } from '../../builders/cluster-manifests.ts';
import { aFoundInstance, launchedClaim } from '../../builders/node-claims.ts';
import { aNode } from '../../builders/nodes.ts';
import { runningPod } from '../../builders/pods.ts';
import { NOW_MS, SECOND } from '../../builders/times.ts';

const NODE = aNode({ providerId: 'aws:///eu-west-3a/i-1' });
const RUNNING: DescribedInstance = { ...aFoundInstance(), state: 'running' };

interface Ec2 {
  /** @default EC2 does not answer */
  readonly instances?: readonly DescribedInstance[];
  /** @default ARC does not answer */
  readonly shifted?: readonly string[];
}

async function answer<Answer>(value: Answer | undefined): Promise<Answer> {
  if (value === undefined) throw new UnreachableError('no answer');
  return value;
}

/** The view of the claim, and the number of calls of EC2. */
async function viewOf(
  record: NodeClaimRecord,
  { instances, shifted = [] }: Ec2,
  { nodes, pods = [] }: { readonly nodes: readonly Node[]; readonly pods?: readonly Pod[] },
): Promise<{ readonly view: TerminationView; readonly calls: number }> {
  let calls = 0;
  const cluster = { ...simulatedCluster(kubernetesState(someManifests()), { now: () => NOW_MS }) };
  const ports = {
    cluster: {
      ...cluster,
      listNodes: async () => nodes,
      listPodsOnNode: async (name: string) => pods.filter(({ spec }) => spec.nodeName === name),
    },
    cloud: {
      describeInstances: async () => {
        calls += 1;
        return answer(instances);
      },
      shiftedZones: async () => answer(shifted),
      instanceOwners: async () => [],
      describeInstanceHealth: async () => [],
    },
    store: memoryNodeClaimStore(),
    clock: { now: () => NOW_MS },
    settings: DEFAULT_SETTINGS,
  };
  const world = await observeTermination(ports, 'demo', [record]);
  return { view: await terminationViewOf(ports, record, world), calls };
}

async function viewed(
  record: NodeClaimRecord,
  ec2: Ec2,
  nodes: readonly Node[] = [NODE],
): Promise<Pick<TerminationView, 'instanceState' | 'zoneShifted'> & { readonly calls: number }> {
  const { view, calls } = await viewOf(record, ec2, { nodes });
  const { instanceState, zoneShifted } = view;
  return { instanceState, ...(zoneShifted !== undefined && { zoneShifted }), calls };
}

function aDeletion(reason: Deletion['reason'], over: Partial<Deletion> = {}): Deletion {
  return { reason, message: '', requestedAtMs: NOW_MS, ...over };
}

function deleted(...args: Parameters<typeof aDeletion>): NodeClaimRecord {
  return launchedClaim({ registeredAtMs: NOW_MS, nodeName: 'node-1', deletion: aDeletion(...args) });
}

describe('the state of an instance', () => {
  const record = deleted('expired');

  test.each<[string, Ec2, object]>([
    ['alive if EC2 lists it', { instances: [RUNNING] }, { instanceState: 'alive', calls: 1 }],
    ['not listed if EC2 omits it', { instances: [] }, { instanceState: 'not-listed', calls: 1 }],
    ['unread if EC2 does not answer', {}, { instanceState: 'unread', calls: 1 }],
    [
      'alive without a call in a zone that the cluster is shifted away from (C36)',
      { instances: [], shifted: ['eu-west-3a'] },
      { instanceState: 'alive', zoneShifted: true, calls: 0 },
    ],
  ])('is %s', async (_, ec2, expected) => {
    expect(await viewed(record, ec2)).toEqual(expected);
  });
});

describe('promise 7: EC2 is not called', () => {
  const NO_CALL = { instanceState: 'unread', calls: 0 };

  test.each(['spot_interrupted', 'capacity_reservation_interrupted'] as const)(
    'before the drain of an instance begins that is %s',
    async (reason) => {
      expect(await viewed(deleted(reason), { instances: [RUNNING] })).toEqual(NO_CALL);
    },
  );

  test.each<[string, NodeClaimRecord, readonly Node[]]>([
    ['its drain has begun', deleted('spot_interrupted', { drainStartedAtMs: NOW_MS }), [NODE]],
    ['it has no node', deleted('spot_interrupted'), []],
    ['its node is not registered', launchedClaim({ deletion: aDeletion('spot_interrupted') }), [NODE]],
    ['the claim is deleted for another reason', deleted('instance_terminated'), [NODE]],
  ])('it is called if %s', async (_, record, nodes) => {
    expect(await viewed(record, { instances: [RUNNING] }, nodes)).toEqual({ instanceState: 'alive', calls: 1 });
  });
});

test.each([
  ['before', ['stale', 'live']],
  ['after', ['live', 'stale']],
])(
  'D5: the Node that the record names is drained, although a stale Node of its instance is %s it in the list',
  async (_, order) => {
    const providerId = 'aws:///eu-west-3a/i-1';
    const live = {
      name: 'live',
      finalizers: ['karpenter.sh/termination'],
      labels: { 'karpenter.sh/registered': 'true' },
    };
    const nodes = order.map((name) => aNode({ providerId, ...(name === 'live' ? live : { name, ready: false }) }));
    const pods = [runningPod('live', { name: 'web' })];
    let record: NodeClaimRecord = { ...deleted('drifted'), nodeName: 'live' };
    const actions: unknown[] = [];
    for (const atMs of [NOW_MS, NOW_MS + 5 * SECOND]) {
      const { view } = await viewOf(record, { instances: [RUNNING] }, { nodes, pods });
      const verdict = decideTermination(view, atMs);
      record = verdict.record;
      actions.push(...verdict.actions);
    }
    const drain = [
      { kind: 'cordon-node', node: { name: 'live' } },
      { kind: 'evict-pod', pod: { name: 'web' } },
    ];
    expect(actions).toMatchObject([...drain, ...drain]);
  },
);
