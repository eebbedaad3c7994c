import { formatTime } from '../../apis/formats/time.ts';
import { conditionStatus, type Node, type Pod, podKey, type Toleration } from '../../apis/kubernetes.ts';
import { ZONE } from '../../apis/labels.ts';
import { tolerationOf } from '../../apis/taints.ts';
import { isTerminating } from '../../core/cluster/pods.ts';
import { isNodeReady } from '../../core/cluster/state-node.ts';
import type { Timeline } from '../timeline.ts';
import type { Timetable } from '../timetable.ts';
import { setNodeCondition } from './node-conditions.ts';
import { changed } from './objects.ts';
import { endPodGracefully } from './simulated-cluster.ts';
import { currentPod, type KubernetesState, writeNode, writePod } from './state.ts';
import { workloadOf } from './workloads/simulated-workload.ts';

/** The defaults of kube-controller-manager: --node-monitor-grace-period and --node-monitor-period. */
const GRACE_MS = 50_000;
const MONITOR_MS = 5_000;
/** --node-eviction-rate, and --secondary-node-eviction-rate for a large zone of which most nodes are unhealthy. */
const EVICTION_EVERY_MS = 10_000;
const SECONDARY_EVERY_MS = 100_000;
const LARGE_ZONE = 50;
/** --unhealthy-zone-threshold */
const UNHEALTHY_SHARE = 0.55;
/** The tolerations that the API server adds to pods without a toleration of the taint. */
const DEFAULT_TOLERATION_SECONDS = 300;

const UNREACHABLE = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' } as const;

/**
 * The node lifecycle controller, for nodes whose kubelet stops reporting: the node becomes NotReady and gets the taint
 * `unreachable`, and its pods are deleted after their tolerations. A pod that is deleted stays until its kubelet reports again or
 * its node is deleted.
 */
export interface NodeLifecycle {
  /** The kubelet of the node stops reporting. There can be several causes at the same time. */
  silence(node: string): void;
  /** One of the causes ends. After the last one, the kubelet reports again. */
  report(node: string): void;
  readonly isSilent: (node: string) => boolean;
}

interface Controller {
  readonly state: KubernetesState;
  readonly timetable: Timetable;
  readonly timeline: Timeline;
  readonly silent: Map<string, Silence>;
  /** The unreachable nodes of each zone that have not got the taint with which their pods are evicted. */
  readonly queues: Map<string, string[]>;
  /** When the next node of a zone may get it. */
  readonly nextMs: Map<string, number>;
}

/** The time in which a kubelet does not report. */
interface Silence {
  causes: number;
}

type World = Pick<Controller, 'state' | 'timetable' | 'timeline'>;

export function nodeLifecycle(world: World): NodeLifecycle {
  const controller: Controller = { ...world, silent: new Map(), queues: new Map(), nextMs: new Map() };
  const { state, timetable, silent } = controller;
  return {
    isSilent: (node) => silent.has(node),
    silence(name) {
      const current = silent.get(name);
      if (current !== undefined) return void (current.causes += 1);
      const silence = { causes: 1 };
      silent.set(name, silence);
      timetable.after(GRACE_MS, () => {
        if (silent.get(name) === silence) loseNode(controller, name);
      });
    },
    report(name) {
      const silence = silent.get(name);
      if (silence === undefined) return;
      silence.causes -= 1;
      if (silence.causes > 0) return;
      silent.delete(name);
      const node = state.nodes.get(name);
      if (node === undefined) return;
      if (conditionStatus(node, 'Ready') !== 'Unknown') {
        state.podIndex.touch(name);
        return changed(state);
      }
      setNodeCondition(state, node, { type: 'Ready', status: 'True', clock: timetable });
      markPods(controller, name, 'True');
      world.timeline.note({ kind: 'node-ready', node: name });
      state.onReview({ resource: 'nodes', name });
    },
  };
}

/** The node is NotReady, because its kubelet has not reported for the whole grace period. */
function loseNode(controller: Controller, name: string): void {
  const { state, timetable, timeline, queues } = controller;
  const node = state.nodes.get(name);
  if (node === undefined || !isNodeReady(node)) return;
  setNodeCondition(state, node, { type: 'Ready', status: 'Unknown', clock: timetable });
  markPods(controller, name, 'False');
  timeline.note({ kind: 'node-unreachable', node: name });
  state.onReview({ resource: 'nodes', name });
  const zone = zoneOf(node);
  queues.set(zone, [...(queues.get(zone) ?? []), name]);
  // All nodes of an outage are lost before the first one gets the taint.
  timetable.after(0, () => taintNext(controller, zone));
}

/** The pods of a node that does not report are not ready. */
function markPods({ state, timetable }: Controller, node: string, status: 'True' | 'False'): void {
  const lastTransitionTime = formatTime(timetable.now());
  for (const pod of state.podIndex.onNode(node)) {
    if (pod.status?.phase !== 'Running') continue;
    const others = (pod.status.conditions ?? []).filter(({ type }) => type !== 'Ready');
    writePod(state, {
      ...pod,
      status: { ...pod.status, conditions: [...others, { type: 'Ready', status, lastTransitionTime }] },
    });
  }
}

/** Taints the next unreachable node of the zone with NoExecute, at the rate that the state of the zones allows. */
function taintNext(controller: Controller, zone: string): void {
  const { state, timetable, queues, nextMs, silent } = controller;
  const queue = (queues.get(zone) ?? []).filter((name) => silent.has(name) && state.nodes.has(name));
  queues.set(zone, queue);
  const [name] = queue;
  const node = state.nodes.get(name ?? '');
  if (name === undefined || node === undefined) return;
  const waitMs = (nextMs.get(zone) ?? 0) - timetable.now();
  if (waitMs > 0) return void timetable.after(waitMs, () => taintNext(controller, zone));
  const everyMs = evictionInterval(state, zone);
  // The controller evicts nothing now. It looks at the zones again in its next period.
  if (everyMs === undefined)
    return void timetable.after(MONITOR_MS, () => taintNext(controller, zone), { background: true });
  queues.set(zone, queue.slice(1));
  nextMs.set(zone, timetable.now() + everyMs);
  writeNode(state, { ...node, spec: { ...node.spec, taints: [...(node.spec?.taints ?? []), UNREACHABLE] } });
  for (const pod of state.podIndex.onNode(name)) scheduleEviction(controller, pod, name);
  timetable.after(everyMs, () => taintNext(controller, zone));
}

/** The time between two nodes of the zone whose pods are evicted. *Shape:* undefined while no node may be evicted. */
function evictionInterval({ nodes }: KubernetesState, zone: string): number | undefined {
  const zones = [...Map.groupBy(nodes.values(), zoneOf)].map(([name, ofZone]) => ({
    name,
    size: ofZone.length,
    unhealthy: ofZone.filter((node) => !isNodeReady(node)).length,
  }));
  // If no node of the cluster is ready, the cause is probably the controller's own network.
  if (zones.every(({ size, unhealthy }) => unhealthy === size)) return undefined;
  const { size = 0, unhealthy = 0 } = zones.find(({ name }) => name === zone) ?? {};
  const isPartial = unhealthy < size && unhealthy > 2 && unhealthy / size >= UNHEALTHY_SHARE;
  if (!isPartial) return EVICTION_EVERY_MS;
  return size > LARGE_ZONE ? SECONDARY_EVERY_MS : undefined;
}

/** Deletes the pod when its tolerations of the taint have ended, if the kubelet has not reported since. */
function scheduleEviction({ state, timetable, timeline, silent }: Controller, pod: Pod, node: string): void {
  const seconds = toleratedSeconds(pod.spec.tolerations ?? []);
  const silence = silent.get(node);
  if (seconds === undefined) return;
  timetable.after(seconds * 1_000, () => {
    const { namespace = 'default', name, uid = '' } = pod.metadata;
    const found = currentPod(state, { namespace, name, uid });
    if (found === undefined || isTerminating(found) || silent.get(node) !== silence) return;
    timeline.note({ kind: 'pod-evicted', pod: podKey(found), workload: workloadOf(found), node });
    endPodGracefully(state, found, timetable);
  });
}

/** *Shape:* undefined if the pod tolerates the taint forever. *Units:* seconds. */
function toleratedSeconds(tolerations: readonly Toleration[]): number | undefined {
  const matching = tolerationOf(tolerations, UNREACHABLE);
  if (matching === undefined) return DEFAULT_TOLERATION_SECONDS;
  const { tolerationSeconds } = matching;
  return tolerationSeconds === undefined ? undefined : Math.max(0, tolerationSeconds);
}

function zoneOf({ metadata }: Node): string {
  return metadata.labels?.[ZONE] ?? '';
}
