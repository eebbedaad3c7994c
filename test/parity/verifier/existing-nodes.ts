import type { LabelView } from './label-selectors.ts';
import type { RawLabels, RawNode, RawNodeClaim, RawPod, RawSnapshot, RawTaint } from './raw-documents.ts';
import { type Amounts, amountsOf } from './raw-quantity.ts';
import { isEphemeral } from './taints-and-tolerations.ts';
import { exactly } from './value-set.ts';
import { DISRUPTED, HOSTNAME, INITIALIZED, NODE_POOL } from './well-known-labels.ts';

/** A node, or a claim whose node does not exist yet. */
export interface ExistingNode {
  readonly name: string;
  readonly pool: string | undefined;
  readonly labels: LabelView;
  /** The taints that a pod must tolerate. */
  readonly taints: readonly RawTaint[];
  readonly capacity: Amounts;
  readonly allocatable: Amounts;
  readonly deleting: boolean;
  /** False for a claim in flight. */
  readonly isThere: boolean;
  /** Its pods that have not ended. */
  readonly pods: readonly RawPod[];
}

export function existingNodes(snapshot: RawSnapshot): readonly ExistingNode[] {
  const { nodes = [], nodeClaims = [], nodePools = [] } = snapshot;
  const claims = new Map(
    nodeClaims.map((claim) => [claim.status?.providerID ?? `claim:${claim.metadata.name}`, claim]),
  );
  const startup = new Map(
    nodePools.map(({ metadata, spec }) => [metadata.name, spec.template.spec.startupTaints ?? []]),
  );
  const bound = podsByNode(snapshot.pods ?? []);
  const withNode = new Set(nodes.map(({ spec }) => spec?.providerID));
  const inFlight = [...claims].filter(([id]) => !withNode.has(id)).map(([, claim]) => claim);
  return [
    ...nodes.map((node) => existingNode({ node, claim: claims.get(node.spec?.providerID ?? ''), startup, bound })),
    ...inFlight.map((claim) => existingNode({ claim, startup, bound })),
  ];
}

export function isOver({ status }: RawPod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

function podsByNode(pods: readonly RawPod[]): ReadonlyMap<string, readonly RawPod[]> {
  return Map.groupBy(
    pods.filter((pod) => pod.spec.nodeName !== undefined && pod.spec.nodeName !== '' && !isOver(pod)),
    (pod) => pod.spec.nodeName ?? '',
  );
}

function existingNode(options: {
  readonly node?: RawNode;
  readonly claim?: RawNodeClaim | undefined;
  readonly startup: ReadonlyMap<string, readonly RawTaint[]>;
  readonly bound: ReadonlyMap<string, readonly RawPod[]>;
}): ExistingNode {
  const { node, claim, startup, bound } = options;
  const labels = labelsOf(node, claim);
  const pool = labels[NODE_POOL];
  // B16: a node without a NodePool and a claim is not treated as starting, so all its taints count.
  const starting = (pool !== undefined || claim !== undefined) && labels[INITIALIZED] !== 'true';
  const temporary = claim?.spec?.startupTaints ?? startup.get(pool ?? '') ?? [];
  const live = [...(node === undefined ? (claim?.spec?.taints ?? []) : taintsOf(node))];
  const sets = new Map(Object.entries(labels).map(([key, value]) => [key, exactly(value)]));
  const name = node?.metadata.name ?? claim?.metadata.name ?? '';
  return {
    name,
    pool,
    labels: (key) => sets.get(key) ?? exactly(undefined),
    taints: starting ? live.filter((taint) => !isEphemeral(taint) && !temporary.some((one) => same(one, taint))) : live,
    // B17: the amount of a resource that is not registered yet comes from the claim.
    capacity: starting
      ? withMissing(node?.status?.capacity, claim?.status?.capacity)
      : amountsOf(node?.status?.capacity),
    allocatable: starting
      ? withMissing(node?.status?.allocatable, claim?.status?.allocatable)
      : amountsOf(node?.status?.allocatable),
    deleting:
      node?.metadata.deletionTimestamp !== undefined ||
      claim?.metadata.deletionTimestamp !== undefined ||
      live.some(({ key }) => key === DISRUPTED),
    isThere: node !== undefined,
    pods: bound.get(name) ?? [],
  };
}

function labelsOf(node: RawNode | undefined, claim: RawNodeClaim | undefined): RawLabels {
  const name = node?.metadata.name ?? claim?.metadata.name ?? '';
  const own: RawLabels = { [HOSTNAME]: name, ...node?.metadata.labels };
  if (own[INITIALIZED] === 'true') {
    return own;
  }
  const single = (claim?.spec?.requirements ?? []).flatMap(({ key, operator, values = [] }) =>
    operator === 'In' && values.length === 1 && values[0] !== undefined ? [[key, values[0]] as const] : [],
  );
  return { ...Object.fromEntries(single), ...claim?.metadata.labels, ...own };
}

function taintsOf({ spec = {} }: RawNode): readonly RawTaint[] {
  const cordon = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
  return [...(spec.taints ?? []), ...(spec.unschedulable === true ? [cordon] : [])];
}

function withMissing(ofNode: Parameters<typeof amountsOf>[0], ofClaim: Parameters<typeof amountsOf>[0]): Amounts {
  const amounts = new Map(amountsOf(ofNode));
  for (const [name, amount] of amountsOf(ofClaim)) {
    if ((amounts.get(name) ?? 0n) === 0n) {
      amounts.set(name, amount);
    }
  }
  return amounts;
}

function same(one: RawTaint, other: RawTaint): boolean {
  return one.key === other.key && one.effect === other.effect;
}
