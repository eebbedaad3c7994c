import { expect, test } from 'vitest';
import type { RunReport } from '../../../lib/controllers/run/ports.ts';
import type { Action } from '../../../lib/core/model/decision.ts';
import { embeddedMetrics, failureMetrics } from '../../../lib/operator/telemetry/embedded-metrics.ts';
import { aRunReport } from '../../builders/decisions.ts';
import { listAt, textAt } from '../../stack/json.ts';

function report(overrides: Partial<RunReport> = {}): RunReport {
  return aRunReport({ controller: 'termination', ...overrides });
}

function decisionOf(actions: readonly Action[]) {
  return { id: 'd', cluster: 'demo', controller: 'termination', atMs: 0, actions, blocked: [] } as const;
}

/** What CloudWatch makes of the lines: `Name{dimensions} value unit`. */
function metricsOf(lines: ReturnType<typeof embeddedMetrics>): readonly string[] {
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

test('a run is its gauges, its decisions that act and its failures by controller, and its actions by kind', () => {
  const terminate: Action = { kind: 'terminate-instance', nodeClaim: 'x', instanceId: 'i-1' };
  const end: Action = { kind: 'end-disruption', command: 'c', outcome: 'executed', why: 'done' };
  const run = report({
    gauges: { Nodes: 3, HourlyCostUsd: 0.41, PriceGapPercent: 1.5 },
    decisions: [decisionOf([terminate, end]), decisionOf([terminate]), decisionOf([])],
    failures: [new Error('one claim')],
  });
  expect(metricsOf(embeddedMetrics(run, 5))).toEqual([
    'Nodes{Cluster=demo} 3 Count',
    'HourlyCostUsd{Cluster=demo} 0.41 None',
    'PriceGapPercent{Cluster=demo} 1.5 Percent',
    'Decisions{Cluster=demo,Controller=termination} 2 Count',
    'Failures{Cluster=demo,Controller=termination} 1 Count',
    'Actions{Cluster=demo,Action=end-disruption} 1 Count',
    'Actions{Cluster=demo,Action=terminate-instance} 2 Count',
  ]);
});

test('a run without decisions counts zero, and no line is without metrics', () => {
  expect(metricsOf(embeddedMetrics(report(), 5))).toEqual([
    'Decisions{Cluster=demo,Controller=termination} 0 Count',
    'Failures{Cluster=demo,Controller=termination} 0 Count',
  ]);
});

test('a run that could not be made is a failure of its controller', () => {
  expect(metricsOf(failureMetrics('demo', 'disruption', 5))).toContain(
    'Failures{Cluster=demo,Controller=disruption} 1 Count',
  );
});

test('what is decided in shadow is counted apart from what is done', () => {
  const end: Action = { kind: 'end-disruption', command: 'c', outcome: 'executed', why: 'done' };
  const run = report({ decisions: [{ ...decisionOf([end]), shadow: true }] });
  expect(metricsOf(embeddedMetrics(run, 5))).toEqual([
    'ShadowDecisions{Cluster=demo,Controller=termination} 1 Count',
    'Failures{Cluster=demo,Controller=termination} 0 Count',
    'ShadowActions{Cluster=demo,Action=end-disruption} 1 Count',
  ]);
});
