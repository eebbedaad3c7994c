import { type Pod, podKey } from '../../../apis/kubernetes.ts';
import { ownNomination } from '../../cluster/nominated-node.ts';
import { knownNodeName } from '../../cluster/state-node.ts';
import type { Run } from '../run.ts';
import { allowsDomain, hostAnswer, type LastingRule, type TopologyRule } from '../topology/rules.ts';
import type { BacklogGroup } from './backlog.ts';
import { type ExistingHost, hostHasRoom, isAdmitted, oldestFirst } from './existing-host.ts';
import { putOnHost, topologyAnswer } from './place.ts';
import { variants } from './variants.ts';

/**
 * Places the pods of claims that are not initialized yet, or that replace nodes with pods, pods that Kerf has nominated for a node (B66),
 * and pods that the kube-scheduler has not bound yet to the node that was launched for them. They keep the node that was planned for them:
 * if the pods were placed again together with other pods, a topology rule could move one of them, and a second node would be launched; and
 * each run would nominate other nodes. A pod keeps a node only if the kube-scheduler may bind it there beside all pods that are placed here:
 * other pods may have been bound to other nodes than planned. *Cost:* at most O(nominated pods × hosts of their group), if each placement
 * allows one other.
 */
export function placeNominatedPods(run: Run, backlog: readonly BacklogGroup[]): void {
  const hostOf = nominatedHosts(run, backlog);
  const keepings = backlog.flatMap((group): readonly Keeping[] => {
    const byHost = new Map<ExistingHost, Pod[]>();
    for (const pod of group.pods) {
      const host = hostOf(pod);
      if (host === undefined) continue;
      const pods = byHost.get(host);
      if (pods === undefined) byHost.set(host, [pod]);
      else pods.push(pod);
    }
    return byHost.size === 0 ? [] : [{ group, byHost, kept: [] }];
  });
  const evenNow = hostsThatAreEven(run, keepings);
  const whileAny = (isAllowed: IsAllowed): void => {
    while (keepings.reduce((placed, keeping) => placed + keepPods(run, keeping, isAllowed), 0) > 0);
  };
  // A pod may need another one first: for affinity, or for the skew of its domains.
  whileAny((host, demand) => !host.stateNode.initialized && mayBeAllowed(host, demand));
  whileAny((host, demand) =>
    host.stateNode.initialized && evenNow.get(demand)?.has(host) !== true
      ? topologyAnswer(run, host, demand) === 'yes'
      : mayBeAllowed(host, demand),
  );
  for (const { group, kept } of keepings) {
    const placed = new Set(kept);
    group.pods = [...kept, ...group.pods.filter((pod) => !placed.has(pod))];
    group.placed = kept.length;
  }
}

/** Pods of a group that may keep the hosts that were planned for them. */
interface Keeping {
  readonly group: BacklogGroup;
  /** Pods that are not placed yet. */
  readonly byHost: Map<ExistingHost, readonly Pod[]>;
  readonly kept: Pod[];
}

type IsAllowed = (host: ExistingHost, demand: BacklogGroup['demand']) => boolean;

function nominatedHosts(run: Run, backlog: readonly BacklogGroup[]): (pod: Pod) => ExistingHost | undefined {
  const planned = new Map<string, ExistingHost>();
  for (const host of oldestFirst(run.starting))
    for (const key of host.stateNode.nodeClaim?.pods ?? []) planned.set(key, host);
  const named = namedHosts(run, backlog);
  const nominatedFor = (pod: Pod): ExistingHost | undefined => {
    const name = ownNomination(pod);
    return name === undefined ? undefined : named.get(name);
  };
  return (pod) => nominatedFor(pod) ?? planned.get(podKey(pod)) ?? run.startedFor(podKey(pod));
}

/** The hosts by the names of their nodes, as far as these are known. *Shape:* empty if Kerf has nominated no node. */
function namedHosts(run: Run, backlog: readonly BacklogGroup[]): ReadonlyMap<string, ExistingHost> {
  const isNominated = backlog.some(({ pods }) => pods.some((pod) => ownNomination(pod) !== undefined));
  if (!isNominated) return new Map();
  return new Map(
    run.allHosts().flatMap((host) => {
      const name = knownNodeName(host.stateNode);
      return name === undefined ? [] : [[name, host] as const];
    }),
  );
}

/** Places the first pods of each host, as long as they are allowed. Returns their number. */
function keepPods(run: Run, { group, byHost, kept }: Keeping, isAllowed: IsAllowed): number {
  const before = kept.length;
  const demands = variants(run, group.demand);
  for (const [host, pods] of byHost) {
    const mayKeep = (): BacklogGroup['demand'] | undefined =>
      demands.find(
        (one) => isAdmitted(host, one) && hostHasRoom(host, run.rooms.of(host), one) && isAllowed(host, one),
      );
    let placed = 0;
    for (const pod of pods) {
      const demand = mayKeep();
      if (demand === undefined) break;
      putOnHost(run, host, { group: { ...group, pods: [pod], placed: 0 }, demand, count: 1 });
      kept.push(pod);
      placed += 1;
    }
    if (placed === pods.length) byHost.delete(host);
    else byHost.set(host, pods.slice(placed));
  }
  return kept.length - before;
}

/**
 * Whether affinity and anti-affinity allow the pod on a node that starts. Bound pods do not move, but pods that are bound before the node is
 * initialized may make a spread even.
 */
function mayBeAllowed(host: ExistingHost, { rules: { onHost, byKey } }: BacklogGroup['demand']): boolean {
  if (hostAnswer(onHost.filter(isLasting), host.index) !== 'yes') return false;
  return byKey.every(({ key, rules }) => {
    const domains = host.domainsOf(key);
    const lasting = rules.filter(isLasting);
    return domains.length === 0 || domains.some((domain) => lasting.every((rule) => allowsDomain(rule, domain)));
  });
}

function isLasting(rule: TopologyRule): rule is LastingRule {
  return rule.kind !== 'spread';
}

/**
 * The initialized hosts on which bound pods satisfy a spread that does not count the pods themselves. The kube-scheduler may bind these pods
 * before those that they count, as the plan did.
 */
function hostsThatAreEven(
  run: Run,
  keepings: readonly Keeping[],
): ReadonlyMap<BacklogGroup['demand'], ReadonlySet<ExistingHost>> {
  const hosts = new Map<BacklogGroup['demand'], ReadonlySet<ExistingHost>>();
  for (const { group, byHost } of keepings) {
    const { demand } = group;
    const rules = [...demand.rules.onHost, ...demand.rules.byKey.flatMap((ofKey) => ofKey.rules)];
    const spreads = rules.filter((rule) => rule.kind === 'spread');
    if (spreads.length === 0 || spreads.some(({ self }) => self > 0)) continue;
    const isEven = (host: ExistingHost): boolean =>
      host.stateNode.initialized && topologyAnswer(run, host, demand) === 'yes';
    hosts.set(demand, new Set([...byHost.keys()].filter(isEven)));
  }
  return hosts;
}
