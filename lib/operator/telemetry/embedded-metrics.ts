/** CloudWatch's embedded metric format: CloudWatch extracts metrics from log lines, so no API call is needed. */

import type { RunReport } from '../../controllers/run/ports.ts';
import { compareText } from '../../core/compare-text.ts';
import { METRICS } from '../options/options.ts';

export type EmbeddedMetrics = Readonly<Record<string, unknown>>;

/**
 * The metrics of a run: one line for its gauges, one for its counts, and one for each kind of action.
 *
 * *Shape:* dimensions Cluster (gauges), Cluster and Controller (decisions, failures), Cluster and Action (actions). A
 * run without decisions counts 0, so that a graph has no gaps.
 */
export function embeddedMetrics(report: RunReport, atMs: number): readonly EmbeddedMetrics[] {
  const { cluster, controller } = report;
  const actions = report.decisions.flatMap((decision) => decision.actions.map(({ kind }) => kind));
  const counts = [...Map.groupBy(actions, (kind) => kind)].toSorted(([a], [b]) => compareText(a, b));
  // A run that changes nothing also returns a decision; only decisions with actions count here.
  const decisions = report.decisions.filter((decision) => decision.actions.length > 0).length;
  // Actions in shadow are not carried out, so they have their own metrics.
  const shadow = report.decisions.some((decision) => decision.shadow === true);
  const actionsName = shadow ? METRICS.shadowActions : METRICS.actions;
  return [
    ...lines(atMs, { Cluster: cluster }, report.gauges),
    ...runMetrics({ cluster, controller, atMs, decisions, failures: report.failures.length, shadow }),
    ...counts.flatMap(([kind, all]) => lines(atMs, { Cluster: cluster, Action: kind }, { [actionsName]: all.length })),
  ];
}

/** The metrics of a run that failed without a report. */
export function failureMetrics(cluster: string, controller: string, atMs: number): readonly EmbeddedMetrics[] {
  return runMetrics({ cluster, controller, atMs, decisions: 0, failures: 1, shadow: false });
}

interface Run {
  readonly cluster: string;
  readonly controller: string;
  readonly atMs: number;
  readonly decisions: number;
  readonly failures: number;
  readonly shadow: boolean;
}

function runMetrics({ cluster, controller, atMs, decisions, failures, shadow }: Run): readonly EmbeddedMetrics[] {
  const decisionsName = shadow ? METRICS.shadowDecisions : METRICS.decisions;
  const metrics = { [decisionsName]: decisions, [METRICS.failures]: failures };
  return lines(atMs, { Cluster: cluster, Controller: controller }, metrics);
}

const UNITS: ReadonlyMap<string, string> = new Map([
  [METRICS.hourlyCostUsd, 'None'],
  [METRICS.priceGapPercent, 'Percent'],
]);

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
