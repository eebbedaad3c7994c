import { counted, firstNames } from '../../apis/counted.ts';
import type { Action } from '../model/decision.ts';
import type { DecisionRecord, RecordedAction, RecordedRefusal } from './decision-record.ts';

/** Each action in words: its object, and what happened to it. */
const WORDS: Readonly<Record<Action['kind'], readonly [one: string, many: string, done: string]>> = {
  'create-node-claim': ['NodeClaim', 'NodeClaims', 'created'],
  'nominate-node': ['node', 'nodes', 'nominated'],
  'launch-instance': ['instance', 'instances', 'requested'],
  'register-node': ['node', 'nodes', 'registered'],
  'initialize-node': ['node', 'nodes', 'initialized'],
  'start-disruption': ['disruption', 'disruptions', 'proposed'],
  'continue-disruption': ['disruption', 'disruptions', 'started'],
  'end-disruption': ['disruption', 'disruptions', 'ended'],
  'delete-node-claim': ['NodeClaim', 'NodeClaims', 'deleted'],
  'cordon-node': ['node', 'nodes', 'cordoned'],
  'uncordon-node': ['node', 'nodes', 'uncordoned'],
  'evict-pod': ['pod', 'pods', 'evicted'],
  'tag-instance': ['instance', 'instances', 'tagged'],
  'terminate-instance': ['instance', 'instances', 'terminated'],
  'release-node-claim': ['NodeClaim', 'NodeClaims', 'released'],
  'learn-memory': ['memory of a type', 'memories of types', 'learned'],
  'mark-unavailable': ['offering', 'offerings', 'marked as unavailable'],
};

/** A table has the records of 30 days, also those of a newer version that was deployed before. */
function wordsOf(kind: Action['kind']): (typeof WORDS)[Action['kind']] {
  return Object.hasOwn(WORDS, kind)
    ? WORDS[kind]
    : ['object', 'objects', `changed (${kind}, of another version of Kerf)`];
}

/** What a record is about, in one line: `2 NodeClaims created, refused: 3 InsufficientResources`. */
export function describeRecord({ actions, refusals }: Pick<DecisionRecord, 'actions' | 'refusals'>): string {
  const byKind = [...Map.groupBy(actions, ({ kind }) => kind)];
  const done = byKind.map(([kind, same]) => {
    const [one, many, verb] = wordsOf(kind);
    return `${counted(
      same.reduce((sum, action) => sum + objectsOf(action), 0),
      one,
      many,
    )} ${verb}`;
  });
  const byReason = [...Map.groupBy(refusals, ({ reason }) => reason)];
  const refused = byReason.map(([reason, same]) => `${same.reduce((sum, { count }) => sum + count, 0)} ${reason}`);
  return [...done, ...(refused.length === 0 ? [] : [`refused: ${refused.join(', ')}`])].join(', ');
}

/** An eviction is about pods, a launch about the instances of a group, and every other action about one object. */
function objectsOf({ kind, pods = [], morePods = 0, nodeClaims = [] }: RecordedAction): number {
  if (kind === 'evict-pod') return pods.length + morePods;
  return kind === 'launch-instance' ? nodeClaims.length : 1;
}

/** One action in a sentence without its end. */
export function describeAction(action: RecordedAction): string {
  const {
    kind,
    nodeClaims = [],
    nodes = [],
    command,
    instance,
    reason,
    message,
    savingUsdPerHour,
    method,
    score,
  } = action;
  const [one, many, verb] = wordsOf(kind);
  const names = objectNames(action);
  const offering = [action.instanceType, action.capacityType, action.zone].flatMap((text) => text ?? []);
  const beside = [
    ...(kind === 'create-node-claim' || kind === 'mark-unavailable' ? [offering.join(' ')] : []),
    ...(action.usdPerHour === undefined ? [] : [`$${action.usdPerHour.toFixed(4)}/h`]),
    ...(savingUsdPerHour === undefined ? [] : [`saves $${savingUsdPerHour.toFixed(4)}/h`]),
    ...(score === undefined ? [] : [`score ${score.toFixed(2)}`]),
    ...(method === undefined ? [] : [method]),
    ...(command === undefined || names.includes(command) ? [] : [`command ${command}`]),
    ...(instance === undefined || names.includes(instance) ? [] : [instance]),
    ...(names.some((name) => nodes.includes(name)) ? nodeClaims : nodes),
    ...(reason === undefined ? [] : [reason]),
  ].filter((text) => text !== '');
  return [
    `${names.length > 1 ? many : one} ${names.join(', ')}`.trim(),
    verb,
    ...(beside.length === 0 ? [] : [`(${beside.join(', ')})`]),
    ...(kind === 'evict-pod' || action.pods === undefined ? [] : [`for ${podsOf(action)}`]),
  ]
    .join(' ')
    .concat(message === undefined || message === '' ? '' : `: ${message}`);
}

function objectNames({ kind, nodeClaims = [], nodes = [], pods = [], command }: RecordedAction): readonly string[] {
  if (kind === 'evict-pod') return pods;
  if (kind === 'learn-memory' || kind === 'mark-unavailable') return [];
  if (command !== undefined && kind.endsWith('-disruption')) return [command];
  return wordsOf(kind)[0] === 'node' ? nodes : nodeClaims;
}

/** The number of names in a sentence. */
const SHOWN = 5;

function podsOf({ pods = [], morePods = 0 }: RecordedAction): string {
  return `${counted(pods.length + morePods, 'pod')}: ${firstNames(pods, SHOWN, pods.length + morePods)}`;
}

/** What was refused, without the reason and the message. */
export function describeRefused({ kind, nodePool, names, count }: RecordedRefusal): string {
  const pool = nodePool === undefined ? '' : ` by NodePool ${nodePool}`;
  return `${counted(count, kind === 'Pod' ? 'pod' : kind)}${pool}: ${firstNames(names, SHOWN, count)}`;
}
