import fc from 'fast-check';
import { expect, test } from 'vitest';
import { podKey } from '../../../lib/apis/kubernetes.ts';
import { savings } from '../../../lib/cli/plan/disruption/disruption-output.ts';
import { stateNodes } from '../../../lib/core/cluster/state-node.ts';
import { ALL_METHODS } from '../../../lib/core/disruption/methods/all-methods.ts';
import { nodePrice } from '../../../lib/core/disruption/node-price.ts';
import { planDisruption } from '../../../lib/core/disruption/plan-disruption.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import { readSnapshot } from '../../../lib/snapshot/read-snapshot.ts';
import { MINUTE, NOW_MS } from '../../builders/times.ts';
import { samples } from '../../samples.ts';
import { disruptableSnapshots } from '../random/disruptable-snapshots.ts';
import { executed } from './executed-plan.ts';

function priceOf(snapshot: ClusterSnapshot): number {
  return stateNodes(snapshot).reduce((sum, node) => sum + nodePrice(node, snapshot.nodePools), 0);
}

function placesOf({ pods }: ClusterSnapshot): ReadonlyMap<string, string | undefined> {
  return new Map(pods.map((pod) => [podKey(pod), pod.spec.nodeName]));
}

/** One plan after the other, each carried out, with the whole budget for each. */
function played(start: ClusterSnapshot, startMs: number) {
  const rounds: { readonly saved: number; readonly evictions: number }[] = [];
  let [snapshot, nowMs] = [start, startMs];
  for (;;) {
    const plan = planDisruption(ALL_METHODS, snapshot, nowMs);
    if (plan.commands.length === 0 || rounds.length > MAX_ROUNDS) return rounds;
    const after = executed(snapshot, plan, nowMs);
    expect(priceOf(snapshot) - priceOf(after)).toBeCloseTo(savings(plan.commands), 6);
    const before = placesOf(snapshot);
    const evictions = [...placesOf(after)].filter(([pod, node]) => before.get(pod) !== node).length;
    rounds.push({ saved: savings(plan.commands), evictions });
    [snapshot, nowMs] = [after, nowMs + MINUTE];
  }
}

/** Random snapshots have up to five nodes, and a budget may allow one at a time. */
const MAX_ROUNDS = 8;

test('E21: plans that are carried out end soon, each of them lowers the price by what it said, and the first moves most pods', () => {
  const all: ReturnType<typeof played>[] = [];
  fc.assert(
    fc.property(disruptableSnapshots, (document) => {
      const read = { readText: () => JSON.stringify(document) };
      const { snapshot, nowMs } = readSnapshot(read, { path: 'random.json', nowMs: NOW_MS });
      const rounds = played(snapshot, nowMs);
      expect(rounds.length).toBeLessThanOrEqual(MAX_ROUNDS);
      for (const { saved } of rounds) expect(saved).toBeGreaterThanOrEqual(0);
      all.push(rounds);
    }),
    { seed: 20_261_126, numRuns: samples(1_000) },
  );
  const evictionsIn = (from: number, to: number): number =>
    all.reduce((sum, rounds) => sum + rounds.slice(from, to).reduce((of, { evictions }) => of + evictions, 0), 0);
  expect(evictionsIn(0, 1)).toBeGreaterThan(samples(200));
  expect(evictionsIn(1, MAX_ROUNDS)).toBeLessThan(evictionsIn(0, 1) / 2);
});
