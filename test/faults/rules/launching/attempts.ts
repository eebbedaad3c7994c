import { MINUTE_MS, SECOND_MS } from '../../../../lib/apis/formats/time.ts';
import type { NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import type { RuleOf } from '../../rule.ts';

/** The pause after the first refusal. It doubles with each further one. */
const FIRST_PAUSE_MS = 5 * SECOND_MS;
const LONGEST_PAUSE_MS = MINUTE_MS;
/** The longest pause while the account launches too much at once. */
const LONGEST_THROTTLE_MS = 30 * SECOND_MS;
/** From the reply to its record. */
const RECORDED_MS = 2 * SECOND_MS;
/** Faults after which the time of an attempt is not that of its record. */
const UNTIMED: ReadonlySet<string> = new Set([
  'clocks',
  'calls-slow',
  'calls-hang',
  'table-steps',
  'restore-table',
  'other-version',
]);

/** Each attempt to launch a claim is a request of its own, and EC2 is not asked again and again for what it refuses. */
export const attemptsAreApart: RuleOf = ({ violate, nowMs, startMs, story }) => {
  const isTimed = !story.faults.some(({ kind }) => UNTIMED.has(kind));
  /** The client tokens of the earlier attempts, by claim. */
  const tokens = new Map<string, Map<string, number>>();
  /** The longest pause after requests that EC2 refused without naming an offering that it lacks, by client token. */
  const refused = new Map<string, number>();
  const checkToken = ({ name, launch }: NodeClaimRecord): void => {
    if (launch.kind !== 'requested') return;
    const { clientToken } = launch.request;
    const mine = tokens.get(name) ?? new Map<string, number>();
    tokens.set(name, mine);
    const earlier = mine.get(clientToken);
    if (earlier === undefined) mine.set(clientToken, launch.attempt);
    else if (earlier !== launch.attempt)
      violate(
        'each attempt has its own client token',
        `NodeClaim ${name}: attempts ${earlier} and ${launch.attempt} have the client token ${clientToken}`,
      );
  };
  const pauses = new Map<string, { readonly untilMs: number; readonly attempt: number }>();
  return {
    replaced() {
      tokens.clear();
      pauses.clear();
    },
    learned(outcome, { clientToken }) {
      // The same request may be sent again, and its last answer counts.
      refused.delete(clientToken);
      if (outcome.kind !== 'rejected' || outcome.missing.length > 0) return;
      refused.set(clientToken, outcome.throttled ? LONGEST_THROTTLE_MS : LONGEST_PAUSE_MS);
    },
    recordWritten(after, before) {
      const { name, launch } = after;
      checkToken(after);
      if (!isTimed) return;
      const atMs = startMs() + nowMs();
      if (launch.kind === 'refused' && before?.launch.kind === 'requested') {
        const { attempt } = launch;
        const longestMs = refused.get(before.launch.request.clientToken);
        if (longestMs !== undefined) {
          const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), longestMs);
          pauses.set(name, { untilMs: atMs + pauseMs - RECORDED_MS, attempt });
        }
      }
      const pause = pauses.get(name);
      if (launch.kind !== 'requested' || pause === undefined) return;
      pauses.delete(name);
      if (atMs < pause.untilMs)
        violate(
          'a refused launch is repeated after a pause',
          `NodeClaim ${name}: attempt ${launch.attempt} begins ${(pause.untilMs - atMs) / SECOND_MS} s early`,
        );
    },
  };
};
