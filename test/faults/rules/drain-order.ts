import { MINUTE_MS, SECOND_MS, timeIn } from '../../../lib/apis/formats/time.ts';
import type { Pod } from '../../../lib/apis/kubernetes.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { graceDeadlineMs } from '../../../lib/core/node-claim/grace-deadline.ts';
import type { RuleOf } from '../rule.ts';
import { recordOf } from './nodes.ts';
import { bindings, isDrainable, tierOf } from './pods.ts';

/** A pod that was bound while a run listed the pods is drained by the next run. */
const LISTED_MS = MINUTE_MS;
/** A forced deletion takes effect this long after its grace period was calculated. */
const SENT_MS = 3 * SECOND_MS;

/** A drain does not wait for a pod that should have ended three minutes ago, by a clock that may be two minutes ahead (D21). */
const ENDED_MS = MINUTE_MS - 10 * SECOND_MS;

/**
 * Pods leave a node tier by tier, each after the earlier one is gone (D20), and a forced deletion leaves a pod no more time than its node
 * has, and one that already ends no less (D24). The API server counts a grace period from the first deletion.
 */
export const drainsAreOrdered: RuleOf = (watched) => {
  const { violate, simulation, nowMs, startMs, story } = watched;
  const bound = bindings(watched);
  const isSlow = story.faults.some(({ kind }) => kind === 'calls-slow' || kind === 'calls-hang' || kind === 'clocks');
  const isStuck = ({ metadata }: Pod): boolean =>
    startMs() + nowMs() - (timeIn(metadata.deletionTimestamp) ?? Infinity) > ENDED_MS;
  const onNode = (nodeName: string | undefined): NodeClaimRecord | undefined =>
    recordOf(watched, simulation().state.nodes.get(nodeName ?? '')?.spec?.providerID);
  return {
    step: bound.note,
    evicting(target) {
      const { pods } = simulation().state;
      const pod = pods.get(`${target.namespace}/${target.name}`);
      if (pod === undefined || pod.metadata.uid !== target.uid) return;
      const earlier = [...pods.values()].find(
        (one) =>
          one.spec.nodeName === pod.spec.nodeName &&
          tierOf(one) < tierOf(pod) &&
          isDrainable(one) &&
          !isStuck(one) &&
          nowMs() - (bound.sinceMs(one) ?? nowMs()) > LISTED_MS,
      );
      if (earlier !== undefined)
        violate(
          'pods leave a node in the order of their tiers',
          `pod ${target.name} was to be evicted before pod ${earlier.metadata.name}`,
        );
    },
    deletingPod(target, graceSeconds) {
      const pod = simulation().state.pods.get(`${target.namespace}/${target.name}`);
      const record = onNode(pod?.spec.nodeName);
      if (pod === undefined || record?.deletion?.deadlineMs === undefined || isSlow) return;
      const { deadlineMs } = record.deletion;
      const nowIsMs = startMs() + nowMs();
      const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
      const endMs = timeIn(deletionTimestamp);
      const sinceMs = endMs === undefined ? nowIsMs : endMs - deletionGracePeriodSeconds * SECOND_MS;
      const endsMs = sinceMs + graceSeconds * SECOND_MS;
      const what = `pod ${target.name} gets ${graceSeconds} s since ${sinceMs - startMs()} ms`;
      // After the deadline, the kubelet has one more second.
      const overMs = endsMs - Math.max(latestDeadlineMs(record, nowIsMs), nowIsMs + SECOND_MS);
      if (overMs > SENT_MS)
        violate('a forced deletion ends by the deadline', `${what}, which is ${overMs} ms more than its node has`);
      const lessMs = deadlineMs - endsMs;
      if (endMs !== undefined && lessMs > SENT_MS)
        violate('a pod that ends keeps its time', `${what}, which is ${lessMs} ms less than its node has`);
    },
  };
};

/** Of a run that may have read the record before a repair set the deadline to now. */
function latestDeadlineMs({ deletion, spec }: NodeClaimRecord, atMs: number): number {
  const { deadlineMs = Infinity, requestedAtMs } = deletion ?? {};
  if (requestedAtMs === undefined || atMs - deadlineMs > SENT_MS) return deadlineMs;
  return Math.max(deadlineMs, graceDeadlineMs(spec, requestedAtMs) ?? Infinity);
}
