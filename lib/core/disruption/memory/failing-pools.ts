import { firstBy } from '../../first-by.ts';
import { fingerprint } from '../../identity.ts';
import type { ClusterSnapshot, NodePoolView } from '../../model/cluster-snapshot.ts';
import type { Action } from '../../model/decision.ts';
import { type FailingPool, NO_MEMORY, type PassMemory } from '../../model/disruption/pass-memory.ts';
import { isReplacing, type ReplacingCommand } from '../../model/disruption-command.ts';
import type { DeletionReason, NodeClaimRecord } from '../../model/node-claim-record.ts';
import { waitsForTurn } from '../../node-claim/launch/launch.ts';
import { MIN_PATIENCE_MS } from '../command/patience.ts';
import { pauseMs } from './pause.ts';
import { settingsOf } from './settings.ts';

/** Why claims are deleted whose instances would not become nodes in another try either. Missing capacity has marks of its own (C32). */
const FAILURES: ReadonlySet<DeletionReason> = new Set<DeletionReason>([
  'launch_timeout',
  'registration_timeout',
  'initialization_timeout',
  'node_lost',
  'unhealthy',
]);

type Seen = Pick<ClusterSnapshot, 'nodePools' | 'nodeClaims' | 'passMemory'>;

/**
 * E25: the memory without the NodePools that fail no more: a node that was launched as late as the last replacements is initialized, or
 * the NodePool, its NodeClass or what this selects has changed. *Shape:* the same object if all still fail.
 */
export function withoutRecovered({ nodePools, nodeClaims, passMemory = NO_MEMORY }: Seen): PassMemory {
  const failing = passMemory.failing.filter((one) => {
    const view = viewNamed(nodePools, one.nodePool);
    if (view === undefined || hasRecovered(one, nodeClaims)) return false;
    return view.unusable !== undefined || inputsOf(view) === one.inputs;
  });
  return failing.length === passMemory.failing.length ? passMemory : { ...passMemory, failing };
}

export interface Ended {
  readonly before: ClusterSnapshot;
  readonly actions: readonly Action[];
  readonly nowMs: number;
}

/** E25: remembers the NodePools of replacements that failed, and whose commands are rejected now. *Shape:* the memory before, the same object, if there are none. */
export function withFailures({ before, actions, nowMs }: Ended): PassMemory {
  const { passMemory = NO_MEMORY, nodePools, nodeClaims } = before;
  const rejected = rejectedIn(actions);
  const failures = before.commands
    .filter(isReplacing)
    .filter(({ id }) => rejected.has(id))
    .flatMap((command) => failuresOf(command, nodeClaims, nowMs))
    .filter((one) => !hasRecovered(one, nodeClaims));
  const failing = new Map(passMemory.failing.map((one) => [one.nodePool, one]));
  for (const { nodePool, launchedAtMs } of failures) {
    const view = viewNamed(nodePools, nodePool);
    if (view === undefined) continue;
    const last = failing.get(nodePool);
    failing.set(nodePool, afterFailure(last, { nodePool, inputs: inputsOf(view), launchedAtMs }, nowMs));
  }
  return failures.length === 0 ? passMemory : { ...passMemory, failing: [...failing.values()] };
}

/** The ids of the commands that the actions reject. */
export function rejectedIn(actions: readonly Action[]): ReadonlySet<string> {
  return new Set(
    actions.flatMap((one) => (one.kind === 'end-disruption' && one.outcome === 'rejected' ? [one.command] : [])),
  );
}

type Failure = Pick<FailingPool, 'nodePool' | 'launchedAtMs'>;

/** The NodePools whose replacements failed, each once. */
function failuresOf(
  { replacementClaims, replacingSinceMs }: ReplacingCommand,
  nodeClaims: readonly NodeClaimRecord[],
  nowMs: number,
): readonly Failure[] {
  const isLate = nowMs >= replacingSinceMs + MIN_PATIENCE_MS;
  const failed = nodeClaims.filter((one) => replacementClaims.includes(one.name) && hasFailed(one, isLate));
  const names = new Set(failed.map(({ nodePool }) => nodePool));
  return [...names].map((nodePool) => ({ nodePool, launchedAtMs: replacingSinceMs }));
}

function hasFailed(record: NodeClaimRecord, isLate: boolean): boolean {
  const { initializedAtMs, deletion, launch } = record;
  if (initializedAtMs !== undefined) return false;
  if (deletion === undefined) return isLate && launch.kind === 'launched';
  return FAILURES.has(deletion.reason) && !waitsForTurn(record);
}

function hasRecovered({ nodePool, launchedAtMs }: Failure, nodeClaims: readonly NodeClaimRecord[]): boolean {
  return nodeClaims.some(
    (one) => one.nodePool === nodePool && one.initializedAtMs !== undefined && one.createdAtMs >= launchedAtMs,
  );
}

/** Replacements that were launched before the pause began do not prolong it. */
function afterFailure(
  last: FailingPool | undefined,
  failure: Failure & Pick<FailingPool, 'inputs'>,
  nowMs: number,
): FailingPool {
  const failed = (last?.failed ?? 0) + 1;
  const launchedAtMs = Math.max(last?.launchedAtMs ?? 0, failure.launchedAtMs);
  if (last !== undefined && failure.launchedAtMs < last.sinceMs) return { ...last, failed, launchedAtMs };
  const times = (last?.times ?? 0) + 1;
  const untilMs = nowMs + pauseMs(times, nowMs - failure.launchedAtMs);
  return { ...failure, failed, times, launchedAtMs, sinceMs: nowMs, untilMs };
}

function inputsOf(view: NodePoolView): string {
  return fingerprint(settingsOf(view), 12);
}

const viewNamed = firstBy<NodePoolView>(({ nodePool }) => nodePool.metadata.name);
