import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { BadInputError } from '../../apis/bad-input-error.ts';
import { compareText } from '../../core/compare-text.ts';
import type { DecisionRecord } from '../../core/decisions/decision-record.ts';
import { isDecisionRecord } from '../../core/decisions/read-record.ts';
import { errorMessage } from '../../core/error-message.ts';
import { type FunctionMark, isFunctionMark } from '../../core/status/function-mark.ts';
import { isUsageHour, type UsageHour } from '../../core/usage/usage-hour.ts';
import type { DecisionArchive, DecisionLog, TimeRange } from '../../ports/decision-log.ts';
import { UnreadableError } from '../../ports/errors.ts';

/**
 * Records in a folder: `decisions.jsonl`, a record a line; `marks.json`, the last mark of each function; `usage.jsonl`, the last line of
 * an hour is its usage; and the texts of the archive as compressed files.
 */
export interface RecordFiles {
  readonly log: DecisionLog;
  readonly archive: DecisionArchive;
  /** The names of the clusters that have records. */
  readonly clusters: () => readonly string[];
}

const FILE = 'decisions.jsonl';
const MARKS = 'marks.json';
const USAGE = 'usage.jsonl';

/** A folder for the records of a new simulation. *Errors:* BadInputError if it has records, or cannot be written. */
export function newRecordFiles(folder: string): RecordFiles {
  const path = join(folder, FILE);
  if (existsSync(path))
    throw new BadInputError(`--records ${folder} has the records of another simulation: name another folder`);
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, '');
  } catch (cause) {
    throw new BadInputError(`--records ${folder} cannot be written: ${errorMessage(cause)}`, { cause });
  }
  return filesIn(folder);
}

/** *Errors:* BadInputError if the folder has no records. */
export function recordFiles(folder: string): RecordFiles {
  if (!existsSync(join(folder, FILE)))
    throw new BadInputError(
      `--records ${folder} has no ${FILE}: name a folder that kerf simulate --records has written`,
    );
  return filesIn(folder);
}

/** Each call is finished when it returns, because a simulation does not wait in real time. */
function filesIn(folder: string): RecordFiles {
  const path = join(folder, FILE);
  const all = (): readonly DecisionRecord[] => linesIn(path, isDecisionRecord);
  return {
    clusters: () => [...new Set([...all(), ...marksIn(folder)].map(({ cluster }) => cluster))].toSorted(),
    log: {
      write: async (record) => appendFileSync(path, `${JSON.stringify(record)}\n`),
      async list(cluster, { fromMs, untilMs }) {
        const found = all().filter((one) => one.cluster === cluster && one.atMs >= fromMs && one.atMs < untilMs);
        return [...new Map(found.map((one) => [one.id, one])).values()].toSorted((a, b) => compareText(a.id, b.id));
      },
      async mark(mark) {
        const others = marksIn(folder).filter((one) => one.cluster !== mark.cluster || one.function !== mark.function);
        writeFileSync(join(folder, MARKS), `${JSON.stringify([...others, mark])}\n`);
      },
      marks: async (cluster) =>
        marksIn(folder)
          .filter((one) => one.cluster === cluster)
          .toSorted((a, b) => compareText(a.function, b.function)),
      writeUsage: async (hour) => appendFileSync(join(folder, USAGE), `${JSON.stringify(hour)}\n`),
      usage: async (cluster, range) => usageIn(folder, cluster, range),
    },
    archive: {
      async put(key, text) {
        const file = join(folder, key);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, gzipSync(text));
      },
      async get(key) {
        try {
          return gunzipSync(readFileSync(join(folder, key))).toString('utf8');
        } catch (cause) {
          throw new UnreadableError(`${join(folder, key)} cannot be read: ${errorMessage(cause)}`, { cause });
        }
      },
    },
  };
}

/** *Shape:* none if the simulation ended before the first tick, or was made by an earlier version. */
function marksIn(folder: string): readonly FunctionMark[] {
  const path = join(folder, MARKS);
  if (!existsSync(path)) return [];
  try {
    const marks: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return Array.isArray(marks) ? marks.filter(isFunctionMark) : [];
  } catch (cause) {
    throw new BadInputError(`${path} cannot be read: ${errorMessage(cause)}; remove it`, { cause });
  }
}

/** *Shape:* none if the simulation had no node, or was made by an earlier version. */
function usageIn(folder: string, cluster: string, { fromMs, untilMs }: TimeRange): readonly UsageHour[] {
  const path = join(folder, USAGE);
  if (!existsSync(path)) return [];
  const found = linesIn(path, isUsageHour).filter(
    (one) => one.cluster === cluster && one.hourMs >= fromMs && one.hourMs < untilMs,
  );
  return [...new Map(found.map((one) => [one.hourMs, one])).values()].toSorted((a, b) => a.hourMs - b.hourMs);
}

function linesIn<Value>(path: string, is: (value: unknown) => value is Value): readonly Value[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        const value: unknown = JSON.parse(line);
        return is(value) ? [value] : [];
      } catch {
        // The last line of a simulation that was interrupted.
        return [];
      }
    });
}
