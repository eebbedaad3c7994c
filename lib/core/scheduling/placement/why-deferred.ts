import { counted, firstNames } from '../../../apis/counted.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import type { Demand } from '../pods/demand.ts';
import { has } from '../pools/bitset.ts';
import type { RequirementSet } from '../pools/requirement-sets.ts';
import type { Vector } from '../pools/resource-space.ts';
import type { PoolTypeIndex } from '../pools/type-index.ts';
import type { Run } from '../run.ts';
import type { Unplaced } from '../schedule.ts';
import { whyUnplaced } from './why-unplaced.ts';

/** B59: the reserved capacity for which a pod waits: the pool, and the requirements of the claim. */
export interface Deferral {
  readonly types: PoolTypeIndex;
  readonly set: RequirementSet;
}

/** One refusal for each pool, of the demands of which a node must meet one. B35: if a pod waits for reserved capacity of a pool, pools with lower weight are not tried. */
export function whyInNoPool(
  run: Run,
  demands: readonly Demand[],
  deferral: Deferral | undefined,
): Unplaced['refusals'] {
  const at = deferral === undefined ? run.pools.length : run.pools.indexOf(deferral.types);
  const heavier = run.pools.slice(0, at).map((types) => whyUnplaced(run, types, demands));
  if (deferral === undefined) return heavier;
  const nodePool = nameOf(deferral.types);
  const message = `the pod waits for reserved capacity of NodePool ${nodePool}, which has a higher weight`;
  const lighter = run.pools
    .slice(at + 1)
    .map((types) => ({ nodePool: nameOf(types), refusal: refusal(RESERVATION_EXHAUSTED, message) }));
  const deferred = demands.map((demand) => ({
    nodePool,
    refusal: whyNoInstance(deferral, demand.requests, 'the pod'),
  }));
  return [...heavier, ...deferred, ...lighter];
}

/** Why no instance of reserved capacity is free. @param who what waits for one */
export function whyNoInstance({ types, set }: Deferral, requests: Vector, who: 'the pod' | 'the new node'): Refusal {
  const roomy = types.fitting(requests);
  const wanted = types.selectionFor(set).reserved.filter(({ type }) => has(roomy, type));
  const instances = new Map(wanted.map(({ reservation }) => [reservation.id, reservation.instances]));
  const free = [...instances.values()].reduce((sum, one) => sum + one, 0);
  const of = firstNames([...instances.keys()].toSorted(), MAX_NAMED);
  const message =
    free === 0
      ? `only reserved capacity fits, and it has no free instance (${of}): ${who} waits for one`
      : `reserved capacity fits, but other claims use all of it (${counted(free, 'instance')} of ${of}): ${who} waits for the next run`;
  return refusal(RESERVATION_EXHAUSTED, message, { reservations: instances.size, instances: free });
}

const RESERVATION_EXHAUSTED = 'ReservationExhausted';
const MAX_NAMED = 3;

function nameOf({ template }: PoolTypeIndex): string {
  return template.nodePool.metadata.name;
}
