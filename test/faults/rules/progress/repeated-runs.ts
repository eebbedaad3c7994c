import { SECOND_MS } from '../../../../lib/apis/formats/time.ts';
import type { NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import { PortError } from '../../../../lib/ports/errors.ts';
import type { SimulatedInvocation } from '../../../../lib/simulator/aws/simulated-lambda.ts';
import { includesCall } from '../../../../lib/simulator/faults/fault.ts';
import type { RuleOf } from '../../rule.ts';
import { recordOf } from '../nodes.ts';

/** A queue collects messages for a second, and an invocation may begin a moment later. */
const DELIVERED_MS = 3 * SECOND_MS;
/** When a message is delivered again, by the number of its deliveries. After the last one, the tick follows. */
const PAUSES_MS: readonly number[] = [2 * SECOND_MS, 2 * SECOND_MS, 20 * SECOND_MS];
/** Faults of the messages themselves, and faults that end an invocation without an answer. */
export const UNANSWERED: ReadonlySet<string> = new Set([
  'messages',
  'cut-off',
  'calls-hang',
  'calls-slow',
  'table-steps',
]);

/** A run that fails is repeated within seconds: its messages are delivered again, and do not wait for the next tick (promise 7). */
export const failedRunsAreRepeated: RuleOf = ({ violate, nowMs, story }) => {
  if (story.faults.some(({ kind }) => UNANSWERED.has(kind))) return {};
  const running = new Map<string, Set<SimulatedInvocation>>();
  const awaited = new Map<string, { readonly sinceMs: number; readonly untilMs: number }>();
  return {
    began(invocation) {
      const { function: name } = invocation;
      awaited.delete(name);
      const all = running.get(name) ?? new Set();
      running.set(name, all.add(invocation));
      void invocation.ended.then(() => all.delete(invocation));
    },
    failed({ function: name, error, ofRun }) {
      if (ofRun === undefined || !(error instanceof PortError)) return;
      if (!error.retryable || error.message.startsWith('the run was abandoned')) return;
      const receives = Math.max(0, ...[...(running.get(name) ?? [])].map((one) => one.receives));
      const pauseMs = PAUSES_MS[receives];
      if (pauseMs === undefined) awaited.delete(name);
      else
        awaited.set(name, {
          sinceMs: nowMs(),
          untilMs: nowMs() + pauseMs + DELIVERED_MS,
        });
    },
    step() {
      for (const [name, { sinceMs, untilMs }] of awaited)
        if (nowMs() > untilMs)
          violate(
            'a failed run is repeated',
            `${name} has not run for ${(nowMs() - sinceMs) / SECOND_MS} s after a failure`,
          );
    },
  };
};

/** The functions whose runs are repeated after a conflict. Others decide anew. */
const REPEATING: ReadonlySet<string> = new Set(['lifecycle', 'termination']);
/** The pause after this many conflicts, in seconds a power of two, is longer than a minute: the next tick comes first. */
const LAST_CONFLICT = 6;
/** A chain of conflicts that is older than this is over. */
const CONFLICTS_MS = 64 * SECOND_MS + DELIVERED_MS;

/** How often a run was repeated after conflicts. The function counts those of records too, in its wakes. */
interface Repetition {
  readonly atMs: number;
  readonly conflicts: number;
}

/** A run that could not write a node because it had changed is repeated after a second, and after a longer pause for each further conflict. */
export const conflictsAreRepeated: RuleOf = (watched) => {
  const { violate, nowMs, story, simulation } = watched;
  const isSent = !story.faults.some(
    (one) => UNANSWERED.has(one.kind) || (one.kind === 'calls-fail' && includesCall(one.calls, 'messages.wake')),
  );
  // With each other conflict of the run, its pause doubles too.
  const isAlone = !story.faults.some((one) => one.kind === 'calls-fail' && one.error === 409 && one.percent > 50);
  if (!isSent || !isAlone) return {};
  /** The nodes that an invocation could not write, until it looks at them again. */
  const unwritten = new Map<object, Set<string>>();
  const repetitions = new Map<string, readonly Repetition[]>();
  const awaited = new Map<string, { readonly untilMs: number; readonly node: string }>();
  const recordOfNode = (name: string): NodeClaimRecord | undefined =>
    recordOf(watched, simulation().state.nodes.get(name)?.spec?.providerID);
  /** Nothing is written to the node of a released claim. */
  const isStillUsed = (name: string): boolean => {
    const record = recordOfNode(name);
    return record !== undefined && record.releasedAtMs === undefined;
  };
  const conflictsSince = (name: string, sinceMs: number): number =>
    Math.max(
      0,
      ...(repetitions.get(name) ?? []).filter(({ atMs }) => atMs >= sinceMs).map(({ conflicts }) => conflicts),
    );
  const noteEnd = (invocation: SimulatedInvocation, beganMs: number): void => {
    const { function: name } = invocation;
    const node = [...(unwritten.get(invocation) ?? [])].find(isStillUsed);
    unwritten.delete(invocation);
    if (node === undefined) return;
    const conflicts = conflictsSince(name, beganMs);
    if (conflicts === 0 && conflictsSince(name, nowMs() - CONFLICTS_MS) >= LAST_CONFLICT) return;
    const pauseMs = SECOND_MS * 2 ** Math.max(0, conflicts - 1);
    awaited.set(name, { untilMs: nowMs() + pauseMs + DELIVERED_MS, node });
  };
  return {
    began(invocation) {
      const { function: name } = invocation;
      awaited.delete(name);
      if (!REPEATING.has(name)) return;
      const beganMs = nowMs();
      void invocation.ended.then(() => noteEnd(invocation, beganMs));
    },
    call({ method, args: [target, wake] }) {
      if (method !== 'messages.wake' || typeof wake !== 'object' || wake === null || !('conflicts' in wake)) return;
      const name = String(target);
      const conflicts = Number(wake.conflicts);
      const before = conflictsSince(name, nowMs() - CONFLICTS_MS);
      if (conflicts > before + 1)
        violate('a conflict is followed by another run', `${name} counts ${conflicts} conflicts after ${before}`);
      const recent = (repetitions.get(name) ?? []).filter(({ atMs }) => nowMs() - atMs <= CONFLICTS_MS);
      repetitions.set(name, [...recent, { atMs: nowMs(), conflicts }]);
    },
    atNode(invocation, node, what) {
      if (!REPEATING.has(invocation.function)) return;
      const nodes = unwritten.get(invocation) ?? new Set<string>();
      unwritten.set(invocation, nodes);
      if (what === 'conflict') nodes.add(node);
      else nodes.delete(node);
    },
    // After a conflict, the run reads the record again. If it cannot, the claim has failed, and waits for its next poll.
    recordUnread(invocation, nodeClaim) {
      const nodes = unwritten.get(invocation);
      for (const node of nodes ?? []) if (recordOfNode(node)?.name === nodeClaim) nodes?.delete(node);
    },
    failed: ({ function: name, ofRun }) => void (ofRun === true && awaited.delete(name)),
    step() {
      for (const [name, { untilMs, node }] of awaited)
        if (nowMs() > untilMs)
          violate(
            'a conflict is followed by another run',
            `${name} has not run again after a conflict of node ${node}`,
          );
    },
  };
};
