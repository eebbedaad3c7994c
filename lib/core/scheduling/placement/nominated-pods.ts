import { type Pod, podKey } from '../../../apis/kubernetes.ts';
import { ownNomination } from '../../cluster/nominated-node.ts';
import { knownNodeName } from '../../cluster/state-node.ts';
import type { Run } from '../run.ts';
import type { BacklogGroup } from './backlog.ts';
import { type ExistingHost, hostHasRoom, isAdmitted } from './existing-host.ts';
import { putOnHost } from './place.ts';
import { variants } from './variants.ts';

/**
 * Places the pods of claims that are not initialized yet, or that replace nodes with pods, pods that Kerf has nominated for a node (B66),
 * and pods that the kube-scheduler has not bound yet to the node that was launched for them. They keep the node that was planned for them:
 * if the pods were placed again together with other pods, a topology rule could move one of them, and a second node would be launched; and
 * each run would nominate other nodes.
 */
export function placeNominatedPods(run: Run, backlog: readonly BacklogGroup[]): void {
  const planned = new Map<string, ExistingHost>();
  for (const host of run.starting) for (const key of host.stateNode.nodeClaim?.pods ?? []) planned.set(key, host);
  const named = namedHosts(run, backlog);
  const hostOf = (pod: Pod): ExistingHost | undefined =>
    named.get(ownNomination(pod) ?? '') ?? planned.get(podKey(pod)) ?? run.startedFor(podKey(pod));
  for (const group of backlog) placeNominatedPodsOf(run, group, hostOf);
}

/** The hosts by the names of their nodes. *Shape:* empty if Kerf has nominated no node. */
function namedHosts(run: Run, backlog: readonly BacklogGroup[]): ReadonlyMap<string, ExistingHost> {
  const isNominated = backlog.some(({ pods }) => pods.some((pod) => ownNomination(pod) !== undefined));
  return isNominated ? new Map(run.allHosts().map((host) => [knownNodeName(host.stateNode) ?? '', host])) : new Map();
}

function placeNominatedPodsOf(run: Run, group: BacklogGroup, hostOf: (pod: Pod) => ExistingHost | undefined): void {
  const others: Pod[] = [];
  const kept: Pod[] = [];
  for (const pod of group.pods) {
    const host = hostOf(pod);
    const demand =
      host === undefined
        ? undefined
        : variants(run, group.demand).find(
            (one) => isAdmitted(host, one) && hostHasRoom(host, run.rooms.of(host), one),
          );
    if (host === undefined || demand === undefined) others.push(pod);
    else {
      putOnHost(run, host, { group: { ...group, pods: [pod], placed: 0 }, demand, count: 1 });
      kept.push(pod);
    }
  }
  if (kept.length === 0) return;
  group.pods = [...kept, ...others];
  group.placed = kept.length;
}
