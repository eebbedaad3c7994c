import { describe, expect, test } from 'vitest';
import { readScenario, scenarioNames } from './read-scenario.ts';
import { verifyPlan } from './verifier/verify-plan.ts';

/**
 * Karpenter's own results, as far as the scenarios lie beside the repository, in ../shared.
 * The verifier finds nothing in them but what is listed here, and each of these is a fault of Karpenter's.
 */

const FAULTS: Readonly<Record<string, readonly RegExp[]>> = {
  // A first pod with zone affinity may leave its claim two zones, which is then not counted, so the next pod is a first one too (B53).
  'l-diverse-00500': [/^open: .*my-affininity/],
  'l-diverse-02000': [/^pod default\/aff-\d+: nothing of .*my-affininity/],
  // B9: a pod whose PersistentVolumeClaim is missing is dropped with an event, and appears nowhere.
  's29-pvc-zones': [/^pod default\/missing is pending and has no answer$/],
  // B23: limits on nodes are not counted within a run.
  's41-limits-nodes': [/^NodePool default goes over its limits with the cheapest types: nodes 4 asked, 2 there$/],
};

const names = scenarioNames();

describe.skipIf(names.length === 0)(
  `Karpenter's results in ../shared${names.length === 0 ? ' (absent here)' : ''}`,
  () => {
    test.each(names)('%s has no fault but those known', (name) => {
      const { snapshot, karpenter } = readScenario(name);
      const found = verifyPlan(snapshot, karpenter);
      const expected = FAULTS[name] ?? [];
      expect(found).toEqual(expected.map((fault) => expect.stringMatching(fault)));
    });
  },
);
