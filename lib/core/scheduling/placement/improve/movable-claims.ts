import { type Demand, suitsNewNode } from '../../pods/demand.ts';
import type { RequirementSet } from '../../pools/requirement-sets.ts';
import type { PoolTypeIndex } from '../../pools/type-index.ts';
import type { Run } from '../../run.ts';
import { hasRules } from '../../topology/allowance.ts';
import type { BacklogGroup } from '../backlog.ts';
import type { OpenClaim } from '../open-claim.ts';
import { isReplaceable } from './replace-claims.ts';

/** New claims of one pool with the same requirements. Each of their pods could be on any of them. */
export interface MovableClaims {
  readonly types: PoolTypeIndex;
  readonly set: RequirementSet;
  readonly claims: readonly OpenClaim[];
  /** The demands of the pods, in the order of the backlog. */
  readonly demands: readonly Demand[];
}

/**
 * The new claims whose pods can be exchanged: only the room, labels and taints of a node decide whether it can run them. Claims for reserved
 * capacity, and with minValues, are left out. *Cost:* O(classes of pods by claim).
 */
export function movableClaims(run: Run, backlog: readonly BacklogGroup[]): readonly MovableClaims[] {
  const movable = new Set(backlog.map(({ demand }) => demand).filter(isMovable));
  const markets = new Map<PoolTypeIndex, Map<RequirementSet, OpenClaim[]>>();
  for (const claim of run.claims) {
    if (!isMovableClaim(run, claim, movable)) continue;
    const ofPool = markets.get(claim.types) ?? new Map<RequirementSet, OpenClaim[]>();
    markets.set(claim.types, ofPool);
    const claims = ofPool.get(claim.set) ?? [];
    ofPool.set(claim.set, claims);
    claims.push(claim);
  }
  return [...markets].flatMap(([types, ofPool]) =>
    [...ofPool].map(([set, claims]) => {
      const used = new Set(claims.flatMap(({ demands }) => [...demands.keys()]));
      return { types, set, claims, demands: [...movable].filter((demand) => used.has(demand)) };
    }),
  );
}

function isMovable({ rules, hostCounters, countedBy, podClass, attachments, alternatives }: Demand): boolean {
  const isCounted = hasRules(rules) || hostCounters.length > 0 || countedBy.size > 0;
  const isPlain = podClass.ports.length === 0 && attachments.size === 0;
  return !isCounted && isPlain && alternatives.length === 1 && alternatives.every(suitsNewNode);
}

/** Whether each of its pods could be on any other claim with its requirements. A demand that no group has is relaxed. */
function isMovableClaim({ sets }: Run, claim: OpenClaim, movable: ReadonlySet<Demand>): boolean {
  if (!isReplaceable(claim)) return false;
  const { types, set, demands } = claim;
  return [...demands.keys()].every((demand) => {
    const asked = demand.alternatives[0]?.set;
    return movable.has(demand) && asked !== undefined && sets.join(types.set, asked) === set;
  });
}
