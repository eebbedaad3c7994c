import { HOSTNAME } from '../../../apis/labels.ts';
import { admits, type Requirement } from '../../requirements/requirement.ts';
import { merge, NO_REQUIREMENTS, type Requirements } from '../../requirements/requirements.ts';
import type { RequirementSet, RequirementSets } from '../pools/requirement-sets.ts';
import { type ResourceSpace, type Vector, vectorOf } from '../pools/resource-space.ts';
import type { Counter } from '../topology/counters.ts';
import type { TopologyRules } from '../topology/rules.ts';
import type { VolumeNeeds } from '../volumes/volumes.ts';
import type { PodClass } from './pod-classes.ts';
import { podRequirements } from './pod-requirements.ts';

/** The needs of a class of pods that do not depend on other pods. */
export interface Needs {
  readonly podClass: PodClass;
  readonly requests: Vector;
  /** A host must satisfy one of these. There is one for each alternative of the volumes (B42). */
  readonly alternatives: readonly RequirementAlternative[];
  readonly attachments: VolumeNeeds['attachments'];
}

/** The needs and topology rules of a class of pods in one run. Computed once (B27). */
export interface Demand extends Needs {
  readonly rules: TopologyRules;
  /** The counters by hostname that count these pods. */
  readonly hostCounters: readonly Counter[];
  /** All counters that count these pods by their labels. */
  readonly countedBy: ReadonlySet<Counter>;
}

export interface RequirementAlternative {
  readonly set: RequirementSet;
  /** The same in the order of the pod, for messages. A set has the order of the first class that used it. */
  readonly requirements: Requirements;
  /** The hostname is not in the set, because it differs for each host. */
  readonly hostname: Requirement | undefined;
}

/** Whether a new node can satisfy the hostname requirement. Its hostname is not known in advance. */
export function suitsNewNode({ hostname }: RequirementAlternative): boolean {
  return hostname === undefined || admits(hostname, 'a-node-that-is-not-named-yet');
}

export function needsOf(
  podClass: PodClass,
  {
    sets,
    space,
    volumes,
  }: { readonly sets: RequirementSets; readonly space: ResourceSpace; readonly volumes: VolumeNeeds },
): Needs {
  const asked = podRequirements(podClass.pod);
  return {
    podClass,
    requests: vectorOf(space, podClass.requests),
    alternatives: volumes.alternatives.map((alternative) => alternativeOf(merge(asked, alternative), sets)),
    attachments: volumes.attachments,
  };
}

/** The demand of a class in one run. Written out: V8 reads properties that follow a spread more slowly. */
export function demandOf(
  { podClass, requests, alternatives, attachments }: Needs,
  { rules, hostCounters, countedBy }: Omit<Demand, keyof Needs>,
): Demand {
  return { podClass, requests, alternatives, attachments, rules, hostCounters, countedBy };
}

function alternativeOf(requirements: Requirements, sets: RequirementSets): RequirementAlternative {
  const hostname = requirements.get(HOSTNAME);
  if (hostname === undefined) return { set: sets.intern(requirements), requirements, hostname };
  const others = new Map(requirements);
  others.delete(HOSTNAME);
  return { set: sets.intern(others.size === 0 ? NO_REQUIREMENTS : others), requirements: others, hostname };
}
