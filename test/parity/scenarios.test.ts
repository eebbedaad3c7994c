import { describe, expect, test } from 'vitest';
import { comparePlans } from './compare-plans.ts';
import { planOf } from './plan-of.ts';
import { readScenario, scenarioNames } from './read-scenario.ts';
import { verifyPlan } from './verifier/verify-plan.ts';

/** Our plans for the scenarios in ../shared, beside Karpenter's: every rule kept, every pod placed that it places, no dearer. */

/** Pods that Karpenter's result places against a limit (B23): under the same limit nobody could. */
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

/** Prices are sums of decimals. */
const ROUNDING = 1e-9;
