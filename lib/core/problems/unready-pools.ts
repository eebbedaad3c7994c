import { firstNames } from '../../apis/counted.ts';
import { MINUTE_MS, timeIn } from '../../apis/formats/time.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { compareText } from '../compare-text.ts';
import type { NodeClaimRecord } from '../model/node-claim-record.ts';
import type { Schedule } from '../scheduling/schedule.ts';
import { MAX_NAMES, type Problem } from './problems.ts';

/** Each minute, NodeClasses are resolved again. A new policy or tag has its effect in a few minutes. */
const READY_WITHIN_MS = 10 * MINUTE_MS;

/**
 * The NodePools in use that have not been Ready for long, by their status. A NodePool without nodes, replicas and pods that need a node is
 * not one of them. *Shape:* one problem for all, with the message of the first one by name.
 */
export function unreadyPools(
  nodePools: readonly NodePool[],
  used: ReadonlySet<string>,
  nowMs: number,
): readonly Problem[] {
  const unready = nodePools.flatMap(({ metadata: { name, deletionTimestamp }, spec, status }) => {
    const isUsed = deletionTimestamp === undefined && (used.has(name) || (spec.replicas ?? 0) > 0);
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    if (!isUsed || ready === undefined || ready.status === 'True') return [];
    const ms = nowMs - (timeIn(ready.lastTransitionTime) ?? nowMs);
    return ms > READY_WITHIN_MS ? [{ name, minutes: Math.floor(ms / MINUTE_MS), message: ready.message ?? '' }] : [];
  });
  const sorted = unready.toSorted((a, b) => compareText(a.name, b.name));
  const [first] = sorted;
  if (first === undefined) return [];
  const names = sorted.map(({ name }) => name);
  return [
    {
      kind: 'NodePoolNotReady',
      message: `NodePool ${firstNames(names, MAX_NAMES)}: not Ready for ${first.minutes} minutes: ${first.message}`,
      numbers: { nodePools: names.length },
    },
  ];
}

/** The NodePools that have nodes, or will have them. */
export function poolsOfClaims(records: readonly NodeClaimRecord[]): ReadonlySet<string> {
  const active = records.filter(({ deletion, releasedAtMs }) => (deletion ?? releasedAtMs) === undefined);
  return new Set(active.map(({ nodePool }) => nodePool));
}

/** The NodePools that have refused pods for which there is no node. */
export function refusingPools({ unplaced }: Schedule): ReadonlySet<string> {
  return new Set(unplaced.flatMap(({ refusals }) => refusals.flatMap(({ nodePool }) => nodePool ?? [])));
}
