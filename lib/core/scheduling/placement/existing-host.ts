import { HOSTNAME, REGISTERED, WELL_KNOWN_LABELS } from '../../../apis/labels.ts';
import { untoleratedTaint } from '../../../apis/taints.ts';
import { isOwnedByDaemonSet } from '../../cluster/pods.ts';
import { freeResources, type StateNode } from '../../cluster/state-node.ts';
import { admits } from '../../requirements/requirement.ts';
import { type Requirements, whyNotGuaranteed } from '../../requirements/requirements.ts';
import { add, larger, parseResources, type Resources, subtract } from '../../resources/resources.ts';
import type { Ask, Needs } from '../pods/demand.ts';
import { conflictingPort, type HostPort, hostPorts } from '../pods/host-ports.ts';
import { certainDaemons, type Daemon, daemonOverhead } from '../pools/daemons.ts';
import type { RequirementSet, RequirementSets } from '../pools/requirement-sets.ts';
import { fitsIn, type ResourceSpace, takeFrom, type Vector, vectorOf } from '../pools/resource-space.ts';
import type { CountedHost } from '../topology/counters.ts';
import { possibleDomains, type TopologyKey } from '../topology/topology-key.ts';
import { type Attachments, attachLimits, attachments } from '../volumes/attach-limits.ts';
import type { StorageIndex } from '../volumes/storage-index.ts';
import type { Host } from './host.ts';

/** A node, or a claim in flight. What a run changes of it is in its HostRoom. */
export interface ExistingHost extends Host, CountedHost {
  readonly stateNode: StateNode;
  readonly hostname: string;
  /** The labels that pods of the run ask for: nodes that differ in others only are alike. */
  readonly set: RequirementSet;
  /** Labels that it may still get although nothing is said of them. */
  readonly open: ReadonlySet<string>;
  /** Nodes with the same text admit the same pods, resources aside. */
  readonly kind: string;
  /** What is left before any run; less than nothing of something where it takes no pod at all (B19). */
  readonly free: Resources;
  /** The host ports that are taken before any run. */
  readonly ports: readonly HostPort[];
  /** B44: what may be attached, and what is before any run, by driver. */
  readonly attachLimits: ReadonlyMap<string, number>;
  readonly attached: Attachments;
}

/** What is left on a host. A run has its own from the first pod that it places there (`takeRoom`). */
export interface HostRoom {
  readonly room: Vector;
  readonly ports: readonly HostPort[];
  readonly attached: Attachments;
}

/** What is left on the host before any run. */
export function initialRoom({ free, ports, attached }: ExistingHost, space: ResourceSpace): HostRoom {
  // B19: a node that has less than nothing left of something takes no pod at all.
  const isOverfull = Object.values(free).some((amount) => amount < 0);
  return { room: isOverfull ? vectorOf(space, {}).fill(-1) : vectorOf(space, free), ports, attached };
}

export interface HostContext {
  readonly daemons: readonly Daemon[];
  readonly sets: RequirementSets;
  readonly storage: StorageIndex;
  /** Label names that pods of the run ask for or count by. */
  readonly askedLabels: ReadonlySet<string>;
}

/** *Source:* B15, B17: allocatable less bound pods less the daemons that are still to come. */
export function existingHost(stateNode: StateNode, index: number, context: HostContext): ExistingHost {
  const { daemons, sets, storage } = context;
  const fixed = stateNode.node !== undefined;
  const set = sets.intern(only(stateNode.requirements, context.askedLabels));
  const host: Host = { fixed, requirements: stateNode.requirements, taints: stateNode.taints };
  const present = new Set(
    stateNode.pods
      .filter(isOwnedByDaemonSet)
      .flatMap((pod) => (pod.metadata.ownerReferences ?? []).map((owner) => owner.uid)),
  );
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
    attachLimits: attachLimits(stateNode.name, storage),
    attached: attachedTo(stateNode, storage),
    domainsOf(key) {
      const known = domains.get(key) ?? possibleDomains(key, set, fixed);
      domains.set(key, known);
      return known;
    },
  };
}

function attachedTo({ pods }: StateNode, storage: StorageIndex): Attachments {
  const attached = new Map<string, ReadonlySet<string>>();
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

/** Until it is registered, a node of ours lacks most of the labels that it will have. */
function openLabels({ nodeClaim, labels, initialized }: StateNode): ReadonlySet<string> {
  return initialized || nodeClaim === undefined || labels[REGISTERED] === 'true' ? NO_LABELS : WELL_KNOWN_LABELS;
}

const NO_LABELS: ReadonlySet<string> = new Set();

/**
 * A claim that is not launched yet has room at least for what it was made for, whichever of its types it becomes: its
 * requests less the daemons that are among them for sure.
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

/** Whether such pods may be on hosts of this kind at all: taints and labels (B33). */
export function isAdmitted(host: ExistingHost, { podClass, asks }: Needs): boolean {
  return (
    untoleratedTaint(host.taints, podClass.pod.spec.tolerations) === undefined && asks.some((ask) => isMet(host, ask))
  );
}

function isMet(host: ExistingHost, { set }: Ask): boolean {
  return whyNotGuaranteed(host.set.requirements, set.requirements, host.open) === undefined;
}

/** Whether the host still has the room, the ports, the name and the attachments; what it lacks it will not get back. */
export function hostHasRoom(host: ExistingHost, left: HostRoom, demand: Needs): boolean {
  if (!fitsIn(demand.requests, left.room)) return false;
  const { ports } = demand.podClass;
  if (ports.length > 0 && conflictingPort(ports, left.ports) !== undefined) return false;
  const [first] = demand.asks;
  if (first?.hostname !== undefined && !admits(first.hostname, host.hostname)) return false;
  for (const [driver, volumes] of demand.attachments) {
    const attached = left.attached.get(driver) ?? NO_VOLUMES;
    const limit = host.attachLimits.get(driver);
    if (limit !== undefined && attached.union(volumes).size > limit) return false;
  }
  return true;
}

const NO_VOLUMES: ReadonlySet<string> = new Set();

/** What is left on each host, by the host's number, in one run. */
export interface HostRooms {
  of(host: ExistingHost): HostRoom;
  /** Places a pod on the host. */
  take(host: ExistingHost, demand: Needs): void;
}

/** *Cost:* one copy of the list of rooms; a room is copied when the first pod comes to it. `initial` stays as it is. */
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
