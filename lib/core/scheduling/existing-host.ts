import { HOSTNAME } from '../../apis/labels.ts';
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
import { type Daemon, daemonOverhead } from './daemons.ts';
import type { Demand } from './demand.ts';
import type { Host } from './host.ts';
import { conflictingPort, type HostPort, hostPorts } from './host-ports.ts';
import { podRequirements } from './pod-requirements.ts';
import { type Refusal, refusal } from './refusal.ts';
import { placeInTopology, type Topology } from './topology.ts';

/** A node, or a claim in flight, with the room that is left on it. The solver takes from `free` as it places pods. */
export interface ExistingHost extends Host {
  readonly stateNode: StateNode;
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
  return {
    ...host,
    stateNode,
    free: roomOn(stateNode, daemonOverhead(missing, host)),
    ports: stateNode.pods.flatMap(hostPorts),
  };
}

/** A claim that is not launched yet has room at least for what it was made for, whichever of its types it becomes. */
function roomOn(stateNode: StateNode, overhead: Resources): Resources {
  const free = subtract(freeResources(stateNode), overhead);
  const { nodeClaim, node } = stateNode;
  if (node !== undefined || nodeClaim === undefined || nodeClaim.launch.kind === 'launched') return free;
  return larger(free, parseResources(nodeClaim.spec.resources.requests));
}

/** Why the pod cannot be on the host, or undefined where it can. The order is that of B33. */
export function whyNotOnHost(host: ExistingHost, demand: Demand, topology: Topology): Refusal | undefined {
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
  const label = whyNotGuaranteed(host.requirements, podRequirements(pod));
  if (label !== undefined)
    return refusal('Label', `asks for ${label.key} ${label.asked}, the node has ${label.offered}`);
  const answer = placeInTopology(topology, pod, host);
  return answer.kind === 'refused' ? answer.refusal : undefined;
}

export function takeRoom(host: ExistingHost, demand: Demand): void {
  host.free = subtract(host.free, demand.requests);
  host.ports = [...host.ports, ...demand.ports];
}

/** What all of these pods ask for together. */
export function totalRequests(demands: readonly Demand[]): Resources {
  return add(...demands.map((demand) => demand.requests));
}
