import type { DecisionRecord } from '../../core/decisions/decision-record.ts';
import { chainOf } from '../../core/decisions/select-records.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { ShowFlags } from './decisions-commands.ts';
import { openHistory, recordNamed, recordsAround } from './history.ts';
import { renderRecord } from './render-record.ts';

/** Runs `kerf show`. *Errors:* BadInputError if no record has this name. */
export async function runShow(context: CliContext, flags: ShowFlags, name: string): Promise<void> {
  const history = await openHistory(flags, context);
  const record = await recordNamed(history, flags, name);
  const chain = chainOf(await recordsAround(history, record.atMs), record);
  const json = { formatVersion: 1, record, before: idsOf(chain.before), after: idsOf(chain.after) };
  context.process.stdout.write(
    flags.output === 'json' ? `${JSON.stringify(json, null, 2)}\n` : renderRecord(record, chain, context),
  );
  context.process.exitCode = EXIT.fine;
}

function idsOf(records: readonly DecisionRecord[]): readonly string[] {
  return records.map(({ id }) => id);
}
