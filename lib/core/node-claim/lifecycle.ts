import { MINUTE_MS } from '../../apis/formats/time.ts';
import { isNodeReady } from '../cluster/state-node.ts';
import { requeueAt } from '../model/decision.ts';
import type { Instance, NodeClaimRecord } from '../model/node-claim-record.ts';
import type { Reason } from '../model/reasons.ts';
import { act, blockedClaim, type ClaimVerdict, type DeletionCause, unchanged } from './claim-verdict.ts';
import { type ConsistencyView, withConsistency } from './consistency.ts';
import { expiryOf, type JoiningClaim, join, whyNotJoined } from './join.ts';
import {
  adopted,
  type LaunchContext,
  type LaunchPlan,
  LISTED_AFTER_MS,
  launched,
  planLaunch,
  refusedLaunch,
} from './launch/launch.ts';
import { LONGEST_MESSAGE } from './mirror/mirror-conditions.ts';

/** D8. */
const LAUNCH_TIMEOUT_MS = 5 * MINUTE_MS;
/** After a request was last sent: the maximum run time of a function, and the time until EC2 lists the instance. */
const SETTLED_AFTER_MS = MINUTE_MS + LISTED_AFTER_MS;

/** One claim and its node: the inputs of its lifecycle. */
export interface NodeClaimView extends JoiningClaim, ConsistencyView {
  /** The NodeClaim object in the cluster is being deleted, for example by `kubectl delete nodeclaim`. */
  readonly deleteRequested: boolean;
  /** When the instances were listed. */
  readonly listedAtMs: number;
  /** Whether EC2 lists the instance as running, with or without its tags. */
  readonly instanceListed: boolean;
  /** An instance with the claim's name in its tags: the result of a launch whose response was lost. */
  readonly taggedInstance?: Instance;
  /** The inputs of a launch, or why the NodeClass cannot be used now. Undefined for a claim whose launch was requested. */
  readonly launchContext: LaunchContext | NoLaunchContext | undefined;
}

export interface NoLaunchContext {
  readonly reason: Reason;
  readonly message: string;
  /** The NodeClass does not exist or is being deleted, so the claim is deleted (C37). @default false */
  readonly gone?: true;
}

/**
 * The next step of a claim: launch, register, initialize or delete. Termination handles claims that are being deleted, unless
 * the outcome of their launch is unknown: then it is determined first (D36).
 * *Source:* D1–D8, D14, D15.
 */
export function decideLifecycle(view: NodeClaimView, nowMs: number): ClaimVerdict {
  const { record } = view;
  if (record.launch.kind === 'requested') return settle(view, record.launch, nowMs);
  if (record.deletion !== undefined) return unchanged(record);
  const found = takeOver(view, nowMs);
  if (found !== undefined) return found;
  const goodbye = whyDelete(view, nowMs);
  if (goodbye !== undefined) return deletion(record, goodbye);
  return record.launch.kind === 'launched' ? withConsistency(join(view, nowMs), view, nowMs) : launch(view, nowMs);
}

/**
 * Determines the outcome of a launch. If an instance has the claim's name, the launch succeeded. Otherwise the same request is
 * sent again: EC2 returns the instance of the first one. It is not sent if EC2 no longer accepts the token, if the claim is
 * being deleted, or after the launch timeout. Then the attempt has failed once EC2 had enough time to list an instance.
 */
function settle(view: NodeClaimView, state: Requested, nowMs: number): ClaimVerdict {
  const { record, listedAtMs } = view;
  const found = takeOver(view, nowMs);
  if (found !== undefined) return found;
  const { attempt, request, sentAgainAtMs = state.atMs } = state;
  if (shouldSendAgain(record, state, nowMs)) {
    const sent: NodeClaimRecord = { ...record, launch: { ...state, sentAgainAtMs: nowMs } };
    return act(sent, { kind: 'launch-instance', nodeClaim: record.name, attempt, request });
  }
  const overAtMs = sentAgainAtMs + SETTLED_AFTER_MS;
  if (listedAtMs < overAtMs) return { ...unchanged(record), due: [requeueAt(overAtMs)] };
  const message = 'launch outcome unknown, and EC2 lists no instance for it';
  return unchanged(refusedLaunch(record, { message, nowMs, learned: true }));
}

/**
 * An instance with the claim's name belongs to the claim, also if the record has no launch: EC2 may list it after the attempt was
 * recorded as failed, and a restored table may lack the launch.
 */
function takeOver({ record, taggedInstance }: NodeClaimView, nowMs: number): ClaimVerdict | undefined {
  if (record.launch.kind === 'launched' || taggedInstance === undefined) return undefined;
  return unchanged(launched(record, adopted(taggedInstance, record), nowMs));
}

type Requested = NodeClaimRecord['launch'] & { readonly kind: 'requested' };

function shouldSendAgain(record: NodeClaimRecord, { atMs, spent }: Requested, nowMs: number): boolean {
  if (spent === true) return false;
  const isOver = record.deletion !== undefined || nowMs - record.createdAtMs >= LAUNCH_TIMEOUT_MS;
  return !isOver || nowMs - atMs < LISTED_AFTER_MS;
}

function launch(view: NodeClaimView, nowMs: number): ClaimVerdict {
  const { record, launchContext } = view;
  if (launchContext === undefined) return unchanged(record);
  if (!('resolved' in launchContext)) {
    const { gone = false, ...why } = launchContext;
    // C37.
    if (gone) return deletion(record, { reason: 'insufficient_capacity', message: why.message });
    return waiting(record, why, nowMs);
  }
  const { launch: state } = record;
  if (state.kind === 'refused' && nowMs < (state.retryAtMs ?? nowMs)) return pausing(record, state);
  const plan = planLaunch(record, launchContext);
  switch (plan.kind) {
    case 'no-capacity':
      return deletion(record, { reason: 'insufficient_capacity', message: plan.message });
    case 'unsupported':
      return waiting(record, { reason: 'Unsupported', message: plan.message }, nowMs);
    case 'launch':
      return send(record, plan, nowMs);
  }
}

/** The record with the request is written before the request is sent (D36). */
function send(record: NodeClaimRecord, plan: LaunchPlan & { kind: 'launch' }, nowMs: number): ClaimVerdict {
  const { attempt, request, warning } = plan;
  const frozen: NodeClaimRecord = {
    ...record,
    annotations: { ...record.annotations, ...plan.annotations },
    launch: { kind: 'requested', attempt, request, atMs: nowMs },
  };
  const verdict = act(frozen, { kind: 'launch-instance', nodeClaim: record.name, attempt, request });
  if (warning === undefined) return verdict;
  return { ...verdict, blocked: [blockedClaim(record, { reason: 'FewTypesOnDemand', message: warning })] };
}

/** D3: the error of EC2 is reported while the claim waits for its next attempt. */
function pausing(
  record: NodeClaimRecord,
  state: NodeClaimRecord['launch'] & { readonly kind: 'refused' },
): ClaimVerdict {
  const blocked = [blockedClaim(record, { reason: 'LaunchFailed', message: state.message.slice(0, LONGEST_MESSAGE) })];
  return { ...unchanged(record), blocked, due: [requeueAt(state.retryAtMs ?? state.atMs)] };
}

function whyDelete(view: NodeClaimView, nowMs: number): DeletionCause | undefined {
  const { record, node, deleteRequested, instanceListed, listedAtMs } = view;
  if (deleteRequested) return { reason: 'deleted', message: 'the NodeClaim was deleted' };
  if (node?.metadata.deletionTimestamp !== undefined) return { reason: 'deleted', message: 'the Node was deleted' };
  const { launch: state } = record;
  if (state.kind !== 'launched') {
    return nowMs - record.createdAtMs < LAUNCH_TIMEOUT_MS
      ? undefined
      : { reason: 'launch_timeout', message: `not launched within ${LAUNCH_TIMEOUT_MS / MINUTE_MS} minutes` };
  }
  // D15: a Ready node runs, even if the list omits its instance. A claim without a node does not wait for its registration
  // timeout, as in Karpenter, because its pods would wait for a node that cannot register.
  const runs = instanceListed || (node !== undefined && isNodeReady(node));
  if (!runs && listedAtMs - state.atMs >= LISTED_AFTER_MS) {
    return { reason: 'garbage_collected', message: `instance ${state.instance.id} no longer exists in EC2` };
  }
  const late = whyNotJoined(view, nowMs);
  if (late !== undefined) return late;
  const expiry = expiryOf(record);
  return expiry === undefined || nowMs < expiry
    ? undefined
    : { reason: 'expired', message: `older than expireAfter ${record.spec.expireAfter}` };
}

function deletion(record: NodeClaimRecord, { reason, message }: DeletionCause): ClaimVerdict {
  return act(record, { kind: 'delete-node-claim', nodeClaim: record.name, reason, message });
}

function waiting(
  record: NodeClaimRecord,
  why: { readonly reason: Reason; readonly message: string },
  nowMs: number,
): ClaimVerdict {
  const nextRunMs = Math.min(nowMs + MINUTE_MS, record.createdAtMs + LAUNCH_TIMEOUT_MS);
  return { ...unchanged(record), blocked: [blockedClaim(record, why)], due: [requeueAt(nextRunMs)] };
}
