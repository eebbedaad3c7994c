import type { Pod } from '../../apis/kubernetes.ts';
import {
  CAPACITY_TYPE,
  CAPACITY_TYPES,
  type CapacityType,
  HOSTNAME,
  WELL_KNOWN_LABELS,
  ZONE,
} from '../../apis/labels.ts';
import { formatTaint, untoleratedTaint } from '../../apis/taints.ts';
import { compatibleOfferings } from '../instance-type/compatible-offerings.ts';
import type { InstanceType } from '../instance-type/instance-type.ts';
import { admits, oneOf } from '../requirements/requirement.ts';
import {
  intersects,
  merge,
  type Requirements,
  whyIncompatible,
  whyNotGuaranteed,
  withRequirement,
} from '../requirements/requirements.ts';
import { add, fitTogether, type Resources } from '../resources/resources.ts';
import type { Demand } from './demand.ts';
import type { Host } from './host.ts';
import { conflictingPort, type HostPort } from './host-ports.ts';
import { cheapestCapacity, fitsLimits, type RemainingLimits, whyLimited } from './limits.ts';
import { podRequirements } from './pod-requirements.ts';
import { type Refusal, refusal } from './refusal.ts';
import type { NodeClaimTemplate } from './template.ts';
import { placeInTopology, type Topology } from './topology.ts';
import { whyNoInstanceType } from './why-no-instance-type.ts';

/** A NodeClaim that this run plans: it narrows as pods join it. */
export interface OpenClaim extends Host {
  readonly template: NodeClaimTemplate;
  readonly demands: Demand[];
  requirements: Requirements;
  instanceTypes: readonly InstanceType[];
  requests: Resources;
  ports: readonly HostPort[];
  /** What its first pod may run on: topology may have narrowed the claim further. */
  capacityTypes: readonly CapacityType[];
  /** Classes of pods that it refused for good: requirements, types and room only ever shrink. */
  readonly refusedClasses: Set<string>;
  /** What it takes of the pool's limits at the least: the capacity of its cheapest type. */
  leastHold: Resources;
}

/** An empty claim of the template. */
export function openClaim(template: NodeClaimTemplate, name: string): OpenClaim {
  return {
    name,
    fixed: false,
    template,
    taints: template.taints,
    demands: [],
    requirements: withRequirement(template.requirements, oneOf(HOSTNAME, [name])),
    instanceTypes: template.instanceTypes,
    requests: {},
    ports: [],
    capacityTypes: [],
    refusedClasses: new Set(),
    leastHold: {},
  };
}

export type AddAnswer =
  | {
      readonly kind: 'fits';
      readonly requirements: Requirements;
      readonly instanceTypes: readonly InstanceType[];
      readonly leastHold: Resources;
    }
  /** `lasting`: no later placement can change the answer. */
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly lasting: boolean };

/** What a claim is judged against: where everything is, and what the pool's limits and its other claims leave for it. */
export interface Surroundings {
  readonly topology: Topology;
  readonly remaining: RemainingLimits | undefined;
}

/** Whether the pod can join, and what would be left of the claim then. Changes nothing. *Source:* B36. */
export function whetherJoins(claim: OpenClaim, demand: Demand, { topology, remaining }: Surroundings): AddAnswer {
  const { pod } = demand;
  const taint = untoleratedTaint(claim.taints, pod.spec.tolerations);
  if (taint !== undefined) return lasting(refusal('Taint', `the taint ${formatTaint(taint)} is not tolerated`));
  const port = conflictingPort(demand.ports, claim.ports);
  if (port !== undefined) return lasting(refusal('HostPort', `host port ${port.port} is taken`, { port: port.port }));
  const asked = podRequirements(pod);
  const label = whyIncompatible(claim.requirements, asked);
  if (label?.key === HOSTNAME) {
    return lasting(
      refusal('Label', `asks for ${HOSTNAME} ${label.asked}, and the name of a new node is not known before`),
    );
  }
  if (label !== undefined) {
    return lasting(refusal('Label', `asks for ${label.key} ${label.asked}, the pool offers ${label.offered}`));
  }
  const mixed = whyMixed(claim, asked);
  if (mixed !== undefined) return lasting(mixed);
  // Most pods of a claim are alike: what the first one narrowed, the others leave as it is.
  const narrows =
    claim.demands.length === 0 || whyNotGuaranteed(claim.requirements, asked, WELL_KNOWN_LABELS) !== undefined;
  const merged = narrows ? merge(claim.requirements, asked) : claim.requirements;
  const wanted = { requirements: merged, requests: add(claim.requests, demand.requests), ports: demand.ports };
  const possible = viableTypes(claim, wanted);
  if (possible.length === 0) return lasting(whyNotViable(claim, wanted));
  const place = placeClaim(claim, { topology, pod, wanted, possible });
  if (place.kind === 'refused') return passing(place.refusal);
  const { requirements, instanceTypes } = place;
  const within = instanceTypes.filter((type) => fitsLimits(type, remaining));
  if (within.length === 0) return passing(whyLimited(claim.template.nodePool, instanceTypes.length));
  const inflexible = whyInflexible(claim.template, within);
  if (inflexible !== undefined) return passing(inflexible);
  const leastHold = remaining === undefined ? {} : cheapestCapacity(within, requirements);
  return { kind: 'fits', requirements, instanceTypes, leastHold };
}

interface Wanted {
  readonly requirements: Requirements;
  readonly requests: Resources;
  /** Of the pod that would join. */
  readonly ports: readonly HostPort[];
}

type PlaceAnswer =
  | { readonly kind: 'placed'; readonly requirements: Requirements; readonly instanceTypes: readonly InstanceType[] }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** What topology leaves of the claim. A zone that it likes best may sell none of the types: then it has those that do. */
function placeClaim(
  claim: OpenClaim,
  joining: {
    readonly topology: Topology;
    readonly pod: Pod;
    readonly wanted: Wanted;
    readonly possible: readonly InstanceType[];
  },
): PlaceAnswer {
  const { topology, pod, wanted, possible } = joining;
  const attempt = (among: Requirements): PlaceAnswer => {
    const place = placeInTopology(topology, pod, { ...claim, requirements: among });
    if (place.kind === 'refused') return place;
    const requirements = merge(wanted.requirements, place.requirements);
    const instanceTypes = place.requirements.size === 0 ? possible : viableTypes(claim, { ...wanted, requirements });
    return { kind: 'placed', requirements, instanceTypes };
  };
  const first = attempt(wanted.requirements);
  if (first.kind === 'refused' || first.instanceTypes.length > 0) return first;
  const sold = possible.flatMap((type) => compatibleOfferings(type, wanted.requirements).map(({ zone }) => zone));
  const second = attempt(withRequirement(wanted.requirements, oneOf(ZONE, sold)));
  if (second.kind === 'refused' || second.instanceTypes.length > 0) return second;
  return { kind: 'refused', refusal: whyNoInstanceType(claim.template, second.requirements, wanted.requests) };
}

export function join(claim: OpenClaim, demand: Demand, answer: AddAnswer & { readonly kind: 'fits' }): void {
  if (claim.demands.length === 0)
    claim.capacityTypes = capacityTypes(merge(claim.template.requirements, podRequirements(demand.pod)));
  claim.demands.push(demand);
  claim.requirements = answer.requirements;
  claim.instanceTypes = answer.instanceTypes;
  claim.leastHold = answer.leastHold;
  claim.requests = add(claim.requests, demand.requests);
  claim.ports = [...claim.ports, ...demand.ports];
}

function viableTypes(claim: OpenClaim, { requirements, requests, ports }: Wanted): readonly InstanceType[] {
  const { overhead, daemonPorts } = claim.template;
  const narrowed = claim.demands.length === 0 || requirements !== claim.requirements;
  return claim.instanceTypes.filter(
    (type) =>
      fitTogether(requests, overhead.get(type.name) ?? NO_OVERHEAD, type.allocatable) &&
      (ports.length === 0 || conflictingPort(ports, daemonPorts.get(type.name) ?? []) === undefined) &&
      (!narrowed ||
        (intersects(type.requirements, requirements) && compatibleOfferings(type, requirements).length > 0)),
  );
}

function whyNotViable(claim: OpenClaim, wanted: Wanted): Refusal {
  if (wanted.ports.length > 0 && viableTypes(claim, { ...wanted, ports: [] }).length > 0)
    return refusal('HostPort', `a daemon takes host port ${wanted.ports.map(({ port }) => port).join(' or ')}`);
  return whyNoInstanceType(claim.template, wanted.requirements, wanted.requests);
}

const NO_OVERHEAD: Resources = {};

/**
 * Pods that must have on-demand capacity keep to themselves: a few of them in a claim would make it dearer for all the
 * others, which may run on spot. (Karpenter mixes them.)
 */
function whyMixed(claim: OpenClaim, asked: Requirements): Refusal | undefined {
  if (claim.demands.length === 0) return undefined;
  const mine = claim.capacityTypes;
  const theirs = capacityTypes(merge(claim.template.requirements, asked));
  if (mine.join() === theirs.join()) return undefined;
  return refusal('CapacityType', `it may run on ${theirs.join(', ')}, the pods of the claim on ${mine.join(', ')}`);
}

function capacityTypes(requirements: Requirements): readonly CapacityType[] {
  const one = requirements.get(CAPACITY_TYPE);
  return CAPACITY_TYPES.filter((type) => one === undefined || admits(one, type));
}

/** B24: fewer distinct values than minValues asks for. */
function whyInflexible(template: NodeClaimTemplate, types: readonly InstanceType[]): Refusal | undefined {
  for (const { key, count } of template.minValues) {
    const values = new Set(types.flatMap((type) => [...(type.requirements.get(key)?.values ?? [])]));
    if (values.size < count) {
      return refusal('MinValues', `${key} would be left with ${values.size} values, minValues asks for ${count}`, {
        values: values.size,
        minValues: count,
      });
    }
  }
  return undefined;
}

function passing(why: Refusal): AddAnswer {
  return { kind: 'refused', refusal: why, lasting: false };
}

function lasting(why: Refusal): AddAnswer {
  return { kind: 'refused', refusal: why, lasting: true };
}
