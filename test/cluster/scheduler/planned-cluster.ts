import { nodeOf, plannedNode } from '../../../benchmarks/bind/plans.ts';
import { type GeneratedCase, snapshotDocument } from '../../../benchmarks/snapshot-document.ts';
import type { Node, Pod } from '../../../lib/apis/kubernetes.ts';
import { schedulePods } from '../../../lib/core/provisioning/schedule-pods.ts';
import { randomFrom } from '../../../lib/simulator/random.ts';
import { readSnapshot } from '../../../lib/snapshot/read-snapshot.ts';
import { NOW_MS, SECOND } from '../../builders/times.ts';

/** Pending pods, and the nodes that Kerf plans for them. */
export interface PlannedCluster {
  /** In the order of their creation, which is their order in the queue of the scheduler. */
  readonly pods: readonly Pod[];
  /** In the order in which they join: a random one. */
  readonly nodes: readonly Node[];
}

/** The plan for a workload of the benchmarks, without DaemonSets. */
export function plannedCluster(workload: GeneratedCase): PlannedCluster {
  const text = JSON.stringify({ ...snapshotDocument(workload), daemonSets: [] });
  const { snapshot, nowMs } = readSnapshot({ readText: () => text }, { path: 'snapshot.json', nowMs: NOW_MS });
  const { newClaims } = schedulePods(snapshot, nowMs);
  const random = randomFrom(1);
  const inTurn = newClaims.map((claim) => ({ turn: random.between(0, 1), claim })).toSorted((a, b) => a.turn - b.turn);
  const planned = new Set(newClaims.flatMap(({ pods }) => pods.map(({ metadata }) => metadata.name)));
  return {
    pods: snapshot.pods.filter(({ metadata }) => planned.has(metadata.name)).map(waiting),
    nodes: inTurn.map(({ claim }) => nodeOf(plannedNode(claim))),
  };
}

/** Each is a second younger than the one before. */
function waiting({ metadata, spec }: Pod, index: number): Pod {
  const { name, namespace = 'default', labels = {} } = metadata;
  const creationTimestamp = new Date(NOW_MS + index * SECOND).toISOString();
  return {
    metadata: { name, namespace, labels, uid: `${name}-uid`, creationTimestamp },
    spec: { ...spec, containers: spec.containers.map((container) => ({ ...container, image: 'pause' })) },
    status: { phase: 'Pending' },
  };
}
