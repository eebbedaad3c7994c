import { formatTime, HOUR_MS, MINUTE_MS } from '../../../apis/formats/time.ts';
import { isActiveWorkload } from '../../cluster/pods.ts';
import type { StateNode } from '../../cluster/state-node.ts';
import { firstBy } from '../../first-by.ts';
import { fingerprint } from '../../identity.ts';
import { onceFor } from '../../kept-answers.ts';
import type { ClusterSnapshot, NodePoolView } from '../../model/cluster-snapshot.ts';
import { type Action, type Due, requeueAt } from '../../model/decision.ts';
import { NO_MEMORY, type PassMemory, type RejectedNode } from '../../model/disruption/pass-memory.ts';
import { type DisruptionCommand, isReplacing } from '../../model/disruption-command.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { type Candidate, candidateFor, classOf, isCandidate } from '../candidates.ts';
import type { Method, World } from '../method.ts';
import { rejectedIn } from './failing-pools.ts';
import { pauseMs } from './pause.ts';
import { settingsOf } from './settings.ts';

/**
 * How long after its pause a node is remembered, so that the next rejection is one more in a row. A command that launches replacements
 * may wait for them for an hour, and for its turn before.
 */
const REMEMBERED_MS = { proposed: 10 * MINUTE_MS, launched: 2 * HOUR_MS };
/** The item of the table stays small. The latest are kept. */
const MAX_NODES = 2_000;

/** What was decided about commands, and the cluster after it. */
export interface Stepped {
  readonly before: ClusterSnapshot;
  readonly snapshot: ClusterSnapshot;
  readonly nodes: readonly StateNode[];
  readonly actions: readonly Action[];
  readonly nowMs: number;
}

/**
 * E25: remembers the nodes of commands that were rejected now. If a node has changed since the proposal, this is why, and the
 * nodes may be proposed at once. If no node has changed, the same pass would propose them again, so each of them is left out for a
 * pause: by the method, and by all methods of its reason if replacements were launched, because these would launch them too. Emptiness
 * proposes what it validates, so its nodes are not remembered. *Shape:* the memory before, the same object, if there is nothing to
 * remember.
 */
export function withRejected(stepped: Stepped, passMemory: PassMemory): PassMemory {
  const { before, snapshot, nodes, actions, nowMs } = stepped;
  const ids = rejectedIn(actions);
  if (ids.size === 0) return passMemory;
  const nodeOf = new Map(nodes.flatMap((node) => (node.nodeClaim === undefined ? [] : [[node.nodeClaim.name, node]])));
  const remembered = passMemory.rejected.filter((one) => nowMs < one.untilMs + rememberedMs(one));
  const known = new Map(remembered.map((one) => [keyOf(one), one]));
  const rejected = before.commands
    .filter(({ id, method }) => ids.has(id) && method !== 'emptiness')
    .flatMap((command) =>
      unchanged(command, { nodeOf, snapshot, nowMs }).map((candidate): RejectedNode => {
        const { method } = command;
        const launched = isReplacing(command) ? { reason: command.reason } : {};
        const of = { method, nodeClaim: candidate.nodeClaim.name, ...launched };
        const inputs = inputsOf(candidate, of, snapshot.nodePools);
        const last = known.get(keyOf(of));
        const times = last?.inputs === inputs ? last.times + 1 : 1;
        const tookMs = isReplacing(command) ? nowMs - command.replacingSinceMs : 0;
        return { ...of, inputs, times, untilMs: nowMs + pauseMs(times, tookMs) };
      }),
    );
  if (rejected.length === 0) return passMemory;
  const again = new Set(rejected.map(keyOf));
  const others = remembered.filter((one) => !again.has(keyOf(one)) && nodeOf.has(one.nodeClaim));
  return { ...passMemory, rejected: [...others, ...rejected].slice(-MAX_NODES) };
}

type Remembered = Pick<RejectedNode, 'method' | 'nodeClaim' | 'reason'>;

function rememberedMs({ reason }: Remembered): number {
  return reason === undefined ? REMEMBERED_MS.proposed : REMEMBERED_MS.launched;
}

function keyOf({ method, reason, nodeClaim }: Remembered): string {
  return `${reason ?? method} ${nodeClaim}`;
}

interface Rejection extends Pick<Stepped, 'snapshot' | 'nowMs'> {
  readonly nodeOf: ReadonlyMap<string, StateNode>;
}

/** The nodes of the command, as candidates. *Shape:* none if one of them is not a candidate any more, or has other pods than when it was proposed. */
function unchanged(command: DisruptionCommand, { nodeOf, snapshot, nowMs }: Rejection): readonly Candidate[] {
  const as = classOf(command.reason);
  const candidates = command.candidates.flatMap(({ nodeClaim }) => {
    const node = nodeOf.get(nodeClaim);
    const judged = node && candidateFor(as, node, { snapshot, nowMs });
    return isCandidate(judged) && !hasNewPods(judged, command) ? [judged] : [];
  });
  return candidates.length === command.candidates.length ? candidates : [];
}

/** The failure of a replacement, which takes minutes, does not depend on the pods of the nodes. */
function hasNewPods({ nodeClaim }: Candidate, command: DisruptionCommand): boolean {
  return !isReplacing(command) && (nodeClaim.lastPodEventAtMs ?? 0) > command.decidedAtMs;
}

/** What a method reads of a candidate, beside the rest of the cluster. Where replacements were launched, an edit of any NodePool may mend them. */
function inputsOf(
  { stateNode, nodeClaim, nodePool, priceUsdPerHour }: Candidate,
  { reason }: Remembered,
  nodePools: readonly NodePoolView[],
): string {
  const pods = stateNode.pods.filter(isActiveWorkload);
  const uids = pods.map(({ metadata }) => metadata.uid ?? metadata.name).toSorted();
  const view = viewNamed(nodePools, nodePool.metadata.name);
  const settings = reason === undefined ? view && settingsOf(view) : settingsOfAll(nodePools);
  return fingerprint(JSON.stringify([uids, settings, priceUsdPerHour, nodeClaim.drift?.reason]), 12);
}

const viewNamed = firstBy<NodePoolView>(({ nodePool }) => nodePool.metadata.name);

const settingsOfAll = onceFor((nodePools: readonly NodePoolView[]) => fingerprint(nodePools.map(settingsOf).join('')));

/** The world without the nodes that the method must not propose yet. */
export function withoutRejected(
  world: World,
  { name, reason }: Pick<Method, 'name' | 'reason'>,
  memory: PassMemory = NO_MEMORY,
): World {
  const paused = Map.groupBy(
    memory.rejected.filter((one) => isOf(one, name, reason) && one.untilMs > world.nowMs),
    ({ nodeClaim }) => nodeClaim,
  );
  if (paused.size === 0) return world;
  const { candidates, nodePools } = world;
  const judge: World['candidates']['judge'] = (stateNode, as) => {
    const judged = candidates.judge(stateNode, as);
    if (!isCandidate(judged)) return judged;
    const mine = paused.get(judged.nodeClaim.name)?.find((one) => one.inputs === inputsOf(judged, one, nodePools));
    return mine === undefined ? judged : whyPaused(mine);
  };
  return { ...world, candidates: { ...candidates, judge } };
}

function isOf(one: RejectedNode, name: Method['name'], reason: Method['reason']): boolean {
  return one.reason === undefined ? one.method === name : one.reason === reason;
}

function whyPaused({ method, reason, times, untilMs }: RejectedNode): Refusal {
  const last = times === 1 ? 'the last command' : `the last ${times} commands`;
  const were = times === 1 ? 'was' : 'were';
  const until = formatTime(untilMs);
  return refusal(
    'RejectedBefore',
    reason === undefined
      ? `${last} of ${method} for the node ${were} rejected, although the node had not changed: it is evaluated again from ${until}, or when its pods, its NodePool or its EC2NodeClass change`
      : `${last} for the node as ${reason} ${were} rejected after replacements were launched: it is evaluated again from ${until}, or when its pods, a NodePool or an EC2NodeClass change`,
    { rejections: times },
  );
}

/** When pauses end. */
export function pauseEnds({ rejected, failing }: PassMemory, nowMs: number): readonly Due[] {
  const ends = [...rejected, ...failing].map(({ untilMs }) => untilMs).filter((atMs) => atMs > nowMs);
  return ends.length === 0 ? [] : [requeueAt(Math.min(...ends))];
}
