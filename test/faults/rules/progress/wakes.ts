import { SECOND_MS } from '../../../../lib/apis/formats/time.ts';
import { type Fault, includesCall } from '../../../../lib/simulator/faults/fault.ts';
import type { RuleOf } from '../../rule.ts';
import { UNANSWERED } from './repeated-runs.ts';

/** A run sends the last of its wakes at its end, and a queue collects messages for a second. */
const WOKEN_WITHIN_MS = 20 * SECOND_MS;

/** Deleted claims are drained, and their pods planned for; a released claim no longer counts in limits and budgets (promise 7). */
export const writtenClaimsWake: RuleOf = ({ violate, nowMs, story }) => {
  if (story.faults.some(losesWakes)) return {};
  /** By function: since when it is to run, and for what. */
  const awaited = new Map<string, { readonly sinceMs: number; readonly why: string }>();
  const awaitAll = (functions: readonly string[], why: string): void => {
    for (const name of functions) if (!awaited.has(name)) awaited.set(name, { sinceMs: nowMs(), why });
  };
  return {
    began: ({ function: name }) => void awaited.delete(name),
    recordWritten(after, before) {
      if (before === undefined) return;
      const { name, deletion, releasedAtMs } = after;
      if (releasedAtMs !== undefined) {
        if (before.releasedAtMs === undefined)
          awaitAll(['provisioning', 'disruption'], `the release of NodeClaim ${name}`);
      } else if (deletion !== undefined && before.deletion === undefined)
        awaitAll(['termination', 'provisioning'], `the deletion of NodeClaim ${name}`);
    },
    step() {
      for (const [name, { sinceMs, why }] of awaited)
        if (nowMs() - sinceMs > WOKEN_WITHIN_MS)
          violate(
            'a written claim wakes functions',
            `${name} has not run for ${WOKEN_WITHIN_MS / SECOND_MS} s after ${why}`,
          );
    },
  };
};

/** Whether wakes are not sent, or the function that has written a claim does not learn it, and sends none. */
function losesWakes(fault: Fault): boolean {
  if (fault.kind === 'restore-table' || fault.kind === 'other-version') return true;
  if (fault.kind !== 'calls-fail') return UNANSWERED.has(fault.kind);
  const isUnlearned = fault.where === 'after' && includesCall(fault.calls, 'store.updateNodeClaim');
  return isUnlearned || includesCall(fault.calls, 'messages.wake');
}
