import { counted } from '../../apis/counted.ts';
import { formatDuration } from '../../apis/formats/duration.ts';
import { SECOND_MS } from '../../apis/formats/time.ts';
import type { DeletionReason } from '../../core/model/node-claim-record.ts';
import type { SimulationSummary } from '../../simulator/result.ts';
import type { Counts } from '../../simulator/summary/deeds.ts';
import { formatSavings, formatUsd, formatUsdPerHour, wholeUsd } from '../render/format-money.ts';

/** The facts of the summary in one line each. Facts that are zero and say nothing are left out. */
export function summaryRows(summary: SimulationSummary): readonly (readonly [string, string])[] {
  const { evictedByReason, spotInterruptions, removedByReason } = summary;
  const [removed, given] = removals(removedByReason);
  return [
    ['simulated time', simulatedTime(summary)],
    ['nodes', nodes(summary)],
    ...when(removed !== '', 'removed', removed),
    ...when(given !== '', 'launches failed', given),
    ...disruption(summary.disruption),
    ...when(spotInterruptions > 0, 'interruptions', counted(spotInterruptions, 'spot instance')),
    ['pods', pods(summary)],
    ...when(total(evictedByReason) > 0, 'evictions', evictions(evictedByReason)),
    ...when(summary.jobsFailed.length > 0, 'jobs', failures(summary)),
    ['pending to running', waits(summary)],
    ...utilisation(summary),
    ['cost', cost(summary)],
    ...when(summary.nodesAtEnd > 0, 'at the end', costAtEnd(summary)),
  ];
}

type Row = readonly [string, string];

function when(isShown: boolean, name: string, value: string): readonly Row[] {
  return isShown ? [[name, value]] : [];
}

function simulatedTime({ simulatedSeconds, durationSeconds, ended }: SimulationSummary): string {
  const time = duration(simulatedSeconds);
  switch (ended) {
    case 'settled':
      return `${time}, then only expiry remained (--for 24h goes on)`;
    case 'time':
      return time;
    case 'interrupted':
      return `${time} of ${duration(durationSeconds)}: interrupted`;
  }
}

function duration(seconds: number): string {
  return seconds === 0 ? '0s' : formatDuration(seconds * SECOND_MS);
}

function nodes(summary: SimulationSummary): string {
  const { nodesLaunched, nodesAtPeak, peakAtSeconds, nodesAtEnd, nodesShuttingDown } = summary;
  const peak = nodesAtPeak === 0 ? '' : `, ${nodesAtPeak} at the peak (at ${duration(Math.floor(peakAtSeconds))})`;
  const ending = nodesShuttingDown === 0 ? '' : ` and ${nodesShuttingDown} shutting down`;
  return `${nodesLaunched} launched${peak}, ${nodesAtEnd} at the end${ending}`;
}

/** Reasons in a person's words. */
const REASON_WORDS: Readonly<Record<DeletionReason, string>> = {
  empty: 'empty',
  underutilized: 'underutilized',
  drifted: 'drifted',
  expired: 'expired',
  launch_timeout: 'not launched in time',
  registration_timeout: 'not registered in time',
  node_lost: 'node lost',
  initialization_timeout: 'not ready in time',
  insufficient_capacity: 'without capacity',
  garbage_collected: 'instance lost',
  unhealthy: 'unhealthy',
  spot_interrupted: 'spot interruption',
  scheduled_change: 'scheduled change of EC2',
  instance_stopped: 'instance stopped',
  instance_terminated: 'instance terminated',
  capacity_reservation_interrupted: 'capacity reservation interrupted',
  overprovisioned: 'more than the replicas of its NodePool',
  deleted: 'deleted by a user',
};
const REASONS: ReadonlyMap<string, string> = new Map(Object.entries(REASON_WORDS));
/** Reasons of NodeClaims that never had an instance. */
const NEVER_LAUNCHED: ReadonlySet<string> = new Set<DeletionReason>(['launch_timeout', 'insufficient_capacity']);

/** What was removed: nodes, and NodeClaims that were not launched. */
function removals(counts: Counts): readonly [string, string] {
  const all = Object.entries(counts);
  const launched = all.filter(([reason]) => !NEVER_LAUNCHED.has(reason));
  const never = all.filter(([reason]) => NEVER_LAUNCHED.has(reason));
  return [inWords(launched), inWords(never)];
}

/** `4 empty, 1 spot interruption`: the largest number first. */
function inWords(counts: readonly (readonly [string, number])[]): string {
  return counts
    .toSorted(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${count} ${REASONS.get(reason) ?? reason}`)
    .join(', ');
}

/** `3 commands, 5 nodes replaced by 2, saves $0.3000/h; 1 command rejected`. */
function disruption(deeds: SimulationSummary['disruption']): readonly Row[] {
  const { commandsExecuted, commandsRejected, nodesReplaced, replacements, savedUsdPerHour } = deeds;
  const replaced = nodesReplaced === 0 ? '' : `${counted(nodesReplaced, 'node')} replaced by ${replacements}, `;
  const parts = [
    ...(commandsExecuted === 0
      ? []
      : [`${counted(commandsExecuted, 'command')}, ${replaced}${formatSavings(savedUsdPerHour)}`]),
    ...(commandsRejected === 0 ? [] : [`${counted(commandsRejected, 'command')} rejected`]),
  ];
  return when(parts.length > 0, 'disruption', parts.join('; '));
}

function total(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function evictions(counts: Counts): string {
  return `${counted(total(counts), 'pod')}: ${inWords(Object.entries(counts))}`;
}

function pods({ podsRunning, daemonSetPodsRunning, podsUnreachable, podsPending }: SimulationSummary): string {
  const daemons = daemonSetPodsRunning === 0 ? '' : `, and ${daemonSetPodsRunning} of DaemonSets`;
  const lost = podsUnreachable === 0 ? '' : ` (${podsUnreachable} on nodes that do not report)`;
  return `${podsRunning - daemonSetPodsRunning} running${lost}, ${podsPending.length} pending${daemons}`;
}

/** More workloads than these are counted. */
const MAX_WORKLOADS = 3;

/** `3 failed: CronJob default/nightly (2 × DeadlineExceeded), Job default/report (BackoffLimitExceeded)`. */
function failures({ jobsFailed }: SimulationSummary): string {
  const groups = [...Map.groupBy(jobsFailed, ({ workload, reason }) => JSON.stringify([workload, reason])).values()];
  const named = groups.slice(0, MAX_WORKLOADS).flatMap(([first, ...more]) => {
    if (first === undefined) return [];
    return `${first.workload} (${more.length === 0 ? '' : `${more.length + 1} × `}${first.reason})`;
  });
  const others = groups.length > MAX_WORKLOADS ? ` and ${groups.length - MAX_WORKLOADS} more` : '';
  return `${jobsFailed.length} failed: ${named.join(', ')}${others}`;
}

function waits({ pendingToRunningSeconds: { pods: count, median, p95, max } }: SimulationSummary): string {
  if (count === 0) return 'no pod has started';
  return `median ${median}s, 95 % within ${p95}s, longest ${max}s (${counted(count, 'pod')})`;
}

/** `cpu 62 %, memory 48 %; DaemonSets: cpu 3 %, memory 2 %`. */
function utilisation({ utilisation: all }: SimulationSummary): readonly Row[] {
  if (all.length === 0) return [];
  const shares = (of: 'workloadsShare' | 'daemonSetsShare'): string =>
    all.map((one) => `${one.resource} ${percent(one[of])}`).join(', ');
  const hasDaemons = all.some(({ daemonSetsShare }) => daemonSetsShare > 0);
  return [
    ['utilisation', `${shares('workloadsShare')}${hasDaemons ? `; DaemonSets: ${shares('daemonSetsShare')}` : ''}`],
  ];
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Until only expiry remains, the time is arbitrary, and so is a rate. */
function cost({ ended, totalCostUsd, usdPerMonthAtThisRate }: SimulationSummary): string {
  const rate = ended === 'settled' ? '' : `, at this rate ${wholeUsd(usdPerMonthAtThisRate)} a month (730 h)`;
  return `${formatUsd(totalCostUsd)}${rate}`;
}

function costAtEnd({ nodesAtEnd, usdPerHourAtEnd, usdPerMonthAtEnd }: SimulationSummary): string {
  const price = `${formatUsdPerHour(usdPerHourAtEnd)}, ${wholeUsd(usdPerMonthAtEnd)} a month (730 h)`;
  return `${counted(nodesAtEnd, 'node')} for ${price}`;
}
