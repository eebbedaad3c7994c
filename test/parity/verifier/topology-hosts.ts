import type { Cluster } from './cluster.ts';
import { hasNodeSelection, type LabelView, nodeAffinityHolds } from './label-selectors.ts';
import type { PlannedClaim } from './planned-claim.ts';
import type { RawPodSpec, RawTaint } from './raw-documents.ts';
import { untolerated } from './taints-and-tolerations.ts';
import { HOSTNAME } from './well-known-labels.ts';

/** Where a pod is or will be: a node, or a claim, of which some labels may be open. */
export interface Host {
  readonly name: string;
  /** True for a planned claim and for a node. False for a claim in flight: its domains are known only if pods count in them. */
  readonly givesDomains: boolean;
  /** The possible values of the label: one if it is decided, none if the host does not have the label. */
  readonly domains: (key: string) => readonly string[];
  /** Whether a pod's node selection and, if included, its tolerations allow the host: in every outcome, in some, or in none. */
  readonly admits: (spec: RawPodSpec, policies: InclusionPolicies) => 'every' | 'some' | 'none';
}

export interface InclusionPolicies {
  readonly affinity: boolean;
  readonly taints: boolean;
}

export function topologyHosts(
  cluster: Cluster,
  claims: readonly PlannedClaim[],
): { readonly nodes: ReadonlyMap<string, Host>; readonly claims: ReadonlyMap<PlannedClaim, Host> } {
  const shared = new Map<unknown, Looks>();
  const looksOf = (claim: PlannedClaim): Looks => {
    const { launch, allowance } = claim;
    const made =
      shared.get(launch) ??
      looks(
        launch.options.map(({ labels }) => labels),
        allowance.pool.spec.template.spec.taints ?? [],
      );
    shared.set(launch, made);
    return made;
  };
  return {
    nodes: new Map(
      [...cluster.nodes.values()].map(({ name, labels, taints, isThere }) => [
        name,
        { name: `node ${name}`, givesDomains: isThere, ...looks([labels], taints, name) },
      ]),
    ),
    claims: new Map(
      claims.map((claim) => {
        const its = looksOf(claim);
        const { name } = claim;
        return [
          claim,
          { ...its, name, givesDomains: true, domains: (key) => (key === HOSTNAME ? [name] : its.domains(key)) },
        ];
      }),
    ),
  };
}

type Looks = Pick<Host, 'domains' | 'admits'>;

function looks(options: readonly LabelView[], taints: readonly RawTaint[], nodeName?: string): Looks {
  const domains = new Map<string, readonly string[]>();
  const admitted = new Map<string, ReturnType<Host['admits']>>();
  return {
    domains: (key) => {
      const known = domains.get(key) ?? domainsOver(options, key);
      domains.set(key, known);
      return known;
    },
    admits: (spec, policies) => {
      if (policies.taints && untolerated(taints, spec.tolerations ?? []) !== undefined) {
        return 'none';
      }
      if (!policies.affinity || !hasNodeSelection(spec)) {
        return 'every';
      }
      const name = selectionOf(spec);
      const known = admitted.get(name) ?? admission(spec, options, nodeName);
      admitted.set(name, known);
      return known;
    },
  };
}

/** The node selection of a pod, as text to compare pods by. */
export function selectionOf({ nodeSelector, affinity }: RawPodSpec): string {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return JSON.stringify([nodeSelector ?? {}, required ?? {}]);
}

function admission(spec: RawPodSpec, options: readonly LabelView[], nodeName?: string): ReturnType<Host['admits']> {
  const held = options.filter((labels) => nodeAffinityHolds(spec, labels, nodeName)).length;
  return held === options.length ? 'every' : held === 0 ? 'none' : 'some';
}

/** A label whose value is not known yet may be in other domains than the named ones. */
function domainsOver(options: readonly LabelView[], key: string): readonly string[] {
  const values = new Set<string>();
  for (const labels of options) {
    const set = labels(key);
    const named = set.complement ? ['(some value)', '(another value)'] : set.values;
    for (const value of named) {
      values.add(value);
    }
  }
  return [...values];
}
