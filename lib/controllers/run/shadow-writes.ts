/** Writers that refuse, for runs in shadow. A method of a port is either named as a read, or the compiler requires an entry here. */
import type { CatalogueStore } from '../../ports/catalogue-store.ts';
import type {
  CloudProvider,
  ClusterInspector,
  InstanceInspector,
  NodeClassResolver,
} from '../../ports/cloud-provider.ts';
import type { Cluster, ClusterReader } from '../../ports/cluster.ts';
import type { ClaimReader, NodeClaimStore } from '../../ports/node-claim-store.ts';

export const CLUSTER_WRITES: Omit<Cluster, keyof ClusterReader> = {
  patchNode: refused('cluster.patchNode'),
  deleteNode: refused('cluster.deleteNode'),
  evictPod: refused('cluster.evictPod'),
  deletePod: refused('cluster.deletePod'),
  nominatePod: refused('cluster.nominatePod'),
  applyNodeClaim: refused('cluster.applyNodeClaim'),
  deleteNodeClaim: refused('cluster.deleteNodeClaim'),
  removeNodeClaim: refused('cluster.removeNodeClaim'),
  claimCluster: refused('cluster.claimCluster'),
  patchNodePool: refused('cluster.patchNodePool'),
  patchNodeClass: refused('cluster.patchNodeClass'),
  patchNodeClaim: refused('cluster.patchNodeClaim'),
  patchNodeOverlay: refused('cluster.patchNodeOverlay'),
  patchCapacityBuffer: refused('cluster.patchCapacityBuffer'),
  publishEvent: refused('cluster.publishEvent'),
};

type CloudRead = keyof NodeClassResolver | keyof InstanceInspector | keyof ClusterInspector;

export const CLOUD_WRITES: Omit<CloudProvider, CloudRead> = {
  launch: refused('cloud.launch'),
  terminate: refused('cloud.terminate'),
  admitLaunch: refused('cloud.admitLaunch'),
  tagInstance: refused('cloud.tagInstance'),
  nameInstances: refused('cloud.nameInstances'),
  ensureInstanceProfile: refused('cloud.ensureInstanceProfile'),
  removeUnusedInstanceProfiles: refused('cloud.removeUnusedInstanceProfiles'),
  releaseNodeClass: refused('cloud.releaseNodeClass'),
  removeOldLaunchTemplates: refused('cloud.removeOldLaunchTemplates'),
  describeCatalogue: refused('cloud.describeCatalogue'),
};

export const CATALOGUE_WRITES: Omit<CatalogueStore, 'readCatalogue' | 'listUnavailable' | 'listLearnedMemory'> = {
  writeCatalogue: refused('catalogue.writeCatalogue'),
  markUnavailable: refused('catalogue.markUnavailable'),
  learnMemory: refused('catalogue.learnMemory'),
};

/** Decisions of shadow and what passes keep change nothing outside the table. */
type StoreRead =
  | keyof ClaimReader
  | 'readEpoch'
  | 'openDecisions'
  | 'hasOpenDecisions'
  | 'recordShadow'
  | 'listCommands'
  | 'readPassMemory'
  | 'writePassMemory'
  | 'readUnusedLaunches'
  | 'writeUnusedLaunches'
  | 'listMoves'
  | 'listNominations'
  | 'isOnStandby';

export const STORE_WRITES: Omit<NodeClaimStore, StoreRead> = {
  createNodeClaim: refused('store.createNodeClaim'),
  updateNodeClaim: refused('store.updateNodeClaim'),
  updateNodeClaims: refused('store.updateNodeClaims'),
  recordDecision: refused('store.recordDecision'),
  closeDecision: refused('store.closeDecision'),
  startCommand: refused('store.startCommand'),
  continueCommand: refused('store.continueCommand'),
  endCommand: refused('store.endCommand'),
  recordMove: refused('store.recordMove'),
  nominate: refused('store.nominate'),
  setStandby: refused('store.setStandby'),
};

/** Only a bug calls it. The run fails and does not write. */
function refused(call: string): () => never {
  return () => {
    throw new Error(`${call} is called in shadow, where nothing is written`);
  };
}
