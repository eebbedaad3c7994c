import { DAY_MS } from '../../apis/formats/time.ts';
import { selectRecords } from '../../core/decisions/select-records.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import type { DecisionsFlags } from './decisions-commands.ts';
import { openHistory, recordsFrom } from './history.ts';
import { recordLines } from './render-record.ts';

const DEFAULT_COLUMNS = 120;

/** Runs `kerf decisions`. *Errors:* BadInputError if the records cannot be found. */
export async function runDecisions(context: CliContext, flags: DecisionsFlags): Promise<void> {
  const history = await openHistory(flags, context);
  const recent = await recordsFrom(history, flags, flags.since ?? { agoMs: DAY_MS });
  const { pool: nodePool, reason, pod, node } = flags;
  const records = selectRecords(recent, { nodePool, reason, pod, node });
  const text = (): string =>
    records.length === 0
      ? `no decisions: ${recent.length === 0 ? 'nothing was decided since then' : `none of ${recent.length} is about that`}\n`
      : `${recordLines(records, context.columns ?? DEFAULT_COLUMNS).join('\n')}\n`;
  context.process.stdout.write(
    flags.output === 'json' ? `${JSON.stringify({ formatVersion: 1, records }, null, 2)}\n` : text(),
  );
  context.process.exitCode = EXIT.fine;
}
