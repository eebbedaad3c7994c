import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type RawCommand,
  type RawDisruptionPlan,
  verifyDisruption,
} from '../../parity/disruption/verify-disruption.ts';
import { disruptionPlanOf, planOf } from '../../parity/plan-of.ts';
import { samples } from '../../samples.ts';
import { disruptableSnapshots } from '../random/disruptable-snapshots.ts';

/** E18: no instance type has the offering of these nodes, and the snapshot does not have the prices of launches. */
function isUnpriced({ sourceHourlyPrice }: RawCommand): boolean {
  return sourceHourlyPrice === 0;
}

function savesNothing({ method }: RawCommand, at: number): string {
  return `command ${at + 1} (${method}) saves nothing`;
}

test('E20–E22: in every plan of disruption, each evicted pod has a place, budgets hold, and each command saves', () => {
  const plans: RawDisruptionPlan[] = [];
  fc.assert(
    fc.property(disruptableSnapshots, (snapshot) => {
      const plan = disruptionPlanOf(snapshot);
      plans.push(plan);
      const found = verifyDisruption(snapshot, plan, planOf);
      const isFree = (violation: string): boolean =>
        plan.commands.some((command, at) => isUnpriced(command) && violation === savesNothing(command, at));
      expect(found.filter((violation) => !isFree(violation))).toEqual([]);
    }),
    { seed: 20_261_123, numRuns: samples(2_000) },
  );
  const commands = plans.flatMap((plan) => plan.commands).filter(({ reason }) => reason === 'Underutilized');
  const isReplacement = Map.groupBy(commands, ({ replacements }) => replacements.length > 0);
  // The samples have commands of both kinds.
  expect(isReplacement.get(true)?.length).toBeGreaterThan(samples(50));
  expect(isReplacement.get(false)?.length).toBeGreaterThan(samples(50));
});
