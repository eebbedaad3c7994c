import { selects } from '../verifier/label-selectors.ts';
import type {
  RawNodePool,
  RawPlan,
  RawPlannedClaim,
  RawPod,
  RawSelector,
  RawSnapshot,
} from '../verifier/raw-documents.ts';
import { verifyPlan } from '../verifier/verify-plan.ts';
import { keyOf, NODE_POOL } from '../verifier/well-known-labels.ts';

/** A snapshot with the fields that only disruption reads. */
export interface RawDisruptionSnapshot extends RawSnapshot {
  readonly pdbs?: readonly RawBudgetOfPods[];
}

interface RawBudgetOfPods {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: { readonly selector?: RawSelector };
  readonly status?: { readonly disruptionsAllowed?: number };
}

interface WithBudgets {
  readonly disruption?: {
    readonly budgets?: readonly {
      readonly nodes: string;
      readonly reasons?: readonly string[];
      readonly schedule?: string;
    }[];
  };
}

export interface RawDisruptionPlan {
  readonly commands: readonly RawCommand[];
}

export interface RawCommand {
  readonly method: string;
  readonly reason: string;
  readonly candidates: readonly { readonly node: string; readonly nodePool: string; readonly price: number }[];
  readonly replacements: readonly RawPlannedClaim[];
  readonly sourceHourlyPrice: number;
  readonly estimatedHourlySavings: number;
}

/** Finds places on existing nodes; the verifier checks them. */
export type Placer = (snapshot: RawSnapshot) => RawPlan;

/**
 * The violations of a disruption plan, as text; none for a correct plan. All commands are carried out together: each node is removed
 * once and may be disrupted, budgets hold, prices are right, and every evicted pod has a place under all rules of `verifyPlan`.
 * Budgets with a schedule are not checked.
 */
export function verifyDisruption(
  snapshot: RawDisruptionSnapshot,
  { commands }: RawDisruptionPlan,
  place: Placer,
): readonly string[] {
  return [
    ...checkCandidates(snapshot, commands),
    ...checkBudgets(snapshot, commands),
    ...commands.flatMap(checkPrices),
    ...checkPlaces(snapshot, commands, place),
  ];
}

function checkCandidates(snapshot: RawDisruptionSnapshot, commands: readonly RawCommand[]): readonly string[] {
  const seen = new Set<string>();
  return commands.flatMap(({ candidates }) =>
    candidates.flatMap(({ node: name }) => {
      const twice = seen.has(name) ? [`node ${name} is removed twice`] : [];
      seen.add(name);
      const node = (snapshot.nodes ?? []).find(({ metadata }) => metadata.name === name);
      if (node === undefined) return [`node ${name} does not exist`];
      const kept = isKept(node) ? [`node ${name} has do-not-disrupt`] : [];
      const pods = (snapshot.pods ?? []).filter(({ spec }) => spec.nodeName === name);
      return [...twice, ...kept, ...pods.flatMap((pod) => whyPodStays(pod, snapshot))];
    }),
  );
}

function isKept({ metadata }: Pick<RawPod, 'metadata'>): boolean {
  return metadata.annotations?.['karpenter.sh/do-not-disrupt'] === 'true';
}

/** E4. */
function whyPodStays(pod: RawPod, { pdbs = [] }: RawDisruptionSnapshot): readonly string[] {
  const name = keyOf(pod.metadata);
  if (isKept(pod)) return [`pod ${name} has do-not-disrupt`];
  if (isOfNode(pod)) return [];
  const mine = pdbs.filter(
    ({ metadata, spec }) =>
      (metadata.namespace ?? 'default') === (pod.metadata.namespace ?? 'default') &&
      selects(spec.selector, pod.metadata.labels ?? {}),
  );
  if (mine.length > 1) return [`pod ${name} has ${mine.length} PodDisruptionBudgets`];
  return mine.some(({ status }) => (status?.disruptionsAllowed ?? 0) === 0)
    ? [`a PodDisruptionBudget allows no eviction of pod ${name}`]
    : [];
}

/** E6: after each command, no more nodes of a pool are disrupted than its budgets for the reason allow. */
function checkBudgets({ nodePools = [], nodes = [] }: RawSnapshot, commands: readonly RawCommand[]): readonly string[] {
  const disrupted = new Map<string, number>();
  return commands.flatMap(({ candidates, reason }) =>
    [...Map.groupBy(candidates, ({ nodePool }) => nodePool)].flatMap(([name, mine]) => {
      const now = (disrupted.get(name) ?? 0) + mine.length;
      disrupted.set(name, now);
      const pool = nodePools.find(({ metadata }) => metadata.name === name);
      const size = nodes.filter(({ metadata }) => metadata.labels?.[NODE_POOL] === name).length;
      const allowed = pool === undefined ? 0 : allowedBy(pool, reason, size);
      return now <= allowed ? [] : [`${now} nodes of NodePool ${name} are disrupted; ${reason} allows ${allowed}`];
    }),
  );
}

function allowedBy(
  { spec }: { readonly spec: RawNodePool['spec'] & WithBudgets },
  reason: string,
  size: number,
): number {
  const { budgets = [{ nodes: '10%' }] } = spec.disruption ?? {};
  const limits = budgets
    .filter(({ reasons, schedule }) => schedule === undefined && (reasons === undefined || reasons.includes(reason)))
    .map(({ nodes }) => (nodes.endsWith('%') ? Math.ceil((Number.parseInt(nodes, 10) * size) / 100) : Number(nodes)));
  return Math.min(Number.MAX_SAFE_INTEGER, ...limits);
}

function checkPrices(command: RawCommand, index: number): readonly string[] {
  const { method, reason, candidates, replacements, sourceHourlyPrice, estimatedHourlySavings } = command;
  const source = candidates.reduce((sum, { price }) => sum + price, 0);
  const target = replacements.reduce((sum, { cheapestOffering }) => sum + (cheapestOffering?.price ?? 0), 0);
  const name = `command ${index + 1} (${method})`;
  return [
    ...(isClose(source, sourceHourlyPrice) ? [] : [`${name}: its nodes cost ${source}, not ${sourceHourlyPrice}`]),
    ...(isClose(source - target, estimatedHourlySavings)
      ? []
      : [`${name}: it saves ${source - target}, not ${estimatedHourlySavings}`]),
    ...(reason === 'Drifted' || estimatedHourlySavings > 0 ? [] : [`${name} saves nothing`]),
  ];
}

function isClose(a: number, b: number): boolean {
  return Math.abs(a - b) < 1e-6;
}

/** Every pod of a removed node is on a replacement, or has a place on a node that stays. The commands follow one another. */
function checkPlaces(snapshot: RawSnapshot, commands: readonly RawCommand[], place: Placer): readonly string[] {
  const newNodeClaims: RawPlannedClaim[] = [];
  /** By pod, its last node: a later command may remove the node to which an earlier one moved it. */
  const places = new Map<string, string>();
  const removed = new Set<string>();
  let pods = snapshot.pods ?? [];
  let podErrors: RawPlan['podErrors'];
  for (const { candidates, replacements } of commands) {
    for (const { node } of candidates) removed.add(node);
    for (const claim of replacements) {
      // A pending pod may be planned on the replacements of two commands.
      const left = new Set(pods.map(({ metadata }) => keyOf(metadata)));
      const mine = claim.pods.filter((pod) => left.has(pod));
      newNodeClaims.push({ ...claim, pods: mine });
      pods = pods.filter(({ metadata }) => !mine.includes(keyOf(metadata)));
    }
    const found = place({ ...withDeleting(snapshot, removed), pods, nodePools: [] });
    podErrors = found.podErrors;
    for (const { node, pods: placed } of found.existing ?? []) for (const pod of placed) places.set(pod, node);
    pods = pods.map((pod) => boundBy(found, pod));
  }
  const existing = [...Map.groupBy(places, ([, node]) => node)].map(([node, placed]) => ({
    node,
    pods: placed.map(([pod]) => pod),
  }));
  const homeless = pods.filter((pod) => removed.has(pod.spec.nodeName ?? '') && isMoved(pod));
  return [
    ...homeless.map(({ metadata }) => `pod ${keyOf(metadata)} is evicted and has no place`),
    ...verifyPlan(withDeleting(snapshot, removed), { newNodeClaims, existing, ...(podErrors && { podErrors }) }),
  ];
}

function boundBy({ existing = [] }: RawPlan, pod: RawPod): RawPod {
  const place = existing.find(({ pods }) => pods.includes(keyOf(pod.metadata)));
  return place === undefined ? pod : { ...pod, spec: { ...pod.spec, nodeName: place.node } };
}

/** The removed nodes stay until their pods have moved, so they still count against limits. */
function withDeleting(snapshot: RawSnapshot, removed: ReadonlySet<string>): RawSnapshot {
  return {
    ...snapshot,
    nodes: (snapshot.nodes ?? []).map((node) =>
      removed.has(node.metadata.name)
        ? { ...node, metadata: { ...node.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }
        : node,
    ),
  };
}

function isMoved(pod: RawPod): boolean {
  const phase = pod.status?.phase;
  return !isOfNode(pod) && phase !== 'Succeeded' && phase !== 'Failed' && pod.metadata.deletionTimestamp === undefined;
}

function isOfNode({ metadata }: RawPod): boolean {
  return (metadata.ownerReferences ?? []).some(({ kind }) => kind === 'DaemonSet' || kind === 'Node');
}
