import { MINUTE_MS, timeIn } from '../../../apis/formats/time.ts';
import { namespaceOf, type Pod, podKey, selectorMatches } from '../../../apis/kubernetes.ts';
import { optional } from '../../../apis/optional.ts';
import { isBufferPod } from '../../cluster/buffer-pod.ts';
import { hardestToPlaceFirst } from '../../cluster/hardest-to-place.ts';
import { ownNomination, type PodNomination } from '../../cluster/nominated-node.ts';
import { isProvisionable } from '../../cluster/pods.ts';
import { isSpreadOverZones, spreadOverZones } from '../../cluster/spread-over-zones.ts';
import { knownNodeName } from '../../cluster/state-node.ts';
import { compareText } from '../../compare-text.ts';
import { type NodeClaimRecord, realPods } from '../../model/node-claim-record.ts';
import type { Schedule } from '../../scheduling/schedule.ts';

/**
 * B66: the nominations to write so that the kube-scheduler binds the pods as planned. Pods of a node whose name is not known yet are
 * nominated by a later run. A nomination of Kerf for a node that the pod is no longer planned for is replaced or removed; nominations
 * of other components and pods with a node are left alone.
 * *Shape:* only changes; those first whose place matters most (`hardestToPlaceFirst`). *Cost:* O(pods log pods), and for those that are
 * spread over zones O(pods × nominated) for each node.
 * @param pods all pods of the cluster
 * @param planned the names of the nodes, by the keys of pods
 */
export function podNominations(pods: readonly Pod[], planned: ReadonlyMap<string, string>): readonly PodNomination[] {
  const provisionable = pods.filter(isProvisionable);
  const nodes = withoutBlocking(provisionable, planned);
  const changed = provisionable.filter((pod) => ownNomination(pod) !== nodes.get(podKey(pod)));
  return hardestToPlaceFirst(changed).map((pod) => ({
    pod: { namespace: namespaceOf(pod), name: pod.metadata.name, uid: pod.metadata.uid ?? '' },
    ...optional({ before: ownNomination(pod), node: nodes.get(podKey(pod)) }),
  }));
}

/**
 * The planned nodes of the pods to nominate. Of pods that are spread over zones and count each other, only one gets a new nomination for a
 * node: the kube-scheduler counts nominated pods as if they ran, so they would keep each other from the node.
 */
function withoutBlocking(pods: readonly Pod[], planned: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const nodes = new Map<string, string>();
  for (const [node, mine] of Map.groupBy(pods, (pod) => planned.get(podKey(pod)))) {
    if (node === undefined) continue;
    const mayBlock = (pod: Pod): boolean => ownNomination(pod) !== node && isSpreadOverZones(pod);
    const nominated = mine.filter((pod) => !mayBlock(pod));
    for (const pod of mine) {
      if (mayBlock(pod) && !nominated.some((other) => doCountEachOther(pod, other))) nominated.push(pod);
    }
    for (const pod of nominated) nodes.set(podKey(pod), node);
  }
  return nodes;
}

function doCountEachOther(pod: Pod, other: Pod): boolean {
  return countsInZone(pod, other) && countsInZone(other, pod);
}

/** Whether a required spread of the pod over zones counts the other pod. */
function countsInZone(pod: Pod, other: Pod): boolean {
  if (namespaceOf(pod) !== namespaceOf(other)) return false;
  return spreadOverZones(pod).some(({ labelSelector }) => selectorMatches(labelSelector, other.metadata.labels));
}

/** The nodes for which pods have nominations of Kerf, without those whose claims live: pods keep these. */
export interface DoubtedNodes {
  /** Their claims are deleted, or their Nodes have disappeared: no decision places a pod there. */
  readonly gone: ReadonlySet<string>;
  /** No claim has them: they may be nodes of others, or gone with their claims. */
  readonly unknown: readonly string[];
}

/** *Shape:* each name once. *Cost:* O(pods + records). */
export function doubtedNodes(pods: readonly Pod[], records: readonly NodeClaimRecord[]): DoubtedNodes {
  const { living = [], ended = [] } = Object.groupBy(records, ({ deletion, nodeLostAtMs }) =>
    (deletion ?? nodeLostAtMs) === undefined ? 'living' : 'ended',
  );
  const kept = new Set(living.map(nameOfNode));
  const lost = new Set(ended.map(nameOfNode));
  const doubted = new Set(pods.flatMap((pod) => ownNomination(pod) ?? []).filter((node) => !kept.has(node)));
  const { gone = [], unknown = [] } = Object.groupBy(doubted, (node) => (lost.has(node) ? 'gone' : 'unknown'));
  return { gone: new Set(gone), unknown };
}

function nameOfNode({ nodeName, expectedNodeName }: NodeClaimRecord): string | undefined {
  return nodeName ?? expectedNodeName;
}

/**
 * B66: the nominations to write again while nodes start. The kube-scheduler clears a nomination when it tries the pod and finds no place
 * for it, which each node that becomes ready causes. *Shape:* only pods without a nomination, or with one for a node that is gone, whose
 * node has joined and is not initialized: it has no pods yet, so it is still planned for them. If nodes start together (B67), those of a
 * decision that have not joined yet count too. *Cost:* as `podNominations`.
 * @param pods all pods without a node
 */
export function lostNominations(pods: readonly Pod[], records: readonly NodeClaimRecord[]): readonly PodNomination[] {
  const planned = new Map(
    [...youngestClaims(records)].flatMap(([key, record]) => {
      const node = record.nodeName ?? (record.startTurn === undefined ? undefined : record.expectedNodeName);
      return node !== undefined && isStarting(record) ? [[key, node] as const] : [];
    }),
  );
  return missingNominations(pods, planned, doubtedNodes(pods, records).gone);
}

/**
 * The claims that were made for pods, by the keys of these. Of several claims for a pod, the youngest counts, as in a decision: the others
 * had become impossible for it. This holds also if that claim has ended: only a decision can plan the pod for an older one again.
 */
function youngestClaims(records: readonly NodeClaimRecord[]): ReadonlyMap<string, NodeClaimRecord> {
  const oldestFirst = records.toSorted((a, b) => a.createdAtMs - b.createdAtMs || compareText(a.name, b.name));
  return new Map(oldestFirst.flatMap((record) => realPods(record).map((key) => [key, record] as const)));
}

/**
 * Of pods without a nomination of Kerf that are planned for a node, and of those whose node is gone: what removed their nomination was not
 * written. The others keep what they have.
 */
function missingNominations(
  pods: readonly Pod[],
  planned: ReadonlyMap<string, string>,
  gone: ReadonlySet<string>,
): readonly PodNomination[] {
  const kept = pods.flatMap((pod) => {
    const node = ownNomination(pod);
    return node === undefined || gone.has(node) ? [] : [[podKey(pod), node] as const];
  });
  return podNominations(pods, new Map([...planned, ...kept]));
}

/** A node usually takes one to two minutes. After this time, the pods of a claim are planned again. */
const AWAITED_MS = 3 * MINUTE_MS;

/**
 * Splits pending pods: those that wait for the nodes for which they were planned, by the claims of these nodes, and those that need a
 * decision. A pod waits for a claim that is neither refused, deleted nor initialized, and whose node has not disappeared. If the pod is newer
 * than the claim, the claim was made for another pod with this name, which may have had other requests.
 * *Cost:* O(records log records + pods).
 */
export function awaitedNodes(
  pending: readonly Pod[],
  records: readonly NodeClaimRecord[],
  nowMs: number,
): { readonly awaited: ReadonlyMap<NodeClaimRecord, readonly Pod[]>; readonly others: readonly Pod[] } {
  const planned = youngestClaims(records);
  const byClaim = Map.groupBy(pending, (pod) => {
    const record = planned.get(podKey(pod));
    const createdAtMs = timeIn(pod.metadata.creationTimestamp) ?? Infinity;
    return record !== undefined && isAwaited(record, nowMs) && createdAtMs <= record.createdAtMs ? record : undefined;
  });
  const awaited = new Map<NodeClaimRecord, readonly Pod[]>();
  for (const [record, pods] of byClaim) if (record !== undefined) awaited.set(record, pods);
  return { awaited, others: byClaim.get(undefined) ?? [] };
}

function isAwaited(
  { launch, deletion, nodeLostAtMs, initializedAtMs, createdAtMs }: NodeClaimRecord,
  nowMs: number,
): boolean {
  const isOver = launch.kind === 'refused' || (deletion ?? nodeLostAtMs ?? initializedAtMs) !== undefined;
  return !isOver && nowMs < createdAtMs + AWAITED_MS;
}

/**
 * The nominations of pods that wait for the nodes for which they were planned: as soon as the names of these nodes are known.
 * @param gone nodes that no pod keeps
 */
export function awaitedNominations(
  awaited: ReadonlyMap<NodeClaimRecord, readonly Pod[]>,
  gone: ReadonlySet<string>,
): readonly PodNomination[] {
  const planned = new Map(
    [...awaited].flatMap(([record, pods]) => {
      const node = nameOfNode(record);
      return node === undefined ? [] : pods.map((pod) => [podKey(pod), node] as const);
    }),
  );
  return missingNominations([...awaited.values()].flat(), planned, gone);
}

/** Whether the nodes of several claims with pods start: each of them may get pods that are planned for another one. */
export function doSeveralStart(records: readonly NodeClaimRecord[]): boolean {
  return records.filter((record) => isStarting(record) && realPods(record).length > 0).length > 1;
}

function isStarting({ launch, deletion, nodeLostAtMs, initializedAtMs }: NodeClaimRecord): boolean {
  return launch.kind === 'launched' && (deletion ?? nodeLostAtMs ?? initializedAtMs) === undefined;
}

/** The nodes to nominate that a schedule has for pods. *Shape:* without nodes whose names are not known yet. */
export function plannedNodes({ existing }: Pick<Schedule, 'existing'>): ReadonlyMap<string, string> {
  return new Map(
    existing.flatMap(({ stateNode, pods }) => {
      const node = knownNodeName(stateNode);
      if (node === undefined) return [];
      return pods.filter((pod) => !isBufferPod(pod)).map((pod) => [podKey(pod), node] as const);
    }),
  );
}

/** Removes all of Kerf's nominations: other autoscalers leave a pod with a nomination alone. */
export function withdrawnNominations(pods: readonly Pod[]): readonly PodNomination[] {
  return podNominations(pods, new Map());
}
