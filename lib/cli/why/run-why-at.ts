import { BadInputError } from '../../apis/bad-input-error.ts';
import { type AskedObject, whyAt } from '../../core/decisions/why-at.ts';
import { whyUnnamed } from '../../core/decisions/why-unnamed.ts';
import type { CliContext } from '../context.ts';
import { allRecords, openHistory, recordsUntil } from '../decisions/history.ts';
import { writeExplanation } from './render-explanation.ts';
import type { PastFlags } from './why-commands.ts';

/** Runs `kerf why … --at TIME`. *Errors:* BadInputError if no record until then names the object. */
export async function runWhyAt(context: CliContext, flags: PastFlags, asked: AskedObject): Promise<void> {
  const history = await openHistory(flags, context);
  const { records, atMs } = await recordsUntil(history, flags, flags.at);
  const explanation = whyAt(records, asked, atMs);
  if (explanation === undefined) throw new BadInputError(whyUnnamed(await allRecords(history, flags), asked, atMs));
  writeExplanation(context, flags, explanation);
}
