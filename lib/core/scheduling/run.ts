import type { Pod } from '../../apis/kubernetes.ts';
import { hardTaints, untoleratedTaint } from '../../apis/taints.ts';
import { isActive } from '../cluster/pods.ts';
import { whyIncompatible, whyLabelsFail } from '../requirements/requirements.ts';
import { type Goal, SPARE_MONEY, spareLimits } from './packing/goal.ts';
import { type ExistingHost, existingHost } from './placement/existing-host.ts';
import type { OpenClaim } from './placement/open-claim.ts';
import { askedLabels } from './pods/asked-labels.ts';
import { type Demand, demandOf } from './pods/demand.ts';
import { requiredAntiAffinityTerms } from './pods/pod-affinity-terms.ts';
import { type PodClass, type PodClasses, podClasses } from './pods/pod-classes.ts';
import { daemonsOf } from './pools/daemons.ts';
import { remainingLimits } from './pools/limits.ts';
import type { PoolLimits } from './pools/pool-limits.ts';
import { type RequirementSets, requirementSets } from './pools/requirement-sets.ts';
import { type ResourceSpace, resourceSpace } from './pools/resource-space.ts';
import { byDescendingWeight, nodeClaimTemplate, whyClosed } from './pools/template.ts';
import { type TypeIndex, typeIndex } from './pools/type-index.ts';
import type { Refusal } from './refusal.ts';
import type { SchedulingOptions, SchedulingProblem, Unplaced } from './schedule.ts';
import { type Allowance, allowances } from './topology/allowance.ts';
import { type CountedHost, type Counters, counters, namespacesOf } from './topology/counters.ts';
import { eligibleDomains } from './topology/eligible-domains.ts';
import { type HostFilters, type KeyRules, ownRules, type RuleSources, rulesFor } from './topology/rules.ts';
import { topologyKeys } from './topology/topology-key.ts';
import { storageIndex } from './volumes/storage-index.ts';
import { volumeNeeds } from './volumes/volumes.ts';

/** Everything that one run works on. The claims, the hosts' room and the limits change as it places pods. */
export interface Run {
  readonly classes: PodClasses;
  readonly sets: RequirementSets;
  readonly space: ResourceSpace;
  readonly counters: Counters;
  readonly allowance: (rules: KeyRules) => Allowance;
  readonly options: SchedulingOptions;
  readonly goal: Goal;
  /** Nodes and claims in flight that take pods, in the order in which they are asked (B15). */
  readonly hosts: readonly ExistingHost[];
  /** The pools that take part, the heaviest first (B12). */
  readonly pools: readonly TypeIndex[];
  /** Pools that take no part, each with its reason. */
  readonly closed: Unplaced['refusals'];
  /** What is left of each pool's limits, by its name. */
  readonly limits: PoolLimits;
  /** Pools whose limits have kept a claim from being opened. */
  readonly exhausted: Set<TypeIndex>;
  readonly claims: OpenClaim[];
  readonly placedOn: Map<ExistingHost, Pod[]>;
  /** The number that the next host gets. */
  nextHost(): number;
  /** What such pods ask for, or why they have no place anywhere (B9). */
  demandFor(podClass: PodClass): DemandAnswer;
}

export type DemandAnswer =
  | { readonly kind: 'demand'; readonly demand: Demand }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export function startRun(problem: SchedulingProblem, spares: Goal['spares']): Run {
  const { stateNodes, options = {} } = problem;
  const classes = podClasses(problem);
  const representatives = classes.groups.map(({ podClass }) => podClass);
  const sets = requirementSets();
  const space = resourceSpace(representatives.map(({ requests }) => requests));
  const storage = storageIndex(problem.storage);
  const daemons = daemonsOf(
    problem.daemonSets,
    stateNodes.flatMap(({ pods }) => pods),
  );
  const views = byDescendingWeight(problem.nodePools).map((view) => ({ view, closed: whyClosed(view) }));
  const templates = views
    .filter(({ closed }) => closed === undefined)
    .map(({ view }) => nodeClaimTemplate(view, daemons));
  const volumes = representatives.map(({ pod }) => volumeNeeds(pod, storage));
  const asked = new Set([
    ...askedLabels([...representatives.map(({ pod }) => pod), ...stateNodes.flatMap(({ pods }) => pods)]),
    ...volumes
      .flatMap((answer) => (answer.kind === 'needs' ? answer.needs.alternatives : []))
      .flatMap((one) => [...one.keys()]),
  ]);
  const allHosts = stateNodes.map((one, index) =>
    existingHost(one, index, { daemons, sets, space, storage, askedLabels: asked }),
  );
  const pools = templates.map((template) => typeIndex(template, sets, space));
  let hostCount = allHosts.length;
  const claims: OpenClaim[] = [];
  const limits: PoolLimits = new Map(
    problem.nodePools.map(({ nodePool }) => [
      nodePool.metadata.name,
      remainingLimits(nodePool, heldBy(nodePool.metadata.name, problem)),
    ]),
  );
  const counting = counters();
  const known = problem.namespaces ?? [];
  const sources: RuleSources = {
    counters: counting,
    keyOf: topologyKeys(templates, stateNodes),
    namespacesOf: (term, owner) => namespacesOf(term, owner, known),
    filters: hostFilters(allHosts, claims),
    eligibleDomains: eligibleDomains(allHosts, pools, sets),
  };
  const own = new Map(representatives.map((podClass) => [podClass, ownRules(podClass, sources)]));
  const demands = new Map<PodClass, DemandAnswer>();
  const run: Run = {
    classes,
    sets,
    space,
    counters: counting,
    allowance: allowances(),
    options,
    hosts: allHosts.filter(({ stateNode }) => !stateNode.deleting),
    pools,
    closed: views.flatMap(({ view, closed }) =>
      closed === undefined ? [] : [{ nodePool: view.nodePool.metadata.name, refusal: closed }],
    ),
    limits,
    exhausted: new Set(),
    goal: spares === 'money' ? SPARE_MONEY : spareLimits(new Map(limits)),
    claims,
    placedOn: new Map(),
    nextHost() {
      hostCount += 1;
      return hostCount - 1;
    },
    demandFor(podClass) {
      const made = demands.get(podClass) ?? makeDemand(podClass);
      demands.set(podClass, made);
      return made;
    },
  };
  const makeDemand = (podClass: PodClass): DemandAnswer => {
    const answer = volumeNeeds(podClass.pod, storage);
    if (answer.kind === 'refused') return answer;
    const rules = rulesFor(podClass, own.get(podClass) ?? ownRules(podClass, sources), sources);
    const hostCounters = [...counting.countersOf(podClass), ...counting.ownedBy(podClass)].filter(
      (counter) => counter.counted.key.isHostname,
    );
    return { kind: 'demand', demand: demandOf(podClass, { sets, space, volumes: answer.needs, rules, hostCounters }) };
  };
  recordPlaced(problem, { hosts: allHosts, classes, sources });
  return run;
}

/** B46: pods of this run count where the run puts them, not where they are. */
function recordPlaced(
  { pods, stateNodes }: SchedulingProblem,
  to: { readonly hosts: readonly ExistingHost[]; readonly classes: PodClasses; readonly sources: RuleSources },
): void {
  const moving = new Set(pods.map((pod) => pod.metadata.uid ?? pod));
  stateNodes.forEach((stateNode, at) => {
    const host = to.hosts[at];
    for (const pod of stateNode.pods) {
      if (host === undefined || !isActive(pod) || moving.has(pod.metadata.uid ?? pod)) continue;
      const podClass = to.classes.ofPlaced(pod);
      declareRequiredAntiAffinity(podClass, to.sources);
      to.sources.counters.record(podClass, host);
    }
  });
}

/** B55: a pod that runs keeps others away by what it requires, not by what it prefers. */
function declareRequiredAntiAffinity(
  podClass: PodClass,
  { counters: counting, keyOf, namespacesOf: spaces }: RuleSources,
): void {
  for (const term of requiredAntiAffinityTerms(podClass.pod)) {
    const counter = counting.counterFor({
      key: keyOf(term.topologyKey),
      kind: 'repelled',
      namespaces: spaces(term, podClass.namespace),
      selector: term.labelSelector,
    });
    counting.own(counter, podClass);
  }
}

/** B51: a node by its labels, a claim by what it may still become. */
function hostFilters(existing: readonly ExistingHost[], claims: readonly OpenClaim[]): HostFilters {
  const claimAt = (host: CountedHost): OpenClaim | undefined => claims[host.index - existing.length];
  return {
    meets(host, alternatives) {
      const node = existing[host.index];
      const claim = claimAt(host);
      return alternatives.some((asked) => {
        if (node?.fixed === true) {
          return whyLabelsFail(node.stateNode.labels, asked) === undefined;
        }
        const offered = node?.requirements ?? claim?.set.requirements;
        return offered !== undefined && whyIncompatible(offered, asked) === undefined;
      });
    },
    toleratedBy(host, pod) {
      const taints = existing[host.index]?.taints ?? claimAt(host)?.types.template.taints ?? [];
      return untoleratedTaint(hardTaints(taints), pod.spec.tolerations) === undefined;
    },
  };
}

/** What a pool's nodes take of its limits; a node that is going counts until it is gone. */
function heldBy(nodePool: string, { stateNodes }: SchedulingProblem): readonly Readonly<Record<string, number>>[] {
  return stateNodes.flatMap(({ nodeClaim }) => (nodeClaim?.nodePool === nodePool ? [nodeClaim.holds] : []));
}
