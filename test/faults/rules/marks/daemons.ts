import { type DaemonSet, podKey } from '../../../../lib/apis/kubernetes.ts';
import type { NodePool } from '../../../../lib/apis/node-pool.ts';
import { untoleratedTaint } from '../../../../lib/apis/taints.ts';
import { podRequests } from '../../../../lib/core/resources/pod-requests.ts';
import type { RuleOf } from '../../rule.ts';

/** Each type of a new NodeClaim has room for its pods, and for the pods of the DaemonSets that run on its node (B20). */
export const nodesHaveRoomForDaemons: RuleOf = ({ violate, simulation }) => ({
  recordWritten(after, before) {
    const { nodePools, pods, daemonSets } = simulation().state;
    const nodePool = nodePools.get(after.nodePool);
    if (before !== undefined || after.launch.kind !== 'planned' || nodePool === undefined) return;
    const ofPods = [...pods.values()].filter((pod) => after.pods.includes(podKey(pod)));
    const ofDaemons = daemonSets.filter((one) => runsOn(one, nodePool));
    const requests = [...ofPods, ...ofDaemons.map(({ metadata, spec }) => ({ metadata, spec: spec.template.spec }))];
    const cpu = requests.reduce((sum, one) => sum + (podRequests(one)['cpu'] ?? 0), 0);
    const room = after.allocatable['cpu'] ?? 0;
    if (cpu > room)
      violate(
        'a new node has room for its pods and DaemonSets',
        `NodeClaim ${after.name}: ${cpu} of cpu, and its smallest type has ${room}`,
      );
  },
});

function runsOn({ spec }: DaemonSet, nodePool: NodePool): boolean {
  const { tolerations, nodeSelector, affinity } = spec.template.spec;
  const isAnywhere = (nodeSelector ?? affinity) === undefined;
  return isAnywhere && untoleratedTaint(nodePool.spec.template.spec.taints ?? [], tolerations) === undefined;
}
