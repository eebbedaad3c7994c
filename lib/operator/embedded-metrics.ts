/** CloudWatch's embedded metric format: a log line that becomes metrics, without a call. */

import type { RunReport } from '../controllers/ports.ts';
import { compareText } from '../core/compare-text.ts';
import { METRICS } from './options.ts';

export type EmbeddedMetrics = Readonly<Record<string, unknown>>;

/**
 * What a run did, in numbers: one line with its gauges and one for each kind of action.
 *
 * *Shape:* dimensions Cluster (gauges), Cluster and Controller (decisions, failures), Cluster and Action (actions). A
 * run without decisions says 0, so that a graph shows a quiet cluster and not a gap.
 */
export function embeddedMetrics(report: RunReport, atMs: number): readonly EmbeddedMetrics[] {
  const { cluster, controller } = report;
  const actions = report.decisions.flatMap((decision) => decision.actions.map(({ kind }) => kind));
  const counts = [...Map.groupBy(actions, (kind) => kind)].toSorted(([a], [b]) => compareText(a, b));
  // A look that changes nothing is a decision too, for explain; here only those count that did something.
  const decisions = report.decisions.filter((decision) => decision.actions.length > 0).length;
  // What nobody carries out is counted apart: the graphs of what was done stay true.
  const shadow = report.decisions.some((decision) => decision.shadow === true);
  const actionsName = shadow ? METRICS.shadowActions : METRICS.actions;
  return [
    ...lines(atMs, { Cluster: cluster }, report.gauges),
    ...runMetrics({ cluster, controller, atMs, decisions, failures: report.failures.length, shadow }),
    ...counts.flatMap(([kind, all]) => lines(atMs, { Cluster: cluster, Action: kind }, { [actionsName]: all.length })),
  ];
}

/** A run that could not be made at all. */
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

/** None where there is nothing to say: CloudWatch refuses a line without metrics. */
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
          Metrics: names.map((name) => ({ Name: name, Unit: name === METRICS.hourlyCostUsd ? 'None' : 'Count' })),
        },
      ],
    },
  };
  return [{ ...directive, ...dimensions, ...values }];
}
