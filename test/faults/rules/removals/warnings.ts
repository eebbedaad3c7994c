import { MINUTE_MS, SECOND_MS } from '../../../../lib/apis/formats/time.ts';
import { instanceOf } from '../../../../lib/core/model/node-claim-record.ts';
import type { Fault } from '../../../../lib/simulator/faults/fault.ts';
import type { RuleOf } from '../../rule.ts';
import { isEventIgnored } from '../standby.ts';

/** EC2 ends the instance this long after its warning. */
const WARNING_MS = 2 * MINUTE_MS;
/** The event is delivered again at the latest after 15 s. */
const HANDLED_WITHIN_MS = 30 * SECOND_MS;
/** A claim whose launch was recorded this long before the warning is found by its instance. */
const RECORDED_MS = 2 * MINUTE_MS;

/** A spot warning deletes the claim of its instance, and its drain begins at once (promise 7), although other calls fail. */
export const warningsAreHandled: RuleOf = ({ violate, records, simulation, nowMs, startMs, story, objectOf }) => {
  const recordedAt = new Map<string, number>();
  const terminated = new Set<string>();
  const ended = new Set<string>();
  const isUsable = !story.faults.some(({ kind }) => UNKNOWN.has(kind));
  return {
    terminating: (_, id) => void terminated.add(id),
    recordWritten(after) {
      const id = instanceOf(after)?.id;
      if (id !== undefined && !recordedAt.has(id)) recordedAt.set(id, nowMs());
    },
    step() {
      if (!isUsable) return;
      for (const { id, endedAtMs, capacityType, nodeClaim } of simulation().ec2.instances()) {
        if (endedAtMs === undefined || ended.has(id)) continue;
        ended.add(id);
        const warnedMs = endedAtMs - startMs() - WARNING_MS;
        const isVolley = story.faults.some(({ kind, fromMs }) => kind === 'spot-volley' && fromMs === warnedMs);
        if (!isVolley || capacityType !== 'spot' || terminated.has(id)) continue;
        // Kerf finds the owner of an instance by its tags.
        if (nodeClaim === '') continue;
        if (isEventIgnored(story.faults, warnedMs)) continue;
        // A record that cannot be read or written.
        if (story.faults.some((fault) => objectOf(fault) === nodeClaim)) continue;
        if ((recordedAt.get(id) ?? Infinity) > warnedMs - RECORDED_MS) continue;
        const { deletion } = records.get(nodeClaim) ?? {};
        const isBy = (dueMs: number, atMs: number = Infinity): boolean => dueMs > nowMs() || atMs - startMs() <= dueMs;
        if (
          !isBy(undisturbedFrom(story.faults, warnedMs, isOfInterruption) + HANDLED_WITHIN_MS, deletion?.requestedAtMs)
        )
          violate(
            'a spot warning deletes the claim',
            `NodeClaim ${nodeClaim}: its instance ${id} ended without a drain`,
          );
        else if (!isBy(undisturbedFrom(story.faults, warnedMs) + HANDLED_WITHIN_MS, deletion?.drainStartedAtMs))
          violate('a spot warning begins a drain', `NodeClaim ${nodeClaim}: at ${deletion?.drainStartedAtMs}`);
      }
    },
  };
};

/** After these faults it is not known when the event is delivered, or which record the claim has. */
const UNKNOWN: ReadonlySet<Fault['kind']> = new Set([
  'messages',
  'clocks',
  'cut-off',
  'calls-slow',
  'calls-hang',
  'table-steps',
  'restore-table',
  'other-version',
]);

/** When the last failure of these calls during the warning ends. @param isNeeded @default of any call */
function undisturbedFrom(
  faults: readonly Fault[],
  warnedMs: number,
  isNeeded: (call: string) => boolean = () => true,
): number {
  return faults
    .filter((fault) => fault.kind === 'calls-fail' && fault.calls.some(isNeeded))
    .filter(({ fromMs, forMs }) => fromMs < warnedMs + WARNING_MS && fromMs + forMs > warnedMs)
    .reduce((latest, { fromMs, forMs }) => Math.max(latest, fromMs + forMs), warnedMs);
}

function isOfInterruption(call: string): boolean {
  return call === '*' || call.startsWith('store.') || call.startsWith('messages.');
}
