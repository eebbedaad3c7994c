import { firstNames } from '../../../apis/counted.ts';
import { optional } from '../../../apis/optional.ts';
import type { EndDisruption, NodeToDelete } from '../../model/decision.ts';
import type { PastMove } from '../../model/disruption/past-move.ts';
import { toMicros } from '../../usd-per-hour.ts';
import { priceOf } from '../cost.ts';

const MAX_NAMES = 3;

/**
 * The end of a command of which deletions were refused: it names them, and only what was done counts. *Shape:* rejected if no node is
 * deleted; the same object if nothing was refused. @param refusals the messages of the refusals, by NodeClaim
 */
export function withoutRefused(end: EndDisruption, refusals: ReadonlyMap<string, string>): EndDisruption {
  const { deletes = [], savingUsdPerHour, moved, ...rest } = end;
  const refused = deletes.flatMap(({ nodeClaim, node }) => {
    const message = refusals.get(nodeClaim);
    return message === undefined ? [] : [{ nodeClaim, node, message }];
  });
  const [first] = refused;
  if (first === undefined) return end;
  const names = refused.map(({ node }) => node);
  const why = `the deletion of ${firstNames(names, MAX_NAMES)} was refused: ${first.message}`;
  if (refused.length === deletes.length) return { ...rest, outcome: 'rejected', why, refused };
  const kept = deletes.filter(({ nodeClaim }) => refusals.has(nodeClaim));
  const saving = savingUsdPerHour === undefined ? undefined : toMicros(savingUsdPerHour - priceOf(kept));
  return {
    ...rest,
    why: `${end.why}; ${why}`,
    deletes: deletes.filter((one) => !kept.includes(one)),
    refused,
    ...optional({ savingUsdPerHour: saving, moved: moved && withoutEvictions(moved, kept) }),
  };
}

function withoutEvictions(moved: PastMove, kept: readonly NodeToDelete[]): PastMove {
  const evicted = Object.entries(moved.evicted).flatMap(([workload, pods]) => {
    const left = pods - kept.reduce((sum, one) => sum + (one.evicted[workload] ?? 0), 0);
    return left > 0 ? [[workload, left] as const] : [];
  });
  return { ...moved, evicted: Object.fromEntries(evicted) };
}
