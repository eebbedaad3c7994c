import { disruptionOutput } from '../../lib/cli/plan/disruption/disruption-output.ts';
import { provisioningOutput } from '../../lib/cli/plan/provisioning-output.ts';
import { ALL_METHODS } from '../../lib/core/disruption/methods/all-methods.ts';
import { planDisruption } from '../../lib/core/disruption/plan-disruption.ts';
import type { SchedulingOptions } from '../../lib/core/model/scheduling-options.ts';
import { provision } from '../../lib/core/provisioning/provision.ts';
import { type ReadSnapshot, readSnapshot } from '../../lib/snapshot/read-snapshot.ts';
import type { RawDisruptionPlan } from './disruption/verify-disruption.ts';
import type { RawPlan, RawSnapshot } from './verifier/raw-documents.ts';

/**
 * The output of `kerf plan provisioning --output json` for the snapshot, by the same steps: text, reader, engine, output.
 * `options`: instead of those of the snapshot.
 */
export function planOf(document: RawSnapshot, options: SchedulingOptions = {}): RawPlan {
  const { snapshot: given, nowMs } = readDocument(document);
  const snapshot = { ...given, options: { ...given.options, ...options } };
  return JSON.parse(
    JSON.stringify(
      provisioningOutput(provision(snapshot, { decisionId: 'plan', nowMs }), { durationMs: 0, notes: [] }),
    ),
  );
}

/** The output of `kerf plan disruption --output json`. */
export function disruptionPlanOf(document: RawSnapshot): RawDisruptionPlan {
  const { snapshot, nowMs } = readDocument(document);
  return JSON.parse(
    JSON.stringify(disruptionOutput(planDisruption(ALL_METHODS, snapshot, nowMs), { durationMs: 0, notes: [] })),
  );
}

function readDocument(snapshot: RawSnapshot): ReadSnapshot {
  return readSnapshot(
    { readText: () => JSON.stringify(snapshot) },
    { path: 'snapshot.json', nowMs: Date.UTC(2026, 0, 1) },
  );
}
