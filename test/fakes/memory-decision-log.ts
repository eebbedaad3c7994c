import { compareText } from '../../lib/core/compare-text.ts';
import type { DecisionRecord } from '../../lib/core/decisions/decision-record.ts';
import type { FunctionMark } from '../../lib/core/status/function-mark.ts';
import type { UsageHour } from '../../lib/core/usage/usage-hour.ts';
import type { DecisionArchive, DecisionLog } from '../../lib/ports/decision-log.ts';
import { UnreadableError } from '../../lib/ports/errors.ts';

/** The DecisionLog in memory. */
export function memoryDecisionLog(): DecisionLog {
  const records = new Map<string, DecisionRecord>();
  const marks = new Map<string, FunctionMark>();
  const hours = new Map<string, UsageHour>();
  return {
    write: async (record) => void records.set(record.id, record),
    list: async (cluster, { fromMs, untilMs }) =>
      [...records.values()]
        .filter((one) => one.cluster === cluster && one.atMs >= fromMs && one.atMs < untilMs)
        .toSorted((a, b) => compareText(a.id, b.id)),
    mark: async (mark) => void marks.set(`${mark.cluster} ${mark.function}`, mark),
    marks: async (cluster) =>
      [...marks.values()]
        .filter((one) => one.cluster === cluster)
        .toSorted((a, b) => compareText(a.function, b.function)),
    writeUsage: async (hour) => void hours.set(`${hour.cluster} ${hour.hourMs}`, hour),
    usage: async (cluster, { fromMs, untilMs }) =>
      [...hours.values()]
        .filter((one) => one.cluster === cluster && one.hourMs >= fromMs && one.hourMs < untilMs)
        .toSorted((a, b) => a.hourMs - b.hourMs),
  };
}

/** The DecisionArchive in memory. */
export function memoryDecisionArchive(): DecisionArchive {
  const texts = new Map<string, string>();
  return {
    put: async (key, text) => void texts.set(key, text),
    async get(key) {
      const text = texts.get(key);
      if (text === undefined) throw new UnreadableError(`${key} does not exist`);
      return text;
    },
  };
}
