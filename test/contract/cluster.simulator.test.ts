import type { EC2NodeClass } from '../../lib/apis/ec2-node-class.ts';
import type { DaemonSet, PodDisruptionBudget } from '../../lib/apis/kubernetes.ts';
import type { NodePool } from '../../lib/apis/node-pool.ts';
import { simulatedCluster } from '../../lib/simulator/kubernetes/simulated-cluster.ts';
import { kubernetesState, uidOf, writeNode, writePod } from '../../lib/simulator/kubernetes/state.ts';
import { clusterContract } from './cluster.ts';
import { NOW_MS } from './records.ts';

clusterContract('the simulator', async () => {
  const nodePools: NodePool[] = [];
  const nodeClasses: EC2NodeClass[] = [];
  const podDisruptionBudgets: PodDisruptionBudget[] = [];
  const daemonSets: DaemonSet[] = [];
  const manifests = { nodePools, nodeClasses, podDisruptionBudgets, daemonSets: [], deployments: [], pods: [] };
  const state = { ...kubernetesState(manifests), daemonSets };
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
          return void nodeClasses.push(thing.object);
        case 'DaemonSet':
          return void daemonSets.push(thing.object);
        case 'PodDisruptionBudget':
          return void podDisruptionBudgets.push(thing.object);
      }
    },
  };
});
