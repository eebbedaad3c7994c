import { BadInputError } from '../../apis/bad-input-error.ts';
import { formatTime } from '../../apis/formats/time.ts';
import { isRecord } from '../../apis/record.ts';
import type { CliContext } from '../context.ts';
import { type HistoryFlags, type Moment, openHistory, recordsUntil, snapshotOf } from '../decisions/history.ts';
import { EXIT } from '../exit-codes.ts';
import { printable } from '../render/render-lines.ts';

export interface StoredSnapshotFlags extends HistoryFlags {
  readonly at: Moment;
}

/**
 * Runs `kerf snapshot --at TIME`: writes the last stored snapshot until then, without the decision that was made on it, so that a plan
 * decides anew. *Errors:* BadInputError if none is stored.
 */
export async function runStoredSnapshot(context: CliContext, flags: StoredSnapshotFlags): Promise<void> {
  const history = await openHistory(flags, context);
  const { records, atMs } = await recordsUntil(history, flags, flags.at);
  const record = records.findLast(({ snapshot }) => snapshot !== undefined);
  if (record === undefined)
    throw new BadInputError(
      `no snapshot of cluster ${history.cluster} is stored until ${formatTime(atMs)}: they are kept for 14 days, of the decisions that the setting decisionSnapshots names`,
    );
  const document: unknown = JSON.parse(await snapshotOf(history, record));
  if (!isRecord(document)) throw new BadInputError(`the snapshot of record ${record.id} is not an object`);
  const { decided: _, ...plain } = document;
  const { stdout, stderr } = context.process;
  stderr.write(
    `${printable(`the cluster as ${record.function} saw it at ${formatTime(record.atMs)} (${record.id})`)}\n`,
  );
  stdout.write(`${JSON.stringify(plain)}\n`);
  context.process.exitCode = EXIT.fine;
}
