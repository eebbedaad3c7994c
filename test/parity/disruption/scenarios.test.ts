import { describe, expect, test } from 'vitest';
import { disruptionPlanOf, planOf } from '../plan-of.ts';
import { disruptionScenarioNames, readDisruptionScenario } from '../read-scenario.ts';
import { verifyDisruption } from './verify-disruption.ts';

/** Our disruption plans for the scenarios in ../shared have no violation, and save at least what Karpenter's command saves. */

const names = disruptionScenarioNames();

describe.skipIf(names.length === 0)(
  `our disruption plans for ../shared${names.length === 0 ? ' (absent here)' : ''}`,
  () => {
    test.each(names)('%s', (name) => {
      const { snapshot, karpenter } = readDisruptionScenario(name);
      const plan = disruptionPlanOf(snapshot);
      expect(verifyDisruption(snapshot, plan, planOf)).toEqual([]);
      expect(savings(plan.commands)).toBeGreaterThanOrEqual(savings(karpenter) - ROUNDING);
    });
  },
);

function savings(commands: readonly { readonly estimatedHourlySavings: number }[]): number {
  return commands.reduce((sum, { estimatedHourlySavings }) => sum + estimatedHourlySavings, 0);
}

/** Sums of decimal prices have rounding errors. */
const ROUNDING = 1e-6;
