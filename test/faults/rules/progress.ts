import { MINUTE_MS, parseTime, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import type { Pod } from '../../../lib/apis/kubernetes.ts';
import { INITIALIZED, REGISTERED } from '../../../lib/apis/labels.ts';
import { DISRUPTED_TAINT, sameTaint, UNREGISTERED_TAINT } from '../../../lib/apis/taints.ts';
import { selectsPod } from '../../../lib/core/cluster/pod-disruption-budgets.ts';
import { isNodeReady } from '../../../lib/core/cluster/state-node.ts';
import { instanceOf, type NodeClaimRecord, providerIdOf } from '../../../lib/core/model/node-claim-record.ts';
import { type Fault, includesCall } from '../../../lib/simulator/faults/fault.ts';
import { budgetStatus } from '../../../lib/simulator/kubernetes/disruptions-allowed.ts';
import { type Activity, NEEDS } from '../../controllers/outages/needs.ts';
import type { Rule, RuleOf, Watched } from '../rule.ts';
import { isDrainable, isKeptInPlace, isTerminating, tierOf } from './pods.ts';
import { type HeldDrains, heldDrains } from './removals/held-drains.ts';

/** After a fault, messages are delivered again and the next tick comes. */
const RECOVERY_MS = 130 * SECOND_MS;

/** Something that must be done soon, if nothing that it needs is disturbed. */
export interface Duty {
  readonly name: string;
  /** From the time at which the duty begins, or is no longer disturbed. */
  readonly withinMs: number;
  /** The calls that it needs, and the functions, as `function:lifecycle`. */
  readonly needs: readonly string[];
}

/** The methods that the activity needs. Every other method may fail, and it is at most ten seconds later (promise 7). */
function methodsFor(activity: Activity): readonly string[] {
  const methods = Object.entries(NEEDS).flatMap(([method, needs]) => (needs[activity] === undefined ? [] : [method]));
  // Runs use its last answer for five minutes, and an outage of a story may be longer.
  return [...methods, 'cluster.findOtherAutoscalers'];
}

const EVICTION = [...methodsFor('drain'), 'function:termination', 'world'];
/** The end of an instance without pods. */
const END = [
  ...methodsFor('termination'),
  'store.readNodeClaim',
  'store.updateNodeClaim',
  'cluster.listNodes',
  'function:termination',
  'world',
];
const JOIN = [
  ...methodsFor('join'),
  'store.readNodeClaim',
  'store.updateNodeClaim',
  'function:lifecycle',
  'webhook',
  'world',
];
export const PLACEMENT = [...methodsFor('launch'), 'store.', 'function:provisioning', 'webhook', 'world'];
export const TERMINATION = [
  'store.',
  'function:termination',
  'cluster.listNodes',
  'cluster.listPodsOnNode',
  'cloud.describeInstances',
  'cluster.deleteNodeClaim',
  'cluster.listPods',
];
export const LIFECYCLE = [
  'store.',
  'function:lifecycle',
  'cluster.listNodes',
  'cluster.listNodeClaims',
  'cluster.listNodeClasses',
  'cluster.listNodePools',
  'cloud.describeInstances',
  'cloud.shiftedZones',
  'catalogue.',
  'cluster.applyNodeClaim',
];

/** Work that nothing disturbs makes progress: wakes are sent and armed, and one stuck item does not stop another (promise 7). */
export const undisturbedWorkProgresses: RuleOf = (watched) => {
  const held = heldDrains();
  return progressOf(watched, () => dutiesOf({ ...watched, held }));
};

interface WatchedDrains extends Watched {
  readonly held: HeldDrains;
}

/** A rule that these duties are done in time. */
export function progressOf(watched: Watched, duties: () => readonly Duty[]): Rule {
  const { violate, nowMs, story } = watched;
  const moreMs =
    (story.faults.some(isRareConflict) ? CONFLICTS_MS : 0) + (story.faults.some(isShortDelay) ? DELAYS_MS : 0);
  const open = new Map<string, { withinMs: number; spentMs: number; lastMs: number }>();
  return {
    step() {
      const now = nowMs();
      const due = new Map(duties().map((duty) => [duty.name, duty]));
      for (const name of open.keys()) if (!due.has(name)) open.delete(name);
      for (const [name, duty] of due) {
        const known = open.get(name) ?? { withinMs: duty.withinMs, spentMs: 0, lastMs: now };
        open.set(name, known);
        if (isDisturbed(story.faults, duty, now)) Object.assign(known, { withinMs: duty.withinMs, spentMs: 0 });
        else known.spentMs += now - known.lastMs;
        known.lastMs = now;
        if (known.spentMs > known.withinMs + moreMs + laterMs(story.faults, now))
          violate(
            'undisturbed work makes progress',
            `${name}: for ${Math.round(known.spentMs / SECOND_MS)} s, and ${Math.round(known.withinMs / SECOND_MS)} s are allowed`,
          );
      }
    },
  };
}

/** While other calls fail, a run may fail once for each of its reads, and is repeated five seconds later. */
function laterMs(faults: readonly Fault[], nowMs: number): number {
  const fails = faults.some(
    ({ kind, fromMs, forMs }) =>
      (kind === 'calls-fail' || kind === 'object-refused') && nowMs >= fromMs && nowMs < fromMs + forMs + RECOVERY_MS,
  );
  return fails ? 10 * SECOND_MS : 0;
}

/** A conflict is answered by another try, in the same run or a second later. */
function isRareConflict(fault: Fault): boolean {
  return fault.kind === 'calls-fail' && fault.error === 409 && fault.percent <= 50;
}

/** The time that further tries take. */
const CONFLICTS_MS = 20 * SECOND_MS;

/** Slow calls make a run take a few seconds. Wakes that arrive in this time must not be lost. */
function isShortDelay(fault: Fault): boolean {
  return fault.kind === 'calls-slow' && fault.upToMs <= 500;
}

/** The time that slow calls add to the runs that a duty needs. */
const DELAYS_MS = 16 * SECOND_MS;

/** Whether a fault is active, or was a short time ago, that touches what the duty needs. */
export function isDisturbed(faults: readonly Fault[], duty: Pick<Duty, 'needs'>, nowMs: number): boolean {
  return faults.some(
    (fault) => nowMs >= fault.fromMs && nowMs < fault.fromMs + fault.forMs + RECOVERY_MS && touches(fault, duty),
  );
}

function touches(fault: Fault, { needs }: Pick<Duty, 'needs'>): boolean {
  const needsAny = (calls: readonly string[]): boolean =>
    needs.some((need) => calls.some((call) => matches(call, need)));
  switch (fault.kind) {
    case 'calls-fail':
      return !isRareConflict(fault) && needsAny(fault.calls);
    case 'object-refused':
      return needsAny([fault.call]);
    case 'listed-late':
      return needsAny(['cloud.describeInstances']);
    case 'odd-launches':
      return needsAny(['cloud.launch']);
    case 'messages':
      return true;
    case 'webhook-down':
      return needs.includes('webhook');
    case 'machines':
    case 'no-capacity':
    case 'impaired':
    case 'node-class':
    case 'node-pool':
    case 'scheduler-down':
    case 'spot-volley':
    case 'volumes-stay':
      return needs.includes('world');
    case 'by-hand':
      // Kerf does not terminate an instance without its tags.
      return needs.includes('world') || (fault.what === 'remove-tags' && needsAny(['cloud.terminate']));
    case 'restore-table':
    case 'other-version':
      return true;
    case 'stale-reads':
    case 'second-deployment':
    case 'slow-pods':
      return false;
    case 'calls-slow':
      return !isShortDelay(fault);
    case 'calls-hang':
    case 'cut-off':
    case 'clocks':
    case 'table-steps':
    case 'other-autoscaler':
      return true;
  }
}

/** `store.` needs every method of the store. */
function matches(call: string, need: string): boolean {
  return need.endsWith('.') ? call.startsWith(need) || includesCall([call], `${need}any`) : includesCall([call], need);
}

/** A decision that cannot be carried out is given up after 5 minutes, by the next run. */
const GIVEN_UP_MS = 5 * MINUTE_MS + 80 * SECOND_MS;
const READS_OF_DECISIONS = [
  'store.openDecisions',
  'store.closeDecision',
  'store.recordDecision',
  'store.listNodeClaims',
];

function dutiesOf(watched: WatchedDrains): readonly Duty[] {
  const { records, open, nowMs } = watched;
  const duties: Duty[] = [];
  for (const record of records.values())
    if (record.releasedAtMs === undefined) duties.push(...claimDuties(watched, record));
  for (const [id, { sinceMs }] of open)
    if (nowMs() - sinceMs > 0)
      duties.push({
        name: `decision ${id} is carried out`,
        withinMs: 75 * SECOND_MS,
        needs: ['store.', 'leases.', 'cluster.', 'messages.', 'function:provisioning'],
      });
  for (const id of open.keys())
    duties.push({
      name: `decision ${id} is carried out or given up`,
      withinMs: GIVEN_UP_MS,
      needs: [...READS_OF_DECISIONS, 'leases.', 'cluster.list', 'messages.', 'function:provisioning'],
    });
  return duties;
}

function claimDuties(watched: WatchedDrains, record: NodeClaimRecord): readonly Duty[] {
  const { name, launch, deletion } = record;
  if (deletion !== undefined) return removalDuties(watched, record);
  if (launch.kind === 'planned')
    return [
      {
        name: `NodeClaim ${name} is launched`,
        withinMs: 10 * SECOND_MS,
        needs: [...LIFECYCLE, 'cloud.', 'messages.wake', 'world'],
      },
    ];
  if (launch.kind === 'requested')
    return [
      {
        name: `the launch of NodeClaim ${name} is answered`,
        withinMs: 15 * SECOND_MS,
        needs: [...LIFECYCLE, 'cloud.', 'messages.wake', 'world'],
      },
    ];
  if (launch.kind !== 'launched') return [];
  return hasEnded(watched, launch.instance.id)
    ? [{ name: `the end of instance ${launch.instance.id} is recorded`, withinMs: 20 * SECOND_MS, needs: EVENTS }]
    : joinDuties(watched, record);
}

/** EC2 sends an event when an instance shuts down. */
const EVENTS = ['store.', 'messages.', 'function:interruption', 'cluster.findOtherAutoscalers'];

function hasEnded({ simulation }: Watched, instanceId: string): boolean {
  return simulation()
    .ec2.instances()
    .some(({ id, endedAtMs }) => id === instanceId && endedAtMs !== undefined);
}

function nodeOf({ simulation }: Watched, record: NodeClaimRecord) {
  const instance = instanceOf(record);
  if (instance === undefined) return undefined;
  return [...simulation().state.nodes.values()].find(({ spec }) => spec?.providerID === providerIdOf(instance));
}

function joinDuties(watched: Watched, record: NodeClaimRecord): readonly Duty[] {
  const node = nodeOf(watched, record);
  if (node === undefined) return [];
  const { labels = {} } = node.metadata;
  const { name } = node.metadata;
  if (labels[REGISTERED] !== 'true')
    return [{ name: `node ${name} is registered`, withinMs: 8 * SECOND_MS, needs: JOIN }];
  const startup = record.spec.startupTaints ?? [];
  const isWaiting =
    node.spec?.taints?.some(
      (taint) =>
        sameTaint(taint, UNREGISTERED_TAINT) ||
        taint.key === 'node.kubernetes.io/not-ready' ||
        startup.some((one) => sameTaint(one, taint)),
    ) === true;
  if (labels[INITIALIZED] === 'true' || isWaiting || !isNodeReady(node)) return [];
  return [{ name: `node ${name} is initialized`, withinMs: 8 * SECOND_MS, needs: JOIN }];
}

function removalDuties(watched: WatchedDrains, record: NodeClaimRecord): readonly Duty[] {
  const { name, deletion, launch } = record;
  const instance = instanceOf(record);
  if (launch.kind === 'requested' || deletion === undefined) return [];
  const needs = [
    ...TERMINATION,
    'messages.wake',
    'cluster.patchNode',
    'cluster.removeNodeClaim',
    'cluster.deleteNode',
    'cloud.terminate',
    'world',
  ];
  const isOver = instance === undefined || hasEnded(watched, instance.id);
  if (isOver) return [{ name: `NodeClaim ${name} is released`, withinMs: releaseMs(watched, record), needs }];
  const node = nodeOf(watched, record);
  if (node === undefined || record.registeredAtMs === undefined)
    return [
      {
        name: `the instance of NodeClaim ${name} ends`,
        withinMs: 15 * SECOND_MS + refusedForMs(watched, record),
        needs: END,
      },
    ];
  const isCordoned = node.spec?.taints?.some((taint) => sameTaint(taint, DISRUPTED_TAINT)) === true;
  return [
    ...(isCordoned ? [] : [{ name: `node ${node.metadata.name} is cordoned`, withinMs: 8 * SECOND_MS, needs }]),
    ...evictionDuties(watched, record, node.metadata.name),
  ];
}

/** EC2 takes up to 25 s to shut an instance down. A new instance that EC2 does not list is gone only 3 minutes after its launch. */
function releaseMs({ startMs, nowMs }: Watched, { launch }: NodeClaimRecord): number {
  const untilListedMs = launch.kind === 'launched' ? launch.atMs + 3 * MINUTE_MS - startMs() - nowMs() : 0;
  return Math.max(untilListedMs, 0) + 45 * SECOND_MS;
}

/** A refused termination is tried again after a pause that is as long as EC2 has refused it, at most 5 minutes. */
export function refusedForMs({ startMs, nowMs }: Watched, { deletion }: NodeClaimRecord): number {
  return Math.max(0, (deletion?.terminationRefused?.retryAtMs ?? 0) - startMs() - nowMs());
}

function evictionDuties(watched: WatchedDrains, record: NodeClaimRecord, node: string): readonly Duty[] {
  const { simulation, startMs, nowMs, held } = watched;
  const { state } = simulation();
  const now = startMs() + nowMs();
  const pods = [...state.pods.values()].filter(({ spec }) => spec.nodeName === node).filter(isDrainable);
  const pauseMs = held.pauseMs(record, now);
  if (pods.length === 0)
    return [
      {
        name: `the instance of NodeClaim ${record.name} ends`,
        withinMs: 20 * SECOND_MS + pauseMs + refusedForMs(watched, record),
        needs: END,
      },
    ];
  const deadlineMs = record.deletion?.deadlineMs;
  const late = deadlineMs === undefined ? [] : pods.filter((pod) => endsAfter(pod, deadlineMs, now));
  if (late.length > 0)
    return late.map(({ metadata }) => ({
      name: `pod ${metadata.name}, which takes longer than node ${node} has, gets a shorter grace period`,
      withinMs: 12 * SECOND_MS,
      needs: [...EVICTION, 'cluster.deletePod'],
    }));
  if (deadlineMs !== undefined && now > deadlineMs) {
    const left = pods.filter((pod) => !isTerminating(pod));
    return left.map(({ metadata }) => ({
      name: `pod ${metadata.name} is deleted at the deadline of node ${node}`,
      withinMs: 12 * SECOND_MS,
      needs: [...EVICTION, 'cluster.deletePod'],
    }));
  }
  // D20: a tier starts after the previous one is gone.
  const tier = Math.min(...pods.map(tierOf));
  const evictable = pods
    .filter((pod) => tierOf(pod) === tier && !isTerminating(pod) && !isKeptInPlace(pod, now))
    .filter((pod) =>
      state.podDisruptionBudgets.every(
        (one) => !selectsPod(one, pod) || budgetStatus(one, state).disruptionsAllowed > 0,
      ),
    );
  const waitsFor = evictable.length === 0 ? 'leave' : 'nothing';
  held.note(record, pods.some(isTerminating) ? 'end-of-pod' : waitsFor, now);
  return evictable.slice(0, 1).map(() => ({
    name: `a pod of node ${node} that may be evicted is evicted (${pods.length} left)`,
    withinMs: 7 * SECOND_MS + pauseMs,
    // Near the deadline, the pod is deleted without an eviction (D24).
    needs: deadlineMs === undefined ? EVICTION : [...EVICTION, 'cluster.deletePod'],
  }));
}

/** D24: whether the pod was deleted with a grace period that is longer than the time of its node. */
function endsAfter({ metadata, spec }: Pod, deadlineMs: number, nowMs: number): boolean {
  const { deletionTimestamp } = metadata;
  const graceMs = (spec.terminationGracePeriodSeconds ?? 30) * SECOND_MS;
  if (deletionTimestamp === undefined || nowMs < deadlineMs - graceMs) return false;
  return parseTime(deletionTimestamp) > Math.max(deadlineMs, nowMs) + 2 * SECOND_MS;
}
