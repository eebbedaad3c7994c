import type { Cluster } from '../cluster.ts';
import type { Daemon } from '../daemons.ts';
import type { TypeView } from '../instance-type-view.ts';
import type { LaunchOption } from '../launch-choice.ts';
import type { PlannedClaim } from '../planned-claim.ts';
import { type HostPort, hostPortsOf, portClash, requestsOf } from '../pod-demands.ts';
import type { RawOffering, RawPlan, RawPod } from '../raw-documents.ts';
import { type Amounts, shortageOf, sumOf } from '../raw-quantity.ts';
import { keyOf } from '../well-known-labels.ts';
import { checkPodsOfClaim } from './check-pod-on-node.ts';

/** Checks each new claim alone: its options, whether its pods fit on each, and its price. */
export function checkClaims(cluster: Cluster, claims: readonly PlannedClaim[], plan: RawPlan): readonly string[] {
  const loads = loadsOf(daemonsByOption(cluster));
  const prices = priceFacts();
  const priced = (cluster.snapshot.nodeOverlays ?? []).length === 0;
  return [
    ...claims.flatMap((claim) => [
      ...[...claim.allowance.faults, ...claim.launch.faults].map((fault) => `${claim.name}: ${fault}`),
      ...checkPodsOfClaim(cluster, claim),
      ...checkCapacity(claim, loads),
      ...checkPorts(claim, loads),
      ...(priced ? checkPrice(claim, prices(claim)) : []),
    ]),
    ...checkTotal(plan),
  ];
}

type DaemonsOf = (claim: PlannedClaim, option: LaunchOption) => readonly Daemon[];

/** The DaemonSets that run on an option's node. Startup taints do not matter, because they are removed (B21). */
function daemonsByOption(cluster: Cluster): DaemonsOf {
  const known = new Map<LaunchOption, readonly Daemon[]>();
  const lists = new Map<string, readonly Daemon[]>();
  return ({ allowance }, option) => {
    const seen = known.get(option);
    if (seen !== undefined) {
      return seen;
    }
    const taints = allowance.pool.spec.template.spec.taints ?? [];
    const run = cluster.daemons.map((daemon) => daemon.runsOn({ labels: option.labels, taints }));
    // Equal sets of daemons share one list, so that they can be compared by identity.
    const name = run.join(' ');
    const list = lists.get(name) ?? cluster.daemons.filter((_, index) => run[index]);
    lists.set(name, list);
    known.set(option, list);
    return list;
  };
}

/** The combinations that must have room for the pods: each type with each set of daemons that may run on it. */
type Loads = (claim: PlannedClaim) => readonly { readonly type: TypeView; readonly daemons: readonly Daemon[] }[];

function loadsOf(comesWith: DaemonsOf): Loads {
  const known = new Map<PlannedClaim['launch'], ReturnType<Loads>>();
  return (claim) => {
    const made = known.get(claim.launch) ?? distinctLoads(claim, comesWith);
    known.set(claim.launch, made);
    return made;
  };
}

function distinctLoads(claim: PlannedClaim, comesWith: DaemonsOf): ReturnType<Loads> {
  const seen = new Map<TypeView, Set<readonly Daemon[]>>();
  for (const option of claim.launch.options) {
    const sets = seen.get(option.type) ?? new Set();
    seen.set(option.type, sets.add(comesWith(claim, option)));
  }
  return [...seen].flatMap(([type, sets]) => [...sets].map((daemons) => ({ type, daemons })));
}

function checkCapacity(claim: PlannedClaim, loads: Loads): readonly string[] {
  const requests = sumOf(...claim.pods.map(requestsOf));
  const totals = new Map<readonly Daemon[], Amounts>();
  for (const { type, daemons } of loads(claim)) {
    const total = totals.get(daemons) ?? sumOf(requests, ...daemons.map((daemon) => daemon.requests));
    totals.set(daemons, total);
    const shortage = shortageOf(total, type.allocatable);
    if (shortage !== undefined) {
      return [`${claim.name}: its pods and daemons do not fit ${type.name}: ${shortage}`];
    }
  }
  return [];
}

function checkPorts(claim: PlannedClaim, loads: Loads): readonly string[] {
  const own = portClashes(claim.pods, []).map((clash) => `${claim.name}: ${clash}`);
  if (own.length > 0 || claim.pods.every((pod) => hostPortsOf(pod.spec).length === 0)) {
    return own;
  }
  const lists = new Set(loads(claim).map(({ daemons }) => daemons));
  return [...lists]
    .flatMap((daemons) =>
      portClashes(
        claim.pods,
        daemons.flatMap(({ ports }) => ports),
      ),
    )
    .slice(0, 1)
    .map((clash) => `${claim.name}: ${clash}`);
}

/** Pods whose host ports conflict with each other or are in use. */
export function portClashes(pods: readonly RawPod[], taken: readonly HostPort[]): readonly string[] {
  const busy = [...taken];
  return pods.flatMap((pod) => {
    const ports = hostPortsOf(pod.spec);
    const clash = portClash(ports, busy);
    busy.push(...ports);
    return clash === undefined ? [] : [`host port ${clash.port} of pod ${keyOf(pod.metadata)} is in use`];
  });
}

interface PriceFacts {
  readonly cheapest: LaunchOption | undefined;
  readonly misplaced: string | undefined;
}

/** Computed once for each list of options. */
function priceFacts(): (claim: PlannedClaim) => PriceFacts {
  const known = new Map<PlannedClaim['launch'], PriceFacts>();
  return ({ launch }) => {
    const made = known.get(launch) ?? { cheapest: cheapestOf(launch), misplaced: misplacedType(launch) };
    known.set(launch, made);
    return made;
  };
}

function cheapestOf({ options }: PlannedClaim['launch']): LaunchOption | undefined {
  const [first, ...others] = options;
  return first && others.reduce((best, option) => (isCheaper(option, best) ? option : best), first);
}

function checkPrice({ name, raw, launch }: PlannedClaim, { cheapest, misplaced }: PriceFacts): readonly string[] {
  if (cheapest === undefined) {
    return [];
  }
  const should = described(cheapest.type.name, cheapest.offering);
  const named = raw.cheapestOffering;
  if (named === undefined) {
    return [`${name}: cheapestOffering is missing, it should be ${should}`];
  }
  const found = launch.options.some(
    ({ type, offering }) =>
      type.name === named.type &&
      offering.zone === named.zone &&
      offering.capacityType === named.capacityType &&
      isNear(offering.price, named.price),
  );
  const shown = described(named.type, named);
  if (!found) {
    return [`${name}: cheapestOffering is ${shown}, which is not an option of the claim`];
  }
  const isRight = shown === should;
  return [
    ...(isRight ? [] : [`${name}: cheapestOffering is ${shown}, but ${should} is cheaper or is first by name`]),
    ...(misplaced === undefined ? [] : [`${name}: type ${misplaced} is listed after a more expensive one`]),
  ];
}

function described(
  type: string,
  { zone, capacityType, price }: Pick<RawOffering, 'zone' | 'capacityType' | 'price'>,
): string {
  return `${type}, ${zone}, ${capacityType} at ${price}`;
}

/** Ties are broken by type, zone and capacity type. */
function isCheaper(one: LaunchOption, other: LaunchOption): boolean {
  const difference = one.offering.price - other.offering.price;
  return difference < 0 || (difference === 0 && placeOf(one) < placeOf(other));
}

function placeOf({ type, offering }: LaunchOption): string {
  return [type.name, offering.zone, offering.capacityType].join(' ');
}

/** B26: types are in the order of their cheapest offerings. */
function misplacedType({ options }: PlannedClaim['launch']): string | undefined {
  const prices = new Map<string, number>();
  for (const { type, offering } of options) {
    prices.set(type.name, Math.min(prices.get(type.name) ?? Infinity, offering.price));
  }
  const listed = [...prices];
  return listed.find(([, price], index) => price < (listed[index - 1]?.[1] ?? 0))?.[0];
}

function checkTotal({ newNodeClaims, totalHourlyPrice }: RawPlan): readonly string[] {
  const sum = newNodeClaims.reduce((total, { cheapestOffering }) => total + (cheapestOffering?.price ?? 0), 0);
  return totalHourlyPrice === undefined || isNear(sum, totalHourlyPrice)
    ? []
    : [`totalHourlyPrice is ${totalHourlyPrice}, the sum of the claims is ${sum}`];
}

/** Prices have at most six decimal places, and may be added in any order. */
function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) < 1e-6 * Math.max(1, Math.abs(one));
}
