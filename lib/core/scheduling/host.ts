import type { Labels, Taint } from '../../apis/kubernetes.ts';
import { HOSTNAME, WELL_KNOWN_LABELS } from '../../apis/labels.ts';
import { admits } from '../requirements/requirement.ts';
import { type Requirements, singleValues } from '../requirements/requirements.ts';

/** A place that pods can be on: a node, a claim in flight, or a claim that this run plans. Topology sees no difference. */
export interface Host {
  readonly name: string;
  /** True where labels are as they will be; false where requirements may still narrow. */
  readonly fixed: boolean;
  readonly requirements: Requirements;
  readonly taints: readonly Taint[];
}

/** Known values of a label over the whole cluster, launchable ones included (B45). */
export type Universe = ReadonlyMap<string, ReadonlySet<string>>;

/** The values of `key` that the host has or may still get; empty where it will not carry the label. */
export function domainsOf(host: Host, key: string, universe: Universe): ReadonlySet<string> {
  if (key === HOSTNAME) return new Set([host.name]);
  const known = host.requirements.get(key);
  if (known !== undefined && !known.complement) return known.values;
  if (host.fixed) return new Set();
  // A label of the user's own that the pool does not give will not be there.
  if (known === undefined && !WELL_KNOWN_LABELS.has(key)) return new Set();
  const all = universe.get(key) ?? new Set<string>();
  return known === undefined ? all : new Set([...all].filter((value) => admits(known, value)));
}

/** The labels that are certain by now. */
export function labelsOf(host: Host): Labels {
  return { ...singleValues(host.requirements), [HOSTNAME]: host.name };
}
