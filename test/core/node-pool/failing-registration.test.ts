import { describe, expect, test } from 'vitest';
import { formatTime } from '../../../lib/apis/formats/time.ts';
import { whyPod } from '../../../lib/core/explain/why-pod.ts';
import type { ClusterSnapshot, NodePoolView } from '../../../lib/core/model/cluster-snapshot.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { decideNodePool } from '../../../lib/core/node-pool/decide-node-pool.ts';
import { provision } from '../../../lib/core/provisioning/provision.ts';
import { whatIfOf } from '../../../lib/core/provisioning/what-if.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { aPoolView } from '../../builders/node-pools.ts';
import { pendingPod, runningPod } from '../../builders/pods.ts';
import { aSnapshot, initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { HOUR, MINUTE, NOW_MS } from '../../builders/times.ts';

const HEAVY = aPoolView({ name: 'heavy', weight: 50 });
const LIGHT = aPoolView({ name: 'light' });
const POD = pendingPod();

function failed(name: string, atMs: number, nodePool = 'heavy'): NodeClaimRecord {
  const deletion = { reason: 'registration_timeout', message: 'no node', requestedAtMs: atMs } as const;
  return launchedClaim({ name, nodePool, createdAtMs: atMs - 15 * MINUTE, deletion });
}

/** Two claims of a NodePool that failed together. */
function twoFailed(atMs = NOW_MS, nodePool = 'heavy'): readonly NodeClaimRecord[] {
  return ['a', 'b'].map((name) => failed(`${nodePool}-${name}`, atMs, nodePool));
}

/** A claim that registered, without room for pods. */
function full(registeredAtMs: number): NodeClaimRecord {
  return launchedClaim({ name: 'heavy-c', nodePool: 'heavy', registeredAtMs, allocatable: {} });
}

function clusterOf(nodeClaims: readonly NodeClaimRecord[], over: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  return aSnapshot({ nodePools: [HEAVY, LIGHT], pods: [POD], nodeClaims, ...over });
}

function decide(snapshot: ClusterSnapshot, nowMs = NOW_MS) {
  return provision(snapshot, { decisionId: 'd', nowMs });
}

/** The NodePools of the new claims. */
function launched(snapshot: ClusterSnapshot, nowMs = NOW_MS): readonly string[] {
  return decide(snapshot, nowMs).actions.flatMap((one) =>
    one.kind === 'create-node-claim' ? [one.nodeClaim.nodePool] : [],
  );
}

/** The NodePool with the condition that lifecycle writes at this time. */
function written(view: NodePoolView, records: readonly NodeClaimRecord[], nowMs: number): NodePoolView {
  const { nodePool, nodeClass } = view;
  const { status = nodePool.status } = decideNodePool({ nodePool, nodeClass, records, nodes: new Map() }, nowMs) ?? {};
  return { ...view, nodePool: { ...nodePool, ...(status === undefined ? {} : { status }) } };
}

/** The NodePool after failures, whose records are gone, at these times in minutes from now. */
function afterFailures(...minutes: readonly number[]): NodePoolView {
  return minutes.reduce(
    (view, at, index) => written(view, [failed(`heavy-${index}`, NOW_MS + at * MINUTE)], NOW_MS + at * MINUTE),
    HEAVY,
  );
}

describe('a NodePool whose instances do not register as nodes (B71, D9)', () => {
  test('B71: after two failures, pods get nodes of another NodePool, with the reason and the end of the pause', () => {
    expect(launched(clusterOf([failed('heavy-a', NOW_MS)]))).toEqual(['heavy']);
    const snapshot = clusterOf(twoFailed());
    expect(launched(snapshot)).toEqual(['light']);
    const until = formatTime(NOW_MS + 15 * MINUTE);
    const why = {
      nodePool: 'heavy',
      reason: 'RegistrationFailing',
      message: `2 of the last 2 instances did not register as nodes in time: NodeClaim heavy-a did not become a node in time and was deleted at ${formatTime(NOW_MS)}; other NodePools come first until ${until}`,
      numbers: { waitMs: 15 * MINUTE },
    };
    expect(decide(snapshot).blocked).toEqual([{ subject: { kind: 'Cluster', name: snapshot.cluster }, ...why }]);
    expect(whyPod(snapshot, POD, NOW_MS)).toMatchObject({ state: 'NeedsNode', reasons: [why] });
  });

  test('B71: a pod that no other NodePool can run still gets a node of it, and nothing is refused', () => {
    const pinned = pendingPod({ spec: { nodeSelector: { 'karpenter.sh/nodepool': 'heavy' } } });
    const snapshot = clusterOf(twoFailed(), { pods: [pinned] });
    expect(launched(snapshot)).toEqual(['heavy']);
    expect(decide(snapshot).blocked).toEqual([]);
  });

  test('B71: of NodePools that all fail, the one with the highest weight is used', () => {
    const snapshot = clusterOf([...twoFailed(), ...twoFailed(NOW_MS, 'light')]);
    expect(launched(snapshot)).toEqual(['heavy']);
    expect(decide(snapshot).blocked).toEqual([]);
  });

  test('B71: while another instance of the same time has registered, the NodePool keeps its place', () => {
    expect(launched(clusterOf([...twoFailed(), full(NOW_MS - 14 * MINUTE)]))).toEqual(['heavy']);
    expect(launched(clusterOf([...twoFailed(), full(NOW_MS - 16 * MINUTE)]))).toEqual(['light']);
  });

  test('B71: the condition keeps the failures after their claims are gone, and one after the other counts', () => {
    const nodePools = [afterFailures(0, 15), LIGHT];
    expect(launched(clusterOf([], { nodePools }), NOW_MS + 16 * MINUTE)).toEqual(['light']);
    expect(launched(clusterOf([], { nodePools: [afterFailures(0), LIGHT] }), NOW_MS + 16 * MINUTE)).toEqual(['heavy']);
  });

  test.each([
    ['15 minutes at first', [0, 15], 15],
    ['as long as the failures last', [0, 15, 45], 30],
    ['an hour at most', [0, 15, 45, 90, 240], 60],
  ] as const)('B71: the pause is %s', (_, minutes, pause) => {
    const nodePools = [afterFailures(...minutes), LIGHT];
    const endMs = NOW_MS + ((minutes.at(-1) ?? 0) + pause) * MINUTE;
    expect(launched(clusterOf([], { nodePools }), endMs - MINUTE)).toEqual(['light']);
    expect(launched(clusterOf([], { nodePools }), endMs)).toEqual(['heavy']);
  });

  test('B71: after the pause, other pods wait for no node that is tried: they get nodes of other NodePools', () => {
    const nodePools = [afterFailures(0, 15), LIGHT];
    const starts = { ...launchedClaim({ name: 'heavy-t', nodePool: 'heavy' }), allocatable: {} };
    const snapshot = clusterOf([starts], { nodePools });
    expect(launched(snapshot, NOW_MS + HOUR)).toEqual(['light']);
    expect(decide(snapshot, NOW_MS + HOUR).blocked).toMatchObject([
      {
        message: expect.stringMatching(/come first until the node that starts has registered$/),
        numbers: { waitMs: 0 },
      },
    ]);
  });

  test('B71: a change of the NodePool gives it its place again', () => {
    const { nodePool, ...view } = afterFailures(0, 15);
    const { metadata } = nodePool;
    const edited = { ...view, nodePool: { ...nodePool, metadata: { ...metadata, generation: 2 } } };
    const observed = {
      ...edited,
      nodePool: {
        ...edited.nodePool,
        status: {
          ...nodePool.status,
          nodes: 0,
          conditions: (nodePool.status?.conditions ?? []).map((one) => ({ ...one, observedGeneration: 1 })),
        },
      },
    };
    expect(launched(clusterOf([], { nodePools: [observed, LIGHT] }), NOW_MS + 16 * MINUTE)).toEqual(['heavy']);
  });

  test('B71: a condition of an earlier version, which names no failure, names the next one', () => {
    const { nodePool, ...view } = afterFailures(0, 15);
    const conditions = (nodePool.status?.conditions ?? []).map((one) =>
      one.type === 'NodeRegistrationHealthy' ? { ...one, message: '2 of the last 4 instances did not' } : one,
    );
    const old = { ...view, nodePool: { ...nodePool, status: { ...nodePool.status, nodes: 0, conditions } } };
    const atMs = NOW_MS + 30 * MINUTE;
    expect(launched(clusterOf([], { nodePools: [old, LIGHT] }), atMs)).toEqual(['heavy']);
    const next = written(old, [failed('heavy-next', atMs)], atMs);
    expect(launched(clusterOf([], { nodePools: [next, LIGHT] }), atMs)).toEqual(['light']);
  });

  test('B71: a node that a command removes is replaced by one of another NodePool', () => {
    const pod = runningPod('n1', { requests: { cpu: '1' } });
    const node = initializedNode({ name: 'n1', labels: { 'karpenter.sh/nodepool': 'heavy' } });
    const base = snapshotOf([node], { nodePools: [HEAVY, LIGHT], pods: [pod] });
    const pools = (claims: readonly NodeClaimRecord[]) =>
      whatIfOf(
        { ...base, nodeClaims: [...base.nodeClaims, ...claims] },
        NOW_MS,
      )(['n1']).newClaims.map(({ template }) => template.nodePool.metadata.name);
    expect(pools([])).toEqual(['heavy']);
    expect(pools(twoFailed())).toEqual(['light']);
  });
});
