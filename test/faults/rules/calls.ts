import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { fieldOf, isRecord, recordOf } from '../../../lib/apis/record.ts';
import { POLL_MS } from '../../../lib/core/model/decision.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { includesCall } from '../../../lib/simulator/faults/fault.ts';
import type { PortCall } from '../../../lib/simulator/faults.ts';
import type { RuleOf } from '../rule.ts';

/**
 * More calls in a minute are a loop that does not wait. A claim whose node changes all the time is read and written again after pauses
 * that grow. The calls for a claim are those of two invocations, as MAX_WRITES: each step of a claim wakes all of them, and each reads the
 * nodes that drain.
 */
const MAX_CALLS = 3_000;
const MAX_CALLS_FOR_A_CLAIM = 200;
/**
 * Writes to one object in a minute: an action that fails, or that has no effect, is repeated after a pause. The limits are those
 * of two invocations at the same time: each of them polls every five seconds. A third one writes as often as each of them.
 */
const MAX_WRITES: Readonly<Record<string, number>> = {
  'cloud.launch': 30,
  'cloud.terminate': 30,
  'cloud.tagInstance': 25,
  'cluster.patchNode': 30,
  'cluster.deleteNode': 25,
  'cluster.deletePod': 25,
  'cluster.applyNodeClaim': 80,
  'cluster.removeNodeClaim': 25,
  'cluster.deleteNodeClaim': 30,
  'store.createNodeClaim': 45,
  'store.updateNodeClaim': 90,
  'store.updateNodeClaims': 40,
};
/**
 * After a conflict, a run tries these up to three times, so the calls that are sent have a higher limit than those that have an effect.
 * The deletions of a claim's objects are tried again with the writes of the claim. Other calls have a conflict only if a fault answers so.
 */
const TRIED_AGAIN = 3;
const CONFLICTING: ReadonlySet<string> = new Set([
  'cluster.patchNode',
  'cluster.applyNodeClaim',
  'cluster.deleteNode',
  'cluster.deleteNodeClaim',
  'store.updateNodeClaim',
  'store.updateNodeClaims',
]);
/**
 * Writes that each run of lifecycle or termination repeats while they are refused. A run decides for all deleted claims, and each step of any
 * of them is the reason for one more run of each invocation: a deletion wakes the function, and invocations that record the same
 * later step have a conflict.
 */
const IN_EACH_RUN: ReadonlySet<string> = new Set([
  'cluster.deleteNodeClaim',
  'cluster.removeNodeClaim',
  'cluster.deletePod',
]);
/** A decision stays open while one of these fails. */
const CLOSING = ['store.closeDecision', 'store.createNodeClaim', 'store.nominate'];
const REMOVAL_STEPS = [
  (record: NodeClaimRecord) => record.deletion,
  (record: NodeClaimRecord) => record.deletion?.drainStartedAtMs,
  (record: NodeClaimRecord) => record.deletion?.terminateRequestedAtMs,
  (record: NodeClaimRecord) => record.releasedAtMs,
] as const;
/** The calls of a minute in which nothing happens: four functions, with their reads. */
const MAX_IDLE_CALLS = 160;
/** A drain that a PodDisruptionBudget holds is tried every 20 seconds: it lists the pods of the node and evicts one. */
const MAX_CALLS_FOR_A_DRAIN = 6;
/** Writes of a cluster at rest: leases, and conditions that the minute changes. */
const IDLE_WRITES: ReadonlySet<string> = new Set(['leases.acquire', 'leases.release', 'leases.renew', 'messages.wake']);
/** A write that each tick repeats is seen at each look, also if a tick is late. */
const WRITTEN_WITHIN_MS = 75 * SECOND_MS;
/** F16: each tick publishes the refusals of pods that wait. */
const FOR_WAITING_PODS: ReadonlySet<string> = new Set(['messages.publish', 'cluster.publishEvent']);
/** While a drain is held, its evictions are tried again, and the nodes for its pods are nominated again by decisions. */
const FOR_HELD_DRAINS: ReadonlySet<string> = new Set([
  'cluster.evictPod',
  'store.nominate',
  'store.recordDecision',
  'store.closeDecision',
]);
const WRITTEN_OF_TICK_WITHIN_MS = 20 * SECOND_MS;
const WRITE =
  /^(store\.(create|update|record|close|start|end|nominate|set)|cluster\.(patch|delete|evict|nominate|apply|remove|publish)|cloud\.(launch|terminate|tag|name)|messages\.publish|catalogue\.(write|mark|learn))/;

/** The number of calls that functions send is limited, also for one object, and a cluster at rest makes few calls and writes nothing. */
export const callsAreFew: RuleOf = ({ violate, nowMs, startMs, story, records }) => {
  let [minute, calls, steps] = [-1, 0, 0];
  const byMethod = new Map<string, number>();
  const sent = new Map<string, number>();
  const written = new Map<string, number>();
  const writes: { readonly atMs: number; readonly method: string }[] = [];
  // Invocations whose clocks, messages or calls differ poll at different times, and each run of several arms the next one, until all
  // invocations run all the time.
  const areApart =
    story.invocations > 1 &&
    story.faults.some(
      (fault) =>
        fault.kind === 'clocks' ||
        fault.kind === 'table-steps' ||
        (fault.kind === 'messages' && fault.how === 'late') ||
        (fault.kind === 'calls-slow' && fault.upToMs > POLL_MS),
    );
  // Each run of the four functions repeats a decision that cannot be carried out or closed.
  const staysOpen = story.faults.some(
    (one) => one.kind === 'calls-fail' && CLOSING.some((method) => one.calls.includes(method)),
  );
  // Each wake starts two runs, and each conflict wakes again.
  const isTwice = story.faults.some((one) => one.kind === 'messages' && one.how === 'twice');
  // A run whose record cannot be written fails, and its messages are delivered again. It repeats the writes that come before the record.
  const areLost = story.faults.some((one) => one.kind === 'calls-fail' && one.calls.includes('store.updateNodeClaim'));
  const repeated = areLost ? 2 : 1;
  const hasConflicts = (method: string): boolean =>
    CONFLICTING.has(method) ||
    story.faults.some((one) => one.kind === 'calls-fail' && one.error === 409 && includesCall(one.calls, method));
  const invoked = Math.max(1, (3 * story.invocations) / 5);
  const callsForAClaim = MAX_CALLS_FOR_A_CLAIM * repeated * invoked;
  const times = invoked * (areApart ? 3 : 1) * repeated * (staysOpen ? 2 : 1) * (isTwice ? 2 : 1);
  const beginMinute = (): void => {
    const now = Math.floor(nowMs() / MINUTE_MS);
    if (now === minute) return;
    [minute, calls, steps] = [now, 0, 0];
    for (const counts of [byMethod, sent, written]) counts.clear();
  };
  const count = ({ method, args }: PortCall, counts: Map<string, number>, tries: number): void => {
    const limit = MAX_WRITES[method];
    if (limit === undefined) return;
    const object = `${method} of ${nameOf(args)}`;
    const number = (counts.get(object) ?? 0) + 1;
    counts.set(object, number);
    const more = IN_EACH_RUN.has(method) ? steps * story.invocations : 0;
    if (number > limit * times * tries + more)
      violate('no object is written again and again', `${object}: ${number} times in a minute`);
  };
  return {
    call(call) {
      beginMinute();
      count(call, written, 1);
    },
    sending(call) {
      beginMinute();
      const { method } = call;
      calls += 1;
      byMethod.set(method, (byMethod.get(method) ?? 0) + 1);
      count(call, sent, hasConflicts(method) ? TRIED_AGAIN : 1);
      if (WRITE.test(method) && !IDLE_WRITES.has(method)) writes.push({ atMs: nowMs(), method });
      if (calls < MAX_CALLS || calls % 100 > 0) return;
      const sinceMs = startMs() + nowMs() - MINUTE_MS;
      const claims = [...records.values()].filter(({ releasedAtMs = Infinity }) => releasedAtMs > sinceMs).length;
      if (calls > (MAX_CALLS + claims * callsForAClaim) * (areApart ? 2 : 1))
        violate(
          'no loop runs without waiting',
          `${calls} calls in a minute for ${claims} claims, most of ${most(byMethod)}`,
        );
    },
    recordWritten(after, before) {
      beginMinute();
      steps += REMOVAL_STEPS.filter(
        (at) => at(after) !== undefined && (before === undefined || at(before) === undefined),
      ).length;
    },
    unsettled() {
      if (isNeverAtRest(story.manifests.nodePools.map(({ spec }) => spec.template.spec.expireAfter))) return [];
      const drains = [...records.values()].filter(
        ({ deletion, releasedAtMs }) => deletion && releasedAtMs === undefined,
      );
      const isOfTick = (method: string): boolean =>
        FOR_WAITING_PODS.has(method) || (drains.length > 0 && FOR_HELD_DRAINS.has(method));
      const recent = writes
        .filter(
          ({ atMs, method }) => nowMs() - atMs < (isOfTick(method) ? WRITTEN_OF_TICK_WITHIN_MS : WRITTEN_WITHIN_MS),
        )
        .map(({ method }) => method);
      const allowed = MAX_IDLE_CALLS + drains.length * MAX_CALLS_FOR_A_DRAIN;
      const idle = calls > allowed ? [`${calls} calls in an idle minute, and ${allowed} are allowed`] : [];
      return [...new Set(recent)].map((method) => `${method} is called in a cluster at rest`).concat(idle);
    },
  };
};

/** The name of the object that a call is about: the second argument if the first names the cluster. */
function nameOf([first, second]: readonly unknown[]): string {
  if (Array.isArray(first)) return first.map((one) => nameOf([one])).join(', ');
  const object = typeof first === 'string' && typeof second === 'string' ? second : first;
  if (!isRecord(object)) return String(object);
  return String(fieldOf(recordOf(fieldOf(object, 'metadata')), 'name') ?? object['name'] ?? object['nodeClaim']);
}

function most(byMethod: ReadonlyMap<string, number>): string {
  return [...byMethod]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([method, count]) => `${method} (${count})`)
    .join(', ');
}

function isNeverAtRest(expireAfter: readonly (string | undefined)[]): boolean {
  return expireAfter.some((one) => one !== 'Never');
}
