import { untoleratedTaint } from '../../../apis/taints.ts';
import { compareText } from '../../compare-text.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { admits } from '../../requirements/requirement.ts';
import { amountInWords } from '../amounts-in-words.ts';
import type { Demand } from '../pods/demand.ts';
import { conflictingPort } from '../pods/host-ports.ts';
import type { Run } from '../run.ts';
import { type ExistingHost, type HostRoom, hostHasRoom, isAdmitted } from './existing-host.ts';

/** The texts of the reasons, for one node and for several. If a resource is insufficient, the reason is the resource's name. */
const WORDS: ReadonlyMap<string, readonly [one: string, several: string]> = new Map([
  ['taint', ['has an untolerated taint', 'have an untolerated taint']],
  ['label', ['has non-matching labels', 'have non-matching labels']],
  ['hostPort', ['has a host port conflict', 'have a host port conflict']],
  ['hostname', ['has another hostname', 'have another hostname']],
  ['topology', ['violates topology rules', 'violate topology rules']],
  ['volumes', ['has no free volume attachments', 'have no free volume attachments']],
]);

/**
 * Why no existing node fits at the end of the run: the number of nodes by reason. A node must meet one of the demands.
 * *Shape:* undefined if there are no nodes. *Cost:* O(nodes + kinds of nodes × demands).
 */
export function whyNoNode(run: Run, demands: readonly Demand[]): Refusal | undefined {
  const { rooms, space } = run;
  const hosts = run.allHosts();
  if (hosts.length === 0) return undefined;
  const answers = new Map<string, string | Demand>();
  const byWhy = Map.groupBy(hosts, (host) => {
    const answer = answers.get(host.kind) ?? admittedOf(host, demands);
    answers.set(host.kind, answer);
    return typeof answer === 'string' ? answer : whyNoRoom({ host, left: rooms.of(host) }, answer, space.names);
  });
  const whys = [...byWhy].toSorted(([a, few], [b, many]) => many.length - few.length || compareText(a, b));
  const counts = whys.map(([why, same]) => {
    const words = WORDS.get(why);
    if (words !== undefined) return `${same.length} ${words[same.length === 1 ? 0 : 1]}`;
    const hostRooms = same.map((host) => rooms.of(host));
    const largest = largestFree(hostRooms, why, space.names);
    return `${same.length} ${same.length === 1 ? 'has' : 'have'} insufficient ${why} (largest free ${largest})`;
  });
  const numbers = Object.fromEntries(whys.map(([why, same]) => [why, same.length]));
  const message = `no existing node fits: ${counts.join(', ')}`;
  return refusal('NoNode', message, { ...numbers, nodes: hosts.length });
}

/** The first demand whose labels and tolerations the host meets, or why there is none. */
function admittedOf(host: ExistingHost, demands: readonly Demand[]): string | Demand {
  const admitted = demands.find((demand) => isAdmitted(host, demand));
  if (admitted !== undefined) return admitted;
  return untoleratedTaint(host.taints, demands[0]?.podClass.pod.spec.tolerations) === undefined ? 'label' : 'taint';
}

interface Left {
  readonly host: ExistingHost;
  readonly left: HostRoom;
}

function whyNoRoom({ host, left }: Left, demand: Demand, names: readonly string[]): string {
  const { requests, podClass, alternatives } = demand;
  const insufficient = names.find((_, at) => (requests[at] ?? 0) > (left.room[at] ?? 0));
  if (insufficient !== undefined) return insufficient;
  if (conflictingPort(podClass.ports, left.ports) !== undefined) return 'hostPort';
  const hostname = alternatives[0]?.hostname;
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
