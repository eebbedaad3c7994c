import { BadInputError } from '../../apis/bad-input-error.ts';
import { counted } from '../../apis/counted.ts';
import { formatTime, SECOND_MS } from '../../apis/formats/time.ts';
import type { DecisionRecord } from '../../core/decisions/decision-record.ts';
import { readSnapshot } from '../../snapshot/read-snapshot.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { liveServer } from '../live/live-server.ts';
import { pageAssets } from '../live/page-assets.ts';
import { pageHtml } from '../live/page-html.ts';
import { checkReport, writePage } from '../live/write-report.ts';
import type { ReplayFlags } from './decisions-commands.ts';
import { type History, openHistory, recordsFrom, snapshotOf } from './history.ts';
import { type RecordedMoment, recordedFrames } from './recorded-frames.ts';

const LOOK_EVERY_MS = 500;

/**
 * Shows a recorded time as a page: `--web` serves it until Ctrl-C, `--report` writes it as a file. *Errors:* BadInputError if there
 * are no records.
 */
export async function showReplay(context: CliContext, flags: ReplayFlags): Promise<void> {
  if (flags.report !== undefined) checkReport(context, flags.report);
  const history = await openHistory(flags, context);
  const records = await recordsFrom(history, flags, flags.since ?? { atMs: 0 });
  const [first] = records;
  const last = records.at(-1);
  if (first === undefined || last === undefined)
    throw new BadInputError(`cluster ${history.cluster} has no records of this time: name another --since`);
  const frames = await recordedFrames(moments(history, records), first.atMs);
  const durationSeconds = (last.atMs - first.atMs) / SECOND_MS;
  const title = `Cluster ${history.cluster} from ${formatTime(first.atMs)} to ${formatTime(last.atMs)}: ${counted(records.length, 'recorded decision')}`;
  const html = pageHtml(await pageAssets(), { title, durationSeconds, live: false, recorded: true, frames });
  if (flags.report !== undefined) writePage(context, flags.report, html);
  if (flags.web) await serve(context, html, flags.port);
  context.process.exitCode = EXIT.fine;
}

async function* moments(history: History, records: readonly DecisionRecord[]): AsyncGenerator<RecordedMoment> {
  for (const record of records) {
    if (record.snapshot === undefined) {
      yield { record };
      continue;
    }
    const text = await snapshotOf(history, record);
    const { snapshot } = readSnapshot({ readText: () => text }, { path: record.snapshot, nowMs: record.atMs });
    yield { record, snapshot };
  }
}

async function serve(context: CliContext, html: string, port: number | undefined): Promise<void> {
  const server = await liveServer({ html, port, onCommand: () => 'What is recorded cannot be changed.' });
  const interruption = new AbortController();
  const restore = context.onInterrupt?.(() => interruption.abort());
  context.process.stderr.write(`Recorded page: ${server.url}\nCtrl-C ends it.\n`);
  try {
    while (!interruption.signal.aborted) await context.sleep(LOOK_EVERY_MS, interruption.signal);
  } finally {
    restore?.();
    await server.close();
  }
}
