import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { RunReport } from '../../../lib/controllers/run/ports.ts';
import type { Action } from '../../../lib/core/model/decision.ts';
import { DEPLOYMENT_METRICS, METRICS } from '../../../lib/operator/options/options.ts';
import { type EmbeddedMetrics, runMetrics } from '../../../lib/operator/telemetry/embedded-metrics.ts';
import { aRunReport } from '../../builders/decisions.ts';
import { listAt, textAt } from '../../stack/json.ts';

function report(overrides: Partial<RunReport> = {}): RunReport {
  return aRunReport({ controller: 'termination', ...overrides });
}

function decisionOf(actions: readonly Action[]) {
  return { id: 'd', cluster: 'demo', controller: 'termination', atMs: 0, actions, blocked: [] } as const;
}

/** What CloudWatch makes of the lines: `Name{dimensions} value unit`. */
function metricsOf(lines: readonly EmbeddedMetrics[]): readonly string[] {
  return lines.flatMap((line) =>
    listAt(line, '_aws', 'CloudWatchMetrics').flatMap((directive) => {
      const dimensions = listAt(directive, 'Dimensions', '0').map(
        (key) => `${String(key)}=${textAt(line, String(key))}`,
      );
      return listAt(directive, 'Metrics').map((metric) => {
        const name = textAt(metric, 'Name');
        return `${name}{${dimensions.join(',')}} ${String(line[name])} ${textAt(metric, 'Unit')}`;
      });
    }),
  );
}

const ALL = (): boolean => true;
const TERMINATE: Action = { kind: 'terminate-instance', nodeClaim: 'x', instanceId: 'i-1' };
const GAUGES = { PendingPods: 0, Nodes: 3, HourlyCostUsd: 0.41, StoodDown: 0 };

test("F11: a run has its gauges by Karpenter's names, its decisions with actions and its failures, by cluster", () => {
  const run = report({
    gauges: { Nodes: 3, HourlyCostUsd: 0.41, PriceGapPercent: 1.5 },
    decisions: [decisionOf([TERMINATE, TERMINATE]), decisionOf([TERMINATE]), decisionOf([])],
    failures: [new Error('one claim')],
  });
  expect(metricsOf(runMetrics('table', ALL).ofReport(run, 5))).toEqual([
    'karpenter_cluster_state_node_count{Cluster=demo} 3 Count',
    'karpenter_nodepools_cost_total{Cluster=demo} 0.41 None',
    'Decisions{Cluster=demo} 2 Count',
    'Failures{Cluster=demo} 1 Count',
  ]);
});

const NODES = 'karpenter_cluster_state_node_count{Cluster=demo} 3 Count';
const PRICE = 'karpenter_nodepools_cost_total{Cluster=demo} 0.41 None';

test('an idle cluster with all metrics pays for two of them, its nodes and their price, four times an hour', () => {
  const metrics = runMetrics('table', ALL);
  metrics.ofReport(report({ gauges: GAUGES }), 5);
  const at = (atMs: number) => metricsOf(metrics.ofReport(report({ gauges: GAUGES }), atMs));
  const quarter = 15 * MINUTE_MS;
  expect([6, quarter, quarter + 5, quarter + 6, 2 * quarter + 5].map(at)).toEqual([
    [],
    [],
    [NODES, PRICE],
    [],
    [NODES, PRICE],
  ]);
});

test('what another process has written last, with other nodes, is replaced within a quarter of an hour', () => {
  const [one, other] = [runMetrics('table', ALL), runMetrics('table', ALL)];
  const written: string[] = [];
  const run = (metrics: typeof one, gauges: typeof GAUGES, minute: number): void =>
    void written.push(...metricsOf(metrics.ofReport(report({ gauges }), minute * MINUTE_MS)));
  run(one, GAUGES, 0);
  run(other, { ...GAUGES, Nodes: 4, HourlyCostUsd: 0.5 }, 1);
  for (let minute = 2; minute <= 15; minute += 1) run(one, GAUGES, minute);
  expect(written.slice(-2)).toEqual([NODES, PRICE]);
});

test('a cluster without nodes pays for no metric', () => {
  const metrics = runMetrics('table');
  const gauges = { PendingPods: 0, Nodes: 0, HourlyCostUsd: 0, StoodDown: 0 };
  metrics.ofReport(report({ gauges }), 5);
  expect(metrics.ofReport(report({ gauges }), 6)).toEqual([]);
});

test('a gauge that has changed is written, also when it becomes zero', () => {
  const metrics = runMetrics('table', ALL);
  metrics.ofReport(report({ gauges: GAUGES }), 5);
  const ended = { ...GAUGES, Nodes: 0, HourlyCostUsd: 0 };
  expect(metricsOf(metrics.ofReport(report({ gauges: ended }), 6))).toEqual([
    'karpenter_cluster_state_node_count{Cluster=demo} 0 Count',
    'karpenter_nodepools_cost_total{Cluster=demo} 0 None',
  ]);
  const other = metrics.ofReport({ ...report({ gauges: ended }), cluster: 'other' }, 7);
  expect(metricsOf(other)).toContain('karpenter_cluster_state_node_count{Cluster=other} 0 Count');
});

test('pending pods are written in each run, so that an alarm can use them', () => {
  const metrics = runMetrics('table', ALL);
  const run = report({ gauges: { PendingPods: 2 } });
  metrics.ofReport(run, 5);
  expect(metricsOf(metrics.ofReport(run, 6))).toEqual(['karpenter_scheduler_queue_depth{Cluster=demo} 2 Count']);
});

test('without the setting, a cluster pays for no metric while nothing fails', () => {
  const run = report({ gauges: { ...GAUGES, PendingPods: 2 }, decisions: [decisionOf([TERMINATE])] });
  const metrics = runMetrics('table', (cluster) => cluster !== 'demo');
  expect(metrics.ofReport(run, 5)).toEqual([]);
  expect(metricsOf(metrics.ofReport({ ...run, failures: [new Error('one claim')] }, 6))).toEqual([
    'Failures{Cluster=demo} 1 Count',
  ]);
  expect(metricsOf(metrics.ofReport({ ...run, cluster: 'other' }, 7))).toContain(
    'karpenter_cluster_state_node_count{Cluster=other} 3 Count',
  );
});

test('standby is a metric of the deployment, because its alarm is', () => {
  const run = report({ gauges: { StoodDown: 1 } });
  expect(metricsOf(runMetrics('table').ofReport(run, 5))).toEqual(['StoodDown{Table=table} 1 Count']);
});

test('a run that could not be made is a failure of its cluster', () => {
  expect(metricsOf(runMetrics('table').ofFailure('demo', 5))).toEqual(['Failures{Cluster=demo} 1 Count']);
});

test('what is decided in shadow is counted apart from what is done', () => {
  const run = report({ decisions: [{ ...decisionOf([TERMINATE]), shadow: true }] });
  expect(metricsOf(runMetrics('table', ALL).ofReport(run, 5))).toEqual(['ShadowDecisions{Cluster=demo} 1 Count']);
});

test('a cluster has at most eight metrics', () => {
  const { namespace: _, ...names } = METRICS;
  const ofCluster = Object.values(names).filter((name) => !DEPLOYMENT_METRICS.includes(name));
  expect(ofCluster.length).toBeLessThanOrEqual(8);
});

test('problems are metrics of the deployment, and waiting pods one of their own, because they have alarms of their own', () => {
  const problems = (['WaitingPods', 'DrainStuck', 'LaunchesFailing'] as const).map((kind) => ({
    kind,
    message: '',
    numbers: { pods: 7 },
  }));
  const run = report({ problems });
  expect(metricsOf(runMetrics('table').ofReport(run, 5))).toEqual([
    'WaitingPods{Table=table} 7 Count',
    'Problems{Table=table} 2 Count',
  ]);
  expect(metricsOf(runMetrics('table').ofFailure('demo', 5, problems.slice(1)))).toEqual([
    'Failures{Cluster=demo} 1 Count',
    'Problems{Table=table} 2 Count',
  ]);
});
