import { HOUR_MS, MINUTE_MS } from '../../../../lib/apis/formats/time.ts';
import { type Pod, podKey } from '../../../../lib/apis/kubernetes.ts';
import type { NodePool } from '../../../../lib/apis/node-pool.ts';
import { untoleratedTaint } from '../../../../lib/apis/taints.ts';
import type { DeletionReason, NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import { parseResources } from '../../../../lib/core/resources/resources.ts';
import type { RuleOf } from '../../rule.ts';

/** The snapshot of a decision is at most this old. */
const SNAPSHOT_MS = 3 * MINUTE_MS;
/** A mark may be read this long after its end, by another clock. */
const MARK_MS = 3 * MINUTE_MS;

/** Marks are read without strong consistency, and a record that cannot be read counts against the limits as its largest size. */
const UNKNOWN_ROOM: ReadonlySet<string> = new Set(['node-pool', 'stale-reads', 'unreadable-record']);

const NOT_REGISTERED: ReadonlySet<DeletionReason | undefined> = new Set([
  'launch_timeout',
  'registration_timeout',
] as const);
/** D8: a claim that did not register was launched at most so long before its deletion. */
const STARTS_WITHIN_MS = 15 * MINUTE_MS;

/**
 * B12: a pod gets a new node from the NodePool with the highest weight that can launch one. Only pods that fit on each type, in each zone, and
 * NodePools with no limit but that of their nodes are compared. A NodePool whose new nodes are for other pods too is not compared: pods share
 * the node of a pod that needs this NodePool, and such a node may be split. B71: neither is one that may come last because its instances do not register.
 */
export const heaviestPoolsComeFirst: RuleOf = ({ violate, simulation, records, nowMs, startMs, story }) => {
  if (story.faults.some(({ kind }) => UNKNOWN_ROOM.has(kind))) return {};
  const releasedMs = new Map<string, number>();
  let markedUntilMs = -Infinity;
  const isHeld = ({ name, releasedAtMs }: NodeClaimRecord): boolean =>
    releasedAtMs === undefined || nowMs() - (releasedMs.get(name) ?? -Infinity) < SNAPSHOT_MS;
  const hasRoom = ({ metadata: { name }, spec }: NodePool, created: readonly NodeClaimRecord[]): boolean => {
    const limits = parseResources(spec.limits);
    if (limits['cpu'] !== undefined) return false;
    const held = [...records.values()].filter((one) => one.nodePool === name && isHeld(one)).length;
    const news = created.filter((one) => one.nodePool === name).length;
    return held + news < (limits['nodes'] ?? Infinity);
  };
  return {
    recordWritten({ name, releasedAtMs }, before) {
      if (releasedAtMs !== undefined && before?.releasedAtMs === undefined) releasedMs.set(name, nowMs());
    },
    marked(marks) {
      markedUntilMs = Math.max(markedUntilMs, ...marks.map(({ untilMs }) => untilMs - startMs()));
    },
    replaced() {
      markedUntilMs = Infinity;
    },
    decisionRecorded({ controller, actions }) {
      if (controller !== 'provisioning' || nowMs() < markedUntilMs + MARK_MS) return;
      const created = actions.flatMap((one) => (one.kind === 'create-node-claim' ? [one.nodeClaim] : []));
      const { nodePools, pods: existing } = simulation().state;
      const podsOf = ({ pods: keys }: NodeClaimRecord): readonly Pod[] | undefined => {
        const pods = [...existing.values()].filter((pod) => keys.includes(podKey(pod)));
        return pods.length === keys.length && pods.every(isPlain) ? pods : undefined;
      };
      const forOthers = new Set(created.flatMap((one) => (podsOf(one) === undefined ? [one.nodePool] : [])));
      for (const claim of created) {
        const { name, nodePool } = claim;
        const own = nodePools.get(nodePool);
        const pods = podsOf(claim) ?? [];
        if (own === undefined || pods.length === 0 || forOthers.has(nodePool)) continue;
        const heavier = [...nodePools.values()].find(
          (one) =>
            weightOf(one) > weightOf(own) &&
            !mayComeLast(one, [...records.values()], startMs() + nowMs()) &&
            pods.every(
              ({ spec }) => untoleratedTaint(one.spec.template.spec.taints ?? [], spec.tolerations) === undefined,
            ) &&
            hasRoom(one, created),
        );
        if (heavier !== undefined)
          violate(
            'the NodePool with the highest weight comes first',
            `NodeClaim ${name} is of ${nodePool}, and ${heavier.metadata.name} has a higher weight and room`,
          );
      }
    },
  };
};

/** B71: at least two claims did not register, and none did since the last of them was launched, until the longest pause and the next try are over. */
function mayComeLast({ metadata }: NodePool, records: readonly NodeClaimRecord[], atMs: number): boolean {
  const own = records.filter(({ nodePool }) => nodePool === metadata.name);
  const failures = own.filter(
    ({ registeredAtMs, deletion }) => registeredAtMs === undefined && NOT_REGISTERED.has(deletion?.reason),
  );
  const lastMs = Math.max(...failures.map(({ deletion }) => deletion?.requestedAtMs ?? -Infinity));
  const hasRegistered = own.some(
    ({ registeredAtMs = Infinity }) =>
      registeredAtMs >= lastMs - STARTS_WITHIN_MS && registeredAtMs < atMs - SNAPSHOT_MS,
  );
  const isStarting = own.some(({ registeredAtMs, deletion }) => (registeredAtMs ?? deletion) === undefined);
  return failures.length >= 2 && !hasRegistered && (isStarting || atMs < lastMs + HOUR_MS + SNAPSHOT_MS);
}

function weightOf({ spec }: NodePool): number {
  return spec.weight ?? 0;
}

/** Whether the pod may run in any zone, beside any pod. */
function isPlain({ spec, metadata }: Pod): boolean {
  const { topologySpreadConstraints, nodeSelector, volumes, affinity } = spec;
  return (
    metadata.namespace !== 'kube-system' &&
    (topologySpreadConstraints ?? nodeSelector ?? volumes ?? affinity) === undefined
  );
}
