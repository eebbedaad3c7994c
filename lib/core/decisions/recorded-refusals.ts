import { optional } from '../../apis/optional.ts';
import type { Blocked } from '../model/decision.ts';
import { formatSubject, nameWithNamespace } from '../model/subject.ts';
import { MAX_NAMES, type RecordedRefusal } from './decision-record.ts';

/** The number of entries in one record. Further messages of a reason share its last entry. */
const MAX_ENTRIES = 100;

/** The refusals by reason, NodePool and message, the largest groups first. *Cost:* O(refusals). */
export function recordedRefusals(blocked: readonly Blocked[]): readonly RecordedRefusal[] {
  const exact = Map.groupBy(blocked, ({ message, ...one }) => JSON.stringify([kindOf(one), message]));
  const groups = [...exact.values()].toSorted((a, b) => b.length - a.length);
  const kept = groups.slice(0, MAX_ENTRIES);
  const rest = Map.groupBy(groups.slice(MAX_ENTRIES).flat(), (one) => JSON.stringify(kindOf(one)));
  return [...kept, ...rest.values()].flatMap(refusalOf);
}

/** What makes two refusals of one object the same: its numbers and the message may differ from run to run. */
export function refusalKey({ subject, nodePool = '', reason }: Omit<Blocked, 'message' | 'numbers'>): string {
  return `${formatSubject(subject)} ${nodePool} ${reason}`;
}

function kindOf({ reason, nodePool, subject }: Pick<Blocked, 'reason' | 'nodePool' | 'subject'>): readonly unknown[] {
  return [reason, nodePool, subject.kind];
}

function refusalOf(group: readonly Blocked[]): readonly RecordedRefusal[] {
  const [first] = group;
  if (first === undefined) return [];
  const { subject, reason, nodePool, message, numbers } = first;
  const names = [...new Set(group.map(({ subject: one }) => nameWithNamespace(one)))];
  return [
    {
      reason,
      kind: subject.kind,
      ...optional({ nodePool }),
      message,
      numbers,
      count: group.length,
      names: names.slice(0, MAX_NAMES),
    },
  ];
}
