import { describe, expect, test } from 'vitest';
import { disrupt } from '../../../../lib/core/disruption/disrupt.ts';
import { ALL_METHODS } from '../../../../lib/core/disruption/methods/all-methods.ts';
import { planDisruption } from '../../../../lib/core/disruption/plan-disruption.ts';
import { whyTooEarly } from '../../../../lib/core/disruption/restraint/low-score.ts';
import type { ClusterSnapshot } from '../../../../lib/core/model/cluster-snapshot.ts';
import { aPoolView, asking } from '../../../builders/node-pools.ts';
import { runningPod } from '../../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../../builders/snapshots.ts';
import { MINUTE, NOW_MS } from '../../../builders/times.ts';
import { candidatesOf, worldOf } from '../worlds.ts';

function pool(nodes: string) {
  return aPoolView({
    requirements: [asking('karpenter.sh/capacity-type', 'In', 'on-demand')],
    disruption: { budgets: [{ nodes }] },
  });
}

function node(name: string, lastPodEventAtMs?: number) {
  const labels = { 'node.kubernetes.io/instance-type': 'm5.2xlarge' };
  return initializedNode(
    { name, labels, allocatable: { cpu: '8', memory: '32Gi', pods: '29' } },
    { ...(lastPodEventAtMs !== undefined && { lastPodEventAtMs }) },
  );
}

function pods(on: string, count: number, cpu: string) {
  return Array.from({ length: count }, (_, at) =>
    runningPod(on, { name: `${on}-${at}`, requests: { cpu, memory: '10Mi' } }),
  );
}

/**
 * Two nodes of 0.4 $/h. The 19 pods of the first fit on a node of 0.2 $/h: a quarter of the price for 20 of 22 parts of the disruption.
 * The score is 0.275, so the move waits for 30 minutes.
 */
function cluster(over: Partial<ClusterSnapshot> = {}, changedAtMs = NOW_MS - 20 * MINUTE): ClusterSnapshot {
  return snapshotOf([node('many', changedAtMs), node('full')], {
    nodePools: [pool('100%')],
    options: { lowScoreWaits: true },
    pods: [...pods('many', 19, '190m'), ...pods('full', 1, '7900m')],
    ...over,
  });
}

function disrupted(snapshot: ClusterSnapshot): readonly string[] {
  return disrupt(snapshot, { decisionId: 'decision-1', nowMs: NOW_MS }).actions.flatMap((action) =>
    action.kind === 'start-disruption' ? action.command.candidates.map((one) => one.node) : [],
  );
}

describe('a move that saves little for its evictions (E28)', () => {
  test('E28: waits while a pod has come or gone on its nodes a short time ago, with the reason', () => {
    expect(disrupted(cluster())).toEqual([]);
    expect(disrupt(cluster(), { decisionId: 'decision-1', nowMs: NOW_MS }).blocked).toContainEqual({
      subject: { kind: 'Node', name: 'many' },
      nodePool: 'general',
      reason: 'SavesLittle',
      message: 'the move saves little for its evictions, so it waits until no pod has come or gone on the node for 30m',
      numbers: { score: expect.closeTo(0.263, 3), minScore: 0.5, waitSeconds: 600 },
    });
  });

  test('E28: is carried out after that', () => {
    expect(disrupted(cluster({}, NOW_MS - 30 * MINUTE))).toEqual(['many']);
  });

  test('E28: does not wait by default', () => {
    expect(disrupted(cluster({ options: {} }))).toEqual(['many']);
  });

  test('E28: does not use the budget, so that another node can be disrupted', () => {
    const small = snapshotOf([node('many', NOW_MS - 20 * MINUTE), node('full'), node('few')], {
      nodePools: [pool('1')],
      options: { lowScoreWaits: true },
      pods: [...pods('many', 19, '190m'), ...pods('full', 1, '7900m'), ...pods('few', 1, '100m')],
    });
    expect(disrupted(small)).toEqual(['few']);
  });

  test('E28: is part of a plan, which says that it would wait', () => {
    const { commands } = planDisruption(ALL_METHODS, cluster(), NOW_MS);
    expect(commands.map(({ candidates, waitsFor }) => [candidates.length, waitsFor?.reason])).toEqual([
      [1, 'SavesLittle'],
    ]);
    const [later] = planDisruption(ALL_METHODS, cluster({}, NOW_MS - 30 * MINUTE), NOW_MS).commands;
    expect(later?.waitsFor).toBeUndefined();
  });

  test.each<[number, number | undefined]>([
    [0.5, undefined],
    [0.49, 10],
    [0.25, 30],
    [0.1, 120],
    [0.05, 270],
    [0.001, 360],
  ])('E28: with the score %f, it waits for %s min', (score, minutes) => {
    const world = worldOf(cluster({}, NOW_MS));
    const [candidate] = candidatesOf(world, 'many');
    if (candidate === undefined) throw new Error('no candidate');
    const totals = new Map([['general', { usdPerHour: 1, rescheduleCost: 20, evictionsCost: 19 }]]);
    const move = {
      candidates: [candidate],
      replacements: [],
      targets: [],
      sourceUsdPerHour: 1,
      savingsUsdPerHour: score,
      evictions: 19,
    };
    const waitSeconds = whyTooEarly(move, totals, NOW_MS)?.numbers['waitSeconds'];
    expect(waitSeconds).toBe(minutes && minutes * 60);
  });
});
