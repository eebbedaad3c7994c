/** CloudWatch's embedded metric format: CloudWatch extracts metrics from log lines, so no API call is needed. */

import { MINUTE_MS } from '../../apis/formats/time.ts';
import type { RunReport } from '../../controllers/run/ports.ts';
import type { Problem } from '../../core/problems/problems.ts';
import { METRICS } from '../options/options.ts';

export type EmbeddedMetrics = Readonly<Record<string, unknown>>;

/** The metrics of the runs of one process. A custom metric is paid for in each hour in which it is written. */
export interface RunMetrics {
  /** The metrics of a run: one line at most for its cluster, and one for the deployment if there is something for an alarm. */
  readonly ofReport: (report: RunReport, atMs: number) => readonly EmbeddedMetrics[];
  /** The metrics of a run that failed without a report. */
  readonly ofFailure: (cluster: string, atMs: number, problems?: readonly Problem[]) => readonly EmbeddedMetrics[];
}

/**
 * How soon a gauge that has not changed, and is above zero, is written again: another process may have written another value last. The
 * hour is paid for after the first time. Pending pods are written in each run.
 */
const REPEATED_MS = 15 * MINUTE_MS;

/** The metrics of gauges. The other gauges are in the log line alone, which costs less. */
const PAID_GAUGES: ReadonlyMap<string, string> = new Map([
  ['PendingPods', METRICS.pendingPods],
  ['Nodes', METRICS.nodes],
  ['HourlyCostUsd', METRICS.hourlyCostUsd],
]);

/**
 * Failures, and what alarms read, are written if there are any. The other metrics of a cluster are in the log lines, which cost less, and are
 * written if the cluster has the setting `metrics`: counts if they are above zero, and gauges if they have changed since this process wrote
 * them, and every 15 minutes while they are above zero.
 *
 * *Shape:* dimension Cluster; Table for what has one alarm for the deployment.
 * @param table the table of the deployment
 * @param writesAll whether a cluster has the setting. @default no cluster has it
 */
export function runMetrics(table: string, writesAll: (cluster: string) => boolean = () => false): RunMetrics {
  const written = new Map<string, { readonly value: number; readonly atMs: number }>();
  const isNews = (gauge: { readonly cluster: string; readonly name: string; readonly value: number }, atMs: number) => {
    const { cluster, name, value } = gauge;
    const key = `${cluster} ${name}`;
    const last = written.get(key);
    const isDue = value > 0 && (name === METRICS.pendingPods || atMs - (last?.atMs ?? 0) >= REPEATED_MS);
    if (last?.value === value && !isDue) return false;
    written.set(key, { value, atMs });
    return true;
  };
  return {
    ofReport(report, atMs) {
      const { cluster, failures, problems } = report;
      const isWhole = writesAll(cluster);
      const { [METRICS.onStandby]: onStandby = 0, ...gauges } = report.gauges;
      const paid = Object.entries(gauges).flatMap(([gauge, value]) => {
        const name = PAID_GAUGES.get(gauge);
        return name === undefined || !isWhole ? [] : [[name, value] as const];
      });
      const news = paid.filter(([name, value]) => isNews({ cluster, name, value }, atMs));
      const counts = aboveZero({ ...(isWhole && decisionsOf(report)), [METRICS.failures]: failures.length });
      return [
        ...lines(atMs, { Cluster: cluster }, { ...Object.fromEntries(news), ...counts }),
        ...lines(atMs, { Table: table }, aboveZero({ [METRICS.onStandby]: onStandby, ...alarming(problems) })),
      ];
    },
    ofFailure: (cluster, atMs, problems) => [
      ...lines(atMs, { Cluster: cluster }, { [METRICS.failures]: 1 }),
      ...lines(atMs, { Table: table }, aboveZero(alarming(problems))),
    ],
  };
}

/** Waiting pods have an alarm of their own, because a person has to look at them at once. */
function alarming(problems: readonly Problem[] = []): Readonly<Record<string, number>> {
  const [waiting] = problems.filter(({ kind }) => kind === 'WaitingPods');
  const others = problems.filter(({ kind }) => kind !== 'WaitingPods');
  return { [METRICS.waitingPods]: waiting?.numbers['pods'] ?? 0, [METRICS.problems]: others.length };
}

/** A run that changes nothing also returns a decision; only decisions with actions count. In shadow, they are not carried out. */
function decisionsOf({ decisions }: RunReport): Readonly<Record<string, number>> {
  const acting = decisions.filter(({ actions }) => actions.length > 0);
  const shadow = decisions.some((decision) => decision.shadow === true);
  return { [shadow ? METRICS.shadowDecisions : METRICS.decisions]: acting.length };
}

function aboveZero(counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

const UNITS: ReadonlyMap<string, string> = new Map([[METRICS.hourlyCostUsd, 'None']]);

/** No line without values: CloudWatch rejects a line without metrics. */
function lines(
  atMs: number,
  dimensions: Readonly<Record<string, string>>,
  values: Readonly<Record<string, number>>,
): readonly EmbeddedMetrics[] {
  const names = Object.keys(values);
  if (names.length === 0) return [];
  const directive = {
    _aws: {
      Timestamp: atMs,
      CloudWatchMetrics: [
        {
          Namespace: METRICS.namespace,
          Dimensions: [Object.keys(dimensions)],
          Metrics: names.map((name) => ({ Name: name, Unit: UNITS.get(name) ?? 'Count' })),
        },
      ],
    },
  };
  return [{ ...directive, ...dimensions, ...values }];
}
