import { counted } from '../../apis/counted.ts';
import { formatTime } from '../../apis/formats/time.ts';
import { type Node, type Pod, podKey } from '../../apis/kubernetes.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import type { Action, Blocked, Decision } from '../model/decision.ts';
import type { ClusterEvent, EventReason } from '../model/event.ts';
import { type DeletionReason, type NodeClaimRecord, realPods } from '../model/node-claim-record.ts';
import type { Reason } from '../model/reasons.ts';
import { formatSubject, isSameSubject, type Subject } from '../model/subject.ts';
import { inOneWord } from '../node-claim/mirror/mirror-conditions.ts';
import { usdPerHour } from '../usd-per-hour.ts';
import { nodePoolEvents } from './node-pool-events.ts';

/** The objects that a run read. Events take the UID of the object from them. @default none of a kind */
export interface SeenObjects {
  readonly pods?: readonly Pod[];
  readonly nodes?: readonly Node[];
  readonly nodeClaims?: readonly NodeClaim[];
  readonly nodePools?: readonly NodePool[];
  /** The claim that is being deleted. */
  readonly record?: NodeClaimRecord;
}

type Regarding = ClusterEvent['regarding'];
type Of<Kind extends Action['kind']> = Action & { readonly kind: Kind };

/**
 * The maximum number of events of a run. F16 limits Nominated; the other limits prevent thousands of writes for thousands of pods. Refusals of
 * pods leave room for those of other objects, and both for the events of NodePools and actions.
 */
const MAX_NOMINATED = 10;
const MAX_OTHERS = 100;
/** The maximum number of pods, and of other refusals, whose refusals a run announces of a decision about a whole cluster. */
export const MAX_REFUSED = 40;

/**
 * The maximum number of refusals that are announced at once. The next decision about a cluster announces the others; a verdict on one object
 * may have no next run that refuses the same.
 */
export function maxRefused({ controller }: Pick<Decision, 'controller'>): number {
  return controller === 'provisioning' || controller === 'disruption' ? MAX_REFUSED : MAX_OTHERS;
}

/**
 * The events of a decision, with the reasons and messages of Karpenter where it has the same event (F12–F15).
 * *Shape:* refusals first, in a decision about a cluster of the first 40 pods and the first 40 other objects; at most 110.
 */
export function eventsOf(decision: Decision, seen: SeenObjects = {}): readonly ClusterEvent[] {
  const ofPods = decision.blocked.filter(isOfPod);
  const blocked = announcedOf(decision).flatMap((why) =>
    why.slice(0, 1).flatMap(({ subject }) => ofBlocked(decision, { subject, why, seen })),
  );
  const all = [
    ...blocked,
    ...nodePoolEvents(ofPods),
    ...decision.actions.flatMap((action) => ofAction(decision, action, seen)),
  ];
  return [
    ...all.filter((event) => !isNominated(event)).slice(0, MAX_OTHERS),
    ...all.filter(isNominated).slice(0, MAX_NOMINATED),
  ].map((event) => ({ ...event, regarding: withUid(event.regarding, seen) }));
}

function announcedOf(decision: Decision): readonly (readonly Blocked[])[] {
  const max = maxRefused(decision);
  const all = bySubject(decision.blocked);
  if (max !== MAX_REFUSED) return all;
  const [others, pods] = [all.filter((why) => !why.some(isOfPod)), all.filter((why) => why.some(isOfPod))];
  return [...pods.slice(0, max), ...others.slice(0, max)];
}

export function isOfPod({ subject }: Blocked): boolean {
  return subject.kind === 'Pod';
}

/** The refusals of each object, in the order of the first. */
export function bySubject(blocked: readonly Blocked[]): readonly (readonly Blocked[])[] {
  return [...Map.groupBy(blocked, ({ subject }) => formatSubject(subject)).values()];
}

function isNominated({ reason }: ClusterEvent): boolean {
  return reason === 'Nominated';
}

function ofAction(decision: Decision, action: Action, seen: SeenObjects): readonly ClusterEvent[] {
  switch (action.kind) {
    case 'nominate-node':
      return action.pods.map((pod) => nomination(pod, `node/${action.node}`));
    case 'create-node-claim':
      // The pods of a replacement run, and move only when it is initialized.
      if (action.nodeClaim.command !== undefined) return [];
      return realPods(action.nodeClaim).map((pod) => nomination(pod, `nodeclaim/${action.nodeClaim.name}`));
    case 'delete-node-claim':
      return action.reason === 'insufficient_capacity'
        ? [warning({ kind: 'NodeClaim', name: action.nodeClaim }, 'InsufficientCapacityError', action.message)]
        : [];
    case 'cordon-node':
      return seen.record === undefined ? [] : disruption(action, seen.record);
    case 'start-disruption':
      return proposal(action);
    case 'continue-disruption':
      return replacement(action);
    case 'end-disruption':
      return outcome(action);
    case 'evict-pod':
      return eviction(decision, action, seen);
    case 'launch-instance':
    case 'register-node':
    case 'initialize-node':
    case 'uncordon-node':
    case 'tag-instance':
    case 'terminate-instance':
    case 'release-node-claim':
    case 'learn-memory':
    case 'mark-unavailable':
      return [];
  }
}

function nomination(pod: string, place: string): ClusterEvent {
  const message = `Pod should schedule on: ${place}`;
  return { regarding: podReference(pod), type: 'Normal', reason: 'Nominated', message };
}

/** F13, E26: consolidation of the nodes is proposed, with its score if a NodePool had to approve it. */
function proposal({ command }: Of<'start-disruption'>): readonly ClusterEvent[] {
  const { reason, method, candidates: nodes, replacements, evictions = 0, savingUsdPerHour = 0, score } = command;
  if (reason !== 'Underutilized') return [];
  const what = `${method}: ${counted(nodes.length, 'node')} → ${replacements.length}, ${counted(evictions, 'eviction')}, saves ${usdPerHour(savingUsdPerHour)}`;
  const scored = score === undefined ? '' : `, score ${score.toFixed(2)}`;
  return nodes.map(({ node }) => ofConsolidation(node, 'ConsolidationCandidate', `${what}${scored}`));
}

/** F13, E29: the command is valid and is carried out, or it is not. A node whose deletion was refused stays. */
function outcome({ outcome: is, why, nodes = [], refused = [] }: Of<'end-disruption'>): readonly ClusterEvent[] {
  const staying = new Set(refused.map(({ node }) => node));
  return nodes.map((node) => {
    const isRemoved = is === 'executed' && !staying.has(node);
    return ofConsolidation(node, isRemoved ? 'ConsolidationApproved' : 'ConsolidationRejected', why);
  });
}

function ofConsolidation(name: string, reason: EventReason, message: string): ClusterEvent {
  return { regarding: { kind: 'Node', name }, type: 'Normal', reason, message };
}

/** F13: events on the claims that replace nodes, and on these nodes. */
function replacement({ command }: Of<'continue-disruption'>): readonly ClusterEvent[] {
  const { reason, candidates, replacementClaims } = command;
  const claims = replacementClaims.map((claim) => `nodeclaim/${claim}`).join(', ');
  return [
    ...replacementClaims.map(
      (name): ClusterEvent => ({
        regarding: { kind: 'NodeClaim', name },
        type: 'Normal',
        reason: 'DisruptionLaunching',
        message: `Launching NodeClaim: ${reason}: replaces ${candidates.map(({ node }) => `node/${node}`).join(', ')}`,
      }),
    ),
    ...candidates.map(
      ({ node: name }): ClusterEvent => ({
        regarding: { kind: 'Node', name },
        type: 'Normal',
        reason: 'DisruptionWaitingReadiness',
        message: `Waiting on readiness to continue disruption: ${reason}: replaced by ${claims}`,
      }),
    ),
  ];
}

/** F15: the event reasons of Karpenter. Other deletion reasons are disruptions. */
const ENDING: Partial<Record<DeletionReason, EventReason>> = {
  spot_interrupted: 'SpotInterrupted',
  capacity_reservation_interrupted: 'CapacityReservationInstanceInterrupted',
  instance_stopped: 'InstanceStopping',
  instance_terminated: 'InstanceTerminating',
  scheduled_change: 'TerminatingOnInterruption',
  unhealthy: 'InstanceUnhealthy',
};

/** F13: events on the claim and its node when the drain begins. */
function disruption({ node }: Of<'cordon-node'>, { name, deletion }: NodeClaimRecord): readonly ClusterEvent[] {
  if (deletion === undefined) return [];
  const { reason, message, deadlineMs } = deletion;
  return (['Node', 'NodeClaim'] as const).flatMap((kind) => {
    const regarding = { kind, name: kind === 'Node' ? node.name : name };
    const word = ENDING[reason] ?? 'DisruptionTerminating';
    const text = `Disrupting ${kind}: ${inOneWord(reason)}: ${message}`;
    const ends = { regarding, type: ENDING[reason] === undefined ? 'Normal' : 'Warning', reason: word } as const;
    const until = deadlineMs === undefined ? [] : [formatTime(deadlineMs)];
    return [
      { ...ends, message: text },
      ...until.map((time) =>
        warning(regarding, 'TerminationGracePeriodExpiring', `All pods will be deleted by ${time}`),
      ),
    ];
  });
}

/** D23, D24: a refused eviction gives an event on the node, not on the pod. */
function eviction(
  { blocked }: Decision,
  { pod, force }: Of<'evict-pod'>,
  { record }: SeenObjects,
): readonly ClusterEvent[] {
  const { namespace, name, uid } = pod;
  if (blocked.some(({ subject }) => isSameSubject(subject, { kind: 'Pod', namespace, name }))) return [];
  const regarding = { kind: 'Pod', namespace, name, uid } as const;
  const why = inOneWord(record?.deletion?.reason ?? 'deleted');
  if (force === undefined) return [{ regarding, type: 'Normal', reason: 'Evicted', message: `Evicted pod: ${why}` }];
  const message = `Deleting pod to meet the node's termination deadline (${force.graceSeconds}s grace): ${why}`;
  return [{ regarding, type: 'Normal', reason: 'Disrupted', message }];
}

interface Refused {
  readonly subject: Subject;
  readonly why: readonly Blocked[];
  readonly seen: SeenObjects;
}

function ofBlocked({ controller }: Decision, { subject, why, seen }: Refused): readonly ClusterEvent[] {
  const text = why.map(({ nodePool, message }) =>
    nodePool === undefined ? message : `NodePool ${nodePool}: ${message}`,
  );
  const node = seen.record?.nodeName;
  const { name } = subject;
  switch (subject.kind) {
    case 'Pod': {
      const { kind, namespace } = subject;
      // F12: the annotation of the pod has no effect.
      if (controller === 'disruption')
        return why.map(({ reason, message }) => warning({ kind, namespace, name }, reason, message));
      if (controller !== 'termination')
        return [warning({ kind, namespace, name }, 'FailedScheduling', text.join('; '))];
      const regarding = { kind: 'Node', name: node ?? '' } as const;
      return node === undefined
        ? []
        : why.map(({ message }) => warning(regarding, 'FailedDraining', `${formatSubject(subject)}: ${message}`));
    }
    case 'Node':
      return why.flatMap((one) => (controller === 'disruption' ? keptNode(name, one) : [ofNode(name, one)]));
    case 'NodeClaim':
      return why.map(({ reason, message }) => warning({ kind: 'NodeClaim', name }, reason, message));
    case 'Instance':
      return ofInstance(seen.record, why);
    case 'CapacityBuffer':
    case 'Cluster':
    case 'EC2NodeClass':
    case 'NodeOverlay':
      return [];
  }
}

/** The cluster has no object for an instance, so the event is on its claim. It needs the record that the run is about. */
function ofInstance(record: NodeClaimRecord | undefined, why: readonly Blocked[]): readonly ClusterEvent[] {
  if (record === undefined) return [];
  return why.map(({ reason, message }) => warning({ kind: 'NodeClaim', name: record.name }, reason, message));
}

function ofNode(name: string, { reason, message }: Blocked): ClusterEvent {
  return warning({ kind: 'Node', name }, reason, message);
}

/** F13: why a node that may be disrupted is not consolidated. */
const UNCONSOLIDATABLE: ReadonlySet<Reason> = new Set<Reason>([
  'ConsolidateAfter',
  'ConsolidateAfterNever',
  'ConsolidationPolicy',
  'CoolDown',
  'InvalidAnnotation',
  'KeepsBuffer',
  'KeepsPendingPods',
  'LabelsMissing',
  'MaxEvictions',
  'MinValues',
  'MinimumSaving',
  'NeedsSeveralNodes',
  'NoPlaceForPods',
  'NodeStarting',
  'NotCheaper',
  'NotEvaluated',
  'RejectedBefore',
  'SameInstanceType',
  'SavesLittle',
  'SpotToSpotDisabled',
  'SpotToSpotNeedsTypes',
  'StaticCapacity',
]);

/** F13, F14: an exhausted disruption budget gives one event on the NodePool. */
function keptNode(name: string, { reason, message, nodePool }: Blocked): readonly ClusterEvent[] {
  if (reason === 'BudgetExhausted' || reason === 'BudgetTimeZone') {
    if (nodePool === undefined) return [];
    const regarding = { kind: 'NodePool', name: nodePool } as const;
    return [{ regarding, type: 'Normal', reason: 'DisruptionBlocked', message: `No allowed disruptions: ${message}` }];
  }
  // E26: Karpenter has an event of its own for this reason.
  if (reason === 'BalancedScore') return [ofConsolidation(name, 'ConsolidationRejected', message)];
  const word = UNCONSOLIDATABLE.has(reason) ? 'Unconsolidatable' : 'DisruptionBlocked';
  return [
    { regarding: { kind: 'Node', name }, type: 'Normal', reason: word, message: `Cannot disrupt Node: ${message}` },
  ];
}

function warning(regarding: Regarding, reason: EventReason, message: string): ClusterEvent {
  return { regarding, type: 'Warning', reason, message };
}

function podReference(key: string): Regarding {
  const [namespace = 'default', name = ''] = key.split('/');
  return { kind: 'Pod', namespace, name };
}

function withUid(regarding: Regarding, seen: SeenObjects): Regarding {
  const uid = regarding.uid ?? uidOf(regarding, seen);
  return uid === undefined ? regarding : { ...regarding, uid };
}

function uidOf(regarding: Regarding, { pods = [], nodes = [], nodeClaims = [], nodePools = [] }: SeenObjects) {
  const { kind, name, namespace } = regarding;
  const isIt = ({ metadata }: { readonly metadata: { readonly name: string } }): boolean => metadata.name === name;
  switch (kind) {
    case 'Pod':
      return pods.find((pod) => podKey(pod) === `${namespace}/${name}`)?.metadata.uid;
    case 'NodePool':
      return nodePools.find(isIt)?.metadata.uid;
    case 'NodeClaim':
      return nodeClaims.find(isIt)?.metadata.uid ?? ownerUid(nodes, name);
    case 'Node':
      // kubectl finds the events of a node by its name instead of its UID, because the kubelet writes them so.
      return name;
    case 'EC2NodeClass':
      return undefined;
  }
}

/** D6: the owner reference of a node has the UID of its claim. */
function ownerUid(nodes: readonly Node[], claim: string): string | undefined {
  const owners = nodes.flatMap(({ metadata }) => metadata.ownerReferences ?? []);
  return owners.find(({ kind, name }) => kind === 'NodeClaim' && name === claim)?.uid;
}
