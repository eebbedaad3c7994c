import fc from 'fast-check';
import { expect, test } from 'vitest';
import { podKey } from '../../lib/apis/kubernetes.ts';
import { compareText } from '../../lib/core/compare-text.ts';
import type { ClusterSnapshot } from '../../lib/core/model/cluster-snapshot.ts';
import { schedulePods } from '../../lib/core/provisioning/schedule-pods.ts';
import { NOW_MS } from '../builders/times.ts';
import { samples } from '../samples.ts';
import { problem } from './random/problems.ts';

/** The result for a snapshot, as plain data. */
function summary(snapshot: ClusterSnapshot): unknown {
  const { newClaims, existing, unplaced } = schedulePods(snapshot, NOW_MS);
  return {
    newClaims: newClaims.map(({ template, pods, requirements, instanceTypes, cheapest }) => ({
      pool: template.nodePool.metadata.name,
      pods: pods.map(podKey),
      types: instanceTypes.map(({ name }) => name),
      cheapest: [cheapest.type.name, cheapest.offering],
      requirements: new Map([...requirements].toSorted(([a], [b]) => compareText(a, b))),
    })),
    existing: existing.map(({ stateNode, pods }) => [stateNode.name, pods.map(podKey)]),
    unplaced: unplaced.map(({ pod, refusals }) => [podKey(pod), refusals]),
  };
}

/** The same cluster, with all lists reversed. */
function reversed(snapshot: ClusterSnapshot): ClusterSnapshot {
  return {
    ...snapshot,
    nodes: snapshot.nodes.toReversed(),
    pods: snapshot.pods.toReversed(),
    daemonSets: snapshot.daemonSets.toReversed(),
    nodeClaims: snapshot.nodeClaims.toReversed(),
    nodePools: snapshot.nodePools.toReversed().map((view) => ({
      ...view,
      instanceTypes: view.instanceTypes
        .toReversed()
        .map((type) => ({ ...type, offerings: type.offerings.toReversed() })),
    })),
  };
}

test('the order of the lists of a cluster does not matter (B41)', () => {
  fc.assert(
    fc.property(problem, ({ snapshot, pods }) => {
      const whole = { ...snapshot, pods: [...snapshot.pods, ...pods] };
      expect(summary(reversed(whole))).toEqual(summary(whole));
    }),
    { seed: 20_260_131, numRuns: samples(300) },
  );
});
