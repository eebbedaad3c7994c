import { withoutRefused } from '../../core/disruption/command/without-refused.ts';
import type { Action, Decision } from '../../core/model/decision.ts';
import { initializeNode, isTaint, type Taint, taintChanges } from '../act/change-nodes.ts';
import { markNodeClaimDeleted } from '../act/mark-deleted.ts';
import { type Outcome, outcomeOf, outcomeWithReport, withLostWakes } from '../act/outcomes.ts';
import { evictPods } from '../drain/evict-pods.ts';
import { releaseNodeClaim } from '../instances/release-claim.ts';
import { tagInstance } from '../instances/tag-instance.ts';
import { terminateInstance } from '../instances/terminate-instance.ts';
import { type Creation, createClaims, isCreation, withoutHeld } from '../launch/create-claims.ts';
import { launchInstance } from '../launch/launch-instance.ts';
import type { MayLimitWaits } from '../wait/waits.ts';
import type {
  HasClock,
  Launches,
  RemembersRefusals,
  SendsWakes,
  UsesCatalogue,
  UsesCommands,
  UsesNominations,
  WritesClaims,
  WritesCluster,
} from './ports.ts';
import { type LostWakes, wakesTogether } from './wake-up.ts';

/** What the actions of any decision need. */
export type ActPorts = OffClusterPorts &
  WritesCluster &
  Launches &
  UsesCommands &
  UsesNominations &
  RemembersRefusals &
  MayLimitWaits;

/** What an `OffClusterAction` needs. */
export type OffClusterPorts = WritesClaims & UsesCatalogue & SendsWakes & HasClock;

/**
 * Carries out the actions of a decision. Each action is idempotent, so any function can repeat it, and one that fails does not stop the
 * others. They are in order, because a new claim may need the room in a limit that a deletion before it makes (promise 2); claims that follow
 * each other are written together, and so are taints. Evictions come last and in parallel, because a node is cordoned before the replacements
 * of its pods look for a node; if it cannot be cordoned, its pods are evicted nevertheless. *Shape:* the outcome of every action, without
 * the replacements of a command that could not be continued: they are not created.
 */
export async function carryOut(known: ActPorts, { cluster, actions }: Decision): Promise<readonly Outcome[]> {
  const { messages, sendRest } = wakesTogether(known);
  const ports = { ...known, messages };
  const outcomes = new Map<Action, Outcome>();
  const changeTaints = taintChanges(ports, cluster);
  let next = 0;
  for (const [at, planned] of actions.entries()) {
    if (planned.kind === 'evict-pod' || at < next) continue;
    const action = planned.kind === 'end-disruption' ? withoutRefused(planned, refusedDeletions(outcomes)) : planned;
    if (isCreation(action) || isTaint(action)) {
      const [creations, taints] = [alikeFrom(actions, at, isCreation), alikeFrom(actions, at, isTaint)];
      next = at + creations.length + taints.length;
      const together = isCreation(action)
        ? await createClaims(ports, cluster, withoutHeld(creations, outcomes))
        : await changeTaints(taints);
      for (const one of together) outcomes.set(one.action, one);
      continue;
    }
    outcomes.set(
      planned,
      action.kind === 'launch-instance'
        ? await outcomeWithReport(action, async () => launchInstance(ports, cluster, action))
        : await outcomeOf(action, async () => carryOutOne(ports, cluster, action)),
    );
  }
  const evictions = actions.filter((action) => action.kind === 'evict-pod');
  for (const one of await evictPods(ports, cluster, evictions)) outcomes.set(one.action, one);
  const all = actions.flatMap((action) => outcomes.get(action) ?? []);
  return withLostWakes(all, await sendRest());
}

/** The actions from this one on that follow each other and are of its kind. */
function alikeFrom<Alike extends Action>(
  actions: readonly Action[],
  from: number,
  isAlike: (action: Action) => action is Alike,
): readonly Alike[] {
  const rest = actions.slice(from);
  const end = rest.findIndex((action) => !isAlike(action));
  return rest.slice(0, end === -1 ? rest.length : end).filter(isAlike);
}

/** Actions that do not need the cluster API. The interruption function, which has no access to clusters, can carry them out. */
export type OffClusterAction = Of<'mark-unavailable'> | Of<'delete-node-claim'>;

/** *Shape:* the wakes that could not be sent. *Errors:* those of the ports: the action was not carried out. */
export async function carryOutOffCluster(
  ports: OffClusterPorts,
  cluster: string,
  action: OffClusterAction,
): Promise<LostWakes> {
  if (action.kind === 'delete-node-claim') return markNodeClaimDeleted(ports, cluster, action);
  await ports.catalogue.markUnavailable([action.offering]);
  return [];
}

/** The messages of refused deletions, by NodeClaim. */
function refusedDeletions(outcomes: ReadonlyMap<Action, Outcome>): ReadonlyMap<string, string> {
  return new Map(
    [...outcomes.values()].flatMap((one) =>
      one.kind === 'refused' && one.action.kind === 'delete-node-claim'
        ? [[one.action.nodeClaim, one.error.message]]
        : [],
    ),
  );
}

type Single = Exclude<Action, Taint | Creation | Of<'evict-pod'> | Of<'launch-instance'>>;

async function carryOutOne(ports: ActPorts, cluster: string, action: Single): Promise<LostWakes | void> {
  const { store } = ports;
  switch (action.kind) {
    case 'nominate-node':
      return store.nominate(cluster, { node: action.node, untilMs: action.untilMs });
    case 'register-node':
      return ports.cluster.patchNode(action.node, action.patch);
    case 'initialize-node':
      return initializeNode(ports, cluster, action);
    case 'learn-memory':
      return ports.catalogue.learnMemory(action.lesson, ports.clock.now());
    case 'start-disruption':
      return store.startCommand(cluster, action.command);
    case 'continue-disruption':
      return store.continueCommand(cluster, action.command);
    case 'end-disruption':
      // In this order: a command that has ended is not ended again.
      if (action.moved !== undefined) await store.recordMove(cluster, action.moved);
      return store.endCommand(cluster, action.command);
    case 'tag-instance':
      return tagInstance(ports, cluster, action);
    case 'terminate-instance':
      return terminateInstance(ports, cluster, action);
    case 'release-node-claim':
      return releaseNodeClaim(ports, cluster, action);
    case 'delete-node-claim':
    case 'mark-unavailable':
      return carryOutOffCluster(ports, cluster, action);
  }
}

type Of<Kind extends Action['kind']> = Action & { readonly kind: Kind };
