/** What a deployment has while nothing happens, as its CloudFormation template says. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import cdk from '../../cdk.json' with { type: 'json' };
import { ownField } from '../../lib/apis/record.ts';
import { KerfStack } from '../../lib/stack/kerf-stack.ts';
import { POLLS_A_MINUTE } from './assumptions.ts';

export interface FixedParts {
  /** The long polls of all queues that Lambda polls, while they are idle. */
  readonly pollsAMinute: number;
  /** The metrics of all alarms: an alarm on an expression is billed for each metric in it. */
  readonly alarmMetrics: number;
  readonly secrets: number;
  /** The metrics of the dashboard. Three dashboards of at most 50 metrics are free in an account. */
  readonly dashboardMetrics: number;
  /** *Units:* MiB, by function. */
  readonly memoryMib: Readonly<Record<string, number>>;
  /** The functions whose log has lines of Lambda only for invocations that fail. */
  readonly logsOnlyFailures: readonly string[];
}

type Properties = Readonly<Record<string, unknown>>;

/** *Cost:* a synthesis without bundles, about a second. */
export function fixedParts(clusters: number): FixedParts {
  const template = synthesized(clusters);
  const propertiesOf = (type: string): readonly Properties[] =>
    Object.values(template.findResources(type)).map((resource): Properties => resource['Properties'] ?? {});
  const functions = propertiesOf('AWS::Lambda::Function');
  const memory = functions.flatMap((one) =>
    typeof one['MemorySize'] === 'number' ? [[nameOf(one), one['MemorySize']] as const] : [],
  );
  return {
    pollsAMinute: propertiesOf('AWS::Lambda::EventSourceMapping').reduce((sum, mapping) => sum + pollsOf(mapping), 0),
    alarmMetrics: propertiesOf('AWS::CloudWatch::Alarm').reduce((sum, alarm) => sum + metricsOfAlarm(alarm), 0),
    secrets: propertiesOf('AWS::SecretsManager::Secret').length,
    dashboardMetrics: propertiesOf('AWS::CloudWatch::Dashboard').reduce((sum, one) => sum + metricsOnDashboard(one), 0),
    memoryMib: Object.fromEntries(memory),
    logsOnlyFailures: functions
      .filter(({ LoggingConfig }) => ownField(LoggingConfig, 'SystemLogLevel') === 'WARN')
      .map(nameOf),
  };
}

function nameOf({ Description }: Properties): string {
  return String(Description).replace('Kerf ', '');
}

function synthesized(clusters: number): Template {
  const folder = mkdtempSync(join(tmpdir(), 'kerf-cost-'));
  try {
    const context = { ...cdk.context, 'aws:cdk:bundling-stacks': [] };
    const names = Array.from({ length: clusters }, (_, index) => ({ name: `cluster-${index}` }));
    return Template.fromStack(new KerfStack(new App({ outdir: folder, context }), 'Kerf', { clusters: names }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function pollsOf({ ScalingConfig }: Properties): number {
  return typeof ownField(ScalingConfig, 'MaximumConcurrency') !== 'number'
    ? POLLS_A_MINUTE.reduced
    : POLLS_A_MINUTE.whole;
}

function metricsOfAlarm({ Metrics }: Properties): number {
  if (!Array.isArray(Metrics)) return 1;
  return Metrics.filter((one: object) => 'MetricStat' in one).length;
}

/** The body is text with references. Each metric of a widget is one entry of its list `metrics`. */
function metricsOnDashboard({ DashboardBody }: Properties): number {
  const parts: unknown = Object(DashboardBody)['Fn::Join']?.[1] ?? [DashboardBody];
  const text = (Array.isArray(parts) ? parts : []).map((part) => (typeof part === 'string' ? part : 'x')).join('');
  const body: { readonly widgets: readonly { readonly properties: { readonly metrics?: readonly unknown[] } }[] } =
    JSON.parse(text);
  return body.widgets.reduce((sum, { properties }) => sum + (properties.metrics?.length ?? 0), 0);
}
