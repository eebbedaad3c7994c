import type { Due } from '../core/action.ts';
import type { NodeClaimRecord } from '../core/node-claim/record.ts';
import { ConflictError, StaleRecordError } from '../ports/errors.ts';

export interface EachClaim {
  readonly due: readonly Due[];
  readonly failures: readonly Error[];
}

/**
 * Looks at one claim after the other; one that fails keeps none of the others waiting (promise 7). A claim that somebody
 * else changed meanwhile is looked at again in a second.
 */
export async function eachClaim(
  records: readonly NodeClaimRecord[],
  nowMs: number,
  look: (record: NodeClaimRecord) => Promise<readonly Due[]>,
): Promise<EachClaim> {
  const due: Due[] = [];
  const failures: Error[] = [];
  for (const record of records) {
    try {
      due.push(...(await look(record)));
    } catch (error) {
      if (error instanceof StaleRecordError || error instanceof ConflictError)
        due.push({ atMs: nowMs + 1_000, kind: 'settling' });
      else if (error instanceof Error)
        failures.push(new Error(`NodeClaim ${record.name}: ${error.message}`, { cause: error }));
      else throw error;
    }
  }
  return { due, failures };
}
