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

/** What a class of pods asks of its place whatever else is placed. */
export interface Needs {
  readonly podClass: PodClass;
  readonly requests: Vector;
  /** Any one of these will do: one for each alternative of its volumes (B42). */
  readonly asks: readonly Ask[];
  readonly attachments: VolumeNeeds['attachments'];
}

/** What a class of pods asks of its place in one run, worked out once (B27). */
export interface Demand extends Needs {
  readonly rules: TopologyRules;
  /** The counters of hosts that count such pods. */
  readonly hostCounters: readonly Counter[];
  /** All counters that count such pods by their labels. */
  readonly countedBy: ReadonlySet<Counter>;
}

export interface Ask {
  readonly set: RequirementSet;
  /** The same in the pod's own order, for messages: a set has the order of the class that asked first. */
  readonly requirements: Requirements;
  /** Apart from the set: every host has a name of its own. */
  readonly hostname: Requirement | undefined;
}

/** Whether a new node would do: its name is not known before. */
export function suitsNewNode({ hostname }: Ask): boolean {
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
    asks: volumes.alternatives.map((alternative) => askOf(merge(asked, alternative), sets)),
    attachments: volumes.attachments,
  };
}

function askOf(requirements: Requirements, sets: RequirementSets): Ask {
  const hostname = requirements.get(HOSTNAME);
  if (hostname === undefined) return { set: sets.intern(requirements), requirements, hostname };
  const others = new Map(requirements);
  others.delete(HOSTNAME);
  return { set: sets.intern(others.size === 0 ? NO_REQUIREMENTS : others), requirements: others, hostname };
}
