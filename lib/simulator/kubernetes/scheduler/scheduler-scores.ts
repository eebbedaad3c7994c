import { untoleratedTaint } from '../../../apis/taints.ts';
import { matchesTerm } from './scheduler-filters.ts';
import type { SchedulerNode } from './scheduler-node.ts';
import type { PodKind } from './scheduler-pod-kind.ts';
import type { Scorer, SimulatedTopologyRules } from './scheduler-topology-rules.ts';

/**
 * The scores of the default scheduler of Kubernetes 1.35, with its weights: TaintToleration, NodeAffinity, PodTopologySpread,
 * InterPodAffinity, NodeResourcesFit (LeastAllocated) and NodeResourcesBalancedAllocation. ImageLocality is left out.
 */

/** A node that admits pods of a kind, with what the node alone adds to the score. */
export interface ScoredNode {
  readonly node: SchedulerNode;
  /** The number of PreferNoSchedule taints that the kind does not tolerate. */
  readonly softTaints: number;
  /** The sum of the weights of the preferred node affinity terms that the node matches. */
  readonly preference: number;
  /** The scores of its resources at this revision of the node. */
  resources: number;
  revision: number;
}

export function scoredNode(node: SchedulerNode, { spec }: PodKind): ScoredNode {
  const preferred = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const soft = node.taints.filter(({ effect }) => effect === 'PreferNoSchedule');
  return {
    node,
    softTaints: soft.filter((taint) => untoleratedTaint([taint], spec.tolerations) !== undefined).length,
    preference: preferred.reduce(
      (sum, { weight, preference }) => sum + (matchesTerm(node, preference) ? weight : 0),
      0,
    ),
    resources: 0,
    revision: -1,
  };
}

/**
 * The node with the highest score; ties by name, where the real scheduler chooses at random. *Shape:* undefined without nodes.
 * *Cost:* O(nodes × constraints and terms of the kind).
 */
export function bestNode(
  fitting: readonly ScoredNode[],
  kind: PodKind,
  rules: SimulatedTopologyRules,
): SchedulerNode | undefined {
  if (fitting.length < 2) return fitting[0]?.node;
  const totals = fitting.map((one) => resourceScore(one, kind));
  addTaints(totals, fitting);
  addPreferences(totals, fitting);
  const nodes = fitting.map(({ node }) => node);
  addScores(totals, rules.spreadScores?.(nodes));
  addScores(totals, rules.affinityScores(nodes));
  let best = 0;
  for (let index = 1; index < totals.length; index += 1) if ((totals[index] ?? 0) > (totals[best] ?? 0)) best = index;
  return fitting[best]?.node;
}

const TAINT_WEIGHT = 3;
const WEIGHT = 2;

function addScores(totals: number[], scores: ReturnType<Scorer> | undefined): void {
  if (scores === undefined) return;
  for (let index = 0; index < totals.length; index += 1)
    totals[index] = (totals[index] ?? 0) + WEIGHT * (scores[index] ?? 0);
}

function addTaints(totals: number[], fitting: readonly ScoredNode[]): void {
  let most = 0;
  for (const { softTaints } of fitting) most = Math.max(most, softTaints);
  if (most === 0) return;
  for (const [index, { softTaints }] of fitting.entries())
    totals[index] = (totals[index] ?? 0) + TAINT_WEIGHT * (100 - Math.trunc((100 * softTaints) / most));
}

function addPreferences(totals: number[], fitting: readonly ScoredNode[]): void {
  let most = 0;
  for (const { preference } of fitting) most = Math.max(most, preference);
  if (most === 0) return;
  for (const [index, { preference }] of fitting.entries())
    totals[index] = (totals[index] ?? 0) + WEIGHT * Math.trunc((100 * preference) / most);
}

function resourceScore(one: ScoredNode, kind: PodKind): number {
  const { node } = one;
  if (one.revision !== node.revision) {
    one.resources = leastAllocated(node, kind) + balancedAllocation(node, kind);
    one.revision = node.revision;
  }
  return one.resources;
}

/** NodeResourcesFit: the free share of cpu and memory afterwards. */
function leastAllocated({ allocatable, assumed }: SchedulerNode, kind: PodKind): number {
  let [score, resources] = [0, 0];
  for (const name of ['cpu', 'memory'] as const) {
    const capacity = allocatable[name] ?? 0;
    if (capacity === 0) continue;
    const requested = assumed[name] + kind.assumed[name];
    if (requested <= capacity) score += Math.trunc(((capacity - requested) * 100) / capacity);
    resources += 1;
  }
  return resources === 0 ? 0 : Math.trunc(score / resources);
}

/** NodeResourcesBalancedAllocation: 100 if cpu and memory are used to the same share. Pods without requests are not scored. */
function balancedAllocation({ allocatable, free }: SchedulerNode, { requests }: PodKind): number {
  const { cpu = 0, memory = 0 } = requests;
  if (cpu === 0 && memory === 0) return 0;
  const [cpuCapacity, memoryCapacity] = [allocatable['cpu'] ?? 0, allocatable['memory'] ?? 0];
  if (cpuCapacity === 0 || memoryCapacity === 0) return 100;
  const ofCpu = Math.min(1, (cpuCapacity - (free.get('cpu') ?? 0) + cpu) / cpuCapacity);
  const ofMemory = Math.min(1, (memoryCapacity - (free.get('memory') ?? 0) + memory) / memoryCapacity);
  return Math.trunc((1 - Math.abs(ofCpu - ofMemory) / 2) * 100);
}
