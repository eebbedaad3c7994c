import { type Pod, podKey } from '../../../apis/kubernetes.ts';
import type { Run } from '../run.ts';
import type { BacklogGroup } from './backlog.ts';
import { type ExistingHost, hostHasRoom, isAdmitted } from './existing-host.ts';
import { putOnHost } from './place.ts';
import { variants } from './variants.ts';

/**
 * Until it is initialized, a claim keeps the pods that it was made for. They were placed together: judged again among other
 * pods, topology might want one of them elsewhere, and it would be launched for twice.
 */
export function keepPromises(run: Run, backlog: readonly BacklogGroup[]): void {
  const promised = new Map<string, ExistingHost>();
  for (const host of run.starting) for (const key of host.stateNode.nodeClaim?.pods ?? []) promised.set(key, host);
  if (promised.size === 0) return;
  for (const group of backlog) keepPromisesTo(run, group, promised);
}

function keepPromisesTo(run: Run, group: BacklogGroup, promised: ReadonlyMap<string, ExistingHost>): void {
  const waiting: Pod[] = [];
  const kept: Pod[] = [];
  for (const pod of group.pods) {
    const host = promised.get(podKey(pod));
    const demand =
      host === undefined
        ? undefined
        : variants(run, group.demand).find(
            (one) => isAdmitted(host, one) && hostHasRoom(host, run.rooms.of(host), one),
          );
    if (host === undefined || demand === undefined) waiting.push(pod);
    else {
      putOnHost(run, host, { group: { ...group, pods: [pod], placed: 0 }, demand, count: 1 });
      kept.push(pod);
    }
  }
  if (kept.length === 0) return;
  group.pods = [...kept, ...waiting];
  group.placed = kept.length;
}
