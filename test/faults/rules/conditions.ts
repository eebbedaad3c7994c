import { MINUTE_MS, parseTime, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import type { Condition } from '../../../lib/apis/kubernetes.ts';
import { INITIALIZED, REGISTERED } from '../../../lib/apis/labels.ts';
import type { NodeClaim } from '../../../lib/apis/node-claim.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { isByHand, type RuleOf, type Watched } from '../rule.ts';
import { losesNodes, recordOf } from './nodes.ts';
import { isDisturbed, LIFECYCLE } from './progress/duty.ts';

/** A call that takes effect may be answered late, and a clock may be two minutes away. */
const SLACK_MS = 8 * SECOND_MS;

/** The clock of a function may be this far away. */
const CLOCKS_MS = 2 * MINUTE_MS;

/** Consolidatable follows the last pod event. */
const CHANGING: ReadonlySet<string> = new Set(['Consolidatable']);

/** What Kerf needs to write a label, or to observe it, and to record it. */
const OBSERVING = [...LIFECYCLE, 'cluster.patchNode', 'messages.wake'];

/** The transition time of a condition is the time of the transition, and it changes only with the status. */
export const transitionTimesAreTrue: RuleOf = (watched) => {
  const { violate, startMs, nowMs, story, records } = watched;
  const rule = 'transition times are those of the transition';
  const isCalm = !story.faults.some(({ kind }) => kind === 'clocks' || kind === 'calls-slow' || kind === 'calls-hang');
  const slackMs = isCalm ? SLACK_MS : 2 * MINUTE_MS + MINUTE_MS;
  // The NodeClaim may not be shown between the loss of its node and its return.
  const isAgain = losesNodes(watched);
  // If the record cannot be written until the node has returned, it keeps the time before the loss.
  const mayMissLoss =
    isAgain &&
    story.faults.some(
      (one) => one.kind === 'calls-fail' || (one.kind === 'object-refused' && one.call === 'store.updateNodeClaim'),
    );
  // With slow lists, a run may show an earlier finding after a later one. While tags are removed, a failed list or write may hide one.
  const losesTags = isByHand(story, 'remove-tags');
  const mayHideFinding = (): boolean =>
    !isCalm || (losesTags && isDisturbed(watched, { needs: ['cluster.applyNodeClaim', 'cluster.listNodeClaims'] }));
  const labels = labelsOf(watched);
  const launched = new Map<string, number>();
  let isReplaced = false;
  return {
    // A record that was restored or adopted may not have the times of the lost one.
    replaced() {
      isReplaced = true;
    },
    step: labels.note,
    launched({ nodeClaim }, outcome) {
      if (outcome.kind === 'launched' && !launched.has(nodeClaim)) launched.set(nodeClaim, startMs() + nowMs());
    },
    mirrorWritten(after, before) {
      if (isReplaced) return;
      const { name } = after.metadata;
      for (const condition of after.status?.conditions ?? []) {
        const old = before?.status?.conditions?.find(({ type }) => type === condition.type);
        if (
          old?.status === condition.status &&
          condition.status === 'True' &&
          old.lastTransitionTime !== condition.lastTransitionTime &&
          !isAgain &&
          !(condition.type === 'ConsistentStateFound' && mayHideFinding()) &&
          !CHANGING.has(condition.type)
        )
          violate(
            rule,
            `NodeClaim ${name}: ${condition.type} stayed ${condition.status}, and its time changed from ${old.lastTransitionTime} to ${condition.lastTransitionTime}`,
          );
      }
      labels.note();
      for (const type of ['Registered', 'Initialized'] as const) {
        const label = labels.of(after.status?.providerID, type);
        const condition = trueCondition(after, type);
        // A node that registered again after it was deleted by hand is another transition.
        if (condition === undefined || label === undefined) continue;
        const atMs = timeOf(condition);
        const earlyMs = mayMissLoss ? 0 : label.sinceMs - atMs;
        const apartMs = Math.max(earlyMs, atMs - label.unseenUntilMs);
        if (apartMs > slackMs)
          violate(
            rule,
            `NodeClaim ${name}: ${type} is ${apartMs} ms before the node got its label, or after it could be recorded`,
          );
      }
      const condition = trueCondition(after, 'Launched');
      const launchedMs = launched.get(name);
      const isFound = records.get(name)?.launch.kind === 'launched';
      if (condition !== undefined && launchedMs !== undefined && isFound && timeOf(condition) < launchedMs - slackMs)
        violate(rule, `NodeClaim ${name}: Launched is ${launchedMs - timeOf(condition)} ms before the launch`);
    },
  };
};

const LABELS = { Registered: REGISTERED, Initialized: INITIALIZED } as const;

interface LabelTimes {
  readonly sinceMs: number;
  /** Until when a fault may have kept Kerf from recording it. */
  unseenUntilMs: number;
}

interface LabelledNodes {
  readonly note: () => void;
  readonly of: (providerId: string | undefined, type: keyof typeof LABELS) => LabelTimes | undefined;
}

/** The labels of nodes. A run that is cut off after it wrote a label leaves the record to the next run, which has its own time. */
function labelsOf(watched: Watched): LabelledNodes {
  const { simulation, startMs, nowMs } = watched;
  const known = new Map<string, LabelTimes>();
  const unrecorded = new Map<string, { readonly providerId: string; readonly type: keyof typeof LABELS }>();
  return {
    note() {
      const atMs = startMs() + nowMs();
      for (const { metadata, spec: { providerID: providerId } = {} } of simulation().state.nodes.values())
        for (const type of ['Registered', 'Initialized'] as const) {
          const key = `${providerId} ${type}`;
          // A node that was lost registers again.
          if (metadata.labels?.[LABELS[type]] !== 'true') known.delete(key);
          if (providerId === undefined || metadata.labels?.[LABELS[type]] !== 'true' || known.has(key)) continue;
          known.set(key, { sinceMs: atMs, unseenUntilMs: atMs });
          unrecorded.set(key, { providerId, type });
        }
      const isKept = isDisturbed(watched, { needs: OBSERVING });
      for (const [key, { providerId, type }] of unrecorded) {
        const times = known.get(key);
        if (isKept && times !== undefined) times.unseenUntilMs = atMs;
        // The record may have the time before the node was lost.
        if (recordedMs(recordOf(watched, providerId), type) > (times?.sinceMs ?? 0) - CLOCKS_MS) unrecorded.delete(key);
      }
    },
    of: (providerId, type) => known.get(`${providerId} ${type}`),
  };
}

function recordedMs(record: NodeClaimRecord | undefined, type: keyof typeof LABELS): number {
  return (type === 'Registered' ? record?.registeredAtMs : record?.initializedAtMs) ?? -Infinity;
}

function trueCondition({ status }: NodeClaim, type: string): Condition | undefined {
  const found = status?.conditions?.find((one) => one.type === type);
  return found?.status === 'True' ? found : undefined;
}

function timeOf({ lastTransitionTime }: Condition): number {
  return parseTime(lastTransitionTime ?? '');
}
