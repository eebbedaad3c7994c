import { formatTime, HOUR_MS, MINUTE_MS } from '../../../apis/formats/time.ts';
import type { NodePool } from '../../../apis/node-pool.ts';
import { isActiveWorkload } from '../../cluster/pods.ts';
import type { StateNode } from '../../cluster/state-node.ts';
import { compareText } from '../../compare-text.ts';
import { fingerprint } from '../../identity.ts';
import { onceFor } from '../../kept-answers.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { type Action, type Due, requeueAt } from '../../model/decision.ts';
import { NO_MEMORY, type PassMemory, type RejectedNode } from '../../model/disruption/pass-memory.ts';
import { type DisruptionCommand, type DisruptionMethod, isReplacing } from '../../model/disruption-command.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { type Candidate, candidateFor, classOf, isCandidate } from '../candidates.ts';
import type { World } from '../method.ts';

/** The pause after a rejection. Each further one with the same inputs doubles it. */
const PAUSE_MS = { first: MINUTE_MS, most: HOUR_MS };
/** How long after its pause a node is remembered, so that the next rejection is one more in a row. */
const REMEMBERED_MS = 10 * MINUTE_MS;
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
 * pause. Emptiness proposes what it validates, so its nodes are not remembered. *Shape:* the memory before, the same object, if there
 * is nothing to remember.
 */
export function withRejected({ before, snapshot, nodes, actions, nowMs }: Stepped): PassMemory {
  const { passMemory = NO_MEMORY } = before;
  const ids = new Set(
    actions.flatMap((one) => (one.kind === 'end-disruption' && one.outcome === 'rejected' ? [one.command] : [])),
  );
  if (ids.size === 0) return passMemory;
  const nodeOf = new Map(nodes.flatMap((node) => (node.nodeClaim === undefined ? [] : [[node.nodeClaim.name, node]])));
  const remembered = passMemory.rejected.filter((one) => nowMs < one.untilMs + REMEMBERED_MS);
  const known = new Map(remembered.map((one) => [keyOf(one), one]));
  const rejected = before.commands
    .filter(({ id, method }) => ids.has(id) && method !== 'emptiness')
    .flatMap((command) =>
      unchanged(command, { nodeOf, snapshot, nowMs }).map((candidate): RejectedNode => {
        const { name: nodeClaim } = candidate.nodeClaim;
        const { method } = command;
        const inputs = inputsOf(candidate);
        const last = known.get(keyOf({ method, nodeClaim }));
        const times = last?.inputs === inputs ? last.times + 1 : 1;
        return { method, nodeClaim, inputs, times, untilMs: nowMs + pauseMs(times) };
      }),
    );
  if (rejected.length === 0) return passMemory;
  const again = new Set(rejected.map(keyOf));
  const others = remembered.filter((one) => !again.has(keyOf(one)) && nodeOf.has(one.nodeClaim));
  return { ...passMemory, rejected: [...others, ...rejected].slice(-MAX_NODES) };
}

function pauseMs(times: number): number {
  return Math.min(PAUSE_MS.most, PAUSE_MS.first * 2 ** (times - 1));
}

function keyOf({ method, nodeClaim }: Pick<RejectedNode, 'method' | 'nodeClaim'>): string {
  return `${method} ${nodeClaim}`;
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

/** What a method reads of a candidate, beside the rest of the cluster. */
function inputsOf({ stateNode, nodeClaim, nodePool, priceUsdPerHour }: Candidate): string {
  const pods = stateNode.pods.filter(isActiveWorkload);
  const uids = pods.map(({ metadata }) => metadata.uid ?? metadata.name).toSorted();
  return fingerprint(JSON.stringify([uids, settingsOf(nodePool), priceUsdPerHour, nodeClaim.drift?.reason]), 12);
}

/** The spec, and the annotations of Kerf: the others have no effect. */
const settingsOf = onceFor(({ metadata, spec }: NodePool): string => {
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.startsWith('kerf.dev/'));
  return JSON.stringify([spec, annotations.toSorted(([a], [b]) => compareText(a, b))]);
});

/** The world without the nodes that the method must not propose yet. */
export function withoutRejected(world: World, method: DisruptionMethod, memory: PassMemory = NO_MEMORY): World {
  const paused = new Map(
    memory.rejected
      .filter((one) => one.method === method && one.untilMs > world.nowMs)
      .map((one) => [one.nodeClaim, one]),
  );
  if (paused.size === 0) return world;
  const { candidates } = world;
  const judge: World['candidates']['judge'] = (stateNode, as) => {
    const judged = candidates.judge(stateNode, as);
    return isCandidate(judged) ? (whyPaused(judged, paused.get(judged.nodeClaim.name)) ?? judged) : judged;
  };
  return { ...world, candidates: { ...candidates, judge } };
}

function whyPaused(candidate: Candidate, rejected: RejectedNode | undefined): Refusal | undefined {
  if (rejected === undefined || rejected.inputs !== inputsOf(candidate)) return undefined;
  const { method, times, untilMs } = rejected;
  const last = times === 1 ? 'the last command' : `the last ${times} commands`;
  return refusal(
    'RejectedBefore',
    `${last} of ${method} for the node ${times === 1 ? 'was' : 'were'} rejected, although the node had not changed: it is evaluated again from ${formatTime(untilMs)}, or when its pods or its NodePool change`,
    { rejections: times },
  );
}

/** When pauses end. */
export function pauseEnds({ rejected }: PassMemory, nowMs: number): readonly Due[] {
  const ends = rejected.map(({ untilMs }) => untilMs).filter((atMs) => atMs > nowMs);
  return ends.length === 0 ? [] : [requeueAt(Math.min(...ends))];
}
