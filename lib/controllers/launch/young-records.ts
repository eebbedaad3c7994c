import { SECOND_MS } from '../../apis/formats/time.ts';
import { inParallel } from '../../core/in-parallel.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { PortError } from '../../ports/errors.ts';
import type { AdvanceRun } from './advance-claim.ts';

export interface ReadRecords {
  readonly records: readonly NodeClaimRecord[];
  /** The time before the records were read or written. */
  readonly readAtMs: number;
}

/** How old records are at most that are planned: other runs launch their claims meanwhile, so the table would refuse the plan. */
const MAX_AGE_MS = 5 * SECOND_MS;

/** Old records that are read at the same time. */
const READ_AT_ONCE = 10;

/**
 * The records, read again if they are old. A claim that another run has launched meanwhile is left to that run: its node may be newer than the
 * list of this run. *Cost:* a read for each old record.
 */
export async function youngRecords(
  { store, clock }: AdvanceRun['ports'],
  { records, readAtMs }: ReadRecords,
): Promise<ReadRecords> {
  const nowMs = clock.now();
  if (nowMs - readAtMs <= MAX_AGE_MS) return { records, readAtMs };
  const fresh = new Map(records.map((record) => [record.name, record]));
  try {
    await inParallel(records, READ_AT_ONCE, async ({ cluster, name }) => {
      const record = await store.readNodeClaim(cluster, name);
      if (record === undefined || record.releasedAtMs !== undefined || record.launch.kind === 'launched')
        fresh.delete(name);
      else fresh.set(name, record);
    });
  } catch (error) {
    // The table still refuses the plan of a record that has changed.
    if (!(error instanceof PortError)) throw error;
  }
  return { records: [...fresh.values()], readAtMs: nowMs };
}
