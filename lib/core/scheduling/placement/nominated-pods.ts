import { type Pod, podKey } from '../../../apis/kubernetes.ts';
import type { Run } from '../run.ts';
import type { BacklogGroup } from './backlog.ts';
import { type ExistingHost, hostHasRoom, isAdmitted } from './existing-host.ts';
import { putOnHost } from './place.ts';
import { variants } from './variants.ts';

/**
 * Places the pods of claims that are not initialized yet. These claims keep the pods for which they were created: if the pods
 * were placed again together with other pods, a topology rule could move one of them, and a second node would be launched.
 */
export function placeNominatedPods(run: Run, backlog: readonly BacklogGroup[]): void {
  const nominated = new Map<string, ExistingHost>();
  for (const host of run.starting) for (const key of host.stateNode.nodeClaim?.pods ?? []) nominated.set(key, host);
  if (nominated.size === 0) return;
  for (const group of backlog) placeNominatedPodsOf(run, group, nominated);
}

function placeNominatedPodsOf(run: Run, group: BacklogGroup, nominated: ReadonlyMap<string, ExistingHost>): void {
  const others: Pod[] = [];
  const kept: Pod[] = [];
  for (const pod of group.pods) {
    const host = nominated.get(podKey(pod));
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
