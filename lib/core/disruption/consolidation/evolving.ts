import { type Refusal, refusal } from '../../model/refusal.ts';
import type { Candidate } from '../candidates.ts';
import type { EvaluatedMove, World } from '../method.ts';
import { whyRestrained } from '../restraint/why-restrained.ts';

/** The cluster of one pass: each accepted move changes it for the moves after it. */
export interface Evolving {
  /** The cluster after all accepted moves. */
  world(): World;
  accept(move: EvaluatedMove): void;
  /** Returns why a node is not evaluated: pods of other candidates would move to it, or its workloads have moved enough. */
  whyHeld(candidate: Candidate): Refusal | undefined;
  /** Counts the steps of the pass: one for each node of a question. */
  spend(steps: number): void;
  hasSteps(): boolean;
}

/** *Cost:* the first question after a move changes the index of the cluster, which counts as one step for each thousand nodes. */
export function evolving(start: World): Evolving {
  let world = start;
  const { steps } = start;
  const promised = new Map<string, string>();
  return {
    world: () => world,
    accept(move) {
      world = world.after(move);
      steps.spend(Math.ceil(world.candidates.nodes.length / NODES_PER_STEP));
      const from = move.candidates.map(({ stateNode }) => stateNode.name).join(', ');
      for (const { stateNode } of move.targets) promised.set(stateNode.name, from);
    },
    whyHeld(candidate) {
      const from = promised.get(candidate.stateNode.name);
      return from === undefined ? whyRestrained(candidate, world) : whyPromised(from);
    },
    spend: (some) => steps.spend(some),
    hasSteps: () => steps.left() > 0,
  };
}

/** Why a node that gets pods of these nodes stays. */
export function whyPromised(from: string): Refusal {
  return refusal('Nominated', `pods of ${from} would move to it`);
}

/** A question for one node takes about 1 ms, and so does a change of the index of 1,000 nodes. */
const NODES_PER_STEP = 1_000;
