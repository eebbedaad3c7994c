import type { Pod } from '../../../../apis/kubernetes.ts';
import type { Demand } from '../../pods/demand.ts';
import { has } from '../../pools/bitset.ts';
import { copyWithout, holdMinimum, type PoolLimits, typesWithin } from '../../pools/pool-limits.ts';
import type { RequirementSet } from '../../pools/requirement-sets.ts';
import type { PoolTypeIndex } from '../../pools/type-index.ts';
import type { Run } from '../../run.ts';
import type { BacklogGroup } from '../backlog.ts';
import { join, type OpenClaim, openClaim, typesFor } from '../open-claim.ts';
import { whyTooExpensive } from '../price-guard.ts';

/** A node of a type for these pods. */
export interface PlannedNode {
  readonly type: number;
  readonly pods: readonly (readonly [Demand, readonly Pod[]])[];
}

export function podsOn(claims: readonly OpenClaim[]): number {
  return claims.reduce((sum, { pods }) => sum + pods.length, 0);
}

/** Whether other claims can take the place of the claim: not for reserved capacity, and with minValues. */
export function isReplaceable({ types, reservations }: OpenClaim): boolean {
  return types.template.minValues.length === 0 && reservations === undefined;
}

/** The pods of the claims with these demands, in the order of the backlog. */
export function podsByDemand(
  claims: readonly OpenClaim[],
  demands: Iterable<Demand>,
  backlog: readonly BacklogGroup[],
): ReadonlyMap<Demand, Pod[]> {
  const onClaims = new Set(claims.flatMap(({ pods }) => pods));
  const wanted = new Set(demands);
  return new Map(
    backlog.flatMap(({ demand, pods }) =>
      wanted.has(demand) ? [[demand, pods.filter((pod) => onClaims.has(pod))] as const] : [],
    ),
  );
}

/** Opens claims for the nodes instead of the claims. Nothing changes if the limits or the price guard of the pool do not allow it. */
export function replaceClaims(
  run: Run,
  claims: readonly OpenClaim[],
  {
    types,
    set,
    nodes,
  }: { readonly types: PoolTypeIndex; readonly set: RequirementSet; readonly nodes: readonly PlannedNode[] },
): void {
  const { bestCells, prices } = types.selectionFor(set).market;
  const limits: PoolLimits = copyWithout(run.limits, claims);
  const guarded = claims.find((claim) => claim.guarded !== undefined)?.guarded;
  const opened: OpenClaim[] = [];
  for (const { type, pods: planned } of nodes) {
    const target = { type, cell: bestCells[type] ?? 0 };
    const claim = openClaim(run.nextHost(), types, { set, target, reservations: undefined, minValues: [], guarded });
    const within = typesWithin(limits, claim);
    if (within !== undefined && !has(within, type)) return;
    for (const [demand, pods] of planned) join(claim, demand, { set, pods, limits });
    if (whyTooExpensive(run, types, { ...claim, priceUsdPerHour: prices[type] ?? 0 }) !== undefined) return;
    holdMinimum(limits, claim, typesFor(claim, limits));
    opened.push(claim);
  }
  const replaced = new Set(claims);
  const kept = run.claims.filter((claim) => !replaced.has(claim));
  run.claims.splice(0, run.claims.length, ...kept, ...opened);
  for (const [pool, left] of limits) run.limits.set(pool, left);
}
