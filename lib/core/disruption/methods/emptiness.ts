import type { StateNode } from '../../cluster/state-node.ts';
import { type Blocked, requeueAt } from '../../model/decision.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { formatSubject } from '../../model/subject.ts';
import { blockedNode, retryTimes } from '../budget-ledger.ts';
import { type Candidate, isCandidate, whyStatic } from '../candidates.ts';
import { consolidatableAtMs } from '../consolidate-after.ts';
import { whyTooEarly } from '../consolidation/consolidatable.ts';
import { isEmptyNode } from '../cost.ts';
import type { Method, Proposal, World } from '../method.ts';

/** Deletes nodes without pods that need another node. *Source:* E11–E13, D13. */
export const emptiness: Method = {
  name: 'emptiness',
  reason: 'Empty',
  placesPods: () => false,
  propose,
  validate({ candidates }, world) {
    const mine = new Set(candidates.map(({ nodeClaim }) => nodeClaim));
    const nodes = world.candidates.nodes.filter(({ nodeClaim }) => nodeClaim !== undefined && mine.has(nodeClaim.name));
    const { empty } = emptyAmong(nodes, world);
    const { within } = world.budgets.take(
      empty.filter((candidate) => isEligible(candidate, world)),
      'Empty',
    );
    return within.length === 0 ? undefined : { candidates: within, replacements: [] };
  },
};

function propose(world: World): Proposal {
  const { nowMs } = world;
  const { empty, refused } = emptyAmong(world.candidates.nodes, world);
  const judged = empty.map((candidate) => ({ candidate, why: whyTooEarly(candidate, nowMs) }));
  const eligible = judged.flatMap(({ candidate, why }) => (why === undefined ? [candidate] : []));
  const early = judged.flatMap(({ candidate, why }) =>
    why === undefined ? [] : [{ refused: blockedNode(candidate.stateNode, why), atMs: consolidatableAtMs(candidate) }],
  );
  const { within, over } = world.budgets.take(eligible, 'Empty');
  return {
    moves: within.length === 0 ? [] : [{ candidates: within, replacements: [] }],
    blocked: [...refused, ...early.map((one) => one.refused), ...over],
    due: [...early.flatMap(({ atMs }) => (atMs === undefined ? [] : [requeueAt(atMs)])), ...retryTimes(over, world)],
  };
}

/** Returns the empty nodes, as candidates or as refusals. */
function emptyAmong(
  nodes: readonly StateNode[],
  world: World,
): { readonly empty: readonly Candidate[]; readonly refused: readonly Blocked[] } {
  const empty: Candidate[] = [];
  const refused: Blocked[] = [];
  for (const stateNode of nodes.filter(isEmptyNode)) {
    const result = world.candidates.judge(stateNode);
    const judged = isCandidate(result) ? (whyExcluded(result, world) ?? result) : result;
    if (isCandidate(judged)) empty.push(judged);
    else if (judged !== undefined) refused.push(blockedNode(stateNode, judged));
  }
  return { empty, refused };
}

/** E12: static NodePools keep empty nodes. A5.6: a node that reserves capacity for a CapacityBuffer is not empty. */
function whyExcluded({ stateNode, nodePool }: Candidate, { buffered }: World): Refusal | undefined {
  const fixed = whyStatic(nodePool);
  if (fixed !== undefined) return fixed;
  const buffer = buffered.get(stateNode.name);
  return buffer === undefined
    ? undefined
    : refusal('KeepsBuffer', `the node reserves capacity for ${formatSubject(buffer)}`);
}

function isEligible(candidate: Candidate, { nowMs }: World): boolean {
  return whyTooEarly(candidate, nowMs) === undefined;
}
