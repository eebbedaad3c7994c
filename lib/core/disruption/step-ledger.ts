import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';

/** The steps that searches may still take. The limit is in steps, not seconds, so that a replay gives the same decision. */
export interface StepLedger {
  left(): number;
  spend(steps: number): void;
}

/** The number of steps of one method in one pass. A step is a question for one node, which takes about 0.2 ms. */
export const STEPS_OF_METHOD = 20_000;

/** The number of steps of one run: as many as drift and the three methods that search take in one pass. */
export const STEPS_OF_RUN = 4 * STEPS_OF_METHOD;

/** A new look at the cluster, with an index for questions, takes about 8 µs for each node and 1 µs for each pod. */
const NODES_PER_STEP = 20;
const PODS_PER_STEP = 200;

/** The steps of one more pass in a run. The first one of a run is not counted. */
export function stepsOfPass({ nodes, pods }: Pick<ClusterSnapshot, 'nodes' | 'pods'>): number {
  return Math.ceil(nodes.length / NODES_PER_STEP + pods.length / PODS_PER_STEP);
}

/** A question takes about 10 µs for each pod that it places. */
const PLACED_PODS_PER_STEP = 20;

/** The steps of a question for pods beside those of its nodes. */
export function stepsOfPods(pods: number): number {
  return Math.floor(pods / PLACED_PODS_PER_STEP);
}

export function stepLedger(steps: number): StepLedger {
  let left = steps;
  return {
    left: () => left,
    spend(some) {
      left -= some;
    },
  };
}

/** A part of the steps for one method. What it spends is spent from the whole, too, up to this part: the other methods have theirs. */
export function shareOf(whole: StepLedger): StepLedger {
  const share = stepLedger(Math.max(0, Math.min(STEPS_OF_METHOD, whole.left())));
  return {
    left: () => Math.min(share.left(), whole.left()),
    spend(steps) {
      whole.spend(Math.max(0, Math.min(steps, share.left())));
      share.spend(steps);
    },
  };
}
