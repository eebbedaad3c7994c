import { SECOND_MS, timeIn } from '../../apis/formats/time.ts';
import { PROBLEMS } from '../../core/problems/problems.ts';
import type { ClusterStatus, DeploymentStatus } from '../../core/status/deployment-status.ts';

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The metrics of `kerf status --output prometheus`, all gauges. `npm run generate` writes docs/signals.md from this table. @internal */
export const STATUS_METRICS = {
  kerf_healthy:
    'Labels: cluster. 1 if nothing is wrong with the cluster, else 0. A cluster that is left out has no samples.',
  kerf_last_run_timestamp_seconds:
    'Labels: cluster, function. The last run of the function that is recorded, which is every five minutes.',
  kerf_mode: 'Labels: cluster, mode. 1 for the mode of the cluster (active, shadow, standby, unknown).',
  kerf_open_decisions: 'Labels: cluster. Decisions that are not carried out completely.',
  kerf_open_commands: 'Labels: cluster. Disruption commands in work.',
  kerf_problem: 'Labels: cluster, problem. 1 while there is the problem, else 0.',
  kerf_nodes: 'Labels: cluster. Nodes of the cluster.',
  kerf_pending_pods: 'Labels: cluster. Pods for which the scheduler finds no node.',
  kerf_cost_usd_per_hour: 'Labels: cluster. The price of the instances of Kerf.',
  kerf_webhook_in_use: 'Labels: cluster. 1 if the webhook of the cluster is in use, else 0.',
  kerf_dead_letters: 'Labels: queue. Messages that failed in every delivery.',
  kerf_prices_timestamp_seconds: 'When instance types and prices were read.',
} as const;

/** The status in the text format of Prometheus. What was not read has no sample. */
export function prometheusText(status: DeploymentStatus): string {
  const samples = samplesOf(status);
  return Object.entries(STATUS_METRICS)
    .flatMap(([name, meaning]) => {
      const found = samples.get(name) ?? [];
      return found.length === 0 ? [] : [{ name, meaning, found }];
    })
    .flatMap(({ name, meaning, found }) => [
      `# HELP ${name} ${meaning}`,
      `# TYPE ${name} gauge`,
      ...found.map(({ labels, value }) => `${name}${labelText(labels)} ${value}`),
    ])
    .map((line) => `${line}\n`)
    .join('');
}

function samplesOf({ clusters, deadLetters = [], prices }: DeploymentStatus): ReadonlyMap<string, readonly Sample[]> {
  const each = (valueOf: (one: ClusterStatus) => number | undefined): readonly Sample[] =>
    clusters.flatMap((one) => {
      const value = valueOf(one);
      return value === undefined ? [] : [{ labels: { cluster: one.cluster }, value }];
    });
  const many = (samples: (one: ClusterStatus) => readonly Sample[]): readonly Sample[] =>
    clusters.flatMap((one) =>
      samples(one).map(({ labels, value }) => ({ labels: { cluster: one.cluster, ...labels }, value })),
    );
  const asOfMs = typeof prices === 'object' ? timeIn(prices.asOf) : undefined;
  const samples: Readonly<Record<keyof typeof STATUS_METRICS, readonly Sample[]>> = {
    kerf_healthy: each(({ wrong }) => Number(wrong.length === 0)),
    kerf_last_run_timestamp_seconds: many(({ functions }) =>
      functions.flatMap(({ function: name, lastRunMs }) =>
        lastRunMs === undefined ? [] : [{ labels: { function: name }, value: lastRunMs / SECOND_MS }],
      ),
    ),
    kerf_mode: many(({ mode }) => [{ labels: { mode }, value: 1 }]),
    kerf_open_decisions: each(({ openDecisions }) => openDecisions),
    kerf_open_commands: each(({ commands }) => commands),
    kerf_problem: many(({ problems }) =>
      Object.keys(PROBLEMS).map((problem) => ({
        labels: { problem },
        value: Number(problems.some(({ kind }) => kind === problem)),
      })),
    ),
    kerf_nodes: each(({ gauges }) => gauges['Nodes']),
    kerf_pending_pods: each(({ gauges }) => gauges['PendingPods']),
    kerf_cost_usd_per_hour: each(({ gauges }) => gauges['HourlyCostUsd']),
    kerf_webhook_in_use: each(({ webhook }) => (webhook === 'unknown' ? undefined : Number(webhook === 'in use'))),
    kerf_dead_letters: deadLetters.map(({ queue, messages }) => ({ labels: { queue }, value: messages })),
    kerf_prices_timestamp_seconds: asOfMs === undefined ? [] : [{ labels: {}, value: asOfMs / SECOND_MS }],
  };
  return new Map(Object.entries(samples));
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', String.raw`\"`).replaceAll('\n', String.raw`\n`);
}
