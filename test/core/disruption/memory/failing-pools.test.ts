import { describe, expect, test } from 'vitest';
import { optional } from '../../../../lib/apis/optional.ts';
import { disruptBy } from '../../../../lib/core/disruption/disrupt.ts';
import { drift } from '../../../../lib/core/disruption/methods/drift.ts';
import { planDisruption } from '../../../../lib/core/disruption/plan-disruption.ts';
import type { ClusterSnapshot } from '../../../../lib/core/model/cluster-snapshot.ts';
import type { Verdict } from '../../../../lib/core/model/decision.ts';
import type { FailingPool } from '../../../../lib/core/model/disruption/pass-memory.ts';
import type { DeletionReason, NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import { aReplacingCommand, candidatesNamed } from '../../../builders/decisions.ts';
import { anInstanceType } from '../../../builders/instance-types.ts';
import { launchedClaim } from '../../../builders/node-claims.ts';
import { aNodeClass, aPoolView } from '../../../builders/node-pools.ts';
import { runningPod } from '../../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../../builders/snapshots.ts';
import { HOUR, MINUTE, NOW_MS, SECOND } from '../../../builders/times.ts';

const NODES = ['a', 'b', 'c', 'd'];
const DRIFT = { reason: 'AMIDrift', message: 'its image is another one', sinceMs: NOW_MS - HOUR } as const;
const POOL = aPoolView({
  disruption: { budgets: [{ nodes: '100%' }], consolidateAfter: 'Never' },
  types: [anInstanceType()],
});

/** Four drifted nodes, each of which needs a new node for its pod. */
function cluster(over: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  const nodes = NODES.map((name) => initializedNode({ name }, { drift: DRIFT }));
  const pods = NODES.map((name) => runningPod(name, { name: `of-${name}`, requests: { cpu: '1200m' } }));
  return snapshotOf(nodes, { nodePools: [POOL], pods, ...over });
}

function decide(snapshot: ClusterSnapshot, nowMs: number): Verdict {
  return disruptBy([drift], snapshot, { decisionId: `d-${nowMs}`, nowMs });
}

/** The nodes of new commands. */
function proposed(snapshot: ClusterSnapshot, nowMs: number): readonly string[] {
  return decide(snapshot, nowMs).actions.flatMap((one) =>
    one.kind === 'start-disruption' ? one.command.candidates.map(({ node }) => node) : [],
  );
}

/** The replacement of a node, and the command that waits for it since `atMs`. */
function replacing(node: string, atMs: number, claim: Partial<NodeClaimRecord> = {}) {
  const name = `new-${node}-${atMs}`;
  const of = { method: 'drift', reason: 'Drifted', candidates: candidatesNamed(node) } as const;
  return {
    command: aReplacingCommand({ ...of, id: name, replacementClaims: [name], replacingSinceMs: atMs }),
    claim: launchedClaim({ name, createdAtMs: atMs, ...claim }),
  };
}

type Replacing = ReturnType<typeof replacing>;

function withReplacing(some: readonly Replacing[], over: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  const snapshot = cluster(over);
  return {
    ...snapshot,
    nodeClaims: [...snapshot.nodeClaims, ...some.map(({ claim }) => claim)],
    commands: some.map(({ command }) => command),
  };
}

/** The cluster after the end of the commands of these nodes, whose replacements were launched at `atMs` and did not register. */
function afterFailures(nodes: readonly string[], atMs: number, before: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  const failing = withReplacing(
    nodes.map((node) => replacing(node, atMs)),
    before,
  );
  return cluster({ ...before, ...remembered(decide(failing, atMs + 10 * MINUTE)) });
}

function remembered({ passMemory }: Verdict): Pick<ClusterSnapshot, 'passMemory'> {
  return optional({ passMemory });
}

function failingIn(snapshot: Pick<ClusterSnapshot, 'passMemory'>): readonly FailingPool[] {
  return snapshot.passMemory?.failing ?? [];
}

function deleted(reason: DeletionReason): Partial<NodeClaimRecord> {
  return { deletion: { reason, message: 'no node', requestedAtMs: NOW_MS + 10 * MINUTE } };
}

const FAILED_MS = NOW_MS + 10 * MINUTE;

describe('a NodePool whose replacements are not initialized (E25, E35)', () => {
  test('E25: replacements that fail together cause one pause, as long as they took to fail, in which no other node is replaced', () => {
    const after = afterFailures(['a', 'b'], NOW_MS);
    expect(failingIn(after)).toMatchObject([
      { nodePool: 'general', failed: 2, times: 1, sinceMs: FAILED_MS, untilMs: FAILED_MS + 10 * MINUTE },
    ]);
    const verdict = decide(after, FAILED_MS + SECOND);
    expect(verdict.actions).toEqual([]);
    const why = (node: string) => verdict.blocked.find(({ subject }) => subject.name === node);
    expect(why('c')).toMatchObject({
      reason: 'ReplacementsFailed',
      numbers: { failed: 2, waitMs: 10 * MINUTE - SECOND },
    });
    expect(why('c')?.message).toBe(
      'the last 2 commands that launched nodes of NodePool general as replacements failed, because the nodes were not initialized: the next node is tried from 2026-01-31T08:20:00Z, or when the NodePool, its EC2NodeClass or the image changes',
    );
    expect(why('a')).toMatchObject({ reason: 'RejectedBefore', numbers: { rejections: 1 } });
    expect(verdict.due).toContainEqual({ atMs: FAILED_MS + 10 * MINUTE, kind: 'settling' });
  });

  test('E25: after the pause, one node is tried, and the others wait for it', () => {
    const after = afterFailures(NODES, NOW_MS);
    const nowMs = FAILED_MS + 10 * MINUTE;
    expect(proposed(after, nowMs)).toEqual(['a']);
    const { command, claim } = replacing('a', nowMs);
    const trying = { ...after, commands: [command], nodeClaims: [...after.nodeClaims, claim] };
    const { actions, blocked } = decide(trying, nowMs + MINUTE);
    expect(actions.filter(({ kind }) => kind === 'start-disruption')).toEqual([]);
    expect(blocked).toMatchObject(['b', 'c', 'd'].map((name) => ({ subject: { name }, reason: 'ReplacementsFailed' })));
    expect(blocked[0]?.message).toMatch(/: one node is tried first$/);
  });

  test('E25: each further failure doubles the pause, up to an hour, whichever node is tried', () => {
    const minutes: number[] = [];
    let [after, nowMs] = [cluster(), NOW_MS];
    for (const node of ['a', 'b', 'c', 'd', 'a', 'b']) {
      after = afterFailures([node], nowMs, optional({ passMemory: after.passMemory }));
      const endMs = failingIn(after)[0]?.untilMs ?? 0;
      minutes.push((endMs - nowMs) / MINUTE - 10);
      expect(proposed(after, endMs - SECOND)).toEqual([]);
      expect(proposed(after, endMs)).toHaveLength(1);
      nowMs = endMs;
    }
    expect(minutes).toEqual([10, 20, 40, 60, 60, 60]);
  });

  test('E25: an initialized node that was launched as late as the failed ones ends the pause, and the memory of it', () => {
    const after = afterFailures(['a'], NOW_MS);
    const withNode = (createdAtMs: number): ClusterSnapshot => {
      const { node, nodeClaim } = initializedNode({ name: 'full' }, { createdAtMs, initializedAtMs: FAILED_MS });
      const pod = runningPod('full', { requests: { cpu: '1200m' } });
      const { nodes, pods, nodeClaims } = after;
      return { ...after, nodes: [...nodes, node], pods: [...pods, pod], nodeClaims: [...nodeClaims, nodeClaim] };
    };
    expect(proposed(withNode(NOW_MS - SECOND), FAILED_MS + SECOND)).toEqual([]);
    const later = withNode(NOW_MS);
    expect(proposed(later, FAILED_MS + SECOND)).toEqual(['b', 'c', 'd']);
    expect(decide(later, FAILED_MS + SECOND).passMemory?.failing).toEqual([]);
  });

  test('E25: failures do not count if another replacement of the same time was initialized', () => {
    const some = [replacing('a', NOW_MS), replacing('b', NOW_MS, { initializedAtMs: NOW_MS + MINUTE })];
    expect(failingIn(decide(withReplacing(some), FAILED_MS))).toEqual([]);
  });

  const status = { amis: [{ id: 'ami-mended', requirements: [] }] };
  test.each<[string, Partial<ClusterSnapshot['nodePools'][number]>]>([
    [
      'the NodePool',
      aPoolView({ disruption: { budgets: [{ nodes: '90%' }], consolidateAfter: 'Never' }, types: [anInstanceType()] }),
    ],
    ['the EC2NodeClass', { nodeClass: aNodeClass({ userData: 'mended' }) }],
    ['the image', { nodeClass: { ...aNodeClass(), status } }],
  ])('E25: an edit of %s ends all pauses at once', (_, edit) => {
    const nodePools = [{ ...POOL, nodeClass: aNodeClass() }];
    const after = afterFailures(NODES, NOW_MS, { nodePools });
    expect(proposed(after, FAILED_MS + SECOND)).toEqual([]);
    const edited = { ...after, nodePools: nodePools.map((view) => ({ ...view, ...edit })) };
    expect(proposed(edited, FAILED_MS + SECOND).length).toBeGreaterThanOrEqual(3);
    expect(decide(edited, FAILED_MS + SECOND).passMemory?.failing).toEqual([]);
  });

  test('E25: a NodePool that cannot be used for a time has its pause afterwards', () => {
    const nodePools = [{ ...POOL, nodeClass: aNodeClass() }];
    const after = afterFailures(NODES, NOW_MS, { nodePools });
    const unusable = { reason: 'NodeClassNotFound', message: 'none' } as const;
    const without = { ...after, nodePools: [{ nodePool: POOL.nodePool, instanceTypes: [], unusable }] };
    expect(decide(without, FAILED_MS + SECOND).passMemory).toBeUndefined();
  });

  test.each<[DeletionReason, number]>([
    ['launch_timeout', 1],
    ['registration_timeout', 1],
    ['initialization_timeout', 1],
    ['unhealthy', 1],
    ['insufficient_capacity', 0],
    ['spot_interrupted', 0],
    ['deleted', 0],
  ])('E25: a replacement that is deleted as %s counts %i times for its NodePool', (reason, failures) => {
    const some = [replacing('a', NOW_MS, deleted(reason))];
    expect(failingIn(decide(withReplacing(some), NOW_MS + 5 * MINUTE))).toHaveLength(failures);
  });

  test('E25: a command that ends before its replacement is late does not count', () => {
    const node = initializedNode(
      { name: 'a', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
      { drift: DRIFT },
    );
    const { command, claim } = replacing('a', NOW_MS);
    const snapshot = snapshotOf([node], { nodePools: [POOL], commands: [command] });
    const verdict = decide({ ...snapshot, nodeClaims: [...snapshot.nodeClaims, claim] }, NOW_MS + MINUTE);
    expect(verdict.actions).toMatchObject([{ kind: 'end-disruption', outcome: 'rejected' }]);
    expect(verdict.passMemory).toBeUndefined();
  });

  test('E25: a plan has all moves, and says which wait', () => {
    const after = afterFailures(['a'], NOW_MS);
    const { commands } = planDisruption([drift], after, FAILED_MS + 10 * MINUTE);
    expect(commands.map(({ waitsFor }) => waitsFor?.reason)).toEqual([
      undefined,
      ...Array.from({ length: 3 }, () => 'ReplacementsFailed'),
    ]);
  });
});
