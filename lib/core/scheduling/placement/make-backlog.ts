import type { Pod } from '../../../apis/kubernetes.ts';
import { HOSTNAME } from '../../../apis/labels.ts';
import type { Demand } from '../pods/demand.ts';
import { requiredAffinityTerms } from '../pods/pod-affinity-terms.ts';
import type { PodGroup } from '../pods/pod-classes.ts';
import type { RequirementSet } from '../pools/requirement-sets.ts';
import { isAvailable, type PoolTypeIndex } from '../pools/type-index.ts';
import type { Run } from '../run.ts';
import type { Unplaced } from '../schedule.ts';
import type { Counter } from '../topology/counters.ts';
import { onlyRepel } from '../topology/rules.ts';
import { type BacklogGroup, hostCapsOf } from './backlog.ts';
import { claimTolerates } from './open-claim.ts';

/** The pods of the run by class, in the order in which they are placed; and the pods that no node can run (B9). */
export function backlogOf(run: Run): {
  readonly backlog: readonly BacklogGroup[];
  readonly refused: readonly Unplaced[];
} {
  const refused: Unplaced[] = [];
  const backlog: BacklogGroup[] = [];
  for (const { podClass, pods } of run.groups) {
    const answer = run.demandFor(podClass);
    if (answer.kind === 'refused')
      refused.push(...pods.map((pod) => ({ pod, refusals: [{ refusal: answer.refusal }] })));
    else backlog.push(groupOf(run, answer.demand, pods));
  }
  if (run.goal.isFirstFit) return { backlog, refused };
  const shared = sharingCounters(backlog);
  const together = ({ demand }: BacklogGroup): number => (sharesHosts(demand, shared) ? 0 : 1);
  return { backlog: backlog.toSorted((a, b) => together(a) - together(b)), refused };
}

/** The counters of required host affinity terms. Preferred terms do not count, because they can be relaxed. */
function sharingCounters(backlog: readonly BacklogGroup[]): ReadonlySet<Counter> {
  const must = backlog.filter(({ demand }) => requiresHost(demand.podClass.pod));
  return new Set(
    must.flatMap(({ demand }) =>
      demand.rules.onHost.filter(({ kind }) => kind === 'attract').map(({ counter }) => counter),
    ),
  );
}

function requiresHost(pod: Pod): boolean {
  return requiredAffinityTerms(pod).some(({ topologyKey }) => topologyKey === HOSTNAME);
}

/** Pods that must share a host with others have the fewest possible hosts, so they are placed first. */
function sharesHosts({ rules, hostCounters }: Demand, shared: ReadonlySet<Counter>): boolean {
  return rules.onHost.some(({ counter }) => shared.has(counter)) || hostCounters.some((counter) => shared.has(counter));
}

function groupOf(run: Run, demand: Demand, pods: PodGroup['pods']): BacklogGroup {
  return { demand, pods, placed: 0, types: firstPool(run, demand), hostCaps: hostCapsOf(demand) };
}

/** The first pool that could launch a node for these pods. */
export function firstPool(run: Run, demand: Demand): PoolTypeIndex | undefined {
  return run.pools.find((types) => {
    if (!claimTolerates(types, demand.podClass.pod.spec.tolerations)) return false;
    return demand.alternatives.some((alternative) => {
      const set = run.sets.join(types.set, alternative.set);
      if (set === undefined || !hasLabels(demand, set)) return false;
      return isAvailable(types, set, types.fitting(demand.requests));
    });
  });
}

/** A rule with a topology key needs a node with this label. */
function hasLabels({ rules }: Demand, set: RequirementSet): boolean {
  return rules.byKey.every((keyRules) => onlyRepel(keyRules) || keyRules.key.openTo(set).length > 0);
}
