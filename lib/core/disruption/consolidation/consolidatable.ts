import { formatTime, SECOND_MS } from '../../../apis/formats/time.ts';
import { CAPACITY_TYPE, INSTANCE_TYPE, ZONE } from '../../../apis/labels.ts';
import { type Blocked, type Due, requeueAt } from '../../model/decision.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { blockedNode } from '../budget-ledger.ts';
import { type Candidate, isCandidate, whyStatic } from '../candidates.ts';
import { consolidatableAtMs } from '../consolidate-after.ts';
import { isEmptyNode } from '../cost.ts';
import type { World } from '../method.ts';
import { whyRestrained } from '../restraint/why-restrained.ts';

export interface Consolidatable {
  readonly candidates: readonly Candidate[];
  /** Why other nodes with pods stay. Empty nodes are left to the emptiness method. */
  readonly refused: readonly Blocked[];
  /** When the others may be consolidated: consolidateAfter has passed, or a limit of their NodePool. */
  readonly due: readonly Due[];
}

/** The nodes with pods that may be consolidated now. *Source:* E3, E19. */
export function consolidatable(world: World): Consolidatable {
  const { candidates: all, nowMs } = world;
  const candidates: Candidate[] = [];
  const refused: Blocked[] = [];
  const due: Due[] = [];
  for (const stateNode of all.nodes) {
    if (isEmptyNode(stateNode)) continue;
    const judged = all.judge(stateNode);
    if (judged === undefined) continue;
    const why = isCandidate(judged) ? whyNotConsolidatable(judged, world) : judged;
    if (why !== undefined) refused.push(blockedNode(stateNode, why));
    else if (isCandidate(judged)) candidates.push(judged);
    if (why?.reason === 'ConsolidateAfter' && isCandidate(judged)) due.push(requeueAt(consolidatableAtMs(judged) ?? 0));
    const { waitSeconds } = why?.numbers ?? {};
    const isRestrained = why?.reason === 'CoolDown' || why?.reason === 'MaxEvictions';
    if (isRestrained && waitSeconds !== undefined) due.push(requeueAt(nowMs + waitSeconds * SECOND_MS));
  }
  return { candidates, refused, due };
}

/** E19: why consolidation leaves out a node that may be disrupted. */
export function whyNotConsolidatable(
  candidate: Candidate,
  world: Pick<World, 'history' | 'nowMs'>,
): Refusal | undefined {
  const { nowMs } = world;
  const { nodePool, stateNode } = candidate;
  const { name } = nodePool.metadata;
  const { consolidationPolicy } = nodePool.spec.disruption;
  const fixed = whyStatic(nodePool);
  if (fixed !== undefined) return fixed;
  const missing = [INSTANCE_TYPE, CAPACITY_TYPE, ZONE].find((label) => stateNode.labels[label] === undefined);
  if (missing !== undefined) return refusal('LabelsMissing', `the node has no label ${missing}`);
  const early = whyTooEarly(candidate, nowMs);
  if (consolidationPolicy === 'WhenEmpty' && early?.reason !== 'ConsolidateAfterNever')
    return refusal(
      'ConsolidationPolicy',
      `the node has pods, and NodePool ${name} consolidates only empty nodes (WhenEmpty)`,
    );
  return early ?? whyRestrained(candidate, world);
}

/** Why consolidation waits for a node, empty or not. *Source:* D13. */
export function whyTooEarly(candidate: Candidate, nowMs: number): Refusal | undefined {
  const { nodePool } = candidate;
  const { consolidateAfter } = nodePool.spec.disruption;
  const fromMs = consolidatableAtMs(candidate);
  if (fromMs === undefined)
    return refusal(
      'ConsolidateAfterNever',
      `NodePool ${nodePool.metadata.name} sets consolidateAfter to ${consolidateAfter}`,
    );
  if (fromMs <= nowMs) return undefined;
  return refusal(
    'ConsolidateAfter',
    `the node may be consolidated from ${formatTime(fromMs)}, ${consolidateAfter} after its last change of pods`,
    { waitSeconds: Math.ceil((fromMs - nowMs) / 1_000) },
  );
}
