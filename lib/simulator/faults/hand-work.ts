/** What a user changes or deletes by hand. */
import { formatDuration } from '../../apis/formats/duration.ts';
import { formatTime } from '../../apis/formats/time.ts';
import { DO_NOT_DISRUPT, INITIALIZED, NODE_POOL, REGISTERED } from '../../apis/labels.ts';
import { UNREGISTERED_TAINT } from '../../apis/taints.ts';
import { compareText } from '../../core/compare-text.ts';
import { providerIdOf } from '../../core/model/node-claim-record.ts';
import { liftStartupTaints } from '../aws/machines.ts';
import type { SimulatedInstance } from '../aws/simulated-ec2.ts';
import { deleteNode, deleteNodeClaim, endPodGracefully } from '../kubernetes/simulated-cluster.ts';
import { type KubernetesState, removeNode, writeNode } from '../kubernetes/state.ts';
import type { FaultOf } from './fault.ts';
import type { WorldFaultStage } from './stage.ts';

/** The running instances of NodePools, by id. */
export function running({ ec2 }: WorldFaultStage): readonly SimulatedInstance[] {
  return ec2
    .instances()
    .filter(({ state, endedAtMs, nodePool }) => state === 'running' && endedAtMs === undefined && nodePool !== '')
    .toSorted((a, b) => compareText(a.id, b.id));
}

export function changeByHand(stage: WorldFaultStage, fault: FaultOf<'by-hand'>): string {
  const { state, ec2, timetable } = stage;
  const nodes = [...state.nodes.values()].filter(({ metadata }) => metadata.labels?.[NODE_POOL] !== undefined);
  const node = byTurn(nodes, fault)?.metadata.name;
  const nothing = `${fault.what}: there is nothing to change`;
  switch (fault.what) {
    case 'delete-node':
      if (node === undefined) return nothing;
      deleteNode(state, node, timetable);
      return `node ${node} is deleted`;
    case 'remove-node':
      if (node === undefined) return nothing;
      removeByHand(state, node);
      return `node ${node} is removed without its finalizers`;
    case 'cordon-node':
      if (node === undefined) return nothing;
      return cordon(state, node);
    case 'keep-node':
      if (node === undefined) return nothing;
      return keepNode(stage, node, fault.forMs);
    case 'lose-node':
      if (node === undefined) return nothing;
      return loseNode(stage, node, fault.forMs);
    case 'stop-kubelet':
      if (node === undefined) return nothing;
      return stopKubelet(stage, node, fault.forMs);
    case 'hold-pods':
      return holdPods(stage, fault.forMs);
    case 'delete-node-claim': {
      const claim = byTurn([...state.nodeClaims.values()], fault)?.metadata.name;
      if (claim === undefined) return nothing;
      deleteNodeClaim(state, claim, timetable);
      return `NodeClaim ${claim} is deleted`;
    }
    case 'delete-pod': {
      const pods = [...state.pods.values()].filter(
        ({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'ReplicaSet',
      );
      const pod = byTurn(pods, fault);
      if (pod === undefined) return nothing;
      endPodGracefully(state, pod, timetable);
      return `pod ${pod.metadata.name} is deleted`;
    }
    case 'terminate-instance': {
      const instance = nthOf(running(stage), fault);
      if (instance === undefined) return nothing;
      ec2.terminate(instance.cluster, instance.id).catch(() => {});
      return `instance ${instance.id} is terminated in the console`;
    }
    case 'remove-tags': {
      const instance = nthOf(running(stage), fault);
      if (instance === undefined) return nothing;
      timetable.after(fault.forMs, ec2.removeTags(instance.id));
      return `the tags of instance ${instance.id} are removed`;
    }
  }
}

/** `kubectl cordon`: no new pod is bound to the node. */
function cordon(state: KubernetesState, name: string): string {
  const node = state.nodes.get(name);
  if (node !== undefined) writeNode(state, { ...node, spec: { ...node.spec, unschedulable: true } });
  return `node ${name} is cordoned`;
}

/** `kubectl annotate node NAME karpenter.sh/do-not-disrupt=true`, for this time. */
function keepNode({ state, timetable }: WorldFaultStage, name: string, forMs: number): string {
  const annotate = (value: string | undefined): void => {
    const node = state.nodes.get(name);
    if (node === undefined) return;
    const { [DO_NOT_DISRUPT]: _, ...others } = node.metadata.annotations ?? {};
    const annotations = { ...others, ...(value !== undefined && { [DO_NOT_DISRUPT]: value }) };
    writeNode(state, { ...node, metadata: { ...node.metadata, annotations } });
  };
  annotate('true');
  timetable.after(forMs, () => annotate(undefined));
  return `node ${name} is annotated with ${DO_NOT_DISRUPT}`;
}

/** A user removes the finalizers and deletes the node. */
function removeByHand(state: KubernetesState, name: string): void {
  removeNode(state, name);
  state.onReview({ resource: 'nodes', name });
}

/** The kubelet registers the node with the labels and the taint that it had at its first start. */
function loseNode(stage: WorldFaultStage, name: string, forMs: number): string {
  const { state, timetable } = stage;
  const node = state.nodes.get(name);
  removeByHand(state, name);
  timetable.after(forMs, () => {
    const instance = running(stage).find((one) => providerIdOf(one) === node?.spec?.providerID);
    if (node === undefined || instance === undefined || state.nodes.has(name)) return;
    const { [REGISTERED]: _registered, [INITIALIZED]: _initialized, ...labels } = node.metadata.labels ?? {};
    const metadata = {
      name,
      uid: `${node.metadata.uid}-again`,
      labels,
      creationTimestamp: formatTime(timetable.now()),
    };
    // It may have been lost before it was Ready.
    const conditions = [{ type: 'Ready', status: 'True' as const, lastTransitionTime: formatTime(timetable.now()) }];
    const spec = { ...node.spec, taints: [UNREGISTERED_TAINT] };
    writeNode(state, { ...node, metadata, spec, status: { ...node.status, conditions } });
    state.onReview({ resource: 'nodes', name });
    liftStartupTaints({ state, timetable }, instance);
  });
  return `node ${name} is removed without its finalizers; its kubelet registers it again in ${formatDuration(forMs)}`;
}

/** The kubelet does not report for this time, and neither starts nor ends pods. */
function stopKubelet({ nodeLifecycle, timetable }: WorldFaultStage, name: string, forMs: number): string {
  nodeLifecycle.silence(name);
  timetable.after(forMs, () => nodeLifecycle.report(name));
  return `the kubelet of node ${name} stops`;
}

/**
 * For this time, one PodDisruptionBudget in place of all others allows no eviction in the namespace `default`. As in Kubernetes, it allows
 * one for each healthy pod without a controller there, which it does not expect.
 */
function holdPods({ state, timetable }: WorldFaultStage, forMs: number): string {
  const before = state.podDisruptionBudgets;
  const metadata = { name: 'hold', namespace: 'default', creationTimestamp: formatTime(timetable.now()) };
  state.podDisruptionBudgets = [{ metadata, spec: { selector: {}, maxUnavailable: 0 } }];
  timetable.after(forMs, () => {
    state.podDisruptionBudgets = before;
  });
  return 'a PodDisruptionBudget holds all pods';
}

export function byTurn<Kind extends { readonly metadata: { readonly name: string } }>(
  objects: readonly Kind[],
  { nth }: { readonly nth: number },
): Kind | undefined {
  const sorted = objects.toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
  return nthOf(sorted, { nth });
}

/** Counts from the beginning again after the last one. *Shape:* undefined for an empty list. */
function nthOf<Element>(list: readonly Element[], { nth }: { readonly nth: number }): Element | undefined {
  return list[nth % Math.max(1, list.length)];
}
