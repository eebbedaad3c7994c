import { formatDayTime, formatTime } from '../../apis/formats/time.ts';
import { optional } from '../../apis/optional.ts';
import type { Explanation, State } from '../explain/explanation.ts';
import type { Subject } from '../model/subject.ts';
import type { PodRefusal } from '../provisioning/pod-refusals.ts';
import { describeAction } from './action-words.ts';
import { type DecisionRecord, type RecordedAction, type RecordedRefusal, shortId } from './decision-record.ts';
import { hasNode, hasPod, isAbout, isAboutNode } from './select-records.ts';

/** The object of a question about the past. */
export interface AskedObject {
  readonly kind: 'pod' | 'node' | 'nodeclaim';
  /** As `namespace/name` for a pod. */
  readonly name: string;
}

/** Something that a decision did to the object, or refused. */
type Event = { readonly record: DecisionRecord } & (
  | { readonly action: RecordedAction }
  | { readonly refusal: RecordedRefusal }
);

/**
 * What decisions did to an object, and why it was as it was at a time. *Shape:* undefined if no record until then names it.
 * *Cost:* O(names in the records). @param records oldest first
 */
export function whyAt(records: readonly DecisionRecord[], asked: AskedObject, atMs: number): Explanation | undefined {
  const until = records.filter((record) => record.atMs <= atMs);
  const found = asked.kind === 'pod' ? eventsOfPod(until, asked.name) : eventsOfNode(until, asked.name);
  const last = found.at(-1);
  if (last === undefined) return undefined;
  const lasting = found.findLast((event) => actionOf(event) !== undefined);
  const reasons = reasonsOf(found, asked.kind === 'pod' ? last : lasting);
  const told = asked.kind === 'pod' ? podState(last) : nodeState(lasting ?? last, found);
  return {
    subject: subjectOf(asked),
    ...told,
    ...(told.state === 'Stays' && reasons.length === 0 && { summary: `${told.summary}; ${NO_REFUSAL}` }),
    reasons,
    facts: factsOf(found),
  };
}

/** ConsolidateAfter alone is not recorded, because it is true of every node whose pods change. */
const NO_REFUSAL = 'no refusal is recorded since then: consolidateAfter had not passed, or disruption did not run';

function subjectOf({ kind, name }: AskedObject): Subject {
  if (kind !== 'pod') return { kind: kind === 'node' ? 'Node' : 'NodeClaim', name };
  const [namespace = 'default', pod = name] = name.split('/');
  return { kind: 'Pod', namespace, name: pod };
}

function eventsIn(
  records: readonly DecisionRecord[],
  isOfAction: (action: RecordedAction) => boolean,
  isOfRefusal: (refusal: RecordedRefusal) => boolean,
): readonly Event[] {
  return records.flatMap((record): readonly Event[] => [
    ...record.actions.filter(isOfAction).map((action) => ({ record, action })),
    ...record.refusals.filter(isOfRefusal).map((refusal) => ({ record, refusal })),
  ]);
}

/** With the launch of the node that was created for it. */
function eventsOfPod(records: readonly DecisionRecord[], pod: string): readonly Event[] {
  const own = eventsIn(records, hasPod(pod), isAbout('Pod', pod));
  const created = actionsIn(own).findLast(({ kind }) => kind === 'create-node-claim');
  const [claim] = created?.nodeClaims ?? [];
  if (claim === undefined) return own;
  const isOfLaunch = (action: RecordedAction): boolean => STARTS.has(action.kind) && hasNode(claim)(action);
  const launch = eventsIn(records, isOfLaunch, () => false);
  return [...own, ...launch].toSorted((a, b) => a.record.atMs - b.record.atMs);
}

const STARTS: ReadonlySet<RecordedAction['kind']> = new Set(['launch-instance', 'register-node', 'initialize-node']);

/** A node and its NodeClaim have different names, which its registration has both. */
function eventsOfNode(records: readonly DecisionRecord[], name: string): readonly Event[] {
  const actions = records.flatMap((record) => record.actions);
  const registered = actions.filter((action) => action.kind === 'register-node' && hasNode(name)(action));
  const names = new Set([name, ...registered.flatMap(({ nodes = [], nodeClaims = [] }) => [...nodes, ...nodeClaims])]);
  const some = <Item>(is: (one: string) => (item: Item) => boolean): ((item: Item) => boolean) => {
    const tests = [...names].map(is);
    return (item) => tests.some((test) => test(item));
  };
  const isOwn = some(hasNode);
  const commands = new Set(actions.filter(isOwn).flatMap(({ command }) => command ?? []));
  const isOfCommand = ({ kind, command }: RecordedAction): boolean =>
    kind === 'end-disruption' && commands.has(command ?? '');
  return eventsIn(records, (action) => isOwn(action) || isOfCommand(action), some(isAboutNode));
}

function actionOf(event: Event): RecordedAction | undefined {
  return 'action' in event ? event.action : undefined;
}

function actionsIn(events: readonly Event[]): readonly RecordedAction[] {
  return events.flatMap((event) => actionOf(event) ?? []);
}

type Told = Pick<Explanation, 'state' | 'summary'>;

function podState(last: Event): Told {
  const since = formatTime(last.record.atMs);
  if ('refusal' in last) return { state: 'Unschedulable', summary: `no place was found for it at ${since}` };
  const { kind, nodes = [], nodeClaims = [] } = last.action;
  const [name = ''] = [...nodes, ...nodeClaims];
  if (kind === 'evict-pod')
    return { state: 'Draining', summary: `it was evicted from the node of NodeClaim ${name} at ${since}` };
  if (kind === 'nominate-node') return { state: 'HasPlace', summary: `node ${name} was nominated for it at ${since}` };
  if (kind === 'initialize-node')
    return { state: 'HasPlace', summary: `the node ${name} that was launched for it is ready since ${since}` };
  return { state: 'HasPlace', summary: `a node is launched for it; the last step was at ${since}` };
}

const NODE_STATES: Readonly<Partial<Record<RecordedAction['kind'], State>>> = {
  'create-node-claim': 'Launching',
  'launch-instance': 'Launching',
  'register-node': 'Starting',
  'start-disruption': 'BeingReplaced',
  'continue-disruption': 'BeingReplaced',
  'delete-node-claim': 'BeingRemoved',
  'cordon-node': 'BeingRemoved',
  'evict-pod': 'BeingRemoved',
  'terminate-instance': 'BeingRemoved',
  'release-node-claim': 'BeingRemoved',
};

function nodeState(last: Event, events: readonly Event[]): Told {
  const since = formatTime(last.record.atMs);
  const kind = actionOf(last)?.kind;
  const state = (kind && NODE_STATES[kind]) ?? 'Stays';
  const deletion = events.findLast((event) => actionOf(event)?.kind === 'delete-node-claim');
  if (deletion !== undefined && 'action' in deletion) {
    const { reason, message } = deletion.action;
    const { function: name, atMs } = deletion.record;
    const gone = kind === 'release-node-claim' ? `; its instance has ended at ${since}` : '';
    return {
      state: 'BeingRemoved',
      summary: `${name} deleted its NodeClaim at ${formatTime(atMs)} (${reason}): ${message}${gone}`,
    };
  }
  if ('refusal' in last) return { state, summary: `it was not removed; the first refusal is of ${since}` };
  return { state, summary: `the last decision on it is of ${since}: ${describeAction(last.action)}` };
}

/** The refusals after the last action; of a pod, those of its last record. */
function reasonsOf(events: readonly Event[], last: Event | undefined): readonly PodRefusal[] {
  if (last !== undefined && 'refusal' in last)
    return events.flatMap((event) =>
      'refusal' in event && event.record === last.record ? [plain(event.refusal)] : [],
    );
  const fromMs = last?.record.atMs ?? -Infinity;
  const later = events.flatMap((event) =>
    'refusal' in event && event.record.atMs >= fromMs ? [plain(event.refusal)] : [],
  );
  return [...new Map(later.map((one) => [`${one.reason} ${one.nodePool ?? ''}`, one])).values()];
}

function plain({ reason, message, numbers, nodePool }: RecordedRefusal): PodRefusal {
  return { reason, message, numbers, ...optional({ nodePool }) };
}

/** The number of events that are listed. */
const MAX_FACTS = 12;

function refusedIn({ reason, nodePool }: RecordedRefusal): string {
  return `refused: ${reason}${nodePool === undefined ? '' : ` by NodePool ${nodePool}`}`;
}

/** When and in which record, and what. */
function factsOf(events: readonly Event[]): Explanation['facts'] {
  return events.slice(-MAX_FACTS).map((event) => {
    const { record } = event;
    const text = 'action' in event ? describeAction(event.action) : refusedIn(event.refusal);
    return [`${formatDayTime(record.atMs)} ${shortId(record)}`, text] as const;
  });
}
