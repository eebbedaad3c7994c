import { provisioningOutput } from '../../lib/cli/plan/provisioning-output.ts';
import { provision } from '../../lib/core/provisioning/provision.ts';
import { readSnapshot } from '../../lib/snapshot/read-snapshot.ts';
import type { RawPlan, RawSnapshot } from './verifier/raw-documents.ts';

/** The output of `kerf plan provisioning --output json` for the snapshot, by the same steps: text, reader, engine, output. */
export function planOf(snapshot: RawSnapshot): RawPlan {
  const read = readSnapshot(
    { readText: () => JSON.stringify(snapshot) },
    { path: 'snapshot.json', nowMs: Date.UTC(2026, 0, 1) },
  );
  return JSON.parse(
    JSON.stringify(provisioningOutput(provision(read.snapshot, { decisionId: 'plan', nowMs: read.nowMs }), 0)),
  );
}
