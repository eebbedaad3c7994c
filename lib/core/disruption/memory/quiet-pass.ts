import { MINUTE_MS } from '../../../apis/formats/time.ts';
import type { ObjectMeta } from '../../../apis/kubernetes.ts';
import { keptUntilMs } from '../../cluster/pods.ts';
import { equalData } from '../../equal-data.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { UnavailableOffering, Verdict } from '../../model/decision.ts';
import { NO_MEMORY } from '../../model/disruption/pass-memory.ts';
import { budgetsChangeMs } from '../budgets.ts';
import { consolidatableAtMs } from '../consolidate-after.ts';
import { type PassContext, unreadIn } from '../pass.ts';

/** A pass that had nothing to do. The same pass on an equal snapshot gives the same verdict, until its end. */
export interface QuietPass {
  readonly snapshot: ClusterSnapshot;
  readonly refused: ReadonlySet<string>;
  readonly verdict: Verdict;
  /** Whether it has evaluated every candidate, alone or with the passes before it. */
  readonly isWhole: boolean;
  /** The time of the pass. */
  readonly atMs: number;
  /** The next time at which the verdict may be another one, although nothing has changed but the time. */
  readonly untilMs: number;
}

/**
 * E25: as long as Karpenter's. The remaining lifetime of nodes, which is part of the order and of the score of candidates, changes
 * with the time alone, and has no due time.
 */
const REPEATED_AFTER_MS = 5 * MINUTE_MS;

/** One pass that was decided. */
export interface DecidedPass {
  readonly snapshot: ClusterSnapshot;
  readonly context: PassContext;
  readonly verdict: Verdict;
}

/**
 * Remembers a pass. *Shape:* undefined if it changes something, or could not read something, or continues where a pass has stopped
 * that saw another cluster. @param before what was remembered before it
 */
export function quietPass(
  { snapshot, context: { nowMs, refused = new Set() }, verdict: decided }: DecidedPass,
  before?: QuietPass,
): QuietPass | undefined {
  const { passMemory = snapshot.passMemory ?? NO_MEMORY, softTaints = [], ...verdict } = decided;
  if (verdict.actions.length > 0 || softTaints.length > 0 || unreadIn(snapshot).length > 0) return undefined;
  const continues = (snapshot.passMemory ?? NO_MEMORY).stopped.length > 0;
  if (continues && (before === undefined || !isUnchanged(before.snapshot, snapshot))) return undefined;
  const isWhole = passMemory.stopped.length === 0;
  // What a tick looks for is a change of the snapshot.
  const due = verdict.due.flatMap(({ atMs, kind }) => (kind === 'tick' ? [] : [atMs]));
  const times = [...due, ...clockTimes(snapshot, nowMs)].filter((atMs) => atMs > nowMs);
  const untilMs = times.reduce((first, atMs) => Math.min(first, atMs), nowMs + REPEATED_AFTER_MS);
  return { snapshot, refused, verdict, isWhole, atMs: nowMs, untilMs };
}

/** When something in the snapshot begins or ends by the clock: windows of budgets, do-not-disrupt with a duration, consolidateAfter. */
function clockTimes({ nodePools, nodeClaims, pods }: ClusterSnapshot, nowMs: number): readonly number[] {
  const poolNamed = new Map(nodePools.map(({ nodePool }) => [nodePool.metadata.name, nodePool]));
  const settled = nodeClaims.flatMap((nodeClaim) => {
    const nodePool = poolNamed.get(nodeClaim.nodePool);
    return (nodePool && consolidatableAtMs({ nodePool, nodeClaim })) ?? [];
  });
  const budgets = nodePools.map(({ nodePool }) => budgetsChangeMs(nodePool, nowMs));
  return [...settled, ...budgets, ...pods.map(keptUntilMs)];
}

/**
 * Whether the pass would have the same verdict again. *Cost:* O(size of what was read again), far less than a pass.
 * *Source:* E25.
 */
export function isStillQuiet(
  quiet: QuietPass,
  snapshot: ClusterSnapshot,
  { nowMs, refused = new Set() }: PassContext,
): boolean {
  if (!quiet.isWhole || nowMs < quiet.atMs || nowMs >= quiet.untilMs) return false;
  return equalData([...quiet.refused].toSorted(), [...refused].toSorted()) && isUnchanged(quiet.snapshot, snapshot);
}

/** Without the epoch, which counts the decisions of all functions, and the places where methods have stopped. */
function isUnchanged(before: ClusterSnapshot, now: ClusterSnapshot): boolean {
  const { epoch: _before, nodes, pods, unavailable, passMemory, ...others } = before;
  const {
    epoch: _now,
    nodes: nodesNow,
    pods: podsNow,
    unavailable: unavailableNow,
    passMemory: kept,
    ...othersNow
  } = now;
  return (
    areEqual(nodes, nodesNow) &&
    areEqual(pods, podsNow) &&
    equalData(unavailable.map(withoutTimes), unavailableNow.map(withoutTimes)) &&
    equalData((passMemory ?? NO_MEMORY).rejected, (kept ?? NO_MEMORY).rejected) &&
    equalData(others, othersNow)
  );
}

type Stored = { readonly metadata: ObjectMeta };

/** Without the versions: a kubelet that reports the status of its node changes it, and nothing else. */
function areEqual(before: readonly Stored[], now: readonly Stored[]): boolean {
  if (before.length !== now.length) return false;
  return before.every((one, index) => {
    const other = now[index];
    return one === other || (other !== undefined && equalData(withoutVersion(one), withoutVersion(other)));
  });
}

function withoutVersion({ metadata, ...others }: Stored): unknown {
  const { resourceVersion: _version, ...named } = metadata;
  return { ...others, metadata: named };
}

/** Whether an offering is marked counts, and not until when: the snapshot has no mark that has ended. */
function withoutTimes({ untilMs: _until, markedAtMs: _marked, ...offering }: UnavailableOffering): unknown {
  return offering;
}
