import type { Labels, Taint } from '../../../apis/kubernetes.ts';
import { INITIALIZED, NODE_CLASS, NODE_POOL, REGISTERED } from '../../../apis/labels.ts';
import type { NodePool } from '../../../apis/node-pool.ts';
import { compatibleOfferings, placeFilter } from '../../instance-type/offerings/compatible-offerings.ts';
import { PLACE_LABELS, suitableTypes } from '../../instance-type/suitable-types.ts';
import { typeRequirements } from '../../instance-type/type-requirements.ts';
import { onceFor } from '../../kept-answers.ts';
import type { NodePoolView } from '../../model/cluster-snapshot.ts';
import type { InstanceType, Offering } from '../../model/instance-type.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { maxPriceFactorOf } from '../../node-pool/max-price-factor.ts';
import { admitsNothing, allowsAbsence } from '../../requirements/requirement.ts';
import {
  intersects,
  merge,
  type Requirements,
  requirementsFrom,
  requirementsFromLabels,
} from '../../requirements/requirements.ts';
import { type Daemon, type DaemonGroup, daemonGroups } from './daemons.ts';

/** The initial state of every new claim of a NodePool (B13, B14). */
export interface NodeClaimTemplate {
  readonly nodePool: NodePool;
  readonly requirements: Requirements;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly taints: readonly Taint[];
  /** All types of the NodeClass, regardless of the requirements of the pool. */
  readonly knownTypes: readonly InstanceType[];
  /** The types that satisfy the pool's requirements and have an available offering. */
  readonly instanceTypes: readonly InstanceType[];
  /** B21: the daemons on each type, by the name of the type. */
  readonly daemons: ReadonlyMap<string, DaemonGroup>;
  readonly minValues: readonly { readonly key: string; readonly count: number }[];
  /** The most that a node may cost, as a multiple of the cheapest compatible one with missing capacity ignored; Infinity: any price. */
  readonly maxPriceFactor: number;
  /** The types and daemons if none of its capacity were missing and none were reserved. @default the same */
  readonly usual?: Pick<NodeClaimTemplate, 'instanceTypes' | 'daemons'>;
}

export function nodeClaimTemplate(view: NodePoolView, daemons: readonly Daemon[]): NodeClaimTemplate {
  const { nodePool } = view;
  const { metadata, spec } = nodePool.spec.template;
  const labels = labelsOf(nodePool);
  const requirements = poolRequirements(nodePool);
  const taints = spec.taints ?? [];
  // B21: daemons that require a registered or initialized node count too.
  const started = requirementsFromLabels({ [REGISTERED]: 'true', [INITIALIZED]: 'true' });
  const host = { fixed: false, requirements: merge(requirements, started), taints };
  const instanceTypes = launchableTypes(view, requirements);
  const usualTypes = isAffected(view.instanceTypes, requirements) ? usualTypesOf(view.instanceTypes) : undefined;
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
    maxPriceFactor: maxPriceFactorOf(nodePool),
    ...(usualTypes === undefined ? {} : { usual: usualOf({ ...view, instanceTypes: usualTypes }, daemons, host) }),
  };
}

function labelsOf({ metadata: { name }, spec }: NodePool): Labels {
  const { metadata, spec: ofNodes } = spec.template;
  return { ...metadata?.labels, [NODE_POOL]: name, [NODE_CLASS]: ofNodes.nodeClassRef.name };
}

/** The requirements of the NodePool, and its labels as requirements. */
export function poolRequirements(nodePool: NodePool): Requirements {
  return merge(requirementsFrom(nodePool.spec.template.spec.requirements), requirementsFromLabels(labelsOf(nodePool)));
}

function usualOf(
  view: NodePoolView,
  daemons: readonly Daemon[],
  host: Parameters<typeof daemonGroups>[1],
): NonNullable<NodeClaimTemplate['usual']> {
  const instanceTypes = launchableTypes(view, host.requirements);
  return { instanceTypes, daemons: daemonGroups(daemons, host, instanceTypes) };
}

/**
 * Whether capacity with these requirements is missing, doubted or reserved. Other types, zones and capacity types do not count.
 * *Cost:* O(offerings) once for the types, then O(offerings of the marked types).
 */
function isAffected(types: readonly InstanceType[], requirements: Requirements): boolean {
  const meets = placeFilter(requirements);
  const affected = markedTypes(types).filter(({ offerings }) => offerings.some((one) => isMarked(one) && meets(one)));
  return suitableTypes(affected, requirements).length > 0;
}

const markedTypes = onceFor((types: readonly InstanceType[]): readonly InstanceType[] =>
  types.filter(({ offerings }) => offerings.some(isMarked)),
);

function isMarked({ shortage, reservation }: Offering): boolean {
  return shortage !== undefined || reservation !== undefined;
}

/** The types as if no capacity were missing, without reserved offerings, whose prices are only an order (C30). */
const usualTypesOf = onceFor((types: readonly InstanceType[]): readonly InstanceType[] =>
  types.map((type) => ({
    ...type,
    // The labels of places are those of the available offerings.
    requirements: Object.fromEntries(Object.entries(type.requirements).filter(([key]) => !PLACE_LABELS.has(key))),
    offerings: type.offerings.flatMap(({ shortage, ...offering }) => {
      if (offering.reservation !== undefined) return [];
      return [shortage === 'missing' ? { ...offering, available: true } : offering];
    }),
  })),
);

const launchable = new WeakMap<readonly InstanceType[], WeakMap<NodePool['spec'], readonly InstanceType[]>>();

/**
 * The types that satisfy the requirements of the pool. Computed once for the same types and spec: the status of a pool changes
 * often, and types do not have its name as a label.
 */
function launchableTypes(
  { instanceTypes, nodePool }: NodePoolView,
  requirements: Requirements,
): readonly InstanceType[] {
  const bySpec = launchable.get(instanceTypes) ?? new WeakMap<NodePool['spec'], readonly InstanceType[]>();
  launchable.set(instanceTypes, bySpec);
  const known = bySpec.get(nodePool.spec);
  if (known !== undefined) return known;
  const found = instanceTypes.filter(
    (type) => intersects(typeRequirements(type), requirements) && compatibleOfferings(type, requirements).length > 0,
  );
  bySpec.set(nodePool.spec, found);
  return found;
}

/** B12: in descending order of weight; ties by name, descending. B71: those that fail come last. */
export function inOrderOfUse(
  views: readonly NodePoolView[],
  failing: ReadonlySet<string> = NONE_FAIL,
): readonly NodePoolView[] {
  const isFailing = ({ nodePool }: NodePoolView): number => (failing.has(nodePool.metadata.name) ? 1 : 0);
  return views.toSorted(
    (a, b) =>
      isFailing(a) - isFailing(b) ||
      (b.nodePool.spec.weight ?? 0) - (a.nodePool.spec.weight ?? 0) ||
      (a.nodePool.metadata.name < b.nodePool.metadata.name ? 1 : -1),
  );
}

const NONE_FAIL: ReadonlySet<string> = new Set();

/** Refuses requirements that leave no value for a label. */
function whyContradictory({ spec }: NodePool): Refusal | undefined {
  const requirements = requirementsFrom(spec.template.spec.requirements);
  const all = merge(requirements, requirementsFromLabels(spec.template.metadata?.labels));
  const [empty] = [...all.values()].filter((one) => admitsNothing(one) && !allowsAbsence(one));
  if (empty === undefined) return undefined;
  return refusal('ContradictoryRequirements', `the requirements of the pool leave no value for ${empty.key}`);
}

/** Why a pool cannot launch nodes for pods: it is not usable, has a fixed number of nodes (B63), or is being deleted. */
export function whyClosed({ nodePool, unusable }: NodePoolView): Refusal | undefined {
  if (unusable !== undefined) return refusal(unusable.reason, unusable.message);
  if (nodePool.metadata.deletionTimestamp !== undefined) return refusal('Deleting', 'the pool is being deleted');
  const { replicas } = nodePool.spec;
  if (replicas === undefined) return whyContradictory(nodePool);
  return refusal(
    'StaticCapacity',
    `the pool has a fixed number of nodes (spec.replicas: ${replicas}), and launches none for pods`,
    {
      replicas,
    },
  );
}
