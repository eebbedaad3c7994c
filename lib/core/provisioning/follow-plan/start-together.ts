import { SECOND_MS, timeIn } from '../../../apis/formats/time.ts';
import type { Node, Pod } from '../../../apis/kubernetes.ts';
import { HOSTNAME } from '../../../apis/labels.ts';
import { isBufferPod } from '../../cluster/buffer-pod.ts';
import { isSpreadOverZones } from '../../cluster/spread-over-zones.ts';
import { isNodeReady } from '../../cluster/state-node.ts';
import type { NodeClaimRecord, StartTurn } from '../../model/node-claim-record.ts';
import { requiredAffinityTerms } from '../../scheduling/pods/pod-affinity-terms.ts';
import type { PlannedNodeClaim } from '../../scheduling/schedule.ts';

/** From the creation of the first Node of the decision: 10 to 15 s until it is Ready, and some seconds for the others. */
const TOGETHER_WITHIN_MS = 20 * SECOND_MS;
/** With fewer pods that are spread over zones, those that find no room wait less than all pods would. */
const MANY_SPREAD = 100;
/** A run for a single claim waits so much longer with a node of the second turn, so that the run for all claims is first. */
const SECOND_TURN_AFTER_MS = 2 * SECOND_MS;

/**
 * B67: the turns in which the nodes of these claims are registered. The first pod of a group with required affinity to itself in a zone
 * decides the zone of the group. While no node of the planned zone is ready, it is bound in another one, whatever is nominated. So the
 * nodes for such pods are registered first, and the others right after them in the same run (`inTurn`). Pods that are spread over zones are
 * bound where the nodes that are ready allow it, and take the room of others there. If there are many of these and none with such affinity,
 * all nodes have the same turn.
 * *Shape:* in the order of the claims; undefined if no claim waits for another one.
 */
export function startTurns(claims: readonly Pick<PlannedNodeClaim, 'pods'>[]): readonly StartTurn[] | undefined {
  if (claims.filter((claim) => claim.pods.length > 0).length < 2) return undefined;
  const pods = claims.map((claim) => claim.pods.filter((pod) => !isBufferPod(pod)));
  const turns = pods.map((mine): StartTurn => (mine.some(decidesZone) ? 1 : 2));
  if (turns.includes(1)) return turns;
  return pods.flat().filter(isSpreadOverZones).length < MANY_SPREAD ? undefined : turns.map(() => 1);
}

function decidesZone(pod: Pod): boolean {
  return requiredAffinityTerms(pod).some(({ topologyKey }) => topologyKey !== HOSTNAME);
}

/** Until when the nodes of a decision wait, by their turn. *Shape:* undefined if they do not wait. */
type AwaitedStart = Readonly<Record<StartTurn, number | undefined>>;

interface SeenStart {
  readonly nodeOf: (record: NodeClaimRecord) => Node | undefined;
  /** When EC2 launched its instance, by the clock of EC2. */
  readonly launchedAtMs: (record: NodeClaimRecord) => number | undefined;
  readonly isSingle: boolean;
}

/**
 * B67: the nodes of a decision are registered when all of them are Ready, in one run: until the last of them is registered, the
 * kube-scheduler binds pods that are planned for it to the others. A claim whose launch fails, or that is deleted, is not awaited. The
 * creation of a Node has the time of the API server, and the clock of the function may be minutes behind it.
 * *Shape:* by the time of the decision, once its first node has joined: the parts of a large decision have IDs of their own. *Cost:* O(records).
 * @param records all claims of the cluster, or a single one: whether the other nodes of its decision are Ready is not known then
 */
export function awaitedStarts(
  records: readonly NodeClaimRecord[],
  { nodeOf, launchedAtMs, isSingle }: SeenStart,
): ReadonlyMap<number, AwaitedStart> {
  const withTurn = records.filter(
    ({ startTurn, launch, deletion }) => startTurn !== undefined && launch.kind !== 'refused' && deletion === undefined,
  );
  const byDecision = Map.groupBy(withTurn, ({ createdAtMs }) => createdAtMs);
  return new Map(
    [...byDecision].flatMap(([atMs, claims]) => {
      const nodes = claims.map(nodeOf);
      const hasJoined = nodes.some((node) => node !== undefined);
      if (!hasJoined || claims.every(({ registeredAtMs }) => registeredAtMs !== undefined)) return [];
      const areReady = !isSingle && nodes.every((node) => node !== undefined && isNodeReady(node));
      const joinedMs = nodes.flatMap((node) =>
        node === undefined ? [] : (timeIn(node.metadata.creationTimestamp) ?? 0),
      );
      const untilMs = Math.min(...joinedMs) + TOGETHER_WITHIN_MS - behindMs(claims, launchedAtMs);
      const first = areReady ? undefined : untilMs;
      return [[atMs, { 1: first, 2: isSingle ? untilMs + SECOND_TURN_AFTER_MS : first }] as const];
    }),
  );
}

/** How far the clock of lifecycle was at least behind that of EC2 when it recorded the launches. The clocks of AWS's services agree. */
function behindMs(claims: readonly NodeClaimRecord[], launchedAtMs: SeenStart['launchedAtMs']): number {
  const lags = claims.flatMap((record) => {
    const atMs = launchedAtMs(record);
    return atMs === undefined || record.launch.kind !== 'launched' ? [] : atMs - record.launch.atMs;
  });
  return lags.length === 0 ? 0 : Math.max(0, Math.min(...lags));
}

/** Until when the node of a claim waits for others. *Shape:* undefined if it does not wait. */
export function awaitedUntilMs(
  { startTurn, createdAtMs }: NodeClaimRecord,
  awaited: ReadonlyMap<number, AwaitedStart>,
): number | undefined {
  return startTurn === undefined ? undefined : awaited.get(createdAtMs)?.[startTurn];
}
