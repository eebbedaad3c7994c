import type { CapacityBuffer } from '../../lib/apis/capacity-buffer.ts';
import type { DaemonSet, NamedPodTemplate, PodDisruptionBudget } from '../../lib/apis/kubernetes.ts';
import type { NodeOverlay } from '../../lib/apis/node-overlay.ts';
import type { NodePool } from '../../lib/apis/node-pool.ts';
import { createCustom, objectKeyOf, uidOf } from '../../lib/simulator/kubernetes/objects.ts';
import { simulatedCluster } from '../../lib/simulator/kubernetes/simulated-cluster.ts';
import { kubernetesState, writeNode, writePod } from '../../lib/simulator/kubernetes/state.ts';
import { addVolumeClaim } from '../../lib/simulator/kubernetes/storage/storage-state.ts';
import { someManifests } from '../builders/cluster-manifests.ts';
import { NOW_MS } from '../builders/times.ts';
import { nodeClaimMirrorContract } from './cluster/node-claim-mirrors.ts';
import { type ClusterHarness, clusterContract } from './cluster.ts';
import { podNominationContract } from './pod-nominations.ts';

async function simulated(): Promise<ClusterHarness> {
  const podDisruptionBudgets: PodDisruptionBudget[] = [];
  const daemonSets: DaemonSet[] = [];
  const podTemplates: NamedPodTemplate[] = [];
  const none = someManifests({ nodePools: [], nodeClasses: [], deployments: [] });
  const state = { ...kubernetesState({ ...none, podDisruptionBudgets, podTemplates }), daemonSets };
  state.holder = undefined;
  const clock = { now: () => NOW_MS };
  return {
    cluster: simulatedCluster(state, clock, 'first'),
    second: simulatedCluster(state, clock, 'second'),
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
          return createCustom<NodePool>(state, state.nodePools, thing.object);
        case 'EC2NodeClass':
          return createCustom(state, state.nodeClasses, thing.object);
        case 'DaemonSet':
          return void daemonSets.push(thing.object);
        case 'PodDisruptionBudget':
          return void podDisruptionBudgets.push(thing.object);
        case 'NodeOverlay':
          return createCustom<NodeOverlay>(state, state.nodeOverlays, thing.object);
        case 'CapacityBuffer':
          return createCustom<CapacityBuffer>(state, state.capacityBuffers, thing.object);
        case 'PersistentVolumeClaim':
          return addVolumeClaim(state, thing.object);
        case 'VolumeAttachment':
          return void state.storage.attachments.set(thing.object.metadata.name, thing.object);
        case 'PodTemplate':
          return void podTemplates.push(thing.object);
        case 'Deployment':
          return void state.deployments.set(objectKeyOf(thing.object), thing.object);
      }
    },
  };
}

clusterContract('the simulator', simulated);
nodeClaimMirrorContract('the simulator', simulated);
podNominationContract('the simulator', simulated);
