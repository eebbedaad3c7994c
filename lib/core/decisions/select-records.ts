import type { DecisionRecord, RecordedAction, RecordedRefusal } from './decision-record.ts';

/** Which records to show. Every field that is set must match. */
export interface RecordFilter {
  readonly nodePool?: string | undefined;
  /** Of a refusal, or of an action such as `empty`. */
  readonly reason?: string | undefined;
  /** As `namespace/name`, or the name alone. */
  readonly pod?: string | undefined;
  /** The name of a node or of a NodeClaim. */
  readonly node?: string | undefined;
}

export function selectRecords(records: readonly DecisionRecord[], filter: RecordFilter): readonly DecisionRecord[] {
  const { nodePool, reason, pod, node } = filter;
  return records.filter(
    ({ actions, refusals }) =>
      (nodePool === undefined ||
        actions.some(isOfPool(nodePool)) ||
        refusals.some((one) => one.nodePool === nodePool)) &&
      (reason === undefined || [...actions, ...refusals].some((one) => one.reason === reason)) &&
      (pod === undefined || actions.some(hasPod(pod)) || refusals.some(isAbout('Pod', pod))) &&
      (node === undefined || actions.some(hasNode(node)) || refusals.some(isAboutNode(node))),
  );
}

/** The name of a NodeClaim is that of its NodePool and a hash. */
function isOfPool(nodePool: string): (action: RecordedAction) => boolean {
  return (action) =>
    action.nodePool === nodePool ||
    (action.nodeClaims ?? []).some((name) => name.slice(0, name.lastIndexOf('-')) === nodePool);
}

export function hasPod(pod: string): (action: RecordedAction) => boolean {
  return ({ pods = [] }) => pods.some((name) => isNamed(name, pod));
}

export function hasNode(node: string): (action: RecordedAction) => boolean {
  return ({ nodes = [], nodeClaims = [] }) => nodes.includes(node) || nodeClaims.includes(node);
}

export function isAbout(kind: RecordedRefusal['kind'], name: string): (refusal: RecordedRefusal) => boolean {
  return (refusal) => refusal.kind === kind && refusal.names.some((one) => isNamed(one, name));
}

export function isAboutNode(name: string): (refusal: RecordedRefusal) => boolean {
  return (refusal) => isAbout('Node', name)(refusal) || isAbout('NodeClaim', name)(refusal);
}

function isNamed(key: string, name: string): boolean {
  return key === name || key.split('/')[1] === name;
}

/** The record with this name: its id, the end of its id, or the id of one of its decisions. *Shape:* all that match. */
export function recordsNamed(records: readonly DecisionRecord[], name: string): readonly DecisionRecord[] {
  const exact = records.filter(({ id, decisions }) => id === name || decisions.includes(name));
  return exact.length > 0 ? exact : records.filter(({ id }) => id.endsWith(`-${name}`));
}

/** What led to a record, and what followed from it, by its commands and NodeClaims. */
export interface Chain {
  readonly before: readonly DecisionRecord[];
  readonly after: readonly DecisionRecord[];
}

export function chainOf(records: readonly DecisionRecord[], record: DecisionRecord): Chain {
  const subjects = subjectsOf(record);
  const related = records.filter((one) => one.id !== record.id && !subjects.isDisjointFrom(subjectsOf(one)));
  return {
    before: related.filter(({ id }) => id < record.id),
    after: related.filter(({ id }) => id > record.id),
  };
}

/** Nominations and refusals change nothing, so they are no part of a chain. */
function subjectsOf({ actions, decisions, causes = [] }: DecisionRecord): ReadonlySet<string> {
  const lasting = actions.filter(({ kind }) => kind !== 'nominate-node');
  const names = lasting.flatMap(({ nodeClaims = [], command }) => [
    ...nodeClaims,
    ...(command === undefined ? [] : [command]),
  ]);
  return new Set([...names, ...decisions, ...causes]);
}
