import { MINUTE_MS } from '../../apis/formats/time.ts';
import { withoutRefused } from '../../core/disruption/command/without-refused.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { EpochMovedError, type PortError, RefusedError } from '../../ports/errors.ts';
import { isTaint } from '../act/change-nodes.ts';
import { isNewFailure } from '../act/is-new-refusal.ts';
import { type OutcomeReport, reportOf } from '../act/outcomes.ts';
import { type Announces, announce } from './announce.ts';
import { type ActPorts, carryOut } from './carry-out.ts';
import type { RecordsDecisions, RemembersRefusals } from './ports.ts';

/** What finishing an open decision needs. */
export type SettlePorts = ActPorts & RecordsDecisions & RemembersRefusals & Announces;

const MAX_TRIES = 5;

/** A decision is older than two ticks only if Kerf was on standby or could not reach the cluster. */
const OUTDATED_MS = 2 * MINUTE_MS;

/** After this time, an action that still fails is given up. Lifecycle no longer launches its claim then (D8). */
const GIVEN_UP_MS = 5 * MINUTE_MS;

/**
 * Finishes open decisions, and publishes them. *Shape:* an epoch from which the run can observe: every decision up to it is carried
 * out, and its results can be observed. The epoch is read first, so that a decision that is recorded later invalidates the decision of
 * this run. *Errors:* that of an action that may succeed later: until then, a decision could count its claims twice or not at all.
 */
export async function settledEpoch(ports: SettlePorts, cluster: string): Promise<SettledEpoch> {
  const failures: Error[] = [];
  const decisions: Decision[] = [];
  // A decision that cannot be closed stays in the list.
  const carriedOut = new Set<string>();
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const epoch = await ports.store.readEpoch(cluster);
    const open = (await ports.store.openDecisions(cluster)).filter(({ id }) => !carriedOut.has(id));
    if (open.length === 0) return { epoch, failures, decisions };
    const finished = await inTurn(open, async (decision) => finishEarlier(ports, decision));
    failures.push(...finished.flatMap((one) => one.failures));
    decisions.push(...finished.flatMap((one) => (one.isClosed ? [one.decision] : [])));
    for (const { unfinished } of finished) if (unfinished !== undefined) throw unfinished;
    for (const { id } of open) carriedOut.add(id);
  }
  throw new EpochMovedError(
    `cluster ${cluster}: other runs record decisions faster than they are carried out: try again later`,
  );
}

export interface SettledEpoch {
  readonly epoch: number;
  /** Actions that were given up, and wakes and publications that were lost. */
  readonly failures: readonly Error[];
  /** What this run has finished of earlier decisions, for its report. */
  readonly decisions: readonly Decision[];
}

/** The refusals of the decision are left out: the run that has recorded it publishes them, or the next run decides them again. */
async function finishEarlier(ports: SettlePorts, open: Decision): Promise<FinishedDecision> {
  const finished = await finishDecision(ports, open, { isEarlier: true });
  const decision = { ...finished.decision, blocked: [] };
  const isNews = finished.isClosed && decision.actions.length > 0;
  const lost = isNews ? await announce(ports, decision) : [];
  return { ...finished, decision, isClosed: isNews, failures: [...finished.failures, ...lost] };
}

export interface FinishedDecision extends Pick<OutcomeReport, 'decision' | 'failures'> {
  /** The failure of an action that may succeed later. The decision stays open. @default every action is carried out or given up */
  readonly unfinished?: PortError;
  /** Whether this run has closed the decision. Several runs may carry it out, and the one that closes it publishes its actions. */
  readonly isClosed: boolean;
}

/**
 * Carries out a decision, and closes it unless an action failed that may succeed later. A patch of a node that has changed since
 * never succeeds, so it is given up, and the next run decides it again. An action that is refused for good is
 * reported and given up: the next run decides again about its pods or its node. A decision that the table refuses to close for
 * good is reported, and every run carries it out again, which changes nothing.
 */
export async function finishDecision(
  ports: SettlePorts,
  decision: Decision,
  { isEarlier = false }: { readonly isEarlier?: boolean } = {},
): Promise<FinishedDecision> {
  const nowMs = ports.clock.now();
  const current = nowMs < decision.atMs + OUTDATED_MS ? decision : await withoutOutdated(ports, decision);
  const outcomes = await carryOut(ports, isEarlier ? withoutTaints(current) : current);
  const { repeat, ...report } = reportOf(ports, decision, outcomes);
  if (repeat !== undefined && nowMs < decision.atMs + GIVEN_UP_MS)
    return { ...report, unfinished: repeat, isClosed: false };
  const closed = await close(ports, decision, isEarlier);
  return { ...report, isClosed: closed.isClosed, failures: [...report.failures, ...closed.failures] };
}

/**
 * *Shape:* the refusal, if it was not reported before. A decision that cannot be closed counts as closed by the run that has recorded it.
 * *Errors:* a failure that may pass.
 */
async function close(
  ports: SettlePorts,
  decision: Decision,
  isEarlier: boolean,
): Promise<Pick<FinishedDecision, 'failures' | 'isClosed'>> {
  const { cluster, id } = decision;
  try {
    return { isClosed: (await ports.store.closeDecision(decision)) === 'closed', failures: [] };
  } catch (cause) {
    if (!(cause instanceof RefusedError)) throw cause;
    const what = `the table refuses to close decision ${id}, so each run carries it out again`;
    const isNew = isNewFailure(ports, `${cluster}: close decision ${id}`, cause.message);
    return { isClosed: !isEarlier, failures: isNew ? [new Error(`${what}: ${cause.message}`, { cause })] : [] };
  }
}

async function inTurn<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

/** The writes of one node may hang, and provisioning finishes decisions of disruption before its own. */
function withoutTaints(decision: Decision): Decision {
  return { ...decision, actions: decision.actions.filter((action) => !isTaint(action)) };
}

/**
 * An old decision does not delete NodeClaims, because their nodes may have pods now; disruption decides again. Its command ends with
 * what an earlier run has deleted. Lifecycle gives up claims that are created late (D2).
 */
async function withoutOutdated({ store }: SettlePorts, { actions, ...decision }: Decision): Promise<Decision> {
  const dropped = new Map<string, string>();
  for (const action of actions) {
    if (action.kind !== 'delete-node-claim') continue;
    // Without an answer, it counts as not deleted.
    const isDropped = await store.readNodeClaim(decision.cluster, action.nodeClaim).then(isInUse, () => true);
    if (isDropped) dropped.set(action.nodeClaim, OUTDATED);
  }
  const kept = actions.filter((action) => action.kind !== 'delete-node-claim' || !dropped.has(action.nodeClaim));
  const current = kept.map((one) => (one.kind === 'end-disruption' ? withoutRefused(one, dropped) : one));
  return { ...decision, actions: current };
}

const OUTDATED = `the decision was not carried out within ${OUTDATED_MS / MINUTE_MS} minutes, and its nodes may have pods now`;

function isInUse(record: NodeClaimRecord | undefined): boolean {
  return record !== undefined && record.deletion === undefined && record.releasedAtMs === undefined;
}
