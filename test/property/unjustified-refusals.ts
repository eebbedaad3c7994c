import type { DaemonSet, Labels, Pod, Taint } from '../../lib/apis/kubernetes.ts';
import type { ClusterSnapshot, NodePoolView } from '../../lib/core/model/cluster-snapshot.ts';
import type { InstanceType } from '../../lib/core/model/instance-type.ts';
import type { Reason } from '../../lib/core/model/reasons.ts';
import type { Schedule } from '../../lib/core/scheduling/schedule.ts';

const ZONE = 'topology.kubernetes.io/zone';
const CAPACITY_TYPE = 'karpenter.sh/capacity-type';

/** Refusals that no other pod of the run can cause. */
const OWN_REASONS: readonly Reason[] = [
  'ContradictoryRequirements',
  'InsufficientResources',
  'NoCompatibleInstanceTypes',
  'NoInstanceTypes',
  'NoOffering',
  'Label',
  'Taint',
  'HostPort',
  'LimitExceeded',
];

type Unplaced = Schedule['unplaced'][number];

/**
 * The wrong refusals of a NodePool: the pool could launch a node for the pod alone. This file shares no code with
 * `lib/core/scheduling`, and reads only the snapshots of `problems.ts`. `verifyPlan` checks whether a schedule follows the rules.
 */
export function unjustifiedRefusals(snapshot: ClusterSnapshot, { unplaced }: Schedule): readonly string[] {
  return unplaced.flatMap((one) => unjustified(snapshot, one));
}

function unjustified({ nodePools, daemonSets }: ClusterSnapshot, { pod, refusals }: Unplaced): readonly string[] {
  const limited = nodePools.filter(({ nodePool }) => Object.keys(nodePool.spec.limits ?? {}).length > 0);
  const hasLimits = (name?: string): boolean => limited.some(({ nodePool }) => nodePool.metadata.name === name);
  return refusals
    .filter(({ refusal }) => OWN_REASONS.includes(refusal.reason))
    .filter(({ nodePool, refusal }) => refusal.reason !== 'LimitExceeded' || !hasLimits(nodePool))
    .flatMap(({ nodePool, refusal }) => {
      const view = nodePools.find((one) => one.nodePool.metadata.name === nodePool);
      const [found] = view === undefined ? [] : nodesFor(pod, view, daemonSets);
      if (found === undefined) return [];
      return [`${pod.metadata.name}: ${refusal.reason}, but ${found} of ${nodePool ?? ''} would do`];
    });
}

/** `m5.large in us-east-1a`: the nodes of a pool that have room for the pod alone. */
function nodesFor(pod: Pod, { nodePool, instanceTypes }: NodePoolView, daemonSets: readonly DaemonSet[]) {
  const { spec, metadata } = nodePool.spec.template;
  return instanceTypes.flatMap((type) =>
    type.offerings.flatMap(({ available, zone, capacityType }) => {
      const labels: Labels = { ...labelsOf(type), ...metadata?.labels, [ZONE]: zone, [CAPACITY_TYPE]: capacityType };
      const isAllowed = (spec.requirements ?? []).every((one) => meetsExpression(one, labels[one.key]));
      const node: Node = { labels, taints: spec.taints ?? [], allocatable: type.allocatable };
      return available && isAllowed && takes(node, pod, daemonSets) ? [`${type.name} in ${zone}`] : [];
    }),
  );
}

interface Node {
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly allocatable: Readonly<Record<string, number>>;
}

function takes({ labels, taints, allocatable }: Node, pod: Pod, daemonSets: readonly DaemonSet[]): boolean {
  const isWelcome = (one: Pick<Pod, 'spec'>): boolean => toleratesAll(one, taints) && meetsLabels(one, labels);
  const specs = [pod, ...daemonSets.map(({ spec }) => spec.template).filter(isWelcome)].map(({ spec }) => spec);
  const hasRoom = ['cpu', 'memory', 'pods'].every(
    (resource) => total(specs.map((spec) => requestOf(spec, resource))) <= (allocatable[resource] ?? 0),
  );
  const ports = portsOf(pod);
  return isWelcome(pod) && hasRoom && new Set(ports).size === ports.length;
}

/** The labels of a type that have one value. */
function labelsOf(type: InstanceType): Labels {
  const labels: Record<string, string> = {};
  for (const [key, values] of Object.entries(type.requirements)) if (values.length === 1) labels[key] = values.join('');
  return labels;
}

function total(amounts: readonly number[]): number {
  return amounts.reduce((sum, one) => sum + one, 0);
}

/** Requests are plain numbers in these tests: cpu in cores, memory in bytes. */
function requestOf(spec: Pod['spec'], resource: string): number {
  if (resource === 'pods') return 1;
  const asked = total(spec.containers.map((one) => Number(one.resources?.requests?.[resource] ?? 0)));
  return resource === 'cpu' ? Math.round(asked * 1_000) : asked;
}

function portsOf(pod: Pod): readonly number[] {
  return pod.spec.containers.flatMap((one) => (one.ports ?? []).flatMap((port) => port.hostPort ?? []));
}

function toleratesAll(pod: Pick<Pod, 'spec'>, taints: readonly Taint[]): boolean {
  const keys = (pod.spec.tolerations ?? []).map((one) => one.key);
  return taints.every((taint) => taint.effect === 'PreferNoSchedule' || keys.includes(taint.key));
}

function meetsLabels(pod: Pick<Pod, 'spec'>, labels: Labels): boolean {
  const { nodeSelector = {}, affinity } = pod.spec;
  const [term] = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const selected = Object.entries(nodeSelector).every(([key, value]) => labels[key] === value);
  return selected && (term?.matchExpressions ?? []).every((one) => meetsExpression(one, labels[one.key]));
}

function meetsExpression(
  { operator, values = [] }: { readonly operator: string; readonly values?: readonly string[] },
  value: string | undefined,
): boolean {
  if (operator === 'In') return value !== undefined && values.includes(value);
  if (operator === 'NotIn') return value === undefined || !values.includes(value);
  if (operator === 'Gt') return value !== undefined && Number(value) > Number(values[0]);
  throw new Error(`the tests do not use ${operator}`);
}
