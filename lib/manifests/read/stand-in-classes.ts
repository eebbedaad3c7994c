import type { ClusterManifests } from '../../apis/cluster-manifests.ts';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { PLAIN_NODE_CLASS } from '../../core/node-class/plain-node-class.ts';

/** A plain EC2NodeClass in the place of one that no file has. */
export interface StandIn {
  readonly nodeClass: EC2NodeClass;
  /** The names of the NodePools that use it. */
  readonly nodePools: readonly string[];
}

/**
 * The EC2NodeClasses that NodePools use and no file has: AL2023 with the default settings of the kubelet. *Shape:* in the order of
 * the NodePools.
 */
export function standInClasses({
  nodePools,
  nodeClasses,
}: Pick<ClusterManifests, 'nodePools' | 'nodeClasses'>): readonly StandIn[] {
  const known = new Set(nodeClasses.map(({ metadata }) => metadata.name));
  const missing = nodePools.filter(({ spec }) => !known.has(spec.template.spec.nodeClassRef.name));
  const users = Map.groupBy(missing, ({ spec }) => spec.template.spec.nodeClassRef.name);
  return [...users].map(([name, pools]) => ({
    nodeClass: { ...PLAIN_NODE_CLASS, metadata: { name } },
    nodePools: pools.map(({ metadata }) => metadata.name),
  }));
}
