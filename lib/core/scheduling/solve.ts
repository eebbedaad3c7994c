import { type DaemonSet, type Pod } from '../../apis/kubernetes.ts';
import { isActive } from '../cluster/pods.ts';
import type { NodePoolView } from '../cluster/snapshot.ts';
import type { StateNode } from '../cluster/state-node.ts';
import { admits } from '../requirements/requirement.ts';
import { daemonsOf } from './daemons.ts';
import { byDescendingSize, classOf, type Demand, demandOf } from './demand.ts';
import { type ExistingHost, existingHost, takeRoom, whyNotOnHost, whyUnfit } from './existing-host.ts';
import type { Universe } from './host.ts';
import { fitsLimits, largestCapacity, type RemainingLimits, remainingLimits, takeFromLimits } from './limits.ts';
import { join, type OpenClaim, openClaim, whetherJoins } from './open-claim.ts';
import type { Refusal } from './refusal.ts';
import { relax } from './relax.ts';
import { byDescendingWeight, type NodeClaimTemplate, nodeClaimTemplate, whyClosed } from './template.ts';
import { type Topology, watchesOf } from './topology.ts';

export interface SchedulingProblem {
  readonly pods: readonly Pod[];
  /** Nodes and claims in flight that may take pods. */
  readonly stateNodes: readonly StateNode[];
  readonly nodePools: readonly NodePoolView[];
  readonly daemonSets: readonly DaemonSet[];
}

export interface Unplaced {
  readonly pod: Pod;
  /** One refusal a NodePool; without a pool where none could be asked. */
  readonly refusals: readonly { readonly nodePool?: string; readonly refusal: Refusal }[];
}

export interface Schedule {
  readonly newClaims: readonly OpenClaim[];
  readonly existing: readonly { readonly stateNode: StateNode; readonly pods: readonly Pod[] }[];
  readonly unplaced: readonly Unplaced[];
}

interface Run {
  readonly hosts: readonly ExistingHost[];
  readonly templates: readonly NodeClaimTemplate[];
  /** Pools that take no part, each with its reason. */
  readonly closed: Unplaced['refusals'];
  readonly limits: ReadonlyMap<string, RemainingLimits | undefined>;
  readonly topology: Topology;
  readonly claims: OpenClaim[];
  readonly placedOn: Map<ExistingHost, Pod[]>;
  /** The claims in flight by the pods that they were made for. */
  readonly promised: ReadonlyMap<string, ExistingHost>;
}

/**
 * Finds a place for every pod: the claim in flight that was made for it, else an existing node, then a claim that this
 * run opened, then a new claim (B33–B35).
 * *Shape:* what goes where, and for every pod without a place one refusal a NodePool. *Source:* B27–B36.
 * *Cost:* O(pods × (hosts + claims × types)); a claim that refused a class of pods is not asked again.
 */
export function solve(problem: SchedulingProblem): Schedule {
  const run = start(problem);
  let queue = problem.pods
    .map(demandOf)
    .toSorted(byDescendingSize)
    .filter((demand) => !keepPromise(run, demand));
  let unplaced: readonly Unplaced[] = [];
  // B29: another lap as long as one made progress: an affinity may be met by a pod that came later.
  for (let before = queue.length + 1; queue.length > 0 && queue.length < before; ) {
    before = queue.length;
    const lap = queue
      .map((demand) => ({ demand, refusals: place(run, demand) }))
      .filter(({ refusals }) => refusals !== undefined);
    unplaced = lap.map(({ demand, refusals }) => ({ pod: demand.pod, refusals: refusals ?? [] }));
    queue = lap.map(({ demand }) => demand);
  }
  keepWithinLimits(run);
  return {
    newClaims: run.claims,
    existing: [...run.placedOn].map(([host, pods]) => ({ stateNode: host.stateNode, pods })),
    unplaced,
  };
}

function start({ pods, stateNodes, nodePools, daemonSets }: SchedulingProblem): Run {
  const daemons = daemonsOf(daemonSets);
  const hosts = stateNodes.filter((one) => !one.deleting).map((one) => existingHost(one, daemons));
  const pools = byDescendingWeight(nodePools).map((view) => ({ view, closed: whyClosed(view) }));
  const templates = pools
    .filter(({ closed }) => closed === undefined)
    .map(({ view }) => nodeClaimTemplate(view, daemons));
  // B46: pods of this run count where the run puts them, not where they are.
  const moving = new Set(pods.map((pod) => pod.metadata.uid));
  const placed = [
    ...hosts,
    ...stateNodes.filter((one) => one.deleting).map((one) => existingHost(one, daemons)),
  ].flatMap((host) =>
    host.stateNode.pods.filter((pod) => isActive(pod) && !moving.has(pod.metadata.uid)).map((pod) => ({ pod, host })),
  );
  return {
    hosts,
    templates,
    closed: pools.flatMap(({ view, closed }) =>
      closed === undefined ? [] : [{ nodePool: view.nodePool.metadata.name, refusal: closed }],
    ),
    limits: new Map(
      nodePools.map(({ nodePool }) => [
        nodePool.metadata.name,
        remainingLimits(nodePool, heldBy(nodePool.metadata.name, stateNodes)),
      ]),
    ),
    topology: { universe: universeOf(templates, stateNodes), placed, watched: watchesOf(pods) },
    claims: [],
    placedOn: new Map(),
    promised: new Map(
      hosts
        .filter((host) => !host.stateNode.initialized)
        .flatMap((host) => (host.stateNode.nodeClaim?.pods ?? []).map((key) => [key, host])),
    ),
  };
}

/** What a pool's nodes take of its limits; a node that is going counts until it is gone. */
function heldBy(nodePool: string, stateNodes: readonly StateNode[]): readonly Readonly<Record<string, number>>[] {
  return stateNodes.flatMap(({ nodeClaim }) => (nodeClaim?.nodePool === nodePool ? [nodeClaim.holds] : []));
}

/** B45: the values of every label that a node has or a pool could give. */
function universeOf(templates: readonly NodeClaimTemplate[], stateNodes: readonly StateNode[]): Universe {
  const universe = new Map<string, Set<string>>();
  const note = (key: string, value: string): unknown => universe.set(key, (universe.get(key) ?? new Set()).add(value));
  for (const { requirements, instanceTypes } of templates) {
    for (const one of requirements.values()) if (!one.complement) for (const value of one.values) note(one.key, value);
    for (const type of instanceTypes) {
      for (const one of type.requirements.values()) {
        const own = requirements.get(one.key);
        if (own !== undefined && !own.complement) continue;
        for (const value of one.values) if (own === undefined || admits(own, value)) note(one.key, value);
      }
    }
  }
  for (const { labels } of stateNodes) for (const [key, value] of Object.entries(labels)) note(key, value);
  return universe;
}

/**
 * Places the pod, giving up one preference after another (B30). *Shape:* undefined where it found a place, else why not
 * even without its preferences.
 */
function place(run: Run, demand: Demand): Unplaced['refusals'] | undefined {
  let refusals = placeAsIs(run, demand);
  for (let pod = relax(demand.pod); refusals !== undefined && pod !== undefined; pod = relax(pod))
    refusals = placeAsIs(run, { ...demand, pod });
  return refusals;
}

function placeAsIs(run: Run, demand: Demand): Unplaced['refusals'] | undefined {
  if (placeOnHost(run, demand) || placeOnClaim(run, demand)) return undefined;
  const refusals = [...run.closed];
  for (const template of run.templates) {
    const nodePool = template.nodePool.metadata.name;
    const claim = openClaim(template, `planned-${run.claims.length + 1}`);
    const answer = whetherJoins(claim, demand, { topology: run.topology, remaining: limitsLeft(run, claim) });
    if (answer.kind === 'fits') {
      join(claim, demand, answer);
      run.claims.push(claim);
      run.topology.placed.push({ pod: demand.pod, host: claim });
      return undefined;
    }
    refusals.push({ nodePool, refusal: answer.refusal });
  }
  return refusals;
}

function placeOnHost(run: Run, demand: Demand): boolean {
  const host = run.hosts.find((one) => whyNotOnHost(one, demand, run.topology) === undefined);
  if (host !== undefined) put(run, demand, host);
  return host !== undefined;
}

function put(run: Run, demand: Demand, host: ExistingHost): void {
  takeRoom(host, demand);
  run.topology.placed.push({ pod: demand.pod, host });
  run.placedOn.set(host, [...(run.placedOn.get(host) ?? []), demand.pod]);
}

/**
 * Until it is initialized, a claim keeps the pods that it was made for. They were placed together: judged again among other
 * pods, topology might want one of them elsewhere, and it would be launched for twice.
 */
function keepPromise(run: Run, demand: Demand): boolean {
  const host = run.promised.get(demand.key);
  if (host === undefined) return false;
  for (let pod: Pod | undefined = demand.pod; pod !== undefined; pod = relax(pod)) {
    const relaxed: Demand = { ...demand, pod };
    if (whyUnfit(host, relaxed) !== undefined) continue;
    put(run, relaxed, host);
    return true;
  }
  return false;
}

/** B34: the open claim with the fewest pods first. */
function placeOnClaim(run: Run, demand: Demand): boolean {
  const podClass = classOf(demand);
  for (const claim of run.claims.toSorted((a, b) => a.demands.length - b.demands.length)) {
    if (claim.refusedClasses.has(podClass)) continue;
    const answer = whetherJoins(claim, demand, { topology: run.topology, remaining: limitsLeft(run, claim) });
    if (answer.kind === 'fits') {
      join(claim, demand, answer);
      run.topology.placed.push({ pod: demand.pod, host: claim });
      return true;
    }
    if (answer.lasting) claim.refusedClasses.add(podClass);
  }
  return false;
}

/** What the pool's limits leave for one claim when every other that this run opened takes the least it can. */
function limitsLeft(run: Run, claim: OpenClaim): RemainingLimits | undefined {
  const left = run.limits.get(poolOf(claim));
  if (left === undefined) return undefined;
  return siblings(run, claim)
    .filter((other) => other !== claim)
    .reduce((rest, other) => takeFromLimits(rest, other.leastHold), left);
}

/**
 * Promise 2: what the claims of a limited pool may become, all at their largest, stays within its limits. One after the
 * other takes what those before it hold and those after it need at the least leave.
 */
function keepWithinLimits(run: Run): void {
  for (const claim of run.claims) {
    const left = limitsLeft(run, claim);
    if (left === undefined) continue;
    claim.instanceTypes = claim.instanceTypes.filter((type) => fitsLimits(type, left));
    claim.leastHold = largestCapacity(claim.instanceTypes);
  }
}

function siblings(run: Run, claim: OpenClaim): readonly OpenClaim[] {
  return run.claims.filter((other) => poolOf(other) === poolOf(claim));
}

function poolOf(claim: OpenClaim): string {
  return claim.template.nodePool.metadata.name;
}
