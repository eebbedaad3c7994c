import { untoleratedTaint } from '../../../apis/taints.ts';
import { compareText } from '../../compare-text.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { admits } from '../../requirements/requirement.ts';
import { amountInWords } from '../amounts-in-words.ts';
import type { Demand } from '../pods/demand.ts';
import { conflictingPort } from '../pods/host-ports.ts';
import type { Run } from '../run.ts';
import { type ExistingHost, type HostRoom, hostHasRoom, isAdmitted } from './existing-host.ts';

/** What keeps a pod from a node; where a resource is short, the why is the resource's name. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['taint', 'with a taint that is not tolerated'],
  ['label', 'with other labels'],
  ['hostPort', 'with its host port taken'],
  ['hostname', 'of another name'],
  ['topology', 'ruled out by topology'],
  ['volumes', 'out of volume attachments'],
]);

/**
 * Why none of the nodes that are there took such a pod, as things are when the run ends: how many for which reason.
 * *Shape:* undefined where there are no nodes. *Cost:* O(nodes), no more than asking them.
 */
export function whyNoNode(run: Run, demand: Demand): Refusal | undefined {
  const { rooms, space } = run;
  const hosts = run.allHosts();
  if (hosts.length === 0) return undefined;
  const admitted = new Map<string, string | undefined>();
  const byWhy = Map.groupBy(hosts, (host) => {
    if (!admitted.has(host.kind)) admitted.set(host.kind, whyNotAdmitted(host, demand));
    return admitted.get(host.kind) ?? whyNoRoom({ host, left: rooms.of(host) }, demand, space.names);
  });
  const whys = [...byWhy].toSorted(([a, few], [b, many]) => many.length - few.length || compareText(a, b));
  const counts = whys.map(([why, same]) => {
    const words = WORDS.get(why);
    return `${same.length} ${
      words ??
      `short of ${why} (largest free ${largestFree(
        same.map((host) => rooms.of(host)),
        why,
        space.names,
      )})`
    }`;
  });
  const numbers = Object.fromEntries(whys.map(([why, same]) => [why, same.length]));
  const message = `none of the nodes that are there takes it: ${counts.join(', ')}`;
  return refusal('NoNode', message, { ...numbers, nodes: hosts.length });
}

function whyNotAdmitted(host: ExistingHost, demand: Demand): string | undefined {
  if (isAdmitted(host, demand)) return undefined;
  return untoleratedTaint(host.taints, demand.podClass.pod.spec.tolerations) === undefined ? 'label' : 'taint';
}

interface Left {
  readonly host: ExistingHost;
  readonly left: HostRoom;
}

function whyNoRoom({ host, left }: Left, demand: Demand, names: readonly string[]): string {
  const { requests, podClass, asks } = demand;
  const short = names.find((_, at) => (requests[at] ?? 0) > (left.room[at] ?? 0));
  if (short !== undefined) return short;
  if (conflictingPort(podClass.ports, left.ports) !== undefined) return 'hostPort';
  const hostname = asks[0]?.hostname;
  if (hostname !== undefined && !admits(hostname, host.hostname)) return 'hostname';
  return hostHasRoom(host, left, demand) ? 'topology' : 'volumes';
}

function largestFree(hosts: readonly HostRoom[], name: string, names: readonly string[]): string {
  const resource = names.indexOf(name);
  return amountInWords(
    name,
    hosts.reduce((most, { room }) => Math.max(most, room[resource] ?? 0), 0),
  );
}
