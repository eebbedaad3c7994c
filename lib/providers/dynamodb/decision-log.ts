import { DAY_MS, formatExactTime } from '../../apis/formats/time.ts';
import { compareText } from '../../core/compare-text.ts';
import type { DecisionRecord } from '../../core/decisions/decision-record.ts';
import { isDecisionRecord } from '../../core/decisions/read-record.ts';
import { type FunctionMark, isFunctionMark } from '../../core/status/function-mark.ts';
import { hourOf, isUsageHour, type UsageHour } from '../../core/usage/usage-hour.ts';
import type { DecisionArchive, DecisionLog, TimeRange } from '../../ports/decision-log.ts';
import { compressWithDictionary, MAX_ITEM_BODY_BYTES, tooLarge, unpackBody, unpackText } from './body.ts';
import { clusterPartition, MARK, markKey, RECORD, recordKey, USAGE, usageKey } from './keys.ts';
import { type ReportUnreadable, readableItems } from './readable.ts';
import { type Attributes, Table, type TableOptions } from './table.ts';

/** How long records are kept. */
const LIFETIME_SECONDS = 30 * 24 * 3_600;
/** A write unit has 1 kB, so that a larger item costs more than an object in S3. */
const MAX_IN_TABLE_BYTES = 50_000;

export interface DecisionLogOptions extends TableOptions {
  /** For records above 50 kB. @default they are items of up to 350 KB, and refused above that */
  readonly archive?: DecisionArchive;
  /** Gets each item that a list leaves out. @default it is left out without a report */
  readonly report?: ReportUnreadable;
}

/** Records as items of the cluster's partition, which expire after 30 days. *Cost:* one write unit for each kB, compressed. */
export class DynamoDbDecisionLog implements DecisionLog {
  readonly #table: Table;
  readonly #archive: DecisionArchive | undefined;
  readonly #report: ReportUnreadable;

  constructor({ archive, report = () => {}, ...options }: DecisionLogOptions) {
    this.#table = new Table(options);
    this.#archive = archive;
    this.#report = report;
  }

  async write(record: DecisionRecord): Promise<void> {
    const body = await this.#bodyOf(record, record.cluster, record.id);
    const item = { ...recordKey(record.cluster, record.id), ...body, expiresAt: expiryOf(record) };
    await this.#table.write({ kind: 'put', item });
  }

  async #bodyOf(value: DecisionRecord | UsageHour, cluster: string, id: string): Promise<Attributes> {
    const payload = compressWithDictionary(value);
    if (payload.byteLength <= MAX_IN_TABLE_BYTES) return { payload };
    if (this.#archive !== undefined) {
      const payloadKey = `records/${cluster}/${id}.json.gz`;
      await this.#archive.put(payloadKey, JSON.stringify(value));
      return { payloadKey };
    }
    if (payload.byteLength > MAX_ITEM_BODY_BYTES) throw tooLarge(payload, `record ${id}`);
    return { payload };
  }

  async list(cluster: string, { fromMs, untilMs }: TimeRange): Promise<readonly DecisionRecord[]> {
    const records: DecisionRecord[] = [];
    for (const day of daysOf({ fromMs, untilMs })) {
      const items = await this.#table.query(clusterPartition(cluster), RECORD + day);
      records.push(
        ...(await readableItems(items, async (item) => this.#valueOf(item, isDecisionRecord), this.#report)),
      );
    }
    return records.filter(({ atMs }) => atMs >= fromMs && atMs < untilMs).toSorted((a, b) => compareText(a.id, b.id));
  }

  async mark(mark: FunctionMark): Promise<void> {
    const payload = compressWithDictionary(mark);
    const item = { ...markKey(mark.cluster, mark.function), payload, expiresAt: expiryOf(mark) };
    await this.#table.write({ kind: 'put', item });
  }

  async marks(cluster: string): Promise<readonly FunctionMark[]> {
    const items = await this.#table.query(clusterPartition(cluster), MARK);
    return readableItems(items, markOf, this.#report);
  }

  async writeUsage(hour: UsageHour): Promise<void> {
    const name = hourName(hour.hourMs);
    const body = await this.#bodyOf(hour, hour.cluster, `usage-${name}`);
    const item = { ...usageKey(hour.cluster, name), ...body, expiresAt: expiryOf(hour) };
    await this.#table.write({ kind: 'put', item });
  }

  async usage(cluster: string, range: TimeRange): Promise<readonly UsageHour[]> {
    const hours: UsageHour[] = [];
    for (const day of daysOf(range)) {
      const items = await this.#table.query(clusterPartition(cluster), USAGE + day);
      hours.push(...(await readableItems(items, async (item) => this.#valueOf(item, isUsageHour), this.#report)));
    }
    return hours.filter(({ hourMs }) => hourMs >= range.fromMs && hourMs < range.untilMs);
  }

  async #valueOf<Value>(item: Attributes, is: (value: unknown) => value is Value): Promise<Value> {
    const subject = `record item ${String(item['sk'])}`;
    const { payloadKey } = item;
    if (payloadKey === undefined || this.#archive === undefined) return unpackBody(item['payload'], is, subject);
    return unpackText(await this.#archive.get(String(payloadKey)), is, subject);
  }
}

function expiryOf({ atMs }: { readonly atMs: number }): number {
  return Math.ceil(atMs / 1_000) + LIFETIME_SECONDS;
}

/** `20261124T12`. */
function hourName(atMs: number): string {
  return formatExactTime(hourOf(atMs)).slice(0, 13).replaceAll('-', '');
}

async function markOf(item: Attributes): Promise<FunctionMark> {
  return unpackBody(item['payload'], isFunctionMark, `mark item ${String(item['sk'])}`);
}

/** The days of the range, as the ids of records begin with them. */
function daysOf({ fromMs, untilMs }: TimeRange): readonly string[] {
  const days: string[] = [];
  for (let atMs = fromMs - (fromMs % DAY_MS); atMs < untilMs; atMs += DAY_MS)
    days.push(formatExactTime(atMs).slice(0, 10).replaceAll('-', ''));
  return days;
}
