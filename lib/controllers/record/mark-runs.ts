import { SECOND_MS } from '../../apis/formats/time.ts';
import { optional } from '../../apis/optional.ts';
import {
  type FunctionMark,
  MARK_PAUSE_MS,
  MARKED_FUNCTIONS,
  type MarkedFunction,
  markEssence,
} from '../../core/status/function-mark.ts';
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
      const mark = markOf(run, by);
      if (mark === undefined) return undefined;
      const last = known.get(keyOf(mark));
      const isFine = mark.failures === 0 && mark.problems.length === 0;
      const isYoung = last !== undefined && mark.atMs - last.atMs < MARK_PAUSE_MS - EARLY_MS;
      return isFine && isYoung && markEssence(last) === markEssence(mark) ? undefined : mark;
    },
    written: (mark) => void known.set(keyOf(mark), mark),
  };
}

function keyOf(mark: FunctionMark): string {
  return `${mark.cluster} ${mark.function}`;
}

/** Only a tick looks at the whole cluster. */
function markOf(run: MarkedRun, { version, served }: MarkingDeployment): FunctionMark | undefined {
  const { report, wokenBy, atMs } = run;
  const { controller, cluster, failures, gauges, decisions } = report;
  const name = MARKED_FUNCTIONS.find((one): one is MarkedFunction => one === controller);
  if (name === undefined || report.skipped !== undefined || !reasonsOf({ reason: wokenBy }).includes('tick'))
    return undefined;
  const isOnStandby = gauges['StoodDown'] === 1;
  const [other] = decisions.flatMap(({ blocked }) => blocked);
  return {
    formatVersion: 1,
    cluster,
    function: name,
    atMs,
    version,
    failures: failures.length,
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
