import { SECOND_MS } from '../../apis/formats/time.ts';
import { optional } from '../../apis/optional.ts';
import {
  type FunctionMark,
  MARK_PAUSE_MS,
  MARKED_FUNCTIONS,
  type MarkedFunction,
  markEssence,
} from '../../core/status/function-mark.ts';
import { type PersistingFailure, withoutIds } from '../act/reported-refusals.ts';
import { reasonsOf } from '../run/coalesce-wakes.ts';
import type { RunReport } from '../run/ports.ts';
import { problemsIn } from './problems-in.ts';

/** A run that may have to be marked. */
export interface MarkedRun {
  readonly wokenBy: string;
  readonly report: RunReport;
  readonly atMs: number;
  /** @default false */
  readonly shadow?: boolean | undefined;
  /** The cluster has a webhook by its configuration. @default false */
  readonly hasWebhook?: boolean | undefined;
  /** The permanent refusals that go on: the report has them once an hour. @default none */
  readonly failing?: readonly PersistingFailure[] | undefined;
}

/** A tick may be some seconds early, and must not wait for the next one. */
const EARLY_MS = 30 * SECOND_MS;

type MarkingDeployment = Pick<FunctionMark, 'version' | 'served'>;

/** The last marks that this process has written. */
export interface RunMarks {
  /**
   * *Shape:* undefined if the run did not look at the whole cluster, or if it found neither a problem nor a failure, and the last mark of
   * this process is young and has the same.
   */
  due(run: MarkedRun, by: MarkingDeployment): FunctionMark | undefined;
  written(mark: FunctionMark): void;
}

export function runMarks(): RunMarks {
  const known = new Map<string, FunctionMark>();
  return {
    due(run, by) {
      const { cluster, controller } = run.report;
      const last = known.get(`${cluster} ${controller}`);
      const mark = markOf(run, by, last);
      if (mark === undefined) return undefined;
      const isFine = mark.failures === 0 && mark.problems.length === 0;
      const isYoung = last !== undefined && mark.atMs - last.atMs < MARK_PAUSE_MS - EARLY_MS;
      return isFine && isYoung && markEssence(last) === markEssence(mark) ? undefined : mark;
    },
    written: (mark) => void known.set(`${mark.cluster} ${mark.function}`, mark),
  };
}

/** Only a tick looks at the whole cluster. */
function markOf(
  run: MarkedRun,
  { version, served }: MarkingDeployment,
  last: FunctionMark | undefined,
): FunctionMark | undefined {
  const { report, wokenBy, atMs } = run;
  const { controller, cluster, gauges, decisions } = report;
  const name = MARKED_FUNCTIONS.find((one): one is MarkedFunction => one === controller);
  if (name === undefined || report.skipped !== undefined || !reasonsOf({ reason: wokenBy }).includes('tick'))
    return undefined;
  const isOnStandby = gauges['StoodDown'] === 1;
  const failing = failuresOf(run, last);
  const [other] = decisions.flatMap(({ blocked }) => blocked);
  return {
    formatVersion: 1,
    cluster,
    function: name,
    atMs,
    version,
    failures: failing.length,
    ...(failing.length > 0 && { failing: failing.slice(0, MAX_FAILING) }),
    problems: problemsIn(report).map(({ kind, message }) => ({ kind, message: message.slice(0, MAX_MESSAGE) })),
    ...(isOnStandby && { standby: (other?.message ?? 'another autoscaler').slice(0, MAX_MESSAGE) }),
    ...(run.shadow === true && { shadow: true as const }),
    ...(name === 'lifecycle' && run.hasWebhook === true && { webhook: true as const }),
    ...optional({ served }),
    gauges,
  };
}

/** A mark is one write unit: 1 kB, compressed. */
const MAX_MESSAGE = 300;
const MAX_FAILING = 2;

/** What goes on and what is new, each once, the oldest first. A failure that may pass goes on since the first of the marks that have it. */
function failuresOf(
  { report, atMs, failing = [] }: MarkedRun,
  last: FunctionMark | undefined,
): readonly PersistingFailure[] {
  const before = new Map(last?.failing?.map(({ message, sinceMs }) => [withoutIds(message), sinceMs]));
  const others = report.failures.flatMap(({ message }) => {
    if (failing.some((one) => message.endsWith(one.message))) return [];
    const short = message.slice(0, MAX_MESSAGE);
    return [{ message: short, sinceMs: before.get(withoutIds(short)) ?? atMs }];
  });
  const refused = failing.map((one) => ({ ...one, message: one.message.slice(0, MAX_MESSAGE) }));
  return [...refused, ...others].toSorted((a, b) => a.sinceMs - b.sinceMs);
}
