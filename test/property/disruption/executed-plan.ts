import type { StateNode } from '../../../lib/core/cluster/state-node.ts';
import type { DisruptionPlan } from '../../../lib/core/disruption/plan-disruption.ts';
import { withTargets } from '../../../lib/core/disruption/play-out.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import { instanceOf, providerIdOf } from '../../../lib/core/model/node-claim-record.ts';
import { formatResources } from '../../../lib/core/resources/resources.ts';
import { aNode } from '../../builders/nodes.ts';
import { worldOf } from '../../core/disruption/worlds.ts';

/** The cluster after all commands of a plan: nodes are gone, replacements run, and pods are where the plan places them. */
export function executed(snapshot: ClusterSnapshot, { commands }: DisruptionPlan, nowMs: number): ClusterSnapshot {
  let world = worldOf(snapshot, nowMs);
  for (const command of commands) world = world.after(withTargets(command, world));
  const after = world.candidates.nodes;
  const running = after.flatMap(({ pods }) => pods);
  return {
    ...snapshot,
    nodes: after.flatMap((one) => one.node ?? nodeOf(one)),
    nodeClaims: after.flatMap(({ nodeClaim, name }) => {
      if (nodeClaim === undefined || nodeClaim.initializedAtMs !== undefined) return nodeClaim ?? [];
      return { ...nodeClaim, nodeName: name, registeredAtMs: nowMs, initializedAtMs: nowMs };
    }),
    pods: [...snapshot.pods.filter(({ spec }) => spec.nodeName === undefined), ...running],
  };
}

function nodeOf({ name, labels, nodeClaim, allocatable, taints }: StateNode): ClusterSnapshot['nodes'] {
  const instance = nodeClaim && instanceOf(nodeClaim);
  if (instance === undefined) return [];
  const states = { 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true' };
  return [
    aNode({
      name,
      zone: instance.zone,
      providerId: providerIdOf(instance),
      labels: { ...labels, ...states },
      taints,
      allocatable: formatResources(allocatable),
    }),
  ];
}
