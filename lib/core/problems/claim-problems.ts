import { firstNames } from '../../apis/counted.ts';
import { MINUTE_MS } from '../../apis/formats/time.ts';
import { compareText } from '../compare-text.ts';
import type { NodeClaimRecord } from '../model/node-claim-record.ts';
import { launchRefusal } from '../node-claim/launch/launch-refusal.ts';
import { MAX_NAMES, type Problem, type ProblemKind } from './problems.ts';

/** A launch that waits for its turn is given up after half an hour. */
const LAUNCHED_WITHIN_MS = 35 * MINUTE_MS;
/** Lifecycle deletes the claim after 15 minutes. */
const REGISTERED_WITHIN_MS = 10 * MINUTE_MS;
const INITIALIZED_WITHIN_MS = 15 * MINUTE_MS;
/** Without a terminationGracePeriod. */
const DRAINED_WITHIN_MS = 60 * MINUTE_MS;
/** After the deadline, instances are terminated at once. */
const AFTER_DEADLINE_MS = 10 * MINUTE_MS;
/** A large instance takes several minutes to shut down. */
const SHUT_DOWN_WITHIN_MS = 20 * MINUTE_MS;
const REFUSED_FOR_MS = 5 * MINUTE_MS;

/** The problems of the NodeClaims of a cluster. They are read from the records alone, so a run that repeats finds them again. */
export function problemsOfClaims(records: readonly NodeClaimRecord[], nowMs: number): readonly Problem[] {
  const existing = records.filter(({ releasedAtMs }) => releasedAtMs === undefined);
  const active = existing.filter(({ deletion }) => deletion === undefined);
  return [
    ...problemOf('LaunchesFailing', active, (record) => launchRefusal(record)?.message),
    ...problemOf('NodeClaimStuck', active, (record) => whyStuck(record, nowMs)),
    ...problemOf('DrainStuck', existing, (record) => whyNotTerminated(record, nowMs)),
  ];
}

/** *Shape:* one problem for all claims that have it, with the cause of the first one by name. */
function problemOf(
  kind: ProblemKind,
  records: readonly NodeClaimRecord[],
  causeOf: (record: NodeClaimRecord) => string | undefined,
): readonly Problem[] {
  const causes = new Map(
    records.flatMap((record) => {
      const cause = causeOf(record);
      return cause === undefined ? [] : [[record.name, cause] as const];
    }),
  );
  const names = [...causes.keys()].toSorted(compareText);
  const [first] = names;
  if (first === undefined) return [];
  const message = `NodeClaim ${firstNames(names, MAX_NAMES)}: ${causes.get(first) ?? ''}`;
  return [{ kind, message, numbers: { nodeClaims: names.length } }];
}

function whyStuck({ launch, createdAtMs, registeredAtMs, initializedAtMs }: NodeClaimRecord, nowMs: number) {
  if (launch.kind !== 'launched') {
    return since('not launched', createdAtMs, { withinMs: LAUNCHED_WITHIN_MS, nowMs });
  }
  if (registeredAtMs === undefined) {
    return since('launched and not registered', launch.atMs, { withinMs: REGISTERED_WITHIN_MS, nowMs });
  }
  if (initializedAtMs !== undefined) return undefined;
  return since('registered and not initialized', registeredAtMs, { withinMs: INITIALIZED_WITHIN_MS, nowMs });
}

/** What holds for a claim whose release fails. */
export function notReleased({ launch }: Pick<NodeClaimRecord, 'launch'>): string {
  const ended = launch.kind === 'launched' ? 'its instance has ended' : 'it has no instance';
  return `${ended}, but its Node or NodeClaim cannot be released`;
}

function whyNotTerminated(record: NodeClaimRecord, nowMs: number): string | undefined {
  const { deletion } = record;
  if (deletion === undefined) return undefined;
  const { releaseFailed, terminationRefused, terminateRequestedAtMs, deadlineMs, requestedAtMs } = deletion;
  if (releaseFailed !== undefined) {
    const why = since(notReleased(record), releaseFailed.sinceMs, { withinMs: REFUSED_FOR_MS, nowMs });
    return why && `${why}: ${releaseFailed.message}`;
  }
  if (terminationRefused !== undefined) {
    const why = `EC2 refuses to terminate its instance: ${terminationRefused.message}; refused`;
    return since(why, terminationRefused.sinceMs, { withinMs: REFUSED_FOR_MS, nowMs });
  }
  if (terminateRequestedAtMs !== undefined) {
    return since('its instance is shutting down', terminateRequestedAtMs, { withinMs: SHUT_DOWN_WITHIN_MS, nowMs });
  }
  if (deadlineMs === undefined) return since('draining', requestedAtMs, { withinMs: DRAINED_WITHIN_MS, nowMs });
  return since('past the deadline of its drain', deadlineMs, { withinMs: AFTER_DEADLINE_MS, nowMs });
}

/** *Shape:* undefined within the time. */
function since(
  what: string,
  sinceMs: number,
  { withinMs, nowMs }: { readonly withinMs: number; readonly nowMs: number },
): string | undefined {
  const ms = nowMs - sinceMs;
  return ms > withinMs ? `${what} for ${Math.floor(ms / MINUTE_MS)} minutes` : undefined;
}
