import type { DecisionRecord } from '../core/decisions/decision-record.ts';
import type { FunctionMark } from '../core/status/function-mark.ts';
import type { UsageHour } from '../core/usage/usage-hour.ts';

/** *Units:* milliseconds since 1970. */
export interface TimeRange {
  readonly fromMs: number;
  /** Not included. */
  readonly untilMs: number;
}

/**
 * The records of decisions. No decision reads them.
 *
 * *Contract* (`test/contract/decisions/decision-log.ts`, run on every implementation): a record is read as it was written, by the time of its
 * decision; writing a record again changes nothing; a record that cannot be read is left out of the list. Of the marks of a function, the
 * last one that was written is read, and so it is of the usage of an hour.
 * *Errors:* UnreachableError, RefusedError.
 */
export interface DecisionLog {
  write(record: DecisionRecord): Promise<void>;
  /** Oldest first. */
  list(cluster: string, range: TimeRange): Promise<readonly DecisionRecord[]>;
  /** Replaces the mark of the function. */
  mark(mark: FunctionMark): Promise<void>;
  /** One for each function, by its name. */
  marks(cluster: string): Promise<readonly FunctionMark[]>;
  /** Replaces the usage of the hour. */
  writeUsage(hour: UsageHour): Promise<void>;
  /** The hours that begin in the range, oldest first. */
  usage(cluster: string, range: TimeRange): Promise<readonly UsageHour[]>;
}

/**
 * Large texts beside the records: snapshots, and records that do not fit into the log.
 *
 * *Contract* (`test/contract/decisions/decision-log.ts`). *Errors:* UnreachableError, RefusedError; of `get` UnreadableError if the text does not
 * exist, for example because its lifetime has ended.
 */
export interface DecisionArchive {
  put(key: string, text: string): Promise<void>;
  get(key: string): Promise<string>;
}
