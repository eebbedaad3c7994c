import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { isStatic } from '../../../lib/apis/node-pool.ts';
import { type Candidate, isCandidate } from '../../../lib/core/disruption/candidates.ts';
import type { Method, Move, World } from '../../../lib/core/disruption/method.ts';
import { type Due, requeueAt } from '../../../lib/core/model/decision.ts';

const AFTER_MS = 2 * MINUTE_MS;

/** In every third story, each node is replaced once, by a method that takes the place of single-node. */
export function replacesEach({ seed }: { readonly seed: number }): boolean {
  return seed % 3 === 0;
}

/** Replaces every node of a dynamic NodePool that runs pods and was not launched by a command, two minutes after its initialization. */
export const replaceEach: Method = {
  name: 'single-node',
  reason: 'Underutilized',
  propose: (world) => ({ moves: movesOf(judged(world), world), blocked: [], due: dueTimes(world) }),
  validate({ candidates }, world) {
    const mine = new Set(candidates.map(({ nodeClaim }) => nodeClaim));
    return movesOf(
      judged(world).filter(({ nodeClaim }) => mine.has(nodeClaim.name)),
      world,
    )[0];
  },
};

/** At whole minutes, so that nodes that were initialized together are replaced together. */
function dueTimes({ candidates, nowMs }: World): readonly Due[] {
  return candidates.nodes
    .map(({ nodeClaim }) => Math.ceil(((nodeClaim?.initializedAtMs ?? 0) + AFTER_MS) / MINUTE_MS) * MINUTE_MS)
    .filter((atMs) => atMs > nowMs)
    .map(requeueAt);
}

function judged({ candidates, nowMs }: World): readonly Candidate[] {
  return candidates.nodes
    .filter(({ pods }) => pods.length > 0)
    .map((node) => candidates.judge(node))
    .filter(isCandidate)
    .filter(({ nodePool }) => !isStatic(nodePool))
    .filter(({ nodeClaim: { command, initializedAtMs = nowMs } }) => {
      return command === undefined && nowMs >= initializedAtMs + AFTER_MS;
    });
}

function movesOf(candidates: readonly Candidate[], world: World): readonly Move[] {
  return world.budgets.take(candidates, 'Underutilized').within.flatMap((one): readonly Move[] => {
    const { newClaims, unplaced } = world.whatIf([one.stateNode.name]);
    return newClaims.length === 0 || unplaced.length > 0 ? [] : [{ candidates: [one], replacements: newClaims }];
  });
}
