import { parseDuration } from '../../../lib/apis/formats/duration.ts';
import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { instanceOf, type NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import type { RuleOf, Watched } from '../rule.ts';
import { type Duty, LIFECYCLE, progressOf, TERMINATION } from './progress/duty.ts';
import { refusedForMs } from './progress/removal-duties.ts';

/** Clocks of functions are up to two minutes apart from the true time. */
const CLOCK_MS = 2 * MINUTE_MS;
const LAUNCH_MS = 5 * MINUTE_MS;
/** While the account launches too much at once. */
const THROTTLED_MS = 30 * MINUTE_MS;
/** Kerf's own limit is not used, so that a wrong one is found. */
export const REGISTRATION_MS = 15 * MINUTE_MS;

function expiryOf({ spec, createdAtMs }: NodeClaimRecord): number | undefined {
  const afterMs = parseDuration(spec.expireAfter ?? '');
  return afterMs === undefined ? undefined : createdAtMs + afterMs;
}

/** A NodeClaim that is given up, or expires, has had its whole time (D8, D14). */
export const deletionsWaitForTheirTime: RuleOf = ({ violate, nowMs, startMs, story }) => {
  const slackMs = story.faults.some(({ kind }) => kind === 'clocks') ? 2 * CLOCK_MS : SECOND_MS;
  /** The claims whose last answer from EC2 was that the account launches too much at once. */
  const throttled = new Set<string>();
  /** If a reply was lost before, only the list of instances shows whether there is one, and the time counts on. */
  const isThrottled = (name: string, launch: NodeClaimRecord['launch']): boolean =>
    launch.kind === 'refused' && launch.unknown !== true && throttled.has(name);
  const earliestOf: Readonly<Record<string, (record: NodeClaimRecord) => number | undefined>> = {
    expired: expiryOf,
    launch_timeout: ({ name, createdAtMs, launch }) =>
      createdAtMs + (isThrottled(name, launch) ? THROTTLED_MS : LAUNCH_MS),
    registration_timeout: ({ launch }) => (launch.kind === 'launched' ? launch.atMs + REGISTRATION_MS : undefined),
    node_lost: ({ nodeLostAtMs }) => nodeLostAtMs && nodeLostAtMs + REGISTRATION_MS,
  };
  return {
    learned(outcome, { nodeClaim, members = [nodeClaim] }) {
      for (const name of members)
        if ('throttled' in outcome && outcome.throttled) throttled.add(name);
        else throttled.delete(name);
    },
    recordWritten(after, before) {
      if (after.deletion === undefined || before?.deletion !== undefined) return;
      const { reason } = after.deletion;
      const earliestMs = earliestOf[reason]?.(after);
      const earlyMs = (earliestMs ?? 0) - startMs() - nowMs();
      if (earlyMs > slackMs)
        violate('no NodeClaim is given up early', `NodeClaim ${after.name}: ${reason}, ${earlyMs / SECOND_MS} s early`);
    },
  };
};

/** A NodeClaim ends when its time is over: it expires (D14), and its deadline ends its instance in any case (D24). */
export const timesAreKept: RuleOf = (watched) =>
  progressOf(watched, () =>
    [...watched.records.values()].flatMap((record) =>
      record.releasedAtMs === undefined ? timeDuties(watched, record) : [],
    ),
  );

function timeDuties(watched: Watched, record: NodeClaimRecord): readonly Duty[] {
  const { simulation, startMs, nowMs } = watched;
  const { name, deletion, launch } = record;
  const now = startMs() + nowMs();
  if (deletion === undefined) {
    const isOver = launch.kind === 'launched' && now > (expiryOf(record) ?? Infinity);
    return isOver ? [{ name: `NodeClaim ${name} expires`, withinMs: 75 * SECOND_MS, needs: LIFECYCLE }] : [];
  }
  const id = instanceOf(record)?.id;
  const isAlive = simulation()
    .ec2.instances()
    .some((one) => one.id === id && one.state === 'running');
  // The API server may refuse to change the node and its pods: the instance ends nevertheless.
  const needs = [...TERMINATION, 'messages.wake', 'cloud.terminate'];
  return isAlive && now > (deletion.deadlineMs ?? Infinity)
    ? [
        {
          name: `the instance of NodeClaim ${name} ends at its deadline`,
          withinMs: 40 * SECOND_MS + refusedForMs(watched, record),
          needs,
        },
      ]
    : [];
}
