import { counted } from '../../apis/counted.ts';
import { formatTime } from '../../apis/formats/time.ts';
import { type DecisionRecord, MAX_NAMES, shortId } from './decision-record.ts';
import { selectRecords } from './select-records.ts';
import type { AskedObject } from './why-at.ts';

/**
 * Why the records until a time explain nothing about an object: another time or namespace has its records, or none has.
 * @param records all that are kept, oldest first
 */
export function whyUnnamed(records: readonly DecisionRecord[], asked: AskedObject, atMs: number): string {
  const until = records.filter((record) => record.atMs <= atMs);
  const problem = `${countOf(until)} until ${formatTime(atMs)} names ${asked.kind} ${asked.name}`;
  const hints = otherTime(records, asked, atMs) ?? otherNamespace(records, asked) ?? noRecord(records, asked, until);
  return [problem, ...hints].join('; ');
}

function countOf(records: readonly DecisionRecord[]): string {
  return records.length === 0 ? 'no record' : `none of ${counted(records.length, 'record')}`;
}

type Hints = readonly string[];

function otherTime(records: readonly DecisionRecord[], { kind, name }: AskedObject, atMs: number): Hints | undefined {
  const named = selectRecords(records, kind === 'pod' ? { pod: name } : { node: name });
  const before = named.findLast((record) => record.atMs <= atMs);
  const nearest = before ?? named[0];
  if (nearest === undefined) return undefined;
  const time = formatTime(nearest.atMs);
  return [`the ${before === undefined ? 'first' : 'last'} record that names it is of ${time}: write --at ${time}`];
}

function otherNamespace(records: readonly DecisionRecord[], { kind, name }: AskedObject): Hints | undefined {
  if (kind !== 'pod') return undefined;
  const [, pod] = name.split('/');
  const found = records.flatMap(podsOf).find((key) => key.split('/')[1] === pod);
  return found === undefined ? undefined : [`there are records of pod ${found}: write -n ${found.split('/')[0]}`];
}

function podsOf({ actions, refusals }: DecisionRecord): readonly string[] {
  const refused = refusals.flatMap(({ kind, names }) => (kind === 'Pod' ? names : []));
  return [...actions.flatMap(({ pods = [] }) => pods), ...refused];
}

function noRecord(
  records: readonly DecisionRecord[],
  { kind }: AskedObject,
  until: readonly DecisionRecord[],
): readonly string[] {
  const [oldest] = records;
  const newest = until.at(-1);
  const period = [
    ...(newest === undefined ? [] : [`the last one before is of ${formatTime(newest.atMs)}`]),
    oldest === undefined ? 'no records are kept' : `records go back to ${formatTime(oldest.atMs)}`,
  ];
  if (kind !== 'pod') return [...period, 'check the name'];
  const shortened = until.filter(leavesOutPods);
  const last = shortened.at(-1);
  return [
    ...period,
    ...(last === undefined
      ? []
      : [
          `${counted(shortened.length, 'record')} with too many pods for all their names, ${shortId(last)} the last of them, may be about it`,
        ]),
    'a pod has a record only if Kerf found or refused a place for it, or evicted it, so a pod that the scheduler bound to a node with free room has none',
    'kerf snapshot --at writes the stored cluster of that time for kerf why pod --snapshot; if it has no such pod, check the name',
  ];
}

function leavesOutPods({ actions, refusals }: DecisionRecord): boolean {
  const refused = refusals.some(
    ({ kind, names, count }) => kind === 'Pod' && count > names.length && names.length === MAX_NAMES,
  );
  return refused || actions.some(({ morePods = 0 }) => morePods > 0);
}
