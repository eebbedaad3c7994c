import { HOSTNAME, REGISTERED, WELL_KNOWN_LABELS } from '../../apis/labels.ts';
import { formatTaint, untoleratedTaint } from '../../apis/taints.ts';
import { isOwnedByDaemonSet } from '../cluster/pods.ts';
import { freeResources, type StateNode } from '../cluster/state-node.ts';
import { oneOf } from '../requirements/requirement.ts';
import { whyNotGuaranteed, withRequirement } from '../requirements/requirements.ts';
import {
  add,
  formatAmount,
  insufficiencies,
  larger,
  parseResources,
  type Resources,
  subtract,
} from '../resources/resources.ts';
import { certainDaemons, type Daemon, daemonOverhead } from './daemons.ts';
import type { Demand } from './demand.ts';
import type { Host } from './host.ts';
import { conflictingPort, type HostPort, hostPorts } from './host-ports.ts';
import { podRequirements } from './pod-requirements.ts';
import { type Refusal, refusal } from './refusal.ts';
import { placeInTopology, type Topology } from './topology.ts';

/** A node, or a claim in flight, with the room that is left on it. The solver takes from `free` as it places pods. */
export interface ExistingHost extends Host {
  readonly stateNode: StateNode;
  /** Labels that it may still get although nothing is said of them. */
  readonly open: ReadonlySet<string>;
  free: Resources;
  ports: readonly HostPort[];
}

/** *Source:* B15, B17: allocatable less bound pods less the daemons that are still to come. */
export function existingHost(stateNode: StateNode, daemons: readonly Daemon[]): ExistingHost {
  const host: Host = {
    name: stateNode.name,
    fixed: stateNode.node !== undefined,
    requirements: withRequirement(stateNode.requirements, oneOf(HOSTNAME, [stateNode.name])),
    taints: stateNode.taints,
  };
  const present = new Set(
    stateNode.pods
      .filter(isOwnedByDaemonSet)
      .flatMap((pod) => (pod.metadata.ownerReferences ?? []).map((owner) => owner.uid)),
  );
  const missing = daemons.filter((daemon) => !present.has(daemon.uid));
  const open = openLabels(stateNode);
  const certain = certainDaemons(missing, host, open);
  const certainOverhead = add(...certain.map((daemon) => daemon.requests));
  return {
    ...host,
    stateNode,
    open,
    free: roomOn(stateNode, { possible: daemonOverhead(missing, host), certain: certainOverhead }),
    ports: [...stateNode.pods.flatMap(hostPorts), ...certain.flatMap((daemon) => daemon.ports)],
  };
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

/** Why the pod cannot be on the host, or undefined where it can. The order is that of B33. */
export function whyNotOnHost(host: ExistingHost, demand: Demand, topology: Topology): Refusal | undefined {
  const unfit = whyUnfit(host, demand);
  if (unfit !== undefined) return unfit;
  const answer = placeInTopology(topology, demand.pod, host);
  return answer.kind === 'refused' ? answer.refusal : undefined;
}

/** The same, wherever the other pods are. */
export function whyUnfit(host: ExistingHost, demand: Demand): Refusal | undefined {
  const { pod } = demand;
  const taint = untoleratedTaint(host.taints, pod.spec.tolerations);
  if (taint !== undefined) return refusal('Taint', `the taint ${formatTaint(taint)} is not tolerated`);
  const port = conflictingPort(demand.ports, host.ports);
  if (port !== undefined)
    return refusal('HostPort', `host port ${port.port}/${port.protocol} is taken`, { port: port.port });
  const [short] = insufficiencies(demand.requests, host.free);
  if (short !== undefined) {
    const { resource, requested, available } = short;
    return refusal(
      'InsufficientResources',
      `needs ${formatAmount(resource, requested)} ${resource}, ${formatAmount(resource, available)} are free`,
      { requested, available },
    );
  }
  const label = whyNotGuaranteed(host.requirements, podRequirements(pod), host.open);
  return label === undefined
    ? undefined
    : refusal('Label', `asks for ${label.key} ${label.asked}, the node has ${label.offered}`);
}

export function takeRoom(host: ExistingHost, demand: Demand): void {
  host.free = subtract(host.free, demand.requests);
  host.ports = [...host.ports, ...demand.ports];
}
