import { inParallel } from '../../core/in-parallel.ts';
import type { Action, Due } from '../../core/model/decision.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import type { LaunchGroup } from '../../core/node-claim/launch/launch-groups.ts';
import { readOr } from '../../core/observed.ts';
import { PortError, StaleRecordError } from '../../ports/errors.ts';
import { type Outcome, outcomeOf, outcomeWithReport } from '../act/outcomes.ts';
import type { ObservedClaims } from '../observe/observe-claims.ts';
import { reportActions } from '../run/apply-verdict.ts';
import type { AdvanceRun } from './advance-claim.ts';
import {
  afterLaunch,
  awaits,
  type LaunchReply,
  MAX_TRIES,
  recordOutcome,
  sendRequest,
  wasSentBefore,
} from './launch-instance.ts';
import { noteThrottled, whyNotNow } from './launch-turn.ts';

/** The records of a group that are written at the same time. */
const AT_ONCE = 10;

export type GroupLaunch =
  /** The records after the launch: none if the outcome is unknown, or if the group waits for its turn. */
  | { readonly kind: 'done'; readonly records: readonly NodeClaimRecord[]; readonly due: readonly Due[] }
  /** The table refuses the records, so nothing was sent. */
  | { readonly kind: 'refused' };

/**
 * Launches the claims of a group with one call (promise 1, D36): the records of all claims get the request in one transaction, and only
 * then it is sent. The instances are assigned in an order that every function computes from the same answer, and each record gets its
 * own. The tags follow: nothing waits for them. *Errors:* a conflict, if a record has changed: nothing was sent.
 */
export async function launchGroup(run: AdvanceRun, group: LaunchGroup, world: ObservedClaims): Promise<GroupLaunch> {
  const { ports } = run;
  const verdicts = group.members.map(({ verdict }) => verdict);
  const actions = verdicts.flatMap((verdict) => verdict.actions);
  const turn = await whyNotNow(ports, verdicts, world);
  if (turn !== undefined) return { kind: 'done', records: [], due: [turn] };
  let written: readonly NodeClaimRecord[];
  try {
    written = await ports.store.updateNodeClaims(verdicts.map(({ record }) => record));
  } catch (error) {
    if (error instanceof PortError && !error.retryable) return { kind: 'refused' };
    throw error;
  }
  const records: NodeClaimRecord[] = [];
  const { nodeClaim: name } = group.request;
  const seen = { nodes: readOr(world.nodes, []), nodeClaims: readOr(world.mirrors, []) };
  const blocked = verdicts.flatMap((verdict) => verdict.blocked);
  const carryOutAll = async (): Promise<readonly Outcome[]> => {
    const [first] = actions;
    if (first === undefined) return [];
    let reply: LaunchReply | undefined;
    const sent = await outcomeOf(first, async () => {
      reply = await sendRequest(ports, group.request, written[0] ?? { types: [] });
    });
    // All claims share the failure.
    if (reply === undefined) return [sent];
    const answered: Answered = { written, actions, reply, records };
    return reply.outcome.kind === 'launched' ? recordOutcomes(run, answered) : recordTogether(run, answered);
  };
  await reportActions(run, { name, atMs: ports.clock.now(), seen }, { actions, blocked, carryOutAll });
  noteThrottled(world, records, ports.clock.now());
  return { kind: 'done', records, due: [] };
}

interface Answered {
  readonly written: readonly NodeClaimRecord[];
  readonly actions: readonly Action[];
  readonly reply: LaunchReply;
  /** Gets the records after the launch. */
  readonly records: NodeClaimRecord[];
}

/** A record that cannot be written does not stop the others: the same request gives its claim the same instance later. */
async function recordOutcomes(
  { ports }: AdvanceRun,
  { written, actions, reply, records }: Answered,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  await inParallel(actions, AT_ONCE, async (action) => {
    const known = written.find(({ name }) => 'nodeClaim' in action && name === action.nodeClaim);
    if (known === undefined) return;
    const outcome = await outcomeWithReport(action, async () => {
      const { record, fallback } = await recordOutcome(ports, known, reply);
      if (record !== undefined) records.push(record);
      return fallback;
    });
    outcomes.push(outcome);
  });
  const [action] = actions;
  const { unmarked: error } = reply;
  return error === undefined || action === undefined ? outcomes : [...outcomes, { kind: 'failed', action, error }];
}

/**
 * EC2 launched nothing. The records of all claims get this in one transaction: if some had it and the run ended, the next run would
 * send the request again for the others, and EC2 would launch an instance for each claim of it.
 */
async function recordTogether(run: AdvanceRun, answered: Answered): Promise<readonly Outcome[]> {
  const { store } = run.ports;
  const { written, actions, reply, records } = answered;
  const { request, unmarked } = reply;
  let open = written;
  const write = async (): Promise<void> => {
    for (let tries = 1; open.length > 0; tries += 1) {
      // Another run that recorded an outcome has sent the request too.
      const sentBefore = open.length < written.length || open.some(wasSentBefore);
      try {
        records.push(...(await store.updateNodeClaims(open.map((record) => afterLaunch(record, reply, sentBefore)))));
        return;
      } catch (error) {
        if (!(error instanceof StaleRecordError) || tries === MAX_TRIES) throw error;
      }
      const fresh = await Promise.all(written.map(({ cluster, name }) => store.readNodeClaim(cluster, name)));
      open = fresh.filter((record) => awaits(record, request));
    }
  };
  const [first] = actions;
  if (first === undefined) return [];
  const outcome = await outcomeOf(first, write);
  // The table refuses one of the records. The list of instances decides about each claim for itself.
  if (outcome.kind === 'refused') {
    const { message } = outcome.error;
    return recordOutcomes(run, { ...answered, reply: { ...reply, outcome: { kind: 'spent', missing: [], message } } });
  }
  if (outcome.kind !== 'done') return [outcome];
  const failed = unmarked === undefined ? [] : [{ kind: 'failed', action: first, error: unmarked } as const];
  return [...actions.map((action): Outcome => ({ kind: 'done', action, lostWakes: [] })), ...failed];
}
