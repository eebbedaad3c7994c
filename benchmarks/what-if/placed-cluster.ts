import type { Pod } from '../../lib/apis/kubernetes.ts';
import { type StateNode, stateNodes } from '../../lib/core/cluster/state-node.ts';
import { podRequests } from '../../lib/core/resources/pod-requests.ts';
import { type Resources, subtract } from '../../lib/core/resources/resources.ts';
import { type Random, randomFrom } from '../../lib/simulator/random.ts';
import { type ReadSnapshot, readSnapshot } from '../../lib/snapshot/read-snapshot.ts';
import { existingDocument } from '../snapshot-document.ts';

const NOW_MS = Date.parse('2026-01-02T00:00:00Z');
const SEED = 20_261_122;
/** The number of nodes that are compared for a pod. The node with the largest free share of cpu gets it, as in the default scheduler. */
const TRIES = 8;

/** Nodes with the running pods of deployments, and no pending pods. */
export function placedCluster(nodes: number, pods: number): ReadSnapshot {
  const document = existingDocument(nodes, pods * 2);
  const all = document.pods.filter(({ spec }) => spec.nodeName === undefined);
  const read = readSnapshot(
    { readText: () => JSON.stringify({ ...document, pods: all }) },
    { path: 'what-if.json', nowMs: NOW_MS },
  );
  const bound = spreadOver(stateNodes(read.snapshot), read.snapshot.pods, randomFrom(SEED)).slice(0, pods);
  return { ...read, snapshot: { ...read.snapshot, pods: bound }, nowMs: NOW_MS };
}

function spreadOver(nodes: readonly StateNode[], pods: readonly Pod[], random: Random): readonly Pod[] {
  const free = new Map(nodes.map((node) => [node, node.allocatable]));
  return pods.flatMap((pod) => {
    const requests = podRequests(pod);
    const [best] = Array.from({ length: TRIES }, () => random.pick(nodes))
      .flatMap((node) => (node !== undefined && holds(node, free.get(node) ?? {}, { pod, requests }) ? [node] : []))
      .toSorted((a, b) => share(b, free) - share(a, free));
    if (best === undefined) return [];
    free.set(best, subtract(free.get(best) ?? {}, requests));
    return [{ ...pod, spec: { ...pod.spec, nodeName: best.name }, status: { phase: 'Running' as const } }];
  });
}

function holds({ labels }: StateNode, free: Resources, { pod, requests }: Sized): boolean {
  return (
    Object.entries(pod.spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value) &&
    Object.entries(requests).every(([name, amount]) => amount <= (free[name] ?? 0))
  );
}

interface Sized {
  readonly pod: Pod;
  readonly requests: Resources;
}

function share(node: StateNode, free: ReadonlyMap<StateNode, Resources>): number {
  return (free.get(node)?.['cpu'] ?? 0) / (node.allocatable['cpu'] ?? 1);
}
