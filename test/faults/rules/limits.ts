import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { add, larger, parseResources, type Resources } from '../../../lib/core/resources/resources.ts';
import type { RuleOf } from '../watch.ts';

/** A decision may be carried out this long after a limit was lowered. */
const DECIDED_BEFORE_MS = 3 * MINUTE_MS;

/**
 * The usage of a NodePool never grows beyond its limits. Launches in progress count as their largest option (promise 2). Claims
 * that are being deleted, or lost their node, do not count: their replacements are launched before they end (B7).
 */
export const limitsHold: RuleOf = ({ violate, records, simulation, nowMs }) => {
  const usageBefore = new Map<string, Resources>();
  const earlierLimits = new Map<string, { readonly atMs: number; readonly limits: Resources }[]>();
  /** The highest limit of the last minutes for each resource. */
  const limitsOf = (pool: string): Resources => {
    const now = simulation().state.nodePools.get(pool)?.spec.limits;
    const known = earlierLimits.get(pool) ?? [];
    const last = known.at(-1);
    const limits = parseResources(now ?? {});
    if (now === undefined && last === undefined) return {};
    if (last === undefined || JSON.stringify(last.limits) !== JSON.stringify(limits))
      known.push({ atMs: nowMs(), limits });
    earlierLimits.set(pool, known);
    const recent = known.filter((_, at) => nowMs() - (known[at + 1]?.atMs ?? nowMs()) < DECIDED_BEFORE_MS);
    return recent.reduce<Resources>((most, one) => larger(most, one.limits), {});
  };
  return {
    recordWritten(after) {
      const pool = after.nodePool;
      const usage = usageOf(
        [...records.values()].filter(
          (one) => one.nodePool === pool && (one.releasedAtMs ?? one.deletion ?? one.nodeLostAtMs) === undefined,
        ),
      );
      const before = usageBefore.get(pool) ?? {};
      usageBefore.set(pool, usage);
      for (const [resource, limit] of Object.entries(limitsOf(pool))) {
        const used = usage[resource] ?? 0;

        if (used > limit && used > (before[resource] ?? 0))
          violate(
            'limits are never exceeded',
            `NodePool ${pool} uses ${used} of ${resource}, and its limit is ${limit}`,
          );
      }
    },
    step() {
      for (const pool of simulation().state.nodePools.keys()) limitsOf(pool);
    },
  };
};

function usageOf(claims: readonly NodeClaimRecord[]): Resources {
  return add(...claims.map((claim) => ({ ...largestOf(claim), nodes: 1 })));
}

/** The capacity of the instance; before it is launched, the largest of what it may become. */
function largestOf({ launch, types, holds }: NodeClaimRecord): Resources {
  const named = launch.kind === 'launched' ? types.filter(({ name }) => name === launch.instance.instanceType) : types;
  const { cpu, memory } = named.reduce<Resources>((most, { capacity }) => larger(most, capacity), {});
  return { cpu: cpu ?? holds['cpu'] ?? 0, memory: memory ?? holds['memory'] ?? 0 };
}
