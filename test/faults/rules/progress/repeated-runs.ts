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
const UNANSWERED: ReadonlySet<string> = new Set(['messages', 'cut-off', 'calls-hang', 'calls-slow', 'table-steps']);

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
      else awaited.set(name, { sinceMs: nowMs(), untilMs: nowMs() + pauseMs + DELIVERED_MS });
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
/** After this many conflicts, the next tick comes first. */
const LAST_CONFLICT = 5;
/** With one more conflict, the pause doubles, until the tick comes first. */
const CONFLICTS_MS = 64 * SECOND_MS;

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
  const endedMs = new Map<string, number[]>();
  const awaited = new Map<string, { readonly untilMs: number; readonly node: string }>();
  const recordOfNode = (name: string): NodeClaimRecord | undefined =>
    recordOf(watched, simulation().state.nodes.get(name)?.spec?.providerID);
  /** Nothing is written to the node of a released claim. */
  const isStillUsed = (name: string): boolean => {
    const record = recordOfNode(name);
    return record !== undefined && record.releasedAtMs === undefined;
  };
  const noteEnd = (invocation: SimulatedInvocation): void => {
    const { function: name } = invocation;
    const node = [...(unwritten.get(invocation) ?? [])].find(isStillUsed);
    unwritten.delete(invocation);
    if (node === undefined) return;
    const recent = (endedMs.get(name) ?? []).filter((atMs) => nowMs() - atMs < CONFLICTS_MS);
    endedMs.set(name, [...recent, nowMs()]);
    if (recent.length < LAST_CONFLICT)
      awaited.set(name, { untilMs: nowMs() + SECOND_MS * 2 ** recent.length + DELIVERED_MS, node });
  };
  return {
    began(invocation) {
      const { function: name } = invocation;
      awaited.delete(name);
      if (!REPEATING.has(name)) return;
      void invocation.ended.then(() => noteEnd(invocation));
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
