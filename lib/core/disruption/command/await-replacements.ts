import { formatDuration } from '../../../apis/formats/duration.ts';
import { MINUTE_MS } from '../../../apis/formats/time.ts';
import { podKey } from '../../../apis/kubernetes.ts';
import { nomination } from '../../cluster/nomination.ts';
import { holds, selectsPod } from '../../cluster/pod-disruption-budgets.ts';
import { isDrainable, isOwnedByDaemonSet, isProvisionable, isReschedulable } from '../../cluster/pods.ts';
import { activePods, isNodeReady, type StateNode } from '../../cluster/state-node.ts';
import type { Action } from '../../model/decision.ts';
import type { DisruptionCommand, ReplacingCommand } from '../../model/disruption-command.ts';
import type { NodeClaimRecord } from '../../model/node-claim-record.ts';
import type { Refusal } from '../../model/refusal.ts';
import { whyNeverEvicted } from '../../node-claim/never-evicted.ts';
import { budgetLedger } from '../budget-ledger.ts';
import { type Candidate, candidateFor, classOf, isCandidate } from '../candidates.ts';
import type { Pass } from '../pass.ts';
import { deletionOf } from './deletion.ts';
import { endOf } from './end-of.ts';
import { movedBy } from './moved-by.ts';
import { MAX_PATIENCE_MS, patienceMs } from './patience.ts';

/** Pods that are pending when the replacements are initialized may be bound soon. */
const PENDING_FOR_MS = MINUTE_MS;

export interface Awaiting {
  readonly pass: Pass;
  /** The commands that were decided before. Budgets count their nodes as being disrupted. */
  readonly ahead: readonly DisruptionCommand[];
  /** The number of commands that wait for replacements. */
  readonly inFlight: number;
}

/**
 * E34, E35: the next step of a command that waits for its replacements. When all are initialized, its candidates are deleted. It ends
 * without that if a replacement is gone, if a candidate must stay, if it is of no use to wait for budgets, or after a time.
 * Replacements that exist then stay, and are removed when they are not needed. A candidate that leaves for another reason does not affect
 * the others. A candidate whose disruption is not allowed by a budget delays the command; the schedules of the NodePool's budgets may apply as
 * they did when the replacements were launched. *Shape:* no actions while it waits.
 */
export function awaitReplacements(command: ReplacingCommand, awaiting: Awaiting): readonly Action[] {
  const { pass, inFlight } = awaiting;
  const { stays, kept } = candidatesLeft(command, pass);
  const lost = lostReplacement(command, pass);
  if (stays.length === 0 && kept.length === 0)
    return [endOf(command, 'rejected', 'its nodes were removed for other reasons')];
  if (lost !== undefined) return [endOf(command, 'rejected', lost)];
  const [busy] = kept.filter(({ reason }) => reason !== 'PDB');
  if (busy !== undefined) return [endOf(command, 'rejected', `node ${busy.node} must stay: ${busy.message}`)];
  const useless = whyUseless(command, kept, pass);
  if (useless !== undefined) return [endOf(command, 'rejected', useless)];
  const waiting = whyWaiting(command, { ...awaiting, stays, kept });
  if (waiting === undefined) return replaced(command, stays, pass);
  const limitMs = waiting.isForEvictions ? MAX_PATIENCE_MS : patienceMs(inFlight);
  if (pass.nowMs < command.replacingSinceMs + limitMs) return [];
  return [endOf(command, 'rejected', `after ${formatDuration(limitMs)}, ${waiting.why}`)];
}

interface Waiting {
  readonly why: string;
  /**
   * Only PodDisruptionBudgets keep the candidates, and they may allow evictions later. Nodes behind one budget are drained one after the
   * other, and each takes its time.
   */
  readonly isForEvictions: boolean;
}

interface Kept {
  readonly node: string;
  readonly reason: string;
  readonly message: string;
}

interface Left {
  readonly stays: readonly Candidate[];
  /** Candidates that must not be disrupted now. */
  readonly kept: readonly Kept[];
}

/** The candidates that nothing else removes. */
function candidatesLeft(command: ReplacingCommand, { snapshot, all, nowMs }: Pass): Left {
  const mine = new Set(command.candidates.map(({ nodeClaim }) => nodeClaim));
  // Nominations are of pods that were to be bound before the node was tainted.
  const as = classOf(command.reason);
  const alone = { ...snapshot, commands: [], nominated: [] };
  const judged = all.flatMap((stateNode) => {
    const { node, nodeClaim } = stateNode;
    if (nodeClaim === undefined || !mine.has(nodeClaim.name)) return [];
    if ((nodeClaim.deletion ?? node?.metadata.deletionTimestamp) !== undefined) return [];
    const one = candidateFor(as, { ...stateNode, deleting: false }, { snapshot: alone, nowMs });
    return one === undefined ? [] : [{ node: stateNode.name, one }];
  });
  return {
    stays: judged.flatMap(({ one }) => (isCandidate(one) ? [one] : [])),
    kept: judged.flatMap(({ node, one }) => (isCandidate(one) ? [] : [{ ...one, node }])),
  };
}

/**
 * When a command gives up because of pending pods: some time after the last replacement was initialized. *Shape:* infinite while one is not
 * initialized.
 */
export function pendingUntilMs(
  { replacementClaims }: ReplacingCommand,
  nodeClaims: readonly NodeClaimRecord[],
): number {
  const names = new Set(replacementClaims);
  const replacements = nodeClaims.filter(({ name }) => names.has(name));
  if (replacements.length < names.size) return Infinity;
  return Math.max(...replacements.map(({ initializedAtMs }) => initializedAtMs ?? Infinity)) + PENDING_FOR_MS;
}

/**
 * Why it is of no use to wait longer for PodDisruptionBudgets that keep candidates. They may require all pods that their workloads have now.
 * Or a pod is pending, counts as disrupted, and waits until the pods of the candidate have moved: required affinity allows it only where
 * they run, and their node accepts no pods. Both would wait until the command gives up, while the cluster has the nodes twice.
 */
function whyUseless(
  command: ReplacingCommand,
  kept: readonly Kept[],
  { snapshot, all, nowMs }: Pass,
): string | undefined {
  const names = new Set(kept.map(({ node }) => node));
  const [{ node, message } = { node: '', message: '' }] = kept;
  if (names.size === 0 || nowMs < pendingUntilMs(command, snapshot.nodeClaims)) return undefined;
  // The status of a budget that was just created or changed is computed soon.
  const forEver = keptForEver(kept, { snapshot, all }).find(({ why }) => why.reason !== 'PDBNotComputed');
  if (forEver !== undefined) return `node ${forEver.node} must stay: ${forEver.why.message}`;
  const guarded = all.filter(({ name }) => names.has(name)).flatMap(activePods);
  const budgets = snapshot.podDisruptionBudgets.filter((budget) => guarded.some((pod) => selectsPod(budget, pod)));
  const pending = snapshot.pods.filter(
    (pod) => isProvisionable(pod) && budgets.some((budget) => selectsPod(budget, pod)),
  );
  return pending.length === 0
    ? undefined
    : `node ${node} must stay: ${message}; pending pods of this budget: ${pending.length}`;
}

/** Why a replacement will not be initialized. A record that cannot be read is awaited. */
function lostReplacement({ replacementClaims }: ReplacingCommand, { snapshot }: Pass): string | undefined {
  const unreadable = (snapshot.ignoredObjects ?? []).flatMap(({ subject, reason }) =>
    subject.kind === 'NodeClaim' && reason === 'RecordUnreadable' ? [subject.name] : [],
  );
  const records = new Map(snapshot.nodeClaims.map((record) => [record.name, record]));
  for (const name of replacementClaims) {
    const record = records.get(name);
    if (record === undefined && !unreadable.includes(name)) return `replacement ${name} no longer exists`;
    if (record?.deletion !== undefined)
      return `replacement ${name} is being deleted (${record.deletion.reason}): ${record.deletion.message}`;
  }
  return undefined;
}

function whyWaiting(command: ReplacingCommand, { pass, ahead, stays, kept }: Awaiting & Left): Waiting | undefined {
  const ready = new Set(pass.all.filter(isReadyForPods).flatMap(({ nodeClaim }) => nodeClaim?.name ?? []));
  const missing = command.replacementClaims.filter((name) => !ready.has(name));
  if (missing.length > 0)
    return { why: `replacements are not initialized: ${missing.join(', ')}`, isForEvictions: false };
  const [held] = kept;
  if (held !== undefined)
    return {
      why: `node ${held.node} must stay: ${held.message}`,
      isForEvictions: keptForEver(kept, pass).length === 0,
    };
  // Budgets may have been edited, or nodes may have left for other reasons.
  const nodes = withoutLater(pass.nodes, stays, ahead);
  const times = { nowMs: pass.nowMs, replacingSinceMs: command.replacingSinceMs };
  const [over] = budgetLedger({ ...pass.snapshot, commands: ahead }, nodes, times).take(stays, command.reason).over;
  return over && { why: over.message, isForEvictions: false };
}

/** Why budgets that keep the nodes now will never allow the evictions. Other pods and budgets of the nodes do not count. */
function keptForEver(
  kept: readonly Kept[],
  { all, snapshot: { podDisruptionBudgets: budgets } }: Pick<Pass, 'all' | 'snapshot'>,
): readonly { readonly node: string; readonly why: Refusal }[] {
  const names = new Set(kept.map(({ node }) => node));
  return all
    .filter(({ name }) => names.has(name))
    .flatMap((stateNode) => {
      const held = activePods(stateNode).filter((pod) => isDrainable(pod) && !isOwnedByDaemonSet(pod));
      return held
        .filter((pod) => budgets.some((budget) => holds(budget, pod)))
        .flatMap((pod) => whyNeverEvicted(pod, budgets) ?? [])
        .map((why) => ({ node: stateNode.name, why }));
    });
}

/**
 * The nodes as they are if only the commands ahead are in flight: if a budget has become smaller, commands would wait for each other otherwise.
 */
function withoutLater(
  nodes: readonly StateNode[],
  stays: readonly Candidate[],
  ahead: readonly DisruptionCommand[],
): readonly StateNode[] {
  const mine = new Set(stays.map(({ nodeClaim }) => nodeClaim.name));
  const before = new Set(ahead.flatMap(({ candidates }) => candidates.map(({ nodeClaim }) => nodeClaim)));
  return nodes.map((one) => {
    const name = one.nodeClaim?.name ?? '';
    if (mine.has(name)) return notDisrupting(one);
    return one.replaced === true && !before.has(name) ? { ...one, deleting: false } : one;
  });
}

/** E7: a candidate is counted when it is taken, and not before: by its command, or because it is not Ready any more. */
function notDisrupting({ node: _node, ...stateNode }: StateNode): StateNode {
  return { ...stateNode, deleting: false };
}

function isReadyForPods({ node, initialized }: StateNode): boolean {
  return node !== undefined && initialized && isNodeReady(node);
}

/** The replacements are nominated for the pods, so that they are not removed as empty before these arrive. */
function replaced(command: ReplacingCommand, stays: readonly Candidate[], pass: Pass): readonly Action[] {
  const { replacementClaims } = command;
  const why = `, replaced by ${replacementClaims.join(', ')}`;
  const nodes = pass.all.filter(({ nodeClaim }) => replacementClaims.includes(nodeClaim?.name ?? ''));
  const pods = stays.flatMap(({ stateNode }) => activePods(stateNode).filter(isReschedulable).map(podKey));
  const left = command.candidates.length - stays.length;
  const others = left === 0 ? '' : `, ${left} other candidates were removed for other reasons`;
  return [
    ...(pods.length === 0 ? [] : nodes.map(({ name }) => nomination(name, pods, pass.nowMs))),
    ...stays.map((candidate): Action => deletionOf(candidate, { command, atRest: pass.atRest, why })),
    { ...endOf(command, 'executed', `all replacements are initialized${others}`), ...movedBy(command, stays, pass) },
  ];
}
