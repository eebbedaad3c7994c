import { HOSTNAME, WELL_KNOWN_LABELS } from '../../../apis/labels.ts';
import { fieldOf } from '../../../apis/record.ts';
import type { StateNode } from '../../cluster/state-node.ts';
import { valuesOf } from '../../instance-type/type-requirements.ts';
import { admits, inRequirement } from '../../requirements/requirement.ts';
import type { RequirementSet, RequirementSets } from '../pools/requirement-sets.ts';
import type { NodeClaimTemplate } from '../pools/template.ts';

/** A topology key with all its values: those of existing nodes, and those of nodes that pools can launch (B45). */
export interface TopologyKey {
  readonly name: string;
  /** If true, a domain is the index of a host; otherwise the position of a value. */
  readonly isHostname: boolean;
  readonly values: readonly string[];
  readonly domainOf: ReadonlyMap<string, number>;
  /** The possible domains of a claim with these requirements. *Cost:* one look-up after the first call for a set. */
  openTo(set: RequirementSet): readonly number[];
  /** The requirement set that allows only this domain. `sets`: those of the run. *Cost:* one look-up after the first call. */
  pinnedTo(domain: number, sets: RequirementSets): RequirementSet;
}

/** Returns the topology key of a label. It is computed once. */
export type TopologyKeys = (name: string) => TopologyKey;

export function topologyKeys(templates: readonly NodeClaimTemplate[], stateNodes: readonly StateNode[]): TopologyKeys {
  const known = new Map<string, TopologyKey>();
  return (name) => {
    const key = known.get(name) ?? topologyKey(name, templates, stateNodes);
    known.set(name, key);
    return key;
  };
}

function topologyKey(
  name: string,
  templates: readonly NodeClaimTemplate[],
  stateNodes: readonly StateNode[],
): TopologyKey {
  const known = new Set<string>();
  if (name !== HOSTNAME) {
    for (const template of templates) for (const value of launchableValues(template, name)) known.add(value);
    for (const { labels } of stateNodes) {
      const value = fieldOf(labels, name);
      if (value !== undefined) known.add(value);
    }
  }
  const values = [...known].toSorted();
  const open: (readonly number[])[] = [];
  const single: RequirementSet[] = [];
  const key: TopologyKey = {
    name,
    isHostname: name === HOSTNAME,
    values,
    domainOf: new Map(values.map((value, domain) => [value, domain])),
    openTo(set) {
      const domains = open[set.id] ?? possibleDomains(key, set, false);
      open[set.id] = domains;
      return domains;
    },
    pinnedTo(domain, sets) {
      const set =
        single[domain] ?? sets.intern(new Map([[name, inRequirement(name, values.slice(domain, domain + 1))]]));
      single[domain] = set;
      return set;
    },
  };
  return key;
}

/** B45: the values of the pool's instance types that the pool allows; else the values that the pool lists. */
function launchableValues({ requirements, instanceTypes }: NodeClaimTemplate, name: string): Iterable<string> {
  const own = requirements.get(name);
  const values = new Set<string>();
  for (const type of instanceTypes) for (const value of valuesOf(type, name)) values.add(value);
  if (own === undefined) return values;
  if (values.size === 0) return own.complement ? [] : own.values;
  return [...values].filter((value) => admits(own, value));
}

/**
 * The possible domains of a host with these requirements. *Shape:* empty if the host will not have the label.
 * `fixed`: the labels are final.
 */
export function possibleDomains(key: TopologyKey, { requirements }: RequirementSet, fixed: boolean): readonly number[] {
  const known = requirements.get(key.name);
  if (known !== undefined && !known.complement) {
    return [...known.values].flatMap((value) => key.domainOf.get(value) ?? []).toSorted((a, b) => a - b);
  }
  // A user-defined label that the pool does not set will be absent.
  if (fixed || (known === undefined && !WELL_KNOWN_LABELS.has(key.name))) return [];
  return key.values.flatMap((value, domain) => (known === undefined || admits(known, value) ? [domain] : []));
}
