import { MINUTE_MS, parseTime, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { DO_NOT_DISRUPT } from '../../../lib/apis/labels.ts';
import type { Action, Decision } from '../../../lib/core/model/decision.ts';
import type { RuleOf, Watched } from '../rule.ts';
import { RUN_MS } from './records.ts';

/** From the snapshot of a decision to its record, with slow calls. */
const DECIDED_MS = 3 * MINUTE_MS;
/** An older decision does not delete NodeClaims. */
const OUTDATED_MS = 2 * MINUTE_MS;
/** An action that fails this long is given up. */
const GIVEN_UP_MS = 5 * MINUTE_MS - 5 * SECOND_MS;
/** The clock of one function may be two minutes ahead, and that of another one two minutes behind. */
const CLOCKS_APART_MS = 4 * MINUTE_MS;

/** A decision is closed only after it was carried out, recorded only after all earlier ones were, and published once. */
export const decisionsAreCarriedOut: RuleOf = (watched) => {
  const { violate, open, nowMs } = watched;
  const recorded = new Set<string>();
  const published = new Set<string>();
  let replacedAtMs = -Infinity;
  return {
    replaced() {
      recorded.clear();
      replacedAtMs = nowMs();
    },
    decisionRecorded(decision) {
      const [earlier] = open.values();
      if (earlier !== undefined)
        violate(
          'open decisions are carried out first',
          `${decision.id} was recorded while ${earlier.decision.id} was open`,
        );
      if (recorded.has(decision.id)) violate('a decision is recorded once', decision.id);
      recorded.add(decision.id);
      for (const action of decision.actions)
        if (action.kind === 'create-node-claim')
          for (const pod of action.nodeClaim.pods)
            if (staysForEver(watched, pod))
              violate('no NodeClaim is created for a pod that stays', `${action.nodeClaim.name} is for pod ${pod}`);
      const created = decision.actions.flatMap((one) => (one.kind === 'create-node-claim' ? [one.nodeClaim.name] : []));
      if (new Set(created).size < created.length)
        violate('the NodeClaims of a decision have different names', `${decision.id}: ${created.join(', ')}`);
    },
    published({ id, actions }) {
      if (actions.length === 0 || !recorded.has(id)) return;
      if (published.has(id)) violate('the actions of a decision are published once', id);
      published.add(id);
    },
    decisionClosed(decision) {
      // The records that a run wrote before a restore are lost.
      if (nowMs() - replacedAtMs < RUN_MS) return;
      for (const action of decision.actions) {
        const why = whyNotDone(watched, decision, action);
        if (why !== undefined) violate('a decision is closed after it was carried out', `${decision.id}: ${why}`);
      }
    },
  };
};

/** Whether the pod runs on a node, and nothing evicts it. A deadline may have deleted it. */
function staysForEver({ simulation, nowMs, startMs }: Watched, key: string): boolean {
  const pod = simulation().state.pods.get(key);
  const atMs = startMs() + nowMs();
  const isOld = parseTime(pod?.status?.startTime ?? '9999-01-01T00:00:00Z') < atMs - DECIDED_MS;
  if (pod?.spec.nodeName === undefined || pod.metadata.deletionTimestamp !== undefined) return false;
  return isOld && pod.metadata.annotations?.[DO_NOT_DISRUPT] === 'true';
}

function whyNotDone(
  { records, nowMs, startMs, story, objectOf }: Watched,
  decision: Decision,
  action: Action,
): string | undefined {
  const ageMs = startMs() + nowMs() - decision.atMs;
  const slackMs = story.faults.some(({ kind }) => kind === 'clocks') ? CLOCKS_APART_MS : 0;
  if (action.kind === 'create-node-claim')
    return records.has(action.nodeClaim.name) || ageMs > GIVEN_UP_MS - slackMs
      ? undefined
      : `NodeClaim ${action.nodeClaim.name} was not created`;
  if (action.kind !== 'delete-node-claim') return undefined;
  // An action that is refused for good is given up.
  if (story.faults.some((fault) => objectOf(fault) === action.nodeClaim)) return undefined;
  const record = records.get(action.nodeClaim);
  const isDone = record === undefined || record.deletion !== undefined || record.releasedAtMs !== undefined;
  return isDone || ageMs > OUTDATED_MS - slackMs ? undefined : `NodeClaim ${action.nodeClaim} was not deleted`;
}

/** An open decision that is older than two minutes deletes no NodeClaim: its node may have pods now. Disruption decides again. */
export const outdatedDecisionsDeleteNothing: RuleOf = ({ violate, open, nowMs, startMs, story }) => {
  const isTimed = !story.faults.some(({ kind }) => kind === 'clocks');
  return {
    recordWritten({ name, deletion }, before) {
      if (!isTimed || deletion === undefined || before === undefined || before.deletion !== undefined) return;
      for (const { decision } of open.values()) {
        const ageMs = startMs() + nowMs() - decision.atMs;
        const isOf = decision.actions.some(
          (one) => one.kind === 'delete-node-claim' && one.nodeClaim === name && one.message === deletion.message,
        );
        // A run that began before may take a minute.
        if (isOf && ageMs > OUTDATED_MS + RUN_MS)
          violate(
            'an outdated decision deletes nothing',
            `NodeClaim ${name}: ${decision.id} is ${Math.round(ageMs / SECOND_MS)} s old`,
          );
      }
    },
  };
};
