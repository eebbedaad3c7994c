import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Pod, podKey } from '../../lib/apis/kubernetes.ts';
import { stateNodes } from '../../lib/core/cluster/state-node.ts';
import type { ClusterSnapshot } from '../../lib/core/model/cluster-snapshot.ts';
import { provision } from '../../lib/core/provisioning/provision.ts';
import type { Schedule } from '../../lib/core/scheduling/schedule.ts';
import { solve } from '../../lib/core/scheduling/solve.ts';
import { NOW_MS } from '../builders/times.ts';
import { samples } from '../samples.ts';
import { problem } from './random/problems.ts';
import { unjustifiedRefusals } from './unjustified-refusals.ts';

const RUN = { seed: 20_260_131, numRuns: samples(1_500) };

function solved(snapshot: ClusterSnapshot, pods: readonly Pod[]): Schedule {
  const { nodePools, daemonSets } = snapshot;
  return solve({ pods, stateNodes: stateNodes(snapshot), nodePools, daemonSets });
}

/** A schedule as plain data. */
function summary({ newClaims, existing, unplaced }: Schedule): unknown {
  return {
    newClaims: newClaims.map((claim) => ({
      pool: claim.template.nodePool.metadata.name,
      pods: claim.pods.map(podKey),
      types: claim.instanceTypes.map(({ name }) => name),
    })),
    existing: existing.map(({ stateNode, pods }) => [stateNode.name, pods.map(({ metadata }) => metadata.name)]),
    unplaced: unplaced.map(({ pod, refusals }) => [pod.metadata.name, refusals]),
  };
}

test('a NodePool that refuses a pod for a reason of the pool can launch no node for the pod alone', () => {
  fc.assert(
    fc.property(problem, ({ snapshot, pods }) => {
      expect(unjustifiedRefusals(snapshot, solved(snapshot, pods))).toEqual([]);
    }),
    RUN,
  );
});

test('the order of the pods does not matter', () => {
  const shuffled = problem.chain(({ snapshot, pods }) =>
    fc.shuffledSubarray([...pods], { minLength: pods.length }).map((other) => ({ snapshot, pods, other })),
  );
  fc.assert(
    fc.property(shuffled, ({ snapshot, pods, other }) => {
      expect(summary(solved(snapshot, other))).toEqual(summary(solved(snapshot, pods)));
    }),
    { ...RUN, numRuns: samples(400) },
  );
});

test('the same pods with their claims in flight cause no second launch', () => {
  fc.assert(
    fc.property(problem, ({ snapshot, pods }) => {
      const before = { ...snapshot, pods: [...snapshot.pods, ...pods] };
      const after = { ...before, nodeClaims: [...before.nodeClaims, ...created(before)] };
      const held = new Set(after.nodeClaims.flatMap((record) => record.pods));
      expect(
        created(after)
          .flatMap((record) => record.pods)
          .filter((key) => held.has(key)),
      ).toEqual([]);
    }),
    { ...RUN, numRuns: samples(600) },
  );
});

function created(snapshot: ClusterSnapshot) {
  return provision(snapshot, { decisionId: 'decision-1', nowMs: NOW_MS }).actions.flatMap((action) =>
    action.kind === 'create-node-claim' ? [action.nodeClaim] : [],
  );
}
