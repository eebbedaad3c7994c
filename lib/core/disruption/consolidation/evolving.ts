import { type Refusal, refusal } from '../../model/refusal.ts';
import type { Candidate } from '../candidates.ts';
import type { EvaluatedMove, World } from '../method.ts';

/** The cluster of one pass: each accepted move changes it for the moves after it. */
export interface Evolving {
  /** The cluster after all accepted moves. */
  world(): World;
  accept(move: EvaluatedMove): void;
  /** Returns why a node is not evaluated: pods of other candidates would move to it. */
  whyPromised(candidate: Candidate): Refusal | undefined;
  /** Counts the steps of the pass: one for each node of a question. */
  spend(steps: number): void;
  hasSteps(): boolean;
}

/** *Cost:* the first question after a move builds a new index of the cluster, which counts as one step for each ten nodes. */
export function evolving(start: World): Evolving {
  let world = start;
  let steps = start.steps;
  const promised = new Map<string, string>();
  return {
    world: () => world,
    accept(move) {
      world = world.after(move);
      steps -= Math.ceil(world.candidates.nodes.length / NODES_PER_STEP);
      const from = move.candidates.map(({ stateNode }) => stateNode.name).join(', ');
      for (const { stateNode } of move.targets) promised.set(stateNode.name, from);
    },
    whyPromised({ stateNode }) {
      const from = promised.get(stateNode.name);
      return from === undefined ? undefined : refusal('Nominated', `pods of ${from} would move to it`);
    },
    spend(some) {
      steps -= some;
    },
    hasSteps: () => steps > 0,
  };
}

/** A question for one node takes about 1 ms; an index for 1,000 nodes takes about 100 ms. */
const NODES_PER_STEP = 10;
