import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import type { Condition } from '../apis/kubernetes.ts';
import { optional } from '../apis/optional.ts';
import type { NodePoolView } from '../core/model/cluster-snapshot.ts';
import type { InstanceType } from '../core/model/instance-type.ts';
import type { Reason } from '../core/model/reasons.ts';
import type { SnapshotLists } from './document-schemas.ts';
import type { SnapshotHead } from './head-schema.ts';

export interface PoolContext {
  readonly nodeClasses: readonly EC2NodeClass[];
  /** The types of a NodePool; all types for a NodePool that is not in the snapshot. */
  readonly instanceTypesOf: (nodePool: string) => readonly InstanceType[];
  /** Why NodePools cannot launch nodes. @default from their status and that of their NodeClass */
  readonly unusable?: SnapshotHead['unusableNodePools'];
}

/** The NodePools with their instance types. A NodeClass that is not in the snapshot counts as ready. */
export function nodePoolViews(
  nodePools: SnapshotLists['nodePools'],
  { nodeClasses, instanceTypesOf, unusable: known }: PoolContext,
): readonly NodePoolView[] {
  return nodePools.map((nodePool) => {
    const { name } = nodePool.metadata;
    const className = nodePool.spec.template.spec.nodeClassRef.name;
    const nodeClass = nodeClasses.find(({ metadata }) => metadata.name === className);
    const unusable =
      known === undefined
        ? (notReady(nodePool, 'NodePoolNotReady', 'the NodePool is not ready') ??
          notReady(nodeClass ?? {}, 'NodeClassNotReady', `its EC2NodeClass ${className} is not ready`))
        : Object.hasOwn(known, name)
          ? known[name]
          : undefined;
    return {
      nodePool,
      ...optional({ nodeClass }),
      instanceTypes: instanceTypesOf(name),
      ...optional({ unusable }),
    };
  });
}

/** B12: the refusal for an object with the condition Ready=False. */
function notReady(
  object: { readonly status?: { readonly conditions?: readonly Condition[] } },
  reason: Reason,
  message: string,
): NodePoolView['unusable'] {
  const ready = object.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready === undefined || ready.status === 'True') return undefined;
  const why = [ready.reason, ready.message].filter((text) => text !== undefined && text !== '').join(': ');
  return { reason, message: why === '' ? message : `${message} (${why})` };
}
