/** Whether Kerf is alive and well, from what its functions have left in the table. */
import { counted } from '../../apis/counted.ts';
import { formatDuration } from '../../apis/formats/duration.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, timeIn } from '../../apis/formats/time.ts';
import { optional } from '../../apis/optional.ts';
import type { NodeClaimRecord } from '../model/node-claim-record.ts';
import { problemsOfClaims } from '../problems/claim-problems.ts';
import { PROBLEMS, type ProblemKind } from '../problems/problems.ts';
import {
  type FunctionMark,
  MARK_PAUSE_MS,
  MARKED_FUNCTIONS,
  type MarkedFunction,
  PENDING_PODS_FROM,
} from './function-mark.ts';

/** What was read of one cluster. */
export interface ClusterFacts {
  readonly cluster: string;
  readonly marks: readonly FunctionMark[];
  /** The last runs by the leases. @default no lease was read */
  readonly leasedAtMs?: Readonly<Partial<Record<MarkedFunction, number>>>;
  /** The times of the decisions that are not carried out completely. @default not read */
  readonly openDecisionsMs?: readonly number[];
  /** The number of disruption commands in work. @default not read */
  readonly commands?: number;
  /** @default not read: the problems of NodeClaims are those of the last mark */
  readonly nodeClaims?: readonly NodeClaimRecord[];
}

/** What was read of the deployment. Each is left out if it was not read. */
export interface DeploymentFacts {
  readonly deadLetters?: readonly { readonly queue: string; readonly messages: number }[];
  /** `none`: the catalogue function has not run. */
  readonly prices?: 'none' | PriceTimes;
  /** What was not read, and why. */
  readonly unread: readonly string[];
}

/** RFC 3339. */
export interface PriceTimes {
  readonly asOf: string;
  readonly onDemandAsOf?: string | undefined;
  readonly spotAsOf?: string | undefined;
}

export interface FunctionStatus {
  readonly function: MarkedFunction;
  /** @default no run is known */
  readonly lastRunMs?: number;
  /** It should have run since. */
  readonly isLate: boolean;
  /** What failed, by its last mark. @default nothing */
  readonly failures?: number;
}

export interface OpenProblem {
  readonly kind: ProblemKind;
  readonly message: string;
}

export interface ClusterStatus {
  readonly cluster: string;
  /** The version of the last mark. @default no mark */
  readonly version?: string;
  readonly mode: 'active' | 'shadow' | 'standby' | 'unknown';
  readonly functions: readonly FunctionStatus[];
  /** `unknown`: the last run of lifecycle had failures, or there was none. */
  readonly webhook: 'in use' | 'disabled' | 'none' | 'unknown';
  readonly problems: readonly OpenProblem[];
  readonly openDecisions?: number;
  readonly commands?: number;
  readonly gauges: Readonly<Record<string, number>>;
  /** What is wrong, in sentences. Empty if the cluster is healthy. */
  readonly wrong: readonly string[];
}

/** A cluster that was removed from the deployment, which leaves its marks in the table for 30 days. */
export interface LeftOutCluster {
  readonly cluster: string;
  readonly lastRunMs: number;
}

export interface DeploymentStatus extends DeploymentFacts {
  readonly atMs: number;
  readonly clusters: readonly ClusterStatus[];
  /** The clusters that are not judged, because the last run of any cluster was of a deployment without them. */
  readonly leftOut: readonly LeftOutCluster[];
  /** What is wrong with the deployment, besides its clusters. */
  readonly wrong: readonly string[];
}

/** A tick may be a minute or two late, and a run may fail once. */
const LATE_MS = 5 * MINUTE_MS;
/** An action that fails is given up after five minutes. */
const OPEN_TOO_LONG_MS = 10 * MINUTE_MS;
/** What fails is repeated each minute, and a run may fail once. */
const FAILING_MS = 2 * MINUTE_MS;
/** The catalogue function runs every twelve hours. */
const OLD_PRICES_MS = 36 * HOUR_MS;

export function isHealthy({ clusters, wrong }: DeploymentStatus): boolean {
  return wrong.length === 0 && clusters.every((one) => one.wrong.length === 0);
}

export function deploymentStatus(
  clusters: readonly ClusterFacts[],
  facts: DeploymentFacts,
  nowMs: number,
): DeploymentStatus {
  const dead = (facts.deadLetters ?? []).filter(({ messages }) => messages > 0);
  const all = clusters.map((one) => clusterStatus(one, nowMs));
  const served = latestFirst(clusters.flatMap(({ marks }) => marks)).find((mark) => mark.served !== undefined)?.served;
  const leftOut =
    served === undefined ? [] : all.flatMap((one) => (served.includes(one.cluster) ? [] : leftOutOf(one)));
  return {
    ...facts,
    atMs: nowMs,
    clusters: all.filter(({ cluster }) => !leftOut.some((one) => one.cluster === cluster)),
    leftOut,
    wrong: [
      ...dead.map(({ queue, messages }) => `${counted(messages, 'dead letter')} in ${queue}: kerf dead-letters list`),
      ...(facts.prices === undefined ? [] : wrongPrices(facts.prices, nowMs)),
    ],
  };
}

function leftOutOf({ cluster, functions }: ClusterStatus): readonly LeftOutCluster[] {
  const times = functions.flatMap(({ lastRunMs }) => lastRunMs ?? []);
  return times.length === 0 ? [] : [{ cluster, lastRunMs: Math.max(...times) }];
}

/**
 * If the whole catalogue is old, so are its prices. On-demand prices that were never read are not wrong: GovCloud has no price list, and
 * those shipped with Kerf are used.
 */
function wrongPrices(prices: 'none' | PriceTimes, nowMs: number): readonly string[] {
  if (prices === 'none')
    return ['there is no catalogue of instance types and prices: the catalogue function has not run'];
  const { asOf, onDemandAsOf, spotAsOf } = prices;
  const ageMs = (time: string): number => nowMs - (timeIn(time) ?? 0);
  const look = 'look at the log of the catalogue function';
  const isOld = (time: string): boolean => ageMs(time) > OLD_PRICES_MS;
  if (isOld(asOf)) return [`the catalogue of instance types and prices is ${shortAge(ageMs(asOf))} old: ${look}`];
  const old = Object.entries({ 'on-demand': onDemandAsOf, spot: spotAsOf }).flatMap(([kind, time]) =>
    time !== undefined && isOld(time) ? [`${kind} prices are ${shortAge(ageMs(time))} old: ${look}`] : [],
  );
  if (spotAsOf !== undefined) return old;
  return [...old, `spot prices were never read, and on-demand prices are used in their place: ${look}`];
}

function clusterStatus(facts: ClusterFacts, nowMs: number): ClusterStatus {
  const { cluster, commands, openDecisionsMs } = facts;
  const mode = modeOf(latestFirst(facts.marks));
  const running = MARKED_FUNCTIONS.filter((name) => mode !== 'shadow' || DECIDING.has(name));
  const marks = facts.marks.filter((mark) => running.includes(mark.function));
  const last = latestFirst(marks);
  // On standby, no run takes the lease.
  const functions = running.map((name) => functionStatus(name, mode === 'standby' ? { marks } : facts, nowMs));
  // In shadow, nothing acts on the records of NodeClaims.
  const problems = problemsOf(mode === 'shadow' ? { marks } : { ...facts, marks }, nowMs);
  const standby = last.find((mark) => mark.standby !== undefined)?.standby;
  const oldestMs = Math.min(...(openDecisionsMs ?? []));
  return {
    cluster,
    ...optional({ version: last[0]?.version, commands, openDecisions: openDecisionsMs?.length }),
    mode,
    functions,
    webhook: webhookOf(marks),
    problems,
    gauges: gaugesOf(last),
    wrong: [
      ...functions.flatMap((one) => (one.isLate ? [whyLate(one, nowMs)] : [])),
      ...(mode === 'standby' ? [`on standby: ${standby ?? ''}`] : []),
      ...marks.flatMap((mark) => whyFailing(mark, nowMs) ?? []),
      ...problems.map(({ kind, message }) => `${kind}: ${message}`),
      ...(mode !== 'shadow' && nowMs - oldestMs > OPEN_TOO_LONG_MS
        ? [`a decision of ${shortAge(nowMs - oldestMs)} ago is not carried out completely`]
        : []),
    ],
  };
}

function latestFirst(marks: readonly FunctionMark[]): readonly FunctionMark[] {
  return marks.toSorted((a, b) => b.atMs - a.atMs);
}

/** @param last the marks, the latest first */
function gaugesOf(last: readonly FunctionMark[]): ClusterStatus['gauges'] {
  const latest = Object.fromEntries(last.toReversed().flatMap(({ gauges }) => Object.entries(gauges)));
  const pending = last.find((mark) => mark.function === PENDING_PODS_FROM)?.gauges['PendingPods'];
  return pending === undefined ? latest : { ...latest, PendingPods: pending };
}

/** The functions that decide in shadow. */
const DECIDING: ReadonlySet<MarkedFunction> = new Set(['provisioning', 'disruption']);

/** @param last the marks, the latest first */
function modeOf(last: readonly FunctionMark[]): ClusterStatus['mode'] {
  const [first] = last;
  if (first === undefined) return 'unknown';
  if (first.shadow === true) return 'shadow';
  return first.standby === undefined ? 'active' : 'standby';
}

function functionStatus(
  name: MarkedFunction,
  { marks, leasedAtMs = {} }: Pick<ClusterFacts, 'marks' | 'leasedAtMs'>,
  nowMs: number,
): FunctionStatus {
  // A run of provisioning or disruption also leaves its time in the lease.
  const mark = marks.find((one) => one.function === name);
  const times = [mark?.atMs, leasedAtMs[name]].flatMap((ms) => ms ?? []);
  const lastRunMs = times.length === 0 ? undefined : Math.max(...times);
  const isLate = lastRunMs === undefined || nowMs - lastRunMs > MARK_PAUSE_MS + LATE_MS;
  return { function: name, ...optional({ lastRunMs, failures: mark?.failures || undefined }), isLate };
}

/** What has failed for some minutes. A mark of an earlier version does not have the time. */
function whyFailing(mark: FunctionMark, nowMs: number): string | undefined {
  const { function: name, failures, failing, atMs } = mark;
  if (failures === 0) return undefined;
  if (failing === undefined) return `the last run of ${name} had ${counted(failures, 'failure')}: look at its log`;
  const [first] = failing.filter(({ sinceMs }) => atMs - sinceMs >= FAILING_MS);
  if (first === undefined) return undefined;
  const others = failures === 1 ? '' : ` (and ${counted(failures - 1, 'other failure')})`;
  return `${name} has failed for ${shortAge(nowMs - first.sinceMs)}: ${first.message}${others}`;
}

function whyLate({ function: name, lastRunMs }: FunctionStatus, nowMs: number): string {
  return lastRunMs === undefined
    ? `${name} has not run`
    : `the last run of ${name} was ${shortAge(nowMs - lastRunMs)} ago`;
}

function webhookOf(marks: readonly FunctionMark[]): ClusterStatus['webhook'] {
  const mark = marks.find((one) => one.function === 'lifecycle');
  if (mark === undefined) return 'unknown';
  if (mark.problems.some(({ kind }) => kind === 'WebhookDisabled')) return 'disabled';
  if (mark.webhook !== true) return 'none';
  return mark.failures > 0 ? 'unknown' : 'in use';
}

/** Those of NodeClaims are read from their records now, and the others from the marks. *Shape:* one for each kind. */
function problemsOf(
  { marks, nodeClaims }: Pick<ClusterFacts, 'marks' | 'nodeClaims'>,
  nowMs: number,
): readonly OpenProblem[] {
  const marked = marks.flatMap(({ problems }) => problems);
  const isOfClaims = (kind: ProblemKind): boolean => OF_CLAIMS.has(kind);
  const found =
    nodeClaims === undefined
      ? marked
      : [...problemsOfClaims(nodeClaims, nowMs), ...marked.filter(({ kind }) => !isOfClaims(kind))];
  return Object.keys(PROBLEMS).flatMap((kind) => {
    const [first] = found.filter((one) => one.kind === kind);
    return first === undefined ? [] : [{ kind: first.kind, message: first.message }];
  });
}

const OF_CLAIMS: ReadonlySet<ProblemKind> = new Set(['LaunchesFailing', 'NodeClaimStuck', 'DrainStuck']);

/** `40s`, `12m`, `5h`, `3d`. */
export function shortAge(ms: number): string {
  if (ms >= 2 * DAY_MS) return `${Math.floor(ms / DAY_MS)}d`;
  const unit = [HOUR_MS, MINUTE_MS].find((one) => ms >= 2 * one) ?? SECOND_MS;
  return formatDuration(Math.max(0, Math.floor(ms / unit) * unit));
}
