import { HOSTNAME } from '../../apis/labels.ts';
import { formatTaint, untoleratedTaint } from '../../apis/taints.ts';
import { compatibleOfferings } from '../instance-type/compatible-offerings.ts';
import type { InstanceType } from '../instance-type/instance-type.ts';
import { oneOf } from '../requirements/requirement.ts';
import {
  intersects,
  merge,
  type Requirements,
  whyIncompatible,
  withRequirement,
} from '../requirements/requirements.ts';
import { add, fits, type Resources } from '../resources/resources.ts';
import type { Demand } from './demand.ts';
import type { Host } from './host.ts';
import { conflictingPort, type HostPort } from './host-ports.ts';
import { fitsLimits, type RemainingLimits } from './limits.ts';
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
  /** Classes of pods that it refused for good: requirements, types and room only ever shrink. */
  readonly refusedClasses: Set<string>;
}

/** An empty claim of the template; `remaining` says what the pool's limits leave for it. */
export function openClaim(
  template: NodeClaimTemplate,
  name: string,
  remaining: RemainingLimits | undefined,
): OpenClaim {
  return {
    name,
    fixed: false,
    template,
    taints: template.taints,
    demands: [],
    requirements: withRequirement(template.requirements, oneOf(HOSTNAME, [name])),
    instanceTypes: template.instanceTypes.filter((type) => fitsLimits(type, remaining)),
    requests: {},
    ports: [],
    refusedClasses: new Set(),
  };
}

export type AddAnswer =
  | { readonly kind: 'fits'; readonly requirements: Requirements; readonly instanceTypes: readonly InstanceType[] }
  /** `lasting`: no later placement can change the answer. */
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly lasting: boolean };

/** Whether the pod can join, and what would be left of the claim then. Changes nothing. *Source:* B36. */
export function whetherJoins(claim: OpenClaim, demand: Demand, topology: Topology): AddAnswer {
  const { pod } = demand;
  const taint = untoleratedTaint(claim.taints, pod.spec.tolerations);
  if (taint !== undefined) return lasting(refusal('Taint', `the taint ${formatTaint(taint)} is not tolerated`));
  const port = conflictingPort(demand.ports, claim.ports);
  if (port !== undefined) return lasting(refusal('HostPort', `host port ${port.port} is taken`, { port: port.port }));
  const asked = podRequirements(pod);
  const label = whyIncompatible(claim.requirements, asked);
  if (label !== undefined) {
    return lasting(refusal('Label', `asks for ${label.key} ${label.asked}, the pool offers ${label.offered}`));
  }
  const merged = merge(claim.requirements, asked);
  const requests = add(claim.requests, demand.requests);
  if (viableTypes(claim, merged, requests).length === 0)
    return lasting(whyNoInstanceType(claim.template, merged, requests));
  const place = placeInTopology(topology, pod, { ...claim, requirements: merged });
  if (place.kind === 'refused') return { kind: 'refused', refusal: place.refusal, lasting: false };
  const narrowed = merge(merged, place.requirements);
  const instanceTypes = viableTypes(claim, narrowed, requests);
  if (instanceTypes.length === 0)
    return { kind: 'refused', refusal: whyNoInstanceType(claim.template, narrowed, requests), lasting: false };
  const inflexible = whyInflexible(claim.template, instanceTypes);
  return inflexible === undefined ? { kind: 'fits', requirements: narrowed, instanceTypes } : lasting(inflexible);
}

export function join(claim: OpenClaim, demand: Demand, answer: AddAnswer & { readonly kind: 'fits' }): void {
  claim.demands.push(demand);
  claim.requirements = answer.requirements;
  claim.instanceTypes = answer.instanceTypes;
  claim.requests = add(claim.requests, demand.requests);
  claim.ports = [...claim.ports, ...demand.ports];
}

function viableTypes(claim: OpenClaim, requirements: Requirements, requests: Resources): readonly InstanceType[] {
  return claim.instanceTypes.filter(
    (type) =>
      fits(add(requests, claim.template.overhead.get(type.name) ?? {}), type.allocatable) &&
      intersects(type.requirements, requirements) &&
      compatibleOfferings(type, requirements).length > 0,
  );
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

function lasting(why: Refusal): AddAnswer {
  return { kind: 'refused', refusal: why, lasting: true };
}
