import type { Labels, Taint } from '../../../apis/kubernetes.ts';
import { INITIALIZED, NODE_CLASS, NODE_POOL, REGISTERED } from '../../../apis/labels.ts';
import type { NodePool } from '../../../apis/node-pool.ts';
import { compatibleOfferings } from '../../instance-type/offerings/compatible-offerings.ts';
import { typeRequirements } from '../../instance-type/type-requirements.ts';
import type { NodePoolView } from '../../model/cluster-snapshot.ts';
import type { InstanceType } from '../../model/instance-type.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { admitsNothing, allowsAbsence } from '../../requirements/requirement.ts';
import {
  intersects,
  merge,
  type Requirements,
  requirementsFrom,
  requirementsFromLabels,
} from '../../requirements/requirements.ts';
import { type Daemon, type DaemonGroup, daemonGroups } from './daemons.ts';

/** What every new claim of a NodePool starts from (B13, B14). */
export interface NodeClaimTemplate {
  readonly nodePool: NodePool;
  readonly requirements: Requirements;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly taints: readonly Taint[];
  /** Types that the NodeClass knows, whatever the pool asks for. */
  readonly knownTypes: readonly InstanceType[];
  /** Types that the pool's own requirements allow and that are for sale. */
  readonly instanceTypes: readonly InstanceType[];
  /** B21: what daemons take of each type, by its name. */
  readonly daemons: ReadonlyMap<string, DaemonGroup>;
  readonly minValues: readonly { readonly key: string; readonly count: number }[];
}

export function nodeClaimTemplate(view: NodePoolView, daemons: readonly Daemon[]): NodeClaimTemplate {
  const { nodePool } = view;
  const { metadata, spec } = nodePool.spec.template;
  const labels = { ...metadata?.labels, [NODE_POOL]: nodePool.metadata.name, [NODE_CLASS]: spec.nodeClassRef.name };
  const requirements = merge(requirementsFrom(spec.requirements), requirementsFromLabels(labels));
  const taints = spec.taints ?? [];
  // B21: a daemon may wait for the node to be registered and initialized; it comes then.
  const started = requirementsFromLabels({ [REGISTERED]: 'true', [INITIALIZED]: 'true' });
  const host = { fixed: false, requirements: merge(requirements, started), taints };
  const instanceTypes = view.instanceTypes.filter(
    (type) => intersects(typeRequirements(type), requirements) && compatibleOfferings(type, requirements).length > 0,
  );
  return {
    nodePool,
    requirements,
    labels,
    annotations: metadata?.annotations ?? {},
    taints,
    knownTypes: view.instanceTypes,
    instanceTypes,
    daemons: daemonGroups(daemons, host, instanceTypes),
    minValues: spec.requirements.flatMap((one) =>
      one.minValues === undefined ? [] : [{ key: one.key, count: one.minValues }],
    ),
  };
}

/** B12: the heaviest pool first; of equals the later name. */
export function byDescendingWeight(views: readonly NodePoolView[]): readonly NodePoolView[] {
  return views.toSorted(
    (a, b) =>
      (b.nodePool.spec.weight ?? 0) - (a.nodePool.spec.weight ?? 0) ||
      (a.nodePool.metadata.name < b.nodePool.metadata.name ? 1 : -1),
  );
}

/** A label that cannot have any of the values that it must have. */
function whyContradictory({ spec }: NodePool): Refusal | undefined {
  const requirements = requirementsFrom(spec.template.spec.requirements);
  const all = merge(requirements, requirementsFromLabels(spec.template.metadata?.labels));
  const [empty] = [...all.values()].filter((one) => admitsNothing(one) && !allowsAbsence(one));
  if (empty === undefined) return undefined;
  return refusal('ContradictoryRequirements', `what the pool says of ${empty.key} leaves no value for it`);
}

/** Why a pool takes no part: it can launch nothing, keeps a fixed number of nodes (B63), or is going. */
export function whyClosed({ nodePool, unusable }: NodePoolView): Refusal | undefined {
  if (unusable !== undefined) return refusal(unusable.reason, unusable.message);
  if (nodePool.metadata.deletionTimestamp !== undefined) return refusal('Deleting', 'the pool is being deleted');
  const { replicas } = nodePool.spec;
  if (replicas === undefined) return whyContradictory(nodePool);
  return refusal(
    'StaticCapacityNotSupported',
    `it keeps ${replicas} nodes (spec.replicas), which is not supported yet, and launches none for pods`,
    {
      replicas,
    },
  );
}
