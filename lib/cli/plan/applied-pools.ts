import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import type { NodePoolView } from '../../core/model/cluster-snapshot.ts';
import type { InstanceType } from '../../core/model/instance-type.ts';
import type { Reason } from '../../core/model/reasons.ts';
import { nodePoolViews } from '../../snapshot/node-pool-views.ts';
import type { ReadSnapshot } from '../../snapshot/read-snapshot.ts';

export interface AppliedPools {
  /** All NodePools, those of the manifests in the place of those of the snapshot. */
  readonly nodePools: readonly NodePool[];
  /** All EC2NodeClasses, likewise. */
  readonly nodeClasses: readonly EC2NodeClass[];
  /** The names of those that manifests add or replace. */
  readonly given: { readonly nodePools: ReadonlySet<string>; readonly nodeClasses: ReadonlySet<string> };
}

/**
 * What the NodePools can launch after manifests were applied. *Shape:* a NodePool that the snapshot does not have, or that could
 * launch nothing and is mended, has the instance types of the first NodePool with the same EC2NodeClass; without one, all types.
 */
export function appliedPools(read: ReadSnapshot, applied: AppliedPools): readonly NodePoolView[] {
  const { nodePools, nodeClasses } = applied;
  const before = new Map(read.snapshot.nodePools.map((view) => [view.nodePool.metadata.name, view]));
  const byName = new Map(nodePools.map((nodePool) => [nodePool.metadata.name, nodePool]));
  const stillUnusable = Object.entries(read.unusable ?? {}).filter(
    ([name, { reason }]) => !isMended(byName.get(name), reason, applied.given),
  );
  const unusable = new Map(stillUnusable);
  const instanceTypesOf = (name: string): readonly InstanceType[] => {
    const known = before.get(name);
    const isAsBefore = known !== undefined && (known.unusable === undefined || unusable.has(name));
    const own = read.instanceTypesOf(name);
    if (isAsBefore || own.length === read.instanceTypes.length) return own;
    return typesLike(byName.get(name), read);
  };
  return nodePoolViews(nodePools, {
    nodeClasses,
    instanceTypesOf,
    ...(read.unusable === undefined ? {} : { unusable: Object.fromEntries(unusable) }),
  });
}

const FAULTS_OF_THE_POOL: ReadonlySet<Reason> = new Set<Reason>(['NodePoolNotReady', 'NodePoolValidationFailed']);

/** Whether manifests replace the object for which the NodePool could launch nothing. */
function isMended(nodePool: NodePool | undefined, reason: Reason, given: AppliedPools['given']): boolean {
  if (nodePool === undefined) return false;
  return FAULTS_OF_THE_POOL.has(reason)
    ? given.nodePools.has(nodePool.metadata.name)
    : given.nodeClasses.has(classOf(nodePool));
}

function typesLike(nodePool: NodePool | undefined, { snapshot, instanceTypes }: ReadSnapshot): readonly InstanceType[] {
  const like = snapshot.nodePools.find(
    (view) => nodePool !== undefined && view.instanceTypes.length > 0 && classOf(view.nodePool) === classOf(nodePool),
  );
  if (like !== undefined) return like.instanceTypes;
  const first = new Map(instanceTypes.toReversed().map((type) => [type.name, type]));
  return instanceTypes.filter((type) => first.get(type.name) === type);
}

function classOf({ spec }: NodePool): string {
  return spec.template.spec.nodeClassRef.name;
}
