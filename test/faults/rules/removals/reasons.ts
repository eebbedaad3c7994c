import { parseDuration } from '../../../../lib/apis/formats/duration.ts';
import { MINUTE_MS, timeIn } from '../../../../lib/apis/formats/time.ts';
import type { Pod } from '../../../../lib/apis/kubernetes.ts';
import { allowsNoEviction, selectsPod } from '../../../../lib/core/cluster/pod-disruption-budgets.ts';
import { isActive, isDrainable, isKeptInPlace, isOwnedByDaemonSet } from '../../../../lib/core/cluster/pods.ts';
import { type Deletion, instanceOf, type NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import type { RuleOf, Watched } from '../../rule.ts';
import { LISTED_WITHIN_MS } from '../launches.ts';
import { nodeOf } from '../nodes.ts';
import { bindings } from '../pods.ts';

const RULE = 'a claim is deleted for a true reason';
const VOLUNTARY: ReadonlySet<string> = new Set(['empty', 'underutilized', 'drifted']);
/** A decision may be carried out this long after its snapshot. */
const DECIDED_BEFORE_MS = 3 * MINUTE_MS;
/** The clock of one function may be two minutes ahead, and that of another one two minutes behind. */
const CLOCKS_APART_MS = 4 * MINUTE_MS;

/** The reason of a deletion is true, and its deadline is that of the claim. */
export const deletionsAreTrue: RuleOf = (watched) => {
  const { violate, nowMs, story } = watched;
  const slackMs = story.faults.some(({ kind }) => kind === 'clocks') ? CLOCKS_APART_MS : 0;
  const bound = bindings(watched);
  return {
    step: bound.note,
    recordWritten(after, before) {
      const { deletion } = after;
      if (deletion === undefined || before === undefined || before.deletion !== undefined) return;
      const untilMs = nowMs() - DECIDED_BEFORE_MS - slackMs;
      const pods = podsOf(watched, after).filter((pod) => (bound.sinceMs(pod) ?? Infinity) < untilMs);
      for (const why of [
        whyUntrue(watched, after, slackMs),
        whyKept(watched, after, { pods, slackMs }),
        whyDeadline(after, deletion, slackMs / 2),
      ])
        if (why !== undefined) violate(RULE, `NodeClaim ${after.name}, ${deletion.reason}: ${why}`);
    },
  };
};

function whyUntrue({ simulation, story }: Watched, record: NodeClaimRecord, slackMs: number): string | undefined {
  if (record.deletion?.reason !== 'garbage_collected') return undefined;
  const id = instanceOf(record)?.id;
  const runs = simulation()
    .ec2.instances()
    .some((one) => one.id === id && one.endedAtMs === undefined);
  // EC2 lists an instance within three minutes. With clocks four minutes apart, this time cannot be kept.
  const isKnown = !story.faults.some((one) => one.kind === 'listed-late' && one.lagMs + slackMs > LISTED_WITHIN_MS);
  return runs && isKnown ? `its instance ${id} runs` : undefined;
}

/** Why voluntary disruption may not remove the node. `pods`: those that were on the node when it was decided. */
function whyKept(
  { simulation, startMs, nowMs }: Watched,
  { deletion, spec }: NodeClaimRecord,
  { pods, slackMs }: { readonly pods: readonly Pod[]; readonly slackMs: number },
): string | undefined {
  const reason = deletion?.reason ?? '';
  if (!VOLUNTARY.has(reason)) return undefined;
  // E5: drift waits for no pod if the node has a deadline.
  if (reason === 'drifted' && spec.terminationGracePeriod !== undefined) return undefined;
  const now = startMs() + nowMs();
  const podDisruptionBudgets = simulation().state.podDisruptionBudgets.filter(
    ({ metadata: { creationTimestamp } }) => (timeIn(creationTimestamp) ?? 0) < now - DECIDED_BEFORE_MS - slackMs,
  );
  const active = pods.filter((pod) => isActive(pod) && isDrainable(pod) && !isOwnedByDaemonSet(pod));
  const kept = active.find((pod) => isKeptInPlace(pod, now + slackMs) && isKeptInPlace(pod, now - slackMs));
  if (kept !== undefined) return `pod ${kept.metadata.name} must not be disrupted`;
  const held = active.find((pod) =>
    podDisruptionBudgets.some(
      (budget) =>
        allowsNoEviction(budget) && budget.spec.unhealthyPodEvictionPolicy !== 'AlwaysAllow' && selectsPod(budget, pod),
    ),
  );
  if (held !== undefined) return `no eviction of pod ${held.metadata.name} is ever allowed`;
  const [one] = active.filter(({ metadata }) => metadata.namespace !== 'kube-system');
  return reason === 'empty' && one !== undefined ? `pod ${one.metadata.name} is on its node` : undefined;
}

/**
 * A claim with a terminationGracePeriod ends in this time. If a user deletes its object, the time counts from the clock of the API server,
 * and that of the function may be behind.
 */
function whyDeadline(
  { spec }: NodeClaimRecord,
  { reason, requestedAtMs, deadlineMs }: Deletion,
  behindMs: number,
): string | undefined {
  const graceMs = spec.terminationGracePeriod === undefined ? undefined : parseDuration(spec.terminationGracePeriod);
  if (graceMs === undefined) return undefined;
  const fromMs = requestedAtMs + (reason === 'deleted' ? behindMs : 0);
  if (deadlineMs !== undefined && deadlineMs <= fromMs + graceMs) return undefined;
  return `its deadline is ${deadlineMs === undefined ? 'missing' : `${deadlineMs - requestedAtMs} ms away`}, and its terminationGracePeriod is ${graceMs} ms`;
}

function podsOf(watched: Watched, record: NodeClaimRecord): readonly Pod[] {
  const node = nodeOf(watched, record);
  if (node === undefined) return [];
  return [...watched.simulation().state.pods.values()].filter(({ spec }) => spec.nodeName === node.metadata.name);
}
