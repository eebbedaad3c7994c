import type { Cluster } from './cluster.ts';
import type { TypeView } from './instance-type-view.ts';
import type { Allowance, LaunchOption } from './launch-choice.ts';
import type { RawPlan, RawPlannedClaim, RawPod } from './raw-documents.ts';

/** A claim of the plan, with its options. */
export interface PlannedClaim {
  /** Its name in violations. */
  readonly name: string;
  readonly raw: RawPlannedClaim;
  readonly allowance: Allowance;
  readonly pods: readonly RawPod[];
  readonly launch: Launch;
}

/** One list of options for all claims with the same types and requirements. */
export interface Launch {
  readonly types: readonly TypeView[];
  readonly options: readonly LaunchOption[];
  readonly faults: readonly string[];
}

/** The plan's claims without those of unknown pools, which the check of names reports. */
export function plannedClaims(cluster: Cluster, plan: RawPlan): readonly PlannedClaim[] {
  const launches = new Map<Allowance, Map<string, Launch>>();
  return plan.newNodeClaims.flatMap((raw, index) => {
    const pool = cluster.pools.get(raw.nodePool);
    if (pool === undefined) {
      return [];
    }
    const allowance = cluster.ofClaim(raw, pool);
    const known = launches.get(allowance) ?? new Map<string, Launch>();
    launches.set(allowance, known);
    const names = raw.instanceTypes.join(' ');
    const launch = known.get(names) ?? launchOf(raw, allowance, cluster.typesOf(pool));
    known.set(names, launch);
    const pods = raw.pods.flatMap((name) => cluster.pods.get(name) ?? []);
    return [{ name: claimName(raw, index), raw, allowance, pods, launch }];
  });
}

export function claimName({ nodePool, pods }: RawPlannedClaim, index: number): string {
  return `claim ${index + 1} (${nodePool}, ${pods.length === 1 ? '' : `${pods.length} pods from `}${pods[0] ?? 'empty'})`;
}

function launchOf(raw: RawPlannedClaim, allowance: Allowance, types: ReadonlyMap<string, TypeView>): Launch {
  const faults: string[] = [];
  const options: LaunchOption[] = [];
  const listed: TypeView[] = [];
  for (const name of raw.instanceTypes) {
    const type = types.get(name);
    const its = type === undefined ? `is not a type of NodePool ${raw.nodePool}` : allowance.optionsOf(type);
    if (typeof its === 'string') {
      faults.push(`type ${name} ${its}`);
      continue;
    }
    options.push(...its);
    listed.push(...its.slice(0, 1).map((option) => option.type));
  }
  return { types: listed, options, faults: listed.length === 0 ? [...faults, 'no type is left'] : faults };
}
