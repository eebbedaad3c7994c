import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { Node } from '../../../lib/apis/kubernetes.ts';
import { instanceOf, type NodeClaimRecord, providerIdOf } from '../../../lib/core/model/node-claim-record.ts';
import { add, larger, parseResources, type Resources } from '../../../lib/core/resources/resources.ts';
import type { RuleOf } from '../rule.ts';

/** A decision may be carried out this long after a limit was lowered. */
const DECIDED_BEFORE_MS = 3 * MINUTE_MS;

/**
 * No write makes the usage of a NodePool grow beyond its limits. Launches in progress count as their largest option (promise 2).
 * Claims that lost their node, and claims that are being deleted or whose Node is, do not count: their replacements are launched
 * before they end (B7). A claim that was not requested from EC2 in 10 minutes does not count either. The adoption of an instance that runs already is allowed, and counts for the writes after it.
 */
export const limitsHold: RuleOf = ({ violate, records, simulation, nowMs, startMs }) => {
  const earlierLimits = new Map<string, { readonly atMs: number; readonly limits: Resources }[]>();
  /** The highest limit of the last minutes for each resource. One that had no limit meanwhile has none yet. */
  const limitsOf = (pool: string): Resources => {
    const known = earlierLimits.get(pool) ?? [];
    earlierLimits.set(pool, known);
    const stored = simulation().state.nodePools.get(pool);
    const limits = parseResources(stored?.spec.limits ?? {});
    // A deleted NodePool keeps its limits.
    if (stored !== undefined && JSON.stringify(known.at(-1)?.limits) !== JSON.stringify(limits))
      known.push({ atMs: nowMs(), limits });
    const recent = known.filter((_, at) => nowMs() - (known[at + 1]?.atMs ?? nowMs()) < DECIDED_BEFORE_MS);
    const resources = Object.keys(recent.at(-1)?.limits ?? {});
    const highest = (resource: string): number => Math.max(...recent.map((one) => one.limits[resource] ?? Infinity));
    return Object.fromEntries(resources.map((resource) => [resource, highest(resource)]));
  };
  /** A node that was lost may return after its replacement was launched: only a write before a launch buys more. */
  const returnedMs = new Map<string, number>();
  /** A decision that was made before an adoption may be carried out after it. */
  const adoptedMs = new Map<string, number>();
  const checkHolds = ({ name, holds, types }: NodeClaimRecord): void => {
    const largest = types.reduce<Resources>((most, { capacity }) => larger(most, capacity), {});
    for (const resource of ['cpu', 'memory'])
      if ((holds[resource] ?? 0) < (largest[resource] ?? 0))
        violate(
          'a launch in progress counts as its largest option',
          `NodeClaim ${name} counts ${holds[resource]} of ${resource}, and its largest type has ${largest[resource]}`,
        );
  };
  return {
    recordWritten(after, earlier) {
      if (earlier?.nodeLostAtMs !== undefined && after.nodeLostAtMs === undefined) returnedMs.set(after.name, nowMs());
      if (isAdopted(after, earlier)) adoptedMs.set(after.name, nowMs());
      if (isAdopted(after, earlier) || earlier?.launch.kind === 'launched') return;
      if (earlier === undefined) checkHolds(after);
      const pool = after.nodePool;
      const deleting = deletingNodes(simulation().state.nodes.values());
      const others = [...records.values()].filter(
        (one) =>
          one.nodePool === pool &&
          one.name !== after.name &&
          !isGivenUp(one, startMs() + nowMs()) &&
          // A decision that was made while its node was lost may be carried out after the node has returned.
          nowMs() - (returnedMs.get(one.name) ?? adoptedMs.get(one.name) ?? -Infinity) > DECIDED_BEFORE_MS,
      );
      const usage = usageOf([...others, after], deleting);
      const before = usageOf(earlier === undefined ? others : [...others, earlier], deleting);
      for (const [resource, limit] of Object.entries(limitsOf(pool))) {
        const used = usage[resource] ?? 0;
        if (used > limit && used > (before[resource] ?? 0))
          violate(
            'limits are never exceeded',
            `NodePool ${pool} uses ${used} of ${resource}, and its limit is ${limit}`,
          );
      }
    },
    replaced() {
      // A decision that was made before a restore of the table may be carried out after it.
      for (const name of records.keys()) adoptedMs.set(name, nowMs());
    },
    step() {
      for (const pool of simulation().state.nodePools.keys()) limitsOf(pool);
    },
  };
};

/** A record of an instance that runs already, as after the table was restored from a backup. */
function isAdopted({ launch }: NodeClaimRecord, earlier: NodeClaimRecord | undefined): boolean {
  return earlier === undefined && launch.kind === 'launched';
}

/** Provisioning gives up a claim after twelve minutes, and a clock may be two minutes ahead. */
const GIVEN_UP_MS = 10 * MINUTE_MS;

function isGivenUp({ launch, createdAtMs }: NodeClaimRecord, atMs: number): boolean {
  return (launch.kind === 'planned' || launch.kind === 'refused') && atMs > createdAtMs + GIVEN_UP_MS;
}

/** The provider ids of Nodes that are being deleted. The deletion of their claims may not be recorded yet, or again. */
function deletingNodes(nodes: Iterable<Node>): ReadonlySet<string> {
  const deleting = [...nodes].filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  return new Set(deleting.flatMap(({ spec }) => spec?.providerID ?? []));
}

function usageOf(claims: readonly NodeClaimRecord[], deleting: ReadonlySet<string>): Resources {
  const counted = claims.filter((claim) => {
    const instance = instanceOf(claim);
    const isDeleting = instance !== undefined && deleting.has(providerIdOf(instance));
    return !isDeleting && (claim.releasedAtMs ?? claim.deletion ?? claim.nodeLostAtMs) === undefined;
  });
  return add(...counted.map((claim) => ({ ...largestOf(claim), nodes: 1 })));
}

/** The capacity of the instance; before it is launched, the largest of what it may become. */
function largestOf({ launch, types, holds }: NodeClaimRecord): Resources {
  const named = launch.kind === 'launched' ? types.filter(({ name }) => name === launch.instance.instanceType) : types;
  const { cpu, memory } = named.reduce<Resources>((most, { capacity }) => larger(most, capacity), {});
  return { cpu: cpu ?? holds['cpu'] ?? 0, memory: memory ?? holds['memory'] ?? 0 };
}
