import { BadInputError } from '../../apis/bad-input-error.ts';
import { parseDuration } from '../../apis/formats/duration.ts';
import { DAY_MS, SECOND_MS, timeIn } from '../../apis/formats/time.ts';
import { optional } from '../../apis/optional.ts';
import type { DecisionRecord } from '../../core/decisions/decision-record.ts';
import { recordsNamed } from '../../core/decisions/select-records.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import type { DecisionArchive } from '../../ports/decision-log.ts';
import { checkingOptions } from '../checking-options.ts';
import type { CliContext } from '../context.ts';
import { userPath } from '../shell-context.ts';
import { type ReadLog, withoutBucket } from './left-out.ts';
import { recordFiles } from './record-files.ts';

/** Where records are read. */
export interface HistoryFlags {
  readonly records?: string | undefined;
  readonly table?: string | undefined;
  readonly bucket?: string | undefined;
  readonly cluster?: string | undefined;
  readonly profile?: string | undefined;
  readonly region?: string | undefined;
}

export function textFlag(brief: string, placeholder: string) {
  return { kind: 'parsed', brief, parse: String, optional: true, placeholder } as const;
}

export const HISTORY_FLAGS = {
  records: textFlag('Folder that kerf simulate --records has written', 'DIR'),
  table: textFlag('Table of the deployment (output TableName)', 'NAME'),
  bucket: textFlag('Bucket of the deployment (output BodiesBucketName)', 'NAME'),
  cluster: textFlag('Name of the cluster (with --records: default the only one)', 'NAME'),
  profile: textFlag('Profile of the AWS configuration (default: that of the shell)', 'NAME'),
  region: textFlag('AWS region (default: that of the shell)', 'REGION'),
} as const;

export interface History {
  readonly log: ReadLog;
  readonly archive?: DecisionArchive;
  readonly cluster: string;
  /** The NodeClaims of the cluster now. A folder has none. */
  readonly running: () => Promise<readonly NodeClaimRecord[]>;
}

/**
 * Without --bucket, the number of records that are left out is written to stderr. @param context @default it is not written
 * *Errors:* BadInputError if it is not clear where to read.
 */
export async function openHistory(flags: HistoryFlags, context?: Pick<CliContext, 'process'>): Promise<History> {
  const { records, table, cluster } = flags;
  if ((records === undefined) === (table === undefined))
    throw new BadInputError('name the records: --records DIR of a simulation, or --table NAME of a deployment');
  if (records !== undefined) {
    const { clusters, ...files } = recordFiles(userPath(records));
    return { ...files, cluster: cluster ?? onlyOne(clusters(), records), running: async () => [] };
  }
  if (cluster === undefined) throw new BadInputError('--table has the records of several clusters: add --cluster NAME');
  const { bucket, region, profile } = flags;
  // Loaded only when it is needed, because the SDK loads slowly.
  const { wireHistory } = await import('../../operator/wiring/records/history.ts');
  const wired = await checkingOptions(async () => await wireHistory({ table: table ?? '', bucket, region, profile }));
  const { openLog, archive, nodeClaims } = wired;
  const log =
    archive === undefined ? withoutBucket(openLog, (line) => context?.process.stderr.write(line)) : openLog(archive);
  return { log, ...optional({ archive }), cluster, running: async () => nodeClaims(cluster) };
}

function onlyOne(clusters: readonly string[], folder: string): string {
  const [first, ...more] = clusters;
  if (first === undefined) throw new BadInputError(`--records ${folder} has no records: nothing was decided`);
  if (more.length > 0) throw new BadInputError(`--records has the clusters ${clusters.join(', ')}: add --cluster NAME`);
  return first;
}

/** Records are kept for 30 days. */
const LIFETIME_MS = 30 * DAY_MS;

/** The records of the last 30 days; of a folder, all. */
export async function allRecords(
  { log, cluster }: History,
  { records }: HistoryFlags,
): Promise<readonly DecisionRecord[]> {
  if (records !== undefined) return log.list(cluster, ALWAYS);
  const nowMs = Date.now();
  return log.list(cluster, { fromMs: nowMs - LIFETIME_MS, untilMs: nowMs + DAY_MS });
}

/** A day before and after a record, in which its chain lies. */
export async function recordsAround({ log, cluster }: History, atMs: number): Promise<readonly DecisionRecord[]> {
  return log.list(cluster, { fromMs: atMs - DAY_MS, untilMs: atMs + DAY_MS });
}

/** *Errors:* BadInputError if no record or several have this name. */
export async function recordNamed(history: History, flags: HistoryFlags, name: string): Promise<DecisionRecord> {
  const atMs = timeOfId(name);
  const around = atMs === undefined ? await allRecords(history, flags) : await recordsAround(history, atMs);
  const found = recordsNamed(around, name);
  const [first] = found;
  if (first === undefined)
    throw new BadInputError(`no record of cluster ${history.cluster} has the name ${name}: kerf decisions lists them`);
  if (found.length > 1)
    throw new BadInputError(
      `${name} is the name of several records: ${found.map(({ id }) => id).join(', ')}; write one`,
    );
  return first;
}

const ID = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2}\.\d{3}Z)-/;

function timeOfId(id: string): number | undefined {
  const [, year, month, day, hours, minutes, seconds] = ID.exec(id) ?? [];
  return timeIn(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}`);
}

export function sinceFlag(fallback: string) {
  return {
    kind: 'parsed',
    brief: `From this time on: 24h, 7d or 2026-01-31T08:00:00Z (default: ${fallback})`,
    parse: parseMoment,
    optional: true,
    placeholder: 'TIME',
  } as const;
}

/** A time, or how long before the end of the records: `24h`, `7d`, `2026-01-31T08:00:00Z`. For flags. */
export function parseMoment(text: string): Moment {
  const days = /^(\d{1,4})d$/.exec(text)?.[1];
  const agoMs = days === undefined ? parseDuration(text) : Number(days) * DAY_MS;
  if (agoMs !== undefined) return { agoMs };
  const atMs = timeIn(text);
  if (atMs !== undefined) return { atMs };
  throw new SyntaxError(`"${text}" is not a time: write 24h, 7d or 2026-01-31T08:00:00Z`);
}

export type Moment = { readonly agoMs: number } | { readonly atMs: number };

/** The records from a moment on. With a folder, durations end at its last record. *Cost:* of a table, the records since then are read. */
export async function recordsFrom(
  { log, cluster }: History,
  { records: folder }: HistoryFlags,
  moment: Moment,
): Promise<readonly DecisionRecord[]> {
  if (folder === undefined) {
    const nowMs = Date.now();
    const fromMs = Math.max(timeOf(moment, nowMs), nowMs - LIFETIME_MS);
    return log.list(cluster, { fromMs, untilMs: nowMs + DAY_MS });
  }
  const all = await log.list(cluster, ALWAYS);
  const fromMs = timeOf(moment, all.at(-1)?.atMs ?? 0);
  return all.filter(({ atMs }) => atMs >= fromMs);
}

const WEEK_MS = 7 * DAY_MS;

/**
 * The records from a moment to now. Of a folder, the end is its last record or mark, and all of its records are read, because an
 * instance may have begun before the period. @param moment @default seven days ago; of a folder, its first record
 */
export async function recordsOfPeriod(
  { log, cluster }: History,
  { records: folder }: HistoryFlags,
  moment: Moment | undefined,
): Promise<{ readonly records: readonly DecisionRecord[]; readonly period: { fromMs: number; untilMs: number } }> {
  if (folder === undefined) {
    const untilMs = Date.now();
    const fromMs = Math.max(timeOf(moment ?? { agoMs: WEEK_MS }, untilMs), untilMs - LIFETIME_MS);
    return { records: await log.list(cluster, { fromMs, untilMs: untilMs + DAY_MS }), period: { fromMs, untilMs } };
  }
  const [records, marks] = await Promise.all([log.list(cluster, ALWAYS), log.marks(cluster)]);
  const times = [...records, ...marks].map(({ atMs }) => atMs);
  const untilMs = Math.max(0, ...times);
  const fromMs = moment === undefined ? Math.min(untilMs, ...times) : timeOf(moment, untilMs);
  return { records, period: { fromMs, untilMs } };
}

/** What happened to an object that is older begins with what is known of it then. */
const PAST_MS = 7 * DAY_MS;

/**
 * The records until a moment: of a folder all, of a table those of seven days. A moment that is a whole second includes this second, because
 * the times that commands print have no milliseconds.
 */
export async function recordsUntil(
  { log, cluster }: History,
  { records: folder }: HistoryFlags,
  moment: Moment,
): Promise<{ readonly records: readonly DecisionRecord[]; readonly atMs: number }> {
  if (folder === undefined) {
    const atMs = endOf(moment, Date.now());
    return { records: await log.list(cluster, { fromMs: atMs - PAST_MS, untilMs: atMs + 1 }), atMs };
  }
  const all = await log.list(cluster, ALWAYS);
  const atMs = endOf(moment, all.at(-1)?.atMs ?? 0);
  return { records: all.filter((record) => record.atMs <= atMs), atMs };
}

const ALWAYS = { fromMs: 0, untilMs: Infinity };

function endOf(moment: Moment, nowMs: number): number {
  const ms = timeOf(moment, nowMs);
  return 'atMs' in moment && ms % SECOND_MS === 0 ? ms + SECOND_MS - 1 : ms;
}

function timeOf(moment: Moment, nowMs: number): number {
  return 'atMs' in moment ? moment.atMs : nowMs - moment.agoMs;
}

/** The text that the archive has. *Errors:* BadInputError without an archive, or if the record has no snapshot. */
export async function snapshotOf({ archive }: Pick<History, 'archive'>, record: DecisionRecord): Promise<string> {
  const { id, snapshot } = record;
  if (snapshot === undefined) throw new BadInputError(`record ${id} has no snapshot: ${whyNone(record)}`);
  if (archive === undefined)
    throw new BadInputError(
      'the snapshot is in the bucket of the deployment: add --bucket NAME (output BodiesBucketName)',
    );
  return archive.get(snapshot);
}

function whyNone({ function: name }: DecisionRecord): string {
  return name === 'provisioning' || name === 'disruption'
    ? 'the setting decisionSnapshots says which decisions have one'
    : `${name} decides for single objects, and does not read the cluster`;
}
