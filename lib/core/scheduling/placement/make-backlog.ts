import type { Pod } from '../../../apis/kubernetes.ts';
import { HOSTNAME } from '../../../apis/labels.ts';
import { memoize } from '../memoize.ts';
import type { Demand } from '../pods/demand.ts';
import { requiredAffinityTerms } from '../pods/pod-affinity-terms.ts';
import type { PodGroup } from '../pods/pod-classes.ts';
import type { RequirementSet } from '../pools/requirement-sets.ts';
import { isAvailable, type PoolTypeIndex } from '../pools/type-index.ts';
import type { Run } from '../run.ts';
import type { Unplaced } from '../schedule.ts';
import type { Counter } from '../topology/counters.ts';
import { onlyRepel } from '../topology/rules.ts';
import { type BacklogGroup, hostCapsOf, type SpreadOrder, TURNS, type Turn } from './backlog.ts';
import { claimTolerates } from './open-claim.ts';

export interface Backlog {
  /** In the order in which they are placed. */
  readonly backlog: readonly BacklogGroup[];
  /** The pods that no node can run (B9), also those whose claims other pods use. */
  readonly refused: readonly Unplaced[];
  /** The orders of the pods that are spread, other than `last`, that differ from it. */
  readonly otherOrders: ReadonlySet<SpreadOrder>;
}

/** The pods of the run by class. */
export function backlogOf(run: Run, order: SpreadOrder): Backlog {
  const refused: Unplaced[] = [...run.waiting];
  const backlog: BacklogGroup[] = [];
  for (const { podClass, pods } of run.groups) {
    const answer = run.demandFor(podClass);
    if (answer.kind === 'refused')
      refused.push(...pods.map((pod) => ({ pod, refusals: [{ refusal: answer.refusal }] })));
    else backlog.push(groupOf(run, answer.demand, pods));
  }
  if (run.goal.isFirstFit) return { backlog, refused, otherOrders: new Set() };
  const turnOf = turns(backlog);
  const own = backlog.map((group) => ({ group, turn: turnOf(group) }));
  const inTurn = own.map(({ group, turn }): BacklogGroup => ({ ...group, turn: turnIn(order, turn) }));
  const ordered = TURNS.flatMap((turn) => inTurn.filter((group) => group.turn === turn));
  return { backlog: ordered, refused, otherOrders: otherOrders(new Set(own.map(({ turn }) => turn))) };
}

function otherOrders(turnsOfGroups: ReadonlySet<Turn>): ReadonlySet<SpreadOrder> {
  if (!turnsOfGroups.has('other')) return new Set();
  if (turnsOfGroups.has('spread')) return new Set(['first', 'by-size']);
  return new Set(turnsOfGroups.has('spread-last') ? ['by-size'] : []);
}

function turnIn(order: SpreadOrder, turn: Turn): Turn {
  if (order === 'by-size') return turn === 'sharing' ? turn : 'other';
  return turn === 'spread' && order === 'last' ? 'spread-last' : turn;
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

/** The turn of each group of the backlog (B68). `spread`: those that are spread only among themselves. */
function turns(backlog: readonly BacklogGroup[]): (group: BacklogGroup) => Turn {
  const shared = sharingCounters(backlog);
  const countsOthers = memoize((counter: Counter) =>
    backlog.some(({ demand }) => demand.countedBy.has(counter) && !spreadCounters(demand).includes(counter)),
  );
  return ({ demand }) => {
    if (sharesHosts(demand, shared)) return 'sharing';
    const own = spreadCounters(demand);
    if (own.length === 0) return 'other';
    return own.some(countsOthers) ? 'spread-last' : 'spread';
  };
}

/** The counters of its spread over labels of several nodes. */
function spreadCounters({ rules }: Demand): readonly Counter[] {
  return rules.byKey.flatMap((one) => one.rules.filter(({ kind }) => kind === 'spread').map(({ counter }) => counter));
}

function groupOf(run: Run, demand: Demand, pods: PodGroup['pods']): BacklogGroup {
  return { demand, pods, placed: 0, types: firstPool(run, demand), hostCaps: hostCapsOf(demand), turn: 'other' };
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
