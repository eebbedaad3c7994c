import { MINUTE_MS, parseTime, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import type { Condition } from '../../../lib/apis/kubernetes.ts';
import { INITIALIZED, REGISTERED } from '../../../lib/apis/labels.ts';
import type { NodeClaim } from '../../../lib/apis/node-claim.ts';
import type { RuleOf } from '../watch.ts';

/** A call that takes effect may be answered late, and a clock may be two minutes away. */
const SLACK_MS = 8 * SECOND_MS;

/** Consolidatable follows the last pod event. */
const CHANGING: ReadonlySet<string> = new Set(['Consolidatable']);

/** The transition time of a condition is the time of the transition, and it changes only with the status. */
export const transitionTimesAreTrue: RuleOf = ({ violate, simulation, startMs, nowMs, story, records }) => {
  const rule = 'transition times are those of the transition';
  const isCalm = !story.faults.some(({ kind }) => kind === 'clocks' || kind === 'calls-slow' || kind === 'calls-hang');
  const slackMs = isCalm ? SLACK_MS : 2 * MINUTE_MS + MINUTE_MS;
  const labelled = new Map<string, number>();
  const launched = new Map<string, number>();
  let isReplaced = false;
  return {
    // A record that was restored or adopted may not have the times of the lost one.
    replaced() {
      isReplaced = true;
    },
    step() {
      for (const { metadata, spec } of simulation().state.nodes.values())
        for (const label of [REGISTERED, INITIALIZED])
          if (metadata.labels?.[label] === 'true' && !labelled.has(`${spec?.providerID} ${label}`))
            labelled.set(`${spec?.providerID} ${label}`, startMs() + nowMs());
    },
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
          !CHANGING.has(condition.type)
        )
          violate(
            rule,
            `NodeClaim ${name}: ${condition.type} stayed ${condition.status}, and its time changed from ${old.lastTransitionTime} to ${condition.lastTransitionTime}`,
          );
      }
      const label = { Registered: REGISTERED, Initialized: INITIALIZED } as const;
      for (const type of ['Registered', 'Initialized'] as const) {
        const sinceMs = labelled.get(`${after.status?.providerID} ${label[type]}`);
        const condition = trueCondition(after, type);
        // A node that registered again after it was deleted by hand is another transition.
        if (condition === undefined || sinceMs === undefined) continue;
        const apartMs = Math.abs(timeOf(condition) - sinceMs);
        if (apartMs > slackMs)
          violate(
            rule,
            `NodeClaim ${name}: ${type} is ${apartMs} ms away from the time at which the node got its label`,
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

function trueCondition({ status }: NodeClaim, type: string): Condition | undefined {
  const found = status?.conditions?.find((one) => one.type === type);
  return found?.status === 'True' ? found : undefined;
}

function timeOf({ lastTransitionTime }: Condition): number {
  return parseTime(lastTransitionTime ?? '');
}
