import { BadInputError } from '../../apis/bad-input-error.ts';
import { isStatic } from '../../apis/node-pool.ts';
import { standInClasses } from '../../manifests/read/stand-in-classes.ts';
import { type LiveObjects, liveSnapshotText } from '../../snapshot/live-document.ts';
import { type ReadSnapshot, readSnapshot } from '../../snapshot/read-snapshot.ts';
import { reservationGap, standInGap, staticGap } from '../simulate/manifest-gaps.ts';
import { simulatedRegion } from '../simulate/simulated-region.ts';
import type { ManifestObjects } from './manifest-objects.ts';
import { NO_STORAGE } from './planned-storage.ts';

export interface EmptyCluster {
  readonly read: ReadSnapshot;
  /** What is assumed: one sentence for each. */
  readonly gaps: readonly string[];
}

const NOTHING: Omit<LiveObjects, 'nodePools' | 'nodeClasses'> = {
  name: 'empty',
  nodeClaims: [],
  nodeOverlays: [],
  capacityBuffers: [],
  podTemplates: [],
  deployments: [],
  statefulSets: [],
  replicaSets: [],
  nodes: [],
  pods: [],
  daemonSets: [],
  podDisruptionBudgets: [],
  namespaces: [],
  limitRanges: [],
  storage: NO_STORAGE,
};

/**
 * A cluster without nodes and pods, with the NodePools of the manifests and the instance types of their region, in the form of
 * a snapshot. *Errors:* BadInputError without a NodePool, or for an unknown region.
 */
export function emptyCluster({ objects }: ManifestObjects, region: string | undefined): EmptyCluster {
  const nodePools = objects.flatMap((one) => (one.kind === 'NodePool' ? [one.object] : []));
  const nodeClasses = objects.flatMap((one) => (one.kind === 'EC2NodeClass' ? [one.object] : []));
  if (nodePools.length === 0)
    throw new BadInputError('no file has a NodePool: add one, or name a snapshot of a cluster with --snapshot FILE');
  const { catalogue, gaps } = simulatedRegion({ nodePools, scenario: undefined, flag: region });
  const standIns = standInClasses({ nodePools, nodeClasses });
  const all = [...nodeClasses, ...standIns.map(({ nodeClass }) => nodeClass)];
  const nowMs = Date.now();
  const text = liveSnapshotText({ ...NOTHING, nodePools, nodeClasses: all }, catalogue, nowMs);
  const read = readSnapshot({ readText: () => text }, { path: 'the manifests', nowMs });
  const { snapshot } = read;
  const ofStatic = nodePools.filter(isStatic);
  const options = { ...snapshot.options, staticCapacity: ofStatic.length > 0 };
  return {
    read: { ...read, snapshot: { ...snapshot, options } },
    gaps: [
      `no --snapshot: the cluster has no nodes, and the prices are those of ${catalogue.region}`,
      ...standIns.map(standInGap),
      ...nodeClasses.flatMap(reservationGap),
      ...ofStatic.map(staticGap),
      ...gaps,
    ],
  };
}
