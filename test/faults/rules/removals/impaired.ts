import { MINUTE_MS, SECOND_MS } from '../../../../lib/apis/formats/time.ts';
import { instanceOf, type NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import type { Rule, RuleOf } from '../../rule.ts';
import { LIFECYCLE, progressOf } from '../progress/duty.ts';

/** C82: the status checks of an instance fail for two minutes before it is replaced, by the tick after them. */
const REPLACED_WITHIN_MS = 2 * MINUTE_MS + 90 * SECOND_MS;

/** An instance whose status checks fail is replaced without waiting for a drain (C82). */
export const impairedInstancesAreReplaced: RuleOf = (watched) => {
  const { simulation, records, violate, startMs, nowMs } = watched;
  const needs = [...LIFECYCLE, 'cloud.', 'messages.wake'];
  const progress: Rule = progressOf(watched, () =>
    [...records.values()].flatMap((record) => {
      const id = instanceOf(record)?.id ?? '';
      if (isEnding(record, startMs() + nowMs()) || !simulation().ec2.isImpaired(id)) return [];
      const what = record.deletion === undefined ? 'is deleted' : 'waits no longer for its drain';
      const name = `NodeClaim ${record.name}, whose instance is impaired, ${what}`;
      return [{ name, withinMs: REPLACED_WITHIN_MS, needs, about: () => [record.name, id] }];
    }),
  );
  return {
    ...progress,
    recordWritten(after, before) {
      const { deletion } = after;
      if (deletion?.reason !== 'unhealthy' || before?.deletion !== undefined) return;
      // D28: a drain may wait for pods that the kubelet of an unhealthy node never ends.
      if ((deletion.deadlineMs ?? Infinity) > deletion.requestedAtMs + 2 * MINUTE_MS)
        violate(
          'an unhealthy node is replaced at once',
          `NodeClaim ${after.name}: its deadline is ${deletion.deadlineMs}`,
        );
    },
  };
};

/** Whether no pod keeps the instance any more: the drain is over, or its deadline has come. */
export function isEnding({ deletion, releasedAtMs }: NodeClaimRecord, nowMs: number): boolean {
  if (releasedAtMs !== undefined) return true;
  if (deletion === undefined) return false;
  const { deadlineMs = Infinity, drainOverAtMs, terminateRequestedAtMs, terminationRefused } = deletion;
  return deadlineMs <= nowMs || (drainOverAtMs ?? terminateRequestedAtMs ?? terminationRefused) !== undefined;
}
