import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stateNodes } from '../../../lib/core/cluster/state-node.ts';
import { simulationOf } from '../../../lib/core/provisioning/what-if.ts';
import { questionedDocuments, questionedProblems } from '../random/questioned-snapshots.ts';

const questions = fc.array(fc.uniqueArray(fc.nat({ max: 7 }), { minLength: 1, maxLength: 4 }), {
  minLength: 4,
  maxLength: 12,
});

const fromDocuments = questionedDocuments(questions);

const fromBuilders = questionedProblems(questions);

const ROUNDING = 1e-9;

test.each([
  { of: 'snapshot files', cases: fromDocuments, numRuns: 120 },
  { of: 'built snapshots', cases: fromBuilders, numRuns: 400 },
])('no simulation that places every pod costs less than the bounds ($of)', ({ cases, numRuns }) => {
  let aboveZero = 0;
  let accepted = 0;
  fc.assert(
    fc.property(cases, ({ snapshot, nowMs, questions: asked }) => {
      const nodes = stateNodes(snapshot);
      const { whatIf, bounds } = simulationOf(snapshot, nowMs);
      for (const indexes of asked) {
        const gone =
          nodes.length === 0 ? [] : [...new Set(indexes.flatMap((at) => nodes[at % nodes.length]?.name ?? []))];
        const { newClaims, unplaced } = whatIf(gone);
        if (unplaced.some(({ pod }) => pod.spec.nodeName !== undefined)) continue;
        const price = newClaims.reduce((sum, { cheapest }) => sum + cheapest.offering.priceUsdPerHour, 0);
        const ofOne = bounds.priceOfOneClaim(gone);
        const homeless = gone.reduce((sum, name) => sum + bounds.priceOfHomeless(name), 0);
        if (newClaims.length <= 1) {
          accepted += 1;
          expect(ofOne).toBeLessThanOrEqual(price);
        }
        expect(homeless).toBeLessThanOrEqual(price + ROUNDING);
        expect(homeless).toBeLessThanOrEqual(gone.reduce((sum, name) => sum + bounds.worthOf(name), 0) + ROUNDING);
        if (ofOne > 0 && newClaims.length === 1) aboveZero += 1;
      }
    }),
    { seed: 20_261_123, numRuns },
  );
  expect(accepted).toBeGreaterThan(numRuns);
  expect(aboveZero).toBeGreaterThan(numRuns / 20);
});
