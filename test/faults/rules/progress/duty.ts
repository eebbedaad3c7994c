import { SECOND_MS } from '../../../../lib/apis/formats/time.ts';
import { type Fault, includesCall } from '../../../../lib/simulator/faults/fault.ts';
import { type Activity, NEEDS } from '../../../controllers/outages/needs.ts';
import type { Rule, Watched } from '../../rule.ts';

/** After a fault, messages are delivered again and the next tick comes. */
const RECOVERY_MS = 130 * SECOND_MS;

/** Something that must be done soon, if nothing that it needs is disturbed. */
export interface Duty {
  readonly name: string;
  /** From the time at which the duty begins, or is no longer disturbed. */
  readonly withinMs: number;
  /**
   * The calls that it needs, and the functions, as `function:lifecycle`. `world`: that nothing else happens. `users`: that users
   * change nothing. `placement`: that the kube-scheduler runs, and NodePools and their classes stay the same.
   */
  readonly needs: readonly string[];
  /** The objects of the duty: a fault of another object does not disturb it. @default every fault of a call disturbs it */
  readonly about?: () => readonly string[];
}

/** The methods that the activity needs. Every other method may fail, and it is at most ten seconds later (promise 7). */
export function methodsFor(activity: Activity): readonly string[] {
  const methods = Object.entries(NEEDS).flatMap(([method, needs]) => (needs[activity] === undefined ? [] : [method]));
  return [...methods, AUTOSCALERS];
}

/** Runs use its last answer for five minutes, and an outage of a story may be longer. Then only termination and interruption work. */
export const AUTOSCALERS = 'cluster.findOtherAutoscalers';

/** A place for a pod, also while a user deletes nodes, NodeClaims and pods by hand. */
export const PLACEMENT = [...methodsFor('launch'), 'store.', 'function:provisioning', 'webhook', 'placement'];
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
  AUTOSCALERS,
];

/** The next step of a command of disruption. */
export const COMMAND_NEEDS = [
  'store.',
  'leases.',
  'cluster.',
  'catalogue.',
  'cloud.',
  'messages.',
  'function:disruption',
];

/** A rule that these duties are done in time. */
export function progressOf(watched: Watched, duties: () => readonly Duty[]): Rule {
  const { violate, nowMs, story } = watched;
  const moreMs = Math.max(0, ...story.faults.map(conflictsMs)) + (story.faults.some(isShortDelay) ? DELAYS_MS : 0);
  const open = new Map<string, { withinMs: number; spentMs: number; lastMs: number }>();
  return {
    step() {
      const now = nowMs();
      const due = new Map(duties().map((duty) => [duty.name, duty]));
      for (const name of open.keys()) if (!due.has(name)) open.delete(name);
      for (const [name, duty] of due) {
        const known = open.get(name) ?? { withinMs: duty.withinMs, spentMs: 0, lastMs: now };
        open.set(name, known);
        if (isDisturbed(watched, duty)) Object.assign(known, { withinMs: duty.withinMs, spentMs: 0 });
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

/**
 * The time that further tries take. A run and its repetitions try nine times in the first 31 s: at 30 %, one write in 50,000 takes longer.
 * At 50 % it is one in 500, so that a few of thousands of stories have one.
 */
function conflictsMs(fault: Fault): number {
  if (fault.kind !== 'calls-fail' || !isRareConflict(fault)) return 0;
  return (fault.percent > 30 ? 90 : 20) * SECOND_MS;
}

/** Slow calls make a run take a few seconds. Wakes that arrive in this time must not be lost. */
function isShortDelay(fault: Fault): boolean {
  return fault.kind === 'calls-slow' && fault.upToMs <= 500;
}

/** The time that slow calls add to the runs that a duty needs. */
const DELAYS_MS = 16 * SECOND_MS;

/** Whether a fault is active, or was a short time ago, that touches what the duty needs. */
export function isDisturbed(watched: Watched, duty: Pick<Duty, 'needs' | 'about'>): boolean {
  const nowMs = watched.nowMs();
  return watched.story.faults.some(
    (fault) =>
      nowMs >= fault.fromMs && nowMs < fault.fromMs + fault.forMs + RECOVERY_MS && touches(fault, duty, watched),
  );
}

function touches(fault: Fault, { needs, about }: Pick<Duty, 'needs' | 'about'>, { objectOf }: Watched): boolean {
  const needsAny = (calls: readonly string[]): boolean =>
    needs.some((need) => calls.some((call) => matches(call, need)));
  const isAbout = (object: string | undefined): boolean => about === undefined || about().includes(object ?? '');
  switch (fault.kind) {
    case 'calls-fail':
      return !isRareConflict(fault) && needsAny(fault.calls);
    case 'object-refused':
      // An error that is not of the port ends the work on the object until the next tick, whatever it needs.
      return (fault.unexpected === true || needsAny([fault.call])) && isAbout(objectOf(fault));
    case 'unreadable-record':
      return isAbout(objectOf(fault));
    case 'listed-late':
      return needsAny(['cloud.describeInstances']);
    case 'odd-launches':
      return needsAny(['cloud.launch', 'cloud.admitLaunch']);
    case 'messages':
      return true;
    case 'webhook-down':
      return needs.includes('webhook');
    case 'node-class':
    case 'node-pool':
      return needs.includes('world') || needs.includes('placement') || needs.includes('users');
    case 'scheduler-down':
      return needs.includes('world') || needs.includes('placement');
    case 'machines':
    case 'no-capacity':
    case 'impaired':
    case 'spot-volley':
    case 'volumes-stay':
      return needs.includes('world');
    case 'by-hand':
      // The duties of drains know the PodDisruptionBudgets.
      if (fault.what === 'hold-pods') return false;
      // Kerf does not terminate an instance without its tags.
      return (
        needs.includes('world') ||
        needs.includes('users') ||
        (fault.what === 'remove-tags' && needsAny(['cloud.terminate']))
      );
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
