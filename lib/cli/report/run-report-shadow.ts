import { BadInputError } from '../../apis/bad-input-error.ts';
import { counted } from '../../apis/counted.ts';
import { HOUR_MS, MINUTE_MS } from '../../apis/formats/time.ts';
import { mergedLaunches } from '../../core/usage/seen-launches.ts';
import { UnreadableError } from '../../ports/errors.ts';
import type { CliContext } from '../context.ts';
import { type History, openHistory, recordsOfPeriod } from '../decisions/history.ts';
import { EXIT } from '../exit-codes.ts';
import { printable } from '../render/render-lines.ts';
import { compareHour } from './compare-hour.ts';
import { shadowHtml } from './render-shadow-html.ts';
import { shadowMarkdown } from './render-shadow-markdown.ts';
import type { ShadowFlags } from './report-command.ts';
import { type ComparedHour, type ShadowHistory, type ShadowReport, shadowReport } from './shadow-report.ts';

/** Runs `kerf report shadow`. *Cost:* for each hour, a stored snapshot is read and planned. *Errors:* BadInputError without an archive. */
export async function runReportShadow(context: CliContext, flags: ShadowFlags): Promise<void> {
  const history = await openHistory(flags, context);
  const { records, period } = await recordsOfPeriod(history, flags, flags.since);
  const inShadow = records.filter(({ shadow }) => shadow === true);
  const { hours, launches, missing } = await comparedHours(history, period);
  const { stdout, stderr } = context.process;
  if (missing > 0)
    stderr.write(`${printable(`${counted(missing, 'look')} cannot be read: they are kept for 14 days`)}\n`);
  const report = shadowReport({ hours, launches, records: inShadow }, period);
  const { cluster } = history;
  const write: Readonly<Record<ShadowFlags['output'], () => string>> = {
    markdown: () => shadowMarkdown(report, cluster),
    html: () => shadowHtml(report, cluster),
    json: () => `${JSON.stringify({ formatVersion: 1, cluster, ...withoutNodes(report) }, null, 2)}\n`,
  };
  stdout.write(write[flags.output]());
  context.process.exitCode = EXIT.fine;
}

async function comparedHours(
  { log, archive, cluster }: History,
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
): Promise<Pick<ShadowHistory, 'hours' | 'launches'> & { readonly missing: number }> {
  const used = await log.usage(cluster, { fromMs: fromMs - HOUR_MS + 1, untilMs: untilMs + 1 });
  const keys = used.flatMap(({ snapshot }) => snapshot ?? []);
  if (keys.length > 0 && archive === undefined)
    throw new BadInputError(
      'the looks are in the bucket of the deployment: add --bucket NAME (output BodiesBucketName)',
    );
  const hours: ComparedHour[] = [];
  let missing = 0;
  for (const key of keys) {
    try {
      const text = (await archive?.get(key)) ?? '';
      hours.push(compareHour({ text, name: key, sinceMs: (hours.at(-1)?.atMs ?? fromMs) - JOINING_MS }));
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      missing += 1;
    }
  }
  const launches = used.flatMap((hour) => hour.launches ?? []);
  return { hours, launches: mergedLaunches([], launches), missing };
}

/** A NodeClaim that is created just before a look gets its pods after it. */
const JOINING_MS = 15 * MINUTE_MS;

/** Each hour has all nodes, which are only needed to compare decisions. */
function withoutNodes({ hours, ...report }: ShadowReport) {
  const looks = hours.map(({ atMs, nodes, usdPerHour, planned }) => ({
    atMs,
    nodes: nodes.length,
    usdPerHour,
    planned,
  }));
  return { ...report, hours: looks };
}
