import { describe, expect, test } from 'vitest';
import { disruptBy } from '../../../../lib/core/disruption/disrupt.ts';
import { isStillQuiet, quietPass } from '../../../../lib/core/disruption/memory/quiet-pass.ts';
import { ALL_METHODS } from '../../../../lib/core/disruption/methods/all-methods.ts';
import type { ClusterSnapshot } from '../../../../lib/core/model/cluster-snapshot.ts';
import { nextTick, requeueAt, type Verdict } from '../../../../lib/core/model/decision.ts';
import { aCommand } from '../../../builders/decisions.ts';
import { aPoolView } from '../../../builders/node-pools.ts';
import { aBudget } from '../../../builders/nodes.ts';
import { runningPod } from '../../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../../builders/snapshots.ts';
import { MINUTE, NOW_MS, SECOND } from '../../../builders/times.ts';

const NOTHING: Verdict = { actions: [], blocked: [], due: [] };

function cluster(over: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  return snapshotOf([initializedNode({ name: 'a' }), initializedNode({ name: 'b' })], {
    nodePools: [aPoolView({})],
    pods: [runningPod('a', { name: 'on-a' }), runningPod('b', { name: 'on-b' })],
    ...over,
  });
}

/** Whether a pass is left out so long after one with this verdict. */
function isLeftOut(
  before: ClusterSnapshot,
  afterMs: number,
  { now = structuredClone(before), verdict = NOTHING }: { now?: ClusterSnapshot; verdict?: Verdict } = {},
): boolean {
  const quiet = quietPass({ snapshot: before, context: { nowMs: NOW_MS }, verdict });
  return quiet !== undefined && isStillQuiet(quiet, now, { nowMs: NOW_MS + afterMs });
}

function marked(untilMs: number): Pick<ClusterSnapshot, 'unavailable'> {
  return { unavailable: [{ instanceType: 'm5.large', zone: 'a', capacityType: 'spot', untilMs, reason: 'x' }] };
}

describe('a pass without a result (E25)', () => {
  test('E25: it is not repeated for five minutes while nothing changes', () => {
    expect([0, MINUTE, 5 * MINUTE - 1, 5 * MINUTE].map((ms) => isLeftOut(cluster(), ms))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  test.each<[string, Partial<ClusterSnapshot>]>([
    ['a pod is gone', { pods: [runningPod('a', { name: 'on-a' })] }],
    ['a pod is new', { pods: [...cluster().pods, runningPod('a', { name: 'new' })] }],
    ['a pod has moved', { pods: [runningPod('a', { name: 'on-a' }), runningPod('a', { name: 'on-b' })] }],
    [
      'the annotations of a pod have changed',
      {
        pods: [
          runningPod('a', { name: 'on-a' }),
          runningPod('b', { name: 'on-b', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
        ],
      },
    ],
    [
      'a node has changed',
      snapshotOf([initializedNode({ name: 'a' }), initializedNode({ name: 'b', labels: { x: 'y' } })]),
    ],
    ['a NodePool has changed', { nodePools: [aPoolView({ disruption: { budgets: [{ nodes: '1' }] } })] }],
    ['a price has changed', { nodePools: [aPoolView({ types: [] })] }],
    ['a PodDisruptionBudget has changed', { podDisruptionBudgets: [aBudget()] }],
    ['a node is nominated', { nominated: ['a'] }],
    ['there is a command', { commands: [aCommand()] }],
    ['an option has changed', { options: { spotToSpotConsolidation: true } }],
    ['capacity is missing', marked(1)],
  ])('E25: it is repeated if %s', (_, change) => {
    expect(isLeftOut(cluster(), MINUTE, { now: { ...cluster(), ...change } })).toBe(false);
  });

  test('E25: it is repeated if another deletion is refused', () => {
    const quiet = quietPass({
      snapshot: cluster(),
      context: { nowMs: NOW_MS, refused: new Set(['claim-a']) },
      verdict: NOTHING,
    });
    const isSame = (...refused: readonly string[]) =>
      quiet !== undefined && isStillQuiet(quiet, cluster(), { nowMs: NOW_MS, refused: new Set(refused) });
    expect([isSame('claim-a'), isSame(), isSame('claim-b')]).toEqual([true, false, false]);
  });

  test('E25: decisions of other functions, heartbeats of kubelets and longer marks of missing capacity change nothing', () => {
    const before = cluster(marked(NOW_MS + MINUTE));
    const nodes = before.nodes.map((node) => ({ ...node, metadata: { ...node.metadata, resourceVersion: '99' } }));
    const now = { ...before, ...marked(NOW_MS + 2 * MINUTE), epoch: 77, nodes };
    expect(isLeftOut(before, MINUTE, { now })).toBe(true);
  });

  test('E25: it is repeated at its first due time; a tick only looks for changes', () => {
    const verdict = { ...NOTHING, due: [requeueAt(NOW_MS + 90 * SECOND), nextTick(NOW_MS)] };
    expect([89, 90].map((s) => isLeftOut(cluster(), s * SECOND, { verdict }))).toEqual([true, false]);
  });

  test.each<[string, ClusterSnapshot]>([
    [
      'the schedule of a budget begins',
      cluster({
        nodePools: [aPoolView({ disruption: { budgets: [{ nodes: '0', schedule: '2 8 * * *', duration: '1h' }] } })],
      }),
    ],
    [
      'the schedule of a budget ends',
      cluster({
        nodePools: [aPoolView({ disruption: { budgets: [{ nodes: '0', schedule: '2 6 * * *', duration: '2h' }] } })],
      }),
    ],
    [
      'the annotation do-not-disrupt of a pod ends',
      cluster({
        pods: [
          {
            ...runningPod('a', { annotations: { 'karpenter.sh/do-not-disrupt': '1h' } }),
            status: { phase: 'Running', startTime: '2026-01-31T07:02:00Z' },
          },
        ],
      }),
    ],
    [
      'consolidateAfter of a node has passed',
      snapshotOf([initializedNode({ name: 'a' }, { lastPodEventAtMs: NOW_MS - 3 * MINUTE })], {
        nodePools: [aPoolView({ disruption: { consolidateAfter: '5m' } })],
      }),
    ],
  ])('E25: it is repeated when %s', (_, snapshot) => {
    expect([119, 120].map((s) => isLeftOut(snapshot, s * SECOND))).toEqual([true, false]);
  });

  test('E25: a pass that changes something, or could not read something, is not remembered', () => {
    const unread = { subject: { kind: 'Cluster', name: 'demo' }, reason: 'NotRead', message: '', numbers: {} } as const;
    const action = { kind: 'end-disruption', command: 'a', outcome: 'rejected', why: '' } as const;
    expect(isLeftOut(cluster({ ignoredObjects: [unread] }), SECOND)).toBe(false);
    expect(isLeftOut(cluster(), SECOND, { verdict: { ...NOTHING, actions: [action] } })).toBe(false);
  });

  test('E25: a clock that goes back repeats it', () => {
    expect(isLeftOut(cluster(), -SECOND)).toBe(false);
  });

  test('E25: the verdict that is given again is that of the pass that is left out', () => {
    const snapshot = cluster({ nodePools: [aPoolView({ disruption: { budgets: [{ nodes: '0' }] } })] });
    const decide = (ms: number) => disruptBy(ALL_METHODS, snapshot, { decisionId: 'd', nowMs: NOW_MS + ms });
    const verdict = decide(0);
    expect(verdict.blocked.length).toBeGreaterThan(0);
    expect(isLeftOut(snapshot, 4 * MINUTE, { verdict })).toBe(true);
    expect(decide(4 * MINUTE).blocked).toEqual(verdict.blocked);
  });
});
