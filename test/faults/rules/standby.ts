import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { type Fault, includesCall } from '../../../lib/simulator/faults/fault.ts';
import type { RuleOf } from '../rule.ts';

/** A run that began before the sign of the other autoscaler may last this long. */
const RUN_MS = MINUTE_MS + 5 * SECOND_MS;

const READ = 'cluster.findOtherAutoscalers';

/** Two ticks. */
const TICKS_MS = 2 * MINUTE_MS;

/** While another autoscaler is active, nothing is launched, evicted, terminated or changed. */
export const standbyDoesNothing: RuleOf = ({ violate, nowMs, story }) => {
  // A run that waits for a slow call is abandoned, and continues until its call is answered.
  const isSlow = story.faults.some(({ kind }) => ['calls-slow', 'calls-hang', 'table-steps'].includes(kind));
  // The last answer is used for some minutes.
  const isUnread = story.faults.some((one) => one.kind === 'calls-fail' && includesCall(one.calls, READ));
  const windows = isSlow || isUnread ? [] : story.faults.filter(({ kind }) => kind === 'other-autoscaler');
  // A restored table says again that Kerf is not on standby, until the next run reads the other autoscaler.
  let replacedMs = -Infinity;
  const isOn = (): boolean =>
    nowMs() > replacedMs + RUN_MS &&
    windows.some(({ fromMs, forMs }) => nowMs() > fromMs + RUN_MS && nowMs() < fromMs + forMs);
  const rule = 'nothing is changed on standby';
  const check = (what: string): void => {
    if (windows.length > 0 && isOn()) violate(rule, what);
  };
  return {
    replaced() {
      replacedMs = nowMs();
    },
    launching: ({ nodeClaim }) => check(`an instance of NodeClaim ${nodeClaim} was to be launched`),
    terminating: (_, id) => check(`instance ${id} was to be terminated`),
    evicting: ({ name }) => check(`pod ${name} was to be evicted`),
    deletingPod: ({ name }) => check(`pod ${name} was to be deleted`),
    patchingNode: ({ name }) => check(`node ${name} was to be patched`),
    decisionRecorded: ({ id }) => check(`decision ${id} was recorded`),
    recordWritten({ name, deletion }, before) {
      if (before !== undefined && before.deletion === undefined && deletion !== undefined)
        check(`NodeClaim ${name} was deleted: ${deletion.reason}`);
    },
  };
};

/**
 * Whether an event of EC2 for an instance may be ignored, because Kerf is on standby within the two minutes after it. Standby ends with
 * the second tick after the other autoscaler has gone, or after the last failure of the API server that begins until then: a run that
 * cannot read other autoscalers renews it.
 */
export function isEventIgnored(faults: readonly Fault[], atMs: number): boolean {
  const failing = faults.filter((one) => one.kind === 'calls-fail' && includesCall(one.calls, READ));
  return faults.some(({ kind, fromMs, forMs }) => {
    if (kind !== 'other-autoscaler' || atMs <= fromMs - TICKS_MS) return false;
    const unsureUntilMs = failing
      .filter((one) => one.fromMs <= fromMs + forMs + TICKS_MS)
      .map((one) => one.fromMs + one.forMs);
    return atMs < Math.max(fromMs + forMs, ...unsureUntilMs) + TICKS_MS;
  });
}

const CHANGE = /^(cloud\.(launch|terminate|tag)|cluster\.(patch|delete|evict|apply|remove))/;

/** Of two deployments for a cluster, only the one that holds it acts. */
export const oneDeploymentActs: RuleOf = ({ violate }) => ({
  secondCall({ method }) {
    if (CHANGE.test(method)) violate('one deployment acts', `the second deployment called ${method}`);
  },
});
