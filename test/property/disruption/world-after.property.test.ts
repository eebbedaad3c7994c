import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isOwnedByDaemonSet } from '../../../lib/core/cluster/pods.ts';
import { placesIn } from '../../../lib/core/disruption/consolidation/evaluate-move.ts';
import type { EvaluatedMove, World } from '../../../lib/core/disruption/method.ts';
import { simulationOf } from '../../../lib/core/provisioning/what-if.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { aNodePool } from '../../builders/node-pools.ts';
import { worldOf } from '../../core/disruption/worlds.ts';
import { samples } from '../../samples.ts';
import { questionedDocuments, questionedProblems } from '../random/questioned-snapshots.ts';
import { textOf } from '../schedule-text.ts';

/** Each question removes nodes. If their pods have places, the next question is about the cluster after this move. */
const questions = fc.array(fc.uniqueArray(fc.nat({ max: 7 }), { minLength: 1, maxLength: 3 }), {
  minLength: 4,
  maxLength: 10,
});

const fromDocuments = questionedDocuments(questions);

const fromBuilders = questionedProblems(questions);

function moveOf(names: readonly string[], world: World): EvaluatedMove | undefined {
  const places = placesIn(world.whatIf(names), names, world);
  if ('reason' in places) return undefined;
  const gone = world.candidates.nodes.filter(({ name }) => names.includes(name));
  if (gone.some(({ deleting }) => deleting)) return undefined;
  const of = { nodeClaim: launchedClaim(), nodePool: aNodePool(), priceUsdPerHour: 0 };
  const candidates = gone.map((stateNode) => ({ ...of, stateNode }));
  const { targets, claims, evictions } = places;
  return { candidates, targets, replacements: claims, evictions, sourceUsdPerHour: 0, savingsUsdPerHour: 0 };
}

test.each([
  { of: 'snapshot files', cases: fromDocuments, numRuns: samples(400) },
  { of: 'built snapshots', cases: fromBuilders, numRuns: samples(400) },
])('after any moves, each question has the answer of a new index of the same nodes ($of)', ({ cases, numRuns }) => {
  let asked = 0;
  let launched = 0;
  fc.assert(
    fc.property(cases, ({ snapshot: of, nowMs, questions: sets }) => {
      // B20: a DaemonSet requests as much as its newest pod. After a move, the index still has this pod if its node is gone.
      const snapshot = { ...of, pods: of.pods.filter((pod) => !isOwnedByDaemonSet(pod)) };
      let world = worldOf(snapshot, nowMs);
      const limited = new Set(snapshot.storage?.csiNodes.map(({ metadata }) => metadata.name));
      let moves = 0;
      for (const indexes of sets) {
        const { nodes } = world.candidates;
        if (nodes.length === 0) return;
        const names = [...new Set(indexes.flatMap((index) => nodes[index % nodes.length]?.name ?? []))];
        if (moves > 0) {
          const fresh = simulationOf(snapshot, nowMs, nodes);
          expect(textOf(world.whatIf(names))).toBe(textOf(fresh.whatIf(names)));
          expect(world.bounds.priceOfOneClaim(names)).toBe(fresh.bounds.priceOfOneClaim(names));
          asked += 1;
        }
        const move = moveOf(names, world);
        if (move === undefined) continue;
        world = world.after(move);
        moves += 1;
        launched += move.replacements.length;
        // B44: only nodes say how many volumes their type attaches. The index still knows this of a node that is gone; a new index does not.
        if (names.some((name) => limited.has(name))) return;
      }
    }),
    { seed: 20_261_124, numRuns },
  );
  expect(asked).toBeGreaterThan(numRuns / 4);
  expect(launched).toBeGreaterThan(numRuns / 20);
});
