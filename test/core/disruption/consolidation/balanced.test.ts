import { describe, expect, test } from 'vitest';
import { describeMove } from '../../../../lib/core/disruption/command/start-replacing.ts';
import {
  BY_EVICTIONS,
  balancedScore,
  poolTotals,
  whyNeverBalanced,
  whyUnbalanced,
  withScore,
} from '../../../../lib/core/disruption/consolidation/balanced.ts';
import { multiNode } from '../../../../lib/core/disruption/methods/multi-node.ts';
import { singleNode } from '../../../../lib/core/disruption/methods/single-node.ts';
import { withTargets } from '../../../../lib/core/disruption/play-out.ts';
import { aPoolView, asking } from '../../../builders/node-pools.ts';
import { aNode } from '../../../builders/nodes.ts';
import { runningPod } from '../../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../../builders/snapshots.ts';
import { candidatesOf, worldOf } from '../worlds.ts';

/** A NodePool with the policy Balanced. */
function balanced(name = 'general') {
  return aPoolView({
    name,
    requirements: [asking('karpenter.sh/capacity-type', 'In', 'on-demand')],
    disruption: { consolidationPolicy: 'Balanced', budgets: [{ nodes: '100%' }] },
  });
}

function node(name: string, type = 'm5.large', nodePool = 'general') {
  const allocatable = { cpu: type === 'm5.large' ? '2' : '8', memory: '32Gi', pods: '29' };
  return initializedNode({ name, allocatable, labels: { 'node.kubernetes.io/instance-type': type } }, { nodePool });
}

function podsOn(on: string, count: number, cpu = '100m') {
  return Array.from({ length: count }, (_, at) =>
    runningPod(on, { name: `${on}-${at}`, requests: { cpu, memory: '10Mi' } }),
  );
}

describe('the Balanced policy (E26)', () => {
  test('E26: the totals are those of all nodes of a NodePool, whether they are candidates or not', () => {
    const young = { ...node('c'), nodeClaim: { ...node('c').nodeClaim, initializedAtMs: Number.MAX_SAFE_INTEGER } };
    const snapshot = snapshotOf([node('a'), node('b', 'm5.2xlarge'), young, node('x', 'm5.large', 'other')], {
      nodePools: [balanced(), balanced('other')],
      pods: [...podsOn('a', 3), ...podsOn('b', 1), ...podsOn('x', 2)],
    });
    const nodes = [...snapshot.nodes, aNode({ name: 'of-another-autoscaler' })];
    const totals = poolTotals(worldOf({ ...snapshot, nodes }));
    // One for each node, and one for each pod.
    expect(totals.get('general')).toEqual({ usdPerHour: expect.closeTo(0.6), rescheduleCost: 7, evictionsCost: 4 });
    expect(totals.get('other')).toEqual({ usdPerHour: 0.1, rescheduleCost: 3, evictionsCost: 2 });
  });

  test('E26: a replacement that is launched counts in the totals after its move', () => {
    const snapshot = snapshotOf([node('large', 'm5.2xlarge'), node('full')], {
      nodePools: [balanced()],
      pods: [...podsOn('large', 1, '1500m'), ...podsOn('full', 3, '600m')],
    });
    const world = worldOf(snapshot);
    const [proposed] = singleNode.propose(world).moves;
    if (proposed === undefined) throw new Error('no move');
    const move = withTargets(proposed, world);
    expect(move.savingsUsdPerHour).toBeGreaterThan(0);
    expect(move.replacements).toHaveLength(1);
    const before = poolTotals(world).get('general')?.usdPerHour ?? 0;
    const after = poolTotals(world.after(move, 'Underutilized')).get('general');
    expect(after).toMatchObject({ usdPerHour: expect.closeTo(before - move.savingsUsdPerHour), evictionsCost: 4 });
  });

  test.each<[string, number, number]>([
    ['half the savings for all of the disruption', 0.3, 0.5],
    ['all of the savings for all of the disruption', 0.6, 1],
    ['nothing', 0, 0],
    ['more cost', -1, 0],
  ])('E26: the score is the share of the savings divided by the share of the disruption: %s', (_, saved, score) => {
    const snapshot = snapshotOf([node('a')], { nodePools: [balanced()], pods: podsOn('a', 3) });
    const candidates = candidatesOf(worldOf(snapshot), 'a');
    const totals = { usdPerHour: 0.6, rescheduleCost: 4, evictionsCost: 3 };
    expect(
      balancedScore({ candidates, savingsUsdPerHour: saved }, totals, { disruption: 'rescheduleCost' }).score,
    ).toBeCloseTo(score);
  });

  /** A node with one pod, and one with seven. The pool costs 0.2 $/h and its disruption cost is 10. */
  const uneven = snapshotOf([node('few'), node('many')], {
    nodePools: [balanced()],
    pods: [...podsOn('few', 1), ...podsOn('many', 7)],
  });

  test.each<[string, number, number]>([
    ['few', 0.1, 0.5 / 0.2],
    ['many', 0.1, 0.5 / 0.8],
    ['many', 0.04, 0.2 / 0.8],
  ])('E26: a move of %s that saves %f $/h has the score %f and is approved from 0.5 on', (name, saved, score) => {
    const world = worldOf(uneven);
    const why = whyUnbalanced({ candidates: candidatesOf(world, name), savingsUsdPerHour: saved }, poolTotals(world));
    if (score >= 0.5) expect(why).toBeUndefined();
    else
      expect(why).toMatchObject({
        reason: 'BalancedScore',
        message:
          'the move would save 20.0 % of the price of NodePool general for 80.0 % of its disruption cost: the score 0.25 is below 0.5',
        numbers: { score: expect.closeTo(0.25), minScore: 0.5 },
      });
  });

  test('E26: without the part of the nodes, few evictions need few savings', () => {
    const nodePools = [aPoolView()];
    const world = worldOf({ ...uneven, nodePools });
    // few has one of eight evictions, and one of five with the nodes. The pool costs 0.2 $/h.
    const why = (savingsUsdPerHour: number) =>
      whyUnbalanced({ candidates: candidatesOf(world, 'few'), savingsUsdPerHour }, poolTotals(world), BY_EVICTIONS);
    expect(why(0.0126)).toBeUndefined();
    expect(why(0.0124)).toMatchObject({ reason: 'BalancedScore' });
  });

  test('E26: a move without evictions has no score: infinity cannot be stored', () => {
    const world = worldOf(snapshotOf([node('a'), node('b')], { nodePools: [aPoolView()], pods: podsOn('b', 1) }));
    const scored = (name: string) => {
      const candidates = candidatesOf(world, name);
      const move = {
        candidates,
        replacements: [],
        targets: [],
        sourceUsdPerHour: 0.1,
        savingsUsdPerHour: 0.1,
        evictions: 0,
      };
      return withScore(move, poolTotals(world), BY_EVICTIONS).score;
    };
    expect([scored('a'), scored('b')]).toEqual([undefined, 0.5]);
  });

  test('E26: the savings of nodes of several NodePools are divided by the prices, and each of these NodePools must approve', () => {
    const snapshot = snapshotOf([node('a'), node('b', 'm5.large', 'other'), node('c', 'm5.large', 'other')], {
      nodePools: [balanced(), balanced('other')],
      pods: [...podsOn('a', 1), ...podsOn('b', 8), ...podsOn('c', 1)],
    });
    const world = worldOf(snapshot);
    const why = (savingsUsdPerHour: number, ...names: readonly string[]) =>
      whyUnbalanced({ candidates: candidatesOf(world, ...names), savingsUsdPerHour }, poolTotals(world));
    // b is half of the price of its pool and 9 of 11 of its disruption: it must save 0.0818 $/h.
    expect(why(0.09, 'b')).toBeUndefined();
    expect(why(0.08, 'b')).toBeDefined();
    expect(why(0.18, 'a', 'b')).toBeUndefined();
    expect(why(0.12, 'a', 'b')).toMatchObject({ message: expect.stringContaining('NodePool other') });
  });

  test('E26: other policies have no score', () => {
    const nodePools = [aPoolView()];
    const world = worldOf({ ...uneven, nodePools });
    expect(
      whyUnbalanced({ candidates: candidatesOf(world, 'many'), savingsUsdPerHour: 0.0001 }, poolTotals(world)),
    ).toBeUndefined();
  });

  test('E26: a node that could not even be deleted needs no simulation', () => {
    const snapshot = snapshotOf([node('a'), node('b', 'm5.2xlarge')], {
      nodePools: [balanced()],
      pods: [...podsOn('a', 19), ...podsOn('b', 1)],
    });
    const world = worldOf(snapshot);
    const [a] = candidatesOf(world, 'a');
    // a is a fifth of the price and 20 of 22 of the disruption.
    expect(a && whyNeverBalanced(a, poolTotals(world))?.numbers).toMatchObject({ score: expect.closeTo(0.22) });
    const asked: string[] = [];
    const whatIf: typeof world.whatIf = (gone, options) => {
      asked.push(...gone);
      return world.whatIf(gone, options);
    };
    singleNode.propose({ ...world, whatIf });
    expect(asked).toEqual(['b']);
  });

  test.each([multiNode, singleNode])('E26: $name proposes only moves that are approved', (method) => {
    const kept = { 'karpenter.sh/do-not-disrupt': 'true' };
    const { node: big, nodeClaim } = node('big', 'm5.2xlarge');
    const dear = { node: { ...big, metadata: { ...big.metadata, annotations: kept } }, nodeClaim };
    const removed = (podsOfEach: number) => {
      const pods = [...podsOn('big', 5, '1500m'), ...podsOn('c', podsOfEach, '10m'), ...podsOn('d', podsOfEach, '10m')];
      const snapshot = snapshotOf([node('c'), node('d'), dear], { nodePools: [balanced()], pods });
      const nodes = [...snapshot.nodes, aNode({ name: 'of-another-autoscaler' })];
      const { moves } = method.propose(worldOf({ ...snapshot, nodes }));
      return moves.flatMap(({ candidates }) => candidates.map(({ stateNode }) => stateNode.name));
    };
    // c and d are a third of the price, and 42 of 48 or 6 of 12 of the disruption.
    expect(removed(20)).toEqual([]);
    expect(removed(2)).not.toEqual([]);
  });

  test('E26, E37: a command has its method, what it saves, its evictions and the lowest score that approved it', () => {
    const { moves } = singleNode.propose(worldOf(uneven));
    expect(moves.map(describeMove)).toMatchObject([
      { candidates: [{ node: 'few' }], replacements: [], savingUsdPerHour: 0.1, evictions: 1, score: 2.5 },
    ]);
    const anyPool = { ...balanced(), nodePool: aPoolView({ disruption: { budgets: [{ nodes: '100%' }] } }).nodePool };
    const unscored = singleNode.propose(worldOf({ ...uneven, nodePools: [anyPool] })).moves;
    expect(unscored.map(describeMove).map(({ score }) => score)).toEqual([undefined]);
  });
});
