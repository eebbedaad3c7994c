import { admits } from '../../requirements/requirement.ts';
import { chooseType, type Plan } from '../packing/choose-type.ts';
import { NODE_PRICE } from '../packing/goal.ts';
import type { GuestBook } from '../packing/guests.ts';
import type { Demand } from '../pods/demand.ts';
import { conflictingPort } from '../pods/host-ports.ts';
import { type Bitset, common, isEmptyBitset, membersOf, removeFrom } from '../pools/bitset.ts';
import { inflexibility } from '../pools/min-values.ts';
import { holdLeast, withinLimits } from '../pools/pool-limits.ts';
import type { RequirementSet } from '../pools/requirement-sets.ts';
import type { TypeIndex } from '../pools/type-index.ts';
import type { Run } from '../run.ts';
import { hostAnswer, type KeyRules } from '../topology/rules.ts';
import type { BacklogGroup } from './backlog.ts';
import { type OpenClaim, openClaim, pinTo, pinToTarget, tolerates, typesFor } from './open-claim.ts';

export interface Asking {
  readonly run: Run;
  /** The group whose next pod the claim is for, and how that pod asks. */
  readonly head: BacklogGroup;
  readonly demand: Demand;
  readonly guestBook: GuestBook;
}

/** A new claim that could be opened. */
export interface Opening {
  readonly kind: 'found';
  readonly types: TypeIndex;
  readonly set: RequirementSet;
  readonly plan: Plan;
  /** Of the offering that it aims at, with what a node costs beside. */
  readonly priceUsdPerHour: number;
}

/** `forGood`: no later placement can change it. */
export type OpeningAnswer = Opening | { readonly kind: 'refused'; readonly forGood: boolean };

/** A new claim of the heaviest pool that can have one for the pod (B12, B35). Changes nothing. */
export function openingFor(asking: Asking): OpeningAnswer {
  let forGood = true;
  let found: Opening | undefined;
  for (const types of asking.run.pools) {
    const answer = openingIn(types, asking);
    if (answer.kind === 'refused') forGood &&= answer.forGood;
    // Pods that must share the host count for more than the weight: they could go nowhere else afterwards.
    else if (found === undefined || answer.plan.leftBehind < found.plan.leftBehind) found = answer;
    if (found?.plan.leftBehind === 0) return found;
  }
  return found ?? { kind: 'refused', forGood };
}

/** Opens it. */
export function openPlanned(run: Run, { types, set, plan }: Opening): OpenClaim {
  const claim = openClaim(run.nextHost(), types, { set, target: plan.target });
  holdLeast(run.limits, claim, typesFor(claim, run.limits));
  run.claims.push(claim);
  return claim;
}

function openingIn(types: TypeIndex, asking: Asking): OpeningAnswer {
  const { run, demand } = asking;
  const { rules, podClass } = demand;
  if (!tolerates(types, podClass.pod.spec.tolerations)) return { kind: 'refused', forGood: true };
  // The next host's own number: no pod is there yet.
  if (hostAnswer(rules.onHost, run.hosts.length + NO_HOST) !== 'yes') return { kind: 'refused', forGood: false };
  let forGood = true;
  for (const { set: asked, hostname } of demand.asks) {
    const set = run.sets.join(types.set, asked);
    // The name of a new node is not known before.
    if (set === undefined || (hostname !== undefined && !admits(hostname, UNKNOWN_NAME))) continue;
    const roomy = common(types.selectionFor(set).types, types.fitting(demand.requests));
    if (isEmptyBitset(roomy)) continue;
    forGood = false;
    for (const pinned of pinnings(run, set, rules.byKey)) {
      const opened = openingWith(types, pinned, asking);
      if (opened !== undefined) return opened;
    }
  }
  return { kind: 'refused', forGood };
}

/** Beyond every host that there is. */
const NO_HOST = 1e9;
const UNKNOWN_NAME = 'a-node-that-is-not-named-yet';

/** A few labels with a few domains each; more are not tried. */
const MOST_PINNINGS = 64;

/** The set with each label that the pod's own rules choose narrowed to one domain, the best first. */
function pinnings(run: Run, set: RequirementSet, byKey: readonly KeyRules[]): readonly RequirementSet[] {
  let sets: readonly RequirementSet[] = [set];
  for (const keyRules of byKey) {
    if (keyRules.rules.length === 0) continue;
    const { order } = run.allowance(keyRules);
    const choices = keyRules.pins ? order.map((domain) => [domain]) : [order];
    // Nobody is there to keep away from where the label will not be.
    const isWithout = (one: RequirementSet): boolean =>
      keyRules.key.openTo(one).length === 0 && keyRules.rules.every((rule) => rule.kind === 'repel');
    sets = sets
      .flatMap((one) =>
        isWithout(one) ? [one] : choices.flatMap((domains) => pinTo(one, keyRules.key, domains, run.sets) ?? []),
      )
      .slice(0, MOST_PINNINGS);
  }
  return sets;
}

function openingWith(types: TypeIndex, set: RequirementSet, asking: Asking): Opening | undefined {
  const { run, demand, head, guestBook } = asking;
  const { candidates, isLimited } = candidatesFor(types, set, asking);
  if (isEmptyBitset(candidates)) {
    if (isLimited && demand.podClass.ports.length === 0) run.exhausted.add(types);
    return undefined;
  }
  const plan = chooseType({ types, set, candidates, isLimited, head, demand, guestBook, goal: run.goal });
  if (plan === undefined) return undefined;
  const pinned = pinToTarget({ types, target: plan.target }, { set, demand, context: run });
  if (pinned === undefined) return undefined;
  const isRigid = inflexibility(types, types.selectionFor(pinned), candidates) !== undefined;
  if (isRigid && run.options.minValuesPolicy !== 'BestEffort') return undefined;
  const priceUsdPerHour = (types.selectionFor(pinned).market.prices[plan.target.type] ?? 0) + NODE_PRICE;
  return { kind: 'found', types, set: pinned, plan, priceUsdPerHour };
}

/** The types that hold the pod, within the pool's limits, with its host ports free. */
function candidatesFor(
  types: TypeIndex,
  set: RequirementSet,
  { run, demand }: Asking,
): { readonly candidates: Bitset; readonly isLimited: boolean } {
  const roomy = common(types.selectionFor(set).types, types.fitting(demand.requests));
  const candidates = withinLimits(types, roomy, run.limits.get(types.template.nodePool.metadata.name)).slice();
  const { ports } = demand.podClass;
  for (const type of ports.length === 0 ? [] : membersOf(candidates)) {
    if (conflictingPort(ports, types.portsOf(type)) !== undefined) removeFrom(candidates, type);
  }
  return { candidates, isLimited: roomy.some((word, at) => word !== candidates[at]) };
}
