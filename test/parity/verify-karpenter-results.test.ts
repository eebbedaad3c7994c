import { describe, expect, test } from 'vitest';
import { readScenario, scenarioNames } from './read-scenario.ts';
import { verifyPlan } from './verifier/verify-plan.ts';

/**
 * Verifies Karpenter's results, if the scenarios are next to the repository, in ../shared.
 * The verifier finds only the violations that are listed here; each of them is a fault of Karpenter.
 */

const FAULTS: Readonly<Record<string, readonly RegExp[]>> = {
  // A first pod with zone affinity may have a claim with two zones. It is then not counted, so the next pod is a first pod too (B53).
  'l-diverse-00500': [/^open: .*my-affininity/],
  'l-diverse-02000': [/^pod default\/aff-\d+: no pod of .*my-affininity/],
  // B9: a pod whose PersistentVolumeClaim is missing is dropped with an event, and appears nowhere.
  's29-pvc-zones': [/^pod default\/missing is pending and has no answer$/],
  // B23: limits on nodes are not counted within a run.
  's41-limits-nodes': [/^NodePool default exceeds its limits with the cheapest types: nodes 4 requested, 2 available$/],
};

const names = scenarioNames();

describe.skipIf(names.length === 0)(
  `Karpenter's results in ../shared${names.length === 0 ? ' (absent here)' : ''}`,
  () => {
    test.each(names)('%s has only known faults', (name) => {
      const { snapshot, karpenter } = readScenario(name);
      const found = verifyPlan(snapshot, karpenter);
      const expected = FAULTS[name] ?? [];
      expect(found).toEqual(expected.map((fault) => expect.stringMatching(fault)));
    });
  },
);
