import { isRecord, ownField, textField } from '../../apis/record.ts';
import type { Action, Blocked, Decision } from '../../core/model/decision.ts';
import { isReason, type Reason } from '../../core/model/reasons.ts';
import type { Subject } from '../../core/model/subject.ts';
import { hasTexts, isListOf, isNodeClaimRecord } from './stored-shapes.ts';

/** A decision as this version or the previous one wrote it: the previous one wrote subjects as text, with other reasons. */
interface StoredDecision extends Omit<Decision, 'blocked'> {
  readonly blocked: readonly StoredRefusal[];
}

interface StoredRefusal extends Omit<Blocked, 'subject' | 'reason'> {
  readonly subject: Subject | string;
  readonly reason: string;
}

export function isStoredDecision(value: unknown): value is StoredDecision {
  return (
    hasTexts(value, ['id', 'cluster', 'controller']) &&
    typeof ownField(value, 'atMs') === 'number' &&
    isListOf(ownField(value, 'actions'), isAction) &&
    isListOf(ownField(value, 'blocked'), isRecord)
  );
}

function isAction(value: unknown): boolean {
  const kind = textField(value, 'kind');
  return kind !== undefined && (kind !== 'create-node-claim' || isNodeClaimRecord(ownField(value, 'nodeClaim')));
}

/**
 * The decision in the form of this version. An action of a kind that this version does not have is left out, and so is a refusal that it
 * cannot express: the next run refuses again.
 */
export function typedDecision(stored: StoredDecision): Decision {
  return {
    ...stored,
    actions: stored.actions.filter(({ kind }) => isKeyOf(KINDS, kind)),
    blocked: stored.blocked.flatMap(typedRefusal),
  };
}

const KINDS: Readonly<Record<Action['kind'], true>> = {
  'create-node-claim': true,
  'nominate-node': true,
  'launch-instance': true,
  'register-node': true,
  'initialize-node': true,
  'start-disruption': true,
  'continue-disruption': true,
  'end-disruption': true,
  'delete-node-claim': true,
  'cordon-node': true,
  'uncordon-node': true,
  'evict-pod': true,
  'tag-instance': true,
  'terminate-instance': true,
  'release-node-claim': true,
  'learn-memory': true,
  'mark-unavailable': true,
};

function typedRefusal({ subject, reason, ...rest }: StoredRefusal): readonly Blocked[] {
  const typed = typeof subject === 'string' ? subjectFromText(subject) : subject;
  const known = isReason(reason) ? reason : RENAMED.get(reason);
  return typed === undefined || known === undefined ? [] : [{ subject: typed, reason: known, ...rest }];
}

const RENAMED: ReadonlyMap<string, Reason> = new Map([
  ['NotInitialized', 'NodeNotInitialized'],
  ['Standalone', 'StandaloneNotSupported'],
  ['StaticNodePool', 'StaticCapacityNotSupported'],
]);

const NAMESPACED = { capacitybuffer: 'CapacityBuffer', pod: 'Pod' } as const;
const CLUSTER_SCOPED = {
  cluster: 'Cluster',
  ec2nodeclass: 'EC2NodeClass',
  instance: 'Instance',
  node: 'Node',
  nodeclaim: 'NodeClaim',
  nodeoverlay: 'NodeOverlay',
} as const;

/** `pod default/web-1`, `node ip-10-0-0-1`. */
function subjectFromText(text: string): Subject | undefined {
  const [word = '', place = ''] = text.split(' ', 2);
  const [namespace = '', name] = place.split('/', 2);
  if (isKeyOf(NAMESPACED, word)) return name === undefined ? undefined : { kind: NAMESPACED[word], namespace, name };
  return isKeyOf(CLUSTER_SCOPED, word) ? { kind: CLUSTER_SCOPED[word], name: place } : undefined;
}

function isKeyOf<T extends object>(table: T, key: PropertyKey): key is keyof T {
  return Object.hasOwn(table, key);
}
