import { describe, expect, test } from 'vitest';
import { comparePlans } from './compare-plans.ts';
import { planOf } from './plan-of.ts';
import { readScenario, scenarioNames } from './read-scenario.ts';
import { verifyPlan } from './verifier/verify-plan.ts';

/** Our plans for the scenarios in ../shared have no violation, place every pod that Karpenter places, and cost no more. */

/** Pods that Karpenter places although this exceeds a limit (B23). */
const OVER_THE_LIMIT: Readonly<Record<string, number>> = { 's41-limits-nodes': 2 };

const names = scenarioNames();

describe.skipIf(names.length === 0)(`our plans for ../shared${names.length === 0 ? ' (absent here)' : ''}`, () => {
  test.each(names)('%s', (name) => {
    const { snapshot, karpenter } = readScenario(name);
    const plan = planOf(snapshot);
    expect(verifyPlan(snapshot, plan)).toEqual([]);
    const { onlyTheirs, ourPrice, theirPrice } = comparePlans(plan, karpenter);
    expect(onlyTheirs).toHaveLength(OVER_THE_LIMIT[name] ?? 0);
    expect(ourPrice).toBeLessThanOrEqual(theirPrice + ROUNDING);
  });
});

/** Sums of decimal prices have rounding errors. */
const ROUNDING = 1e-9;
