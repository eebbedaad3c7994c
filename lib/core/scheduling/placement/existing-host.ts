import type { Pod } from '../../../apis/kubernetes.ts';
import { HOSTNAME, REGISTERED, WELL_KNOWN_LABELS } from '../../../apis/labels.ts';
import { untoleratedTaint } from '../../../apis/taints.ts';
import { isOwnedByDaemonSet } from '../../cluster/pods.ts';
import { freeResources, type StateNode } from '../../cluster/state-node.ts';
import { onceFor } from '../../kept-answers.ts';
import { admits } from '../../requirements/requirement.ts';
import { type Requirements, whyNotGuaranteed } from '../../requirements/requirements.ts';
import { add, larger, parseResources, type Resources, subtract } from '../../resources/resources.ts';
import type { Needs, RequirementAlternative } from '../pods/demand.ts';
import { conflictingPort, type HostPort, hostPorts } from '../pods/host-ports.ts';
import { certainDaemons, type Daemon, daemonOverhead } from '../pools/daemons.ts';
import type { RequirementSet, RequirementSets } from '../pools/requirement-sets.ts';
import { fitsIn, type ResourceSpace, roomVectorOf, takeFrom, type Vector, vectorOf } from '../pools/resource-space.ts';
import type { CountedHost } from '../topology/counters.ts';
import { possibleDomains, type TopologyKey } from '../topology/topology-key.ts';
import { type Attachments, attachLimits, attachments, stillAttached } from '../volumes/attach-limits.ts';
import type { StorageIndex } from '../volumes/storage-index.ts';
import type { VolumeLimits } from '../volumes/volume-limits.ts';
import type { Host } from './host.ts';

/** A node or a claim in flight. It does not change; its HostRoom holds the state that a run changes. */
export interface ExistingHost extends Host, CountedHost {
  readonly stateNode: StateNode;
  readonly hostname: string;
  /** The labels that pods of the run use. Other labels are ignored. */
  readonly set: RequirementSet;
  /** Labels that the node may still get. */
  readonly open: ReadonlySet<string>;
  /** Nodes of the same kind admit the same pods, except for resources. */
  readonly kind: string;
  /** The free resources before a run. If an amount is negative, the host accepts no pods (B19). */
  readonly free: Resources;
  /** The host ports that are used before a run. */
  readonly ports: readonly HostPort[];
  /** B44: the volume limits, and the volumes that are attached before a run, by driver. */
  readonly attachLimits: ReadonlyMap<string, number>;
  readonly attached: Attachments;
}

/** The hosts by the age of their claims. Of several claims for a pod, the youngest counts: the others had become impossible for it. */
export function oldestFirst(hosts: readonly ExistingHost[]): readonly ExistingHost[] {
  return hosts.toSorted((a, b) => createdAtMs(a) - createdAtMs(b));
}

function createdAtMs({ stateNode }: ExistingHost): number {
  return stateNode.nodeClaim?.createdAtMs ?? 0;
}

/** The free room of a host. A run copies it when it places the first pod there (`HostRooms.take`). */
export interface HostRoom {
  readonly room: Vector;
  readonly ports: readonly HostPort[];
  readonly attached: Attachments;
}

/** The free room of the host before a run. */
export function initialRoom({ free, ports, attached }: ExistingHost, space: ResourceSpace): HostRoom {
  // B19: a node with a negative free amount accepts no pods.
  const isOverfull = Object.values(free).some((amount) => amount < 0);
  return { room: isOverfull ? vectorOf(space, {}).fill(-1) : roomVectorOf(space, free), ports, attached };
}

export interface HostContext {
  readonly daemons: readonly Daemon[];
  readonly sets: RequirementSets;
  readonly storage: StorageIndex;
  readonly volumes: VolumeLimits;
  /** The names of the labels that pods of the run require or use as topology keys. */
  readonly askedLabels: ReadonlySet<string>;
}

/** *Source:* B15, B17: free room is allocatable minus bound pods minus daemons that are not running yet. */
export function existingHost(stateNode: StateNode, index: number, context: HostContext): ExistingHost {
  const { daemons, sets, storage, volumes } = context;
  const fixed = stateNode.node !== undefined;
  const set = sets.intern(only(stateNode.requirements, context.askedLabels));
  const host: Host = { fixed, requirements: stateNode.requirements, taints: stateNode.taints };
  const present = daemonOwners(stateNode.pods);
  const missing = daemons.filter((daemon) => !present.has(daemon.uid));
  const open = openLabels(stateNode);
  const certain = certainDaemons(missing, host, open);
  const free = roomOn(stateNode, {
    possible: daemonOverhead(missing, host),
    certain: add(...certain.map((daemon) => daemon.requests)),
  });
  const domains = new Map<TopologyKey, readonly number[]>();
  return {
    ...host,
    stateNode,
    index,
    hostname: stateNode.labels[HOSTNAME] ?? stateNode.name,
    set,
    open,
    kind: JSON.stringify([set.id, stateNode.taints, open.size]),
    free,
    ports: [...stateNode.pods.flatMap(hostPorts), ...certain.flatMap((daemon) => daemon.ports)],
    attachLimits: limitsOn(stateNode, volumes, storage),
    attached: attachedTo(stateNode, storage),
    domainsOf(key) {
      const known = domains.get(key) ?? possibleDomains(key, set, fixed);
      domains.set(key, known);
      return known;
    },
  };
}

/** The owners of the daemons among the pods. */
const daemonOwners = onceFor(
  (pods: readonly Pod[]): ReadonlySet<string> =>
    new Set(
      pods.filter(isOwnedByDaemonSet).flatMap((pod) => (pod.metadata.ownerReferences ?? []).map((owner) => owner.uid)),
    ),
);

/** B44: a driver that has not registered yet will have the limit of the instance type. */
function limitsOn(stateNode: StateNode, volumes: VolumeLimits, storage: StorageIndex): ReadonlyMap<string, number> {
  return new Map([...volumes.ofStarting(stateNode), ...attachLimits(stateNode.name, storage)]);
}

function attachedTo({ name, pods }: StateNode, storage: StorageIndex): Attachments {
  const attached = new Map<string, ReadonlySet<string>>(stillAttached(name, storage));
  for (const pod of pods) {
    if (pod.spec.volumes === undefined) continue;
    for (const [driver, volumes] of attachments(pod, storage)) {
      attached.set(driver, (attached.get(driver) ?? new Set()).union(volumes));
    }
  }
  return attached;
}

function only(requirements: Requirements, names: ReadonlySet<string>): Requirements {
  return new Map([...requirements].filter(([key]) => key !== HOSTNAME && names.has(key)));
}

/** Until registration, a node of Kerf lacks most of its later labels. */
function openLabels({ nodeClaim, labels, initialized }: StateNode): ReadonlySet<string> {
  return initialized || nodeClaim === undefined || labels[REGISTERED] === 'true' ? NO_LABELS : WELL_KNOWN_LABELS;
}

const NO_LABELS: ReadonlySet<string> = new Set();

/**
 * A claim that is not launched yet has at least the room for the pods for which it was created, on each of its types: its
 * requests minus those of the daemons that run on every type.
 */
function roomOn(
  stateNode: StateNode,
  daemons: { readonly possible: Resources; readonly certain: Resources },
): Resources {
  const free = subtract(freeResources(stateNode), daemons.possible);
  const { nodeClaim, node } = stateNode;
  if (node !== undefined || nodeClaim === undefined || nodeClaim.launch.kind === 'launched') return free;
  return larger(free, subtract(parseResources(nodeClaim.spec.resources.requests), daemons.certain));
}

/** Whether taints and labels of the host admit these pods (B33). */
export function isAdmitted(host: ExistingHost, { podClass, alternatives }: Needs): boolean {
  return (
    untoleratedTaint(host.taints, podClass.pod.spec.tolerations) === undefined &&
    alternatives.some((alternative) => isMet(host, alternative))
  );
}

function isMet(host: ExistingHost, { set }: RequirementAlternative): boolean {
  return whyNotGuaranteed(host.set.requirements, set.requirements, host.open) === undefined;
}

/** Whether the host has enough room, free ports, the hostname and free attachments. A negative result does not change in a run. */
export function hostHasRoom(host: ExistingHost, left: HostRoom, demand: Needs): boolean {
  if (!fitsIn(demand.requests, left.room)) return false;
  const { ports } = demand.podClass;
  if (ports.length > 0 && conflictingPort(ports, left.ports) !== undefined) return false;
  const [first] = demand.alternatives;
  if (first?.hostname !== undefined && !admits(first.hostname, host.hostname)) return false;
  for (const [driver, volumes] of demand.attachments) {
    const attached = left.attached.get(driver) ?? NO_VOLUMES;
    const limit = host.attachLimits.get(driver);
    if (limit !== undefined && attached.union(volumes).size > limit) return false;
  }
  return true;
}

const NO_VOLUMES: ReadonlySet<string> = new Set();

/** The free room of each host in one run, by the host's index. */
export interface HostRooms {
  of(host: ExistingHost): HostRoom;
  /** Places a pod on the host. */
  take(host: ExistingHost, demand: Needs): void;
}

/** *Cost:* one copy of the list of rooms. A room is copied when the first pod is placed in it. `initial` does not change. */
export function hostRooms(initial: readonly HostRoom[]): HostRooms {
  const rooms = initial.slice();
  const of = ({ index }: ExistingHost): HostRoom => {
    const left = rooms[index];
    if (left === undefined) throw new RangeError(`there is no host ${index}`);
    return left;
  };
  return {
    of,
    take(host, demand) {
      const left = of(host);
      const isOwn = left !== initial[host.index];
      const room = isOwn ? left.room : left.room.slice();
      takeFrom(room, demand.requests);
      const { ports } = demand.podClass;
      if (isOwn && ports.length === 0 && demand.attachments.size === 0) return;
      rooms[host.index] = {
        room,
        ports: ports.length === 0 ? left.ports : [...left.ports, ...ports],
        attached: demand.attachments.size === 0 ? left.attached : together(left.attached, demand.attachments),
      };
    },
  };
}

function together(a: Attachments, b: Attachments): Attachments {
  const all = new Map(a);
  for (const [driver, volumes] of b) all.set(driver, (all.get(driver) ?? NO_VOLUMES).union(volumes));
  return all;
}
