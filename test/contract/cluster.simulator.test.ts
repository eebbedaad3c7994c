import type { CapacityBuffer } from '../../lib/apis/capacity-buffer.ts';
import type { DaemonSet, NamedPodTemplate, PodDisruptionBudget } from '../../lib/apis/kubernetes.ts';
import type { NodeOverlay } from '../../lib/apis/node-overlay.ts';
import type { NodePool } from '../../lib/apis/node-pool.ts';
import { simulatedCluster } from '../../lib/simulator/kubernetes/simulated-cluster.ts';
import {
  createNodeClass,
  keyOf,
  kubernetesState,
  uidOf,
  writeNode,
  writePod,
} from '../../lib/simulator/kubernetes/state.ts';
import { clusterContract } from './cluster.ts';
import { NOW_MS } from './records.ts';

clusterContract('the simulator', async () => {
  const nodePools: NodePool[] = [];
  const podDisruptionBudgets: PodDisruptionBudget[] = [];
  const daemonSets: DaemonSet[] = [];
  const nodeOverlays: NodeOverlay[] = [];
  const capacityBuffers: CapacityBuffer[] = [];
  const podTemplates: NamedPodTemplate[] = [];
  const written = { nodePools, nodeClasses: [], podDisruptionBudgets, nodeOverlays, capacityBuffers, podTemplates };
  const state = { ...kubernetesState({ ...written, daemonSets: [], deployments: [], pods: [] }), daemonSets };
  return {
    cluster: simulatedCluster(state, { now: () => NOW_MS }),
    put: async (thing) => {
      switch (thing.kind) {
        case 'Pod':
          return writePod(state, {
            ...thing.object,
            metadata: { ...thing.object.metadata, uid: uidOf('Pod', thing.object) },
          });
        case 'Node':
          return writeNode(state, {
            ...thing.object,
            metadata: { ...thing.object.metadata, uid: uidOf('Node', thing.object) },
          });
        case 'NodePool':
          return void nodePools.push(thing.object);
        case 'EC2NodeClass':
          return createNodeClass(state, thing.object);
        case 'DaemonSet':
          return void daemonSets.push(thing.object);
        case 'PodDisruptionBudget':
          return void podDisruptionBudgets.push(thing.object);
        case 'NodeOverlay':
          return void nodeOverlays.push(thing.object);
        case 'CapacityBuffer':
          return void capacityBuffers.push(thing.object);
        case 'PodTemplate':
          return void podTemplates.push(thing.object);
        case 'Deployment':
          return void state.deployments.set(keyOf(thing.object), thing.object);
      }
    },
  };
});
