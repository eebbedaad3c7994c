import { counted } from '../../apis/counted.ts';
import { MAX_PRICE_FACTOR } from '../../apis/labels.ts';
import { isStatic, type NodePool } from '../../apis/node-pool.ts';
import { optional } from '../../apis/optional.ts';
import { type StateNode, stateNodes } from '../cluster/state-node.ts';
import { compareText } from '../compare-text.ts';
import { compatibleOfferings, doubtedPlaces } from '../instance-type/offerings/compatible-offerings.ts';
import { once } from '../kept-answers.ts';
import type { ClusterSnapshot, NodePoolView } from '../model/cluster-snapshot.ts';
import type { Blocked } from '../model/decision.ts';
import type { Offering } from '../model/instance-type.ts';
import type { NodeClaimRecord } from '../model/node-claim-record.ts';
import { type Refusal, refusal } from '../model/refusal.ts';
import { merge, type Requirements } from '../requirements/requirements.ts';
import { parseResources } from '../resources/resources.ts';
import { multiple } from '../scheduling/placement/price-guard.ts';
import { type NodeClaimTemplate, nodeClaimTemplate } from '../scheduling/pools/template.ts';
import type { PlannedNodeClaim } from '../scheduling/schedule.ts';
import { usdPerHour } from '../usd-per-hour.ts';
import { whyInvalid } from '../validation/node-pool.ts';
import { unreadableClaimsOf } from './unreadable-claims.ts';

/** The nodes of a static NodePool: one with `spec.replicas`. */
export interface StaticCount {
  readonly replicas: number;
  /** NodeClaims that are not being deleted, and nodes and NodeClaims without a record that can be read. */
  readonly active: number;
  /** How many more NodeClaims `limits.nodes` allows, including those that are being deleted. */
  readonly room: number;
}

/**
 * *Shape:* undefined if the NodePool is not static, is being deleted, or is invalid (A1.26): its limits may be unreadable.
 * @param unrecorded its nodes and NodeClaims without a record that can be read
 */
export function staticCount(
  nodePool: NodePool,
  records: readonly NodeClaimRecord[],
  unrecorded = 0,
): StaticCount | undefined {
  const { name, deletionTimestamp } = nodePool.metadata;
  const { replicas, limits } = nodePool.spec;
  if (replicas === undefined || deletionTimestamp !== undefined || whyInvalid(nodePool) !== undefined) return undefined;
  const own = records.filter((one) => one.nodePool === name && one.releasedAtMs === undefined);
  const active = own.filter(({ deletion }) => deletion === undefined).length + unrecorded;
  const { nodes = Number.POSITIVE_INFINITY } = parseResources(limits);
  return { replicas, active, room: nodes - own.length - unrecorded };
}

/** D31: the number of NodeClaims to create. */
export function missingNodes({ replicas, active, room }: StaticCount): number {
  return Math.max(0, Math.min(replicas - active, room));
}

export interface StaticPlan {
  readonly claims: readonly PlannedNodeClaim[];
  readonly blocked: readonly Blocked[];
}

/**
 * D31: the NodeClaims that static NodePools lack, within `limits.nodes`, and why others are not created. *Shape:* none if the feature
 * gate is off.
 */
export function planStatic(snapshot: ClusterSnapshot): StaticPlan {
  const claims: PlannedNodeClaim[] = [];
  const blocked: Blocked[] = [];
  const views = snapshot.options?.staticCapacity === true ? snapshot.nodePools : [];
  const ofStatic = views.filter(({ nodePool }) => isStatic(nodePool));
  const nodes = once(() => stateNodes(snapshot));
  for (const view of ofStatic.toSorted((a, b) => compareText(a.nodePool.metadata.name, b.nodePool.metadata.name))) {
    const { nodePool } = view;
    const { name } = nodePool.metadata;
    const refuse = (why: Refusal): number =>
      blocked.push({ subject: { kind: 'Cluster', name: snapshot.cluster }, nodePool: name, ...why });
    const invalid = whyInvalid(nodePool);
    if (invalid !== undefined) refuse(refusal('NodePoolValidationFailed', invalid));
    const count = staticCount(nodePool, snapshot.nodeClaims, unrecordedNodesOf(name, { nodes: nodes(), snapshot }));
    if (count === undefined) continue;
    const [missing, limited] = [missingNodes(count), whyLimited(count)];
    if (limited !== undefined) refuse(limited);
    const claim = missing === 0 ? undefined : claimWithoutPods(view);
    if (claim === undefined) continue;
    if ('reason' in claim) refuse(claim);
    else
      claims.push(
        ...Array.from({ length: missing }, (_, index) => ({ ...claim, name: `planned-${name}-${index + 1}` })),
      );
  }
  return { claims, blocked };
}

/** Why the NodePool gets fewer nodes than it lacks. *Shape:* undefined if it gets all of them. */
function whyLimited({ replicas, active, room }: StaticCount): Refusal | undefined {
  const [missing, left] = [replicas - active, Math.max(0, room)];
  if (missing <= left) return undefined;
  const message = `limits.nodes leaves room for ${left} of ${counted(missing, 'missing node')}: raise it, or lower spec.replicas (${replicas})`;
  return refusal('LimitExceeded', message, { left, missing, replicas });
}

/**
 * Nodes that lifecycle is about to adopt, as after a migration or the loss of the table: without them, each would get a second node.
 * A NodeClaim whose record cannot be read may be that of one of these nodes.
 */
function unrecordedNodesOf(
  nodePool: string,
  { nodes, snapshot }: { readonly nodes: readonly StateNode[]; readonly snapshot: ClusterSnapshot },
): number {
  const own = nodes.filter((one) => one.nodePool === nodePool && one.nodeClaim === undefined && !one.deleting);
  return Math.max(own.length, unreadableClaimsOf(nodePool, snapshot));
}

/** A claim of the NodePool for no pods: it may be launched as any of its types. */
export function claimWithoutPods(view: NodePoolView): PlannedNodeClaim | Refusal {
  if (view.unusable !== undefined) return refusal(view.unusable.reason, view.unusable.message);
  const template = nodeClaimTemplate(view, []);
  const asked = offeredWithin(template, template.requirements);
  if (asked.cheapest === undefined)
    return refusal('NoOffering', 'no instance type of the pool has an available offering');
  const maxPriceUsdPerHour = maxPriceOf(template, asked.cheapest.offering);
  // C35: doubted offerings are used if all others cost too much.
  const doubted = doubtedPlaces(template.instanceTypes).map((place) => merge(template.requirements, place));
  const affordable = [asked, ...doubted.map((place) => offeredWithin(template, place))].find(
    ({ cheapest }) => cheapest !== undefined && cheapest.offering.priceUsdPerHour <= maxPriceUsdPerHour,
  );
  if (affordable?.cheapest === undefined) {
    const { priceUsdPerHour } = asked.cheapest.offering;
    const message = `the cheapest node with capacity costs ${usdPerHour(priceUsdPerHour)}, more than the ${usdPerHour(maxPriceUsdPerHour)} that ${MAX_PRICE_FACTOR} allows: wait, or raise it`;
    return refusal('PriceTooHigh', message, { priceUsdPerHour, maxPriceUsdPerHour });
  }
  const name = `planned-${view.nodePool.metadata.name}`;
  const claim = {
    name,
    template,
    pods: [],
    ...affordable,
    cheapest: affordable.cheapest,
    requests: {},
    minValuesRelaxed: false,
  };
  return maxPriceUsdPerHour === Number.POSITIVE_INFINITY ? claim : { ...claim, maxPriceUsdPerHour };
}

/** The types that are available within the requirements, cheapest first, and the cheapest offering. */
function offeredWithin(
  { instanceTypes }: NodeClaimTemplate,
  requirements: Requirements,
): Pick<PlannedNodeClaim, 'requirements' | 'instanceTypes'> & Partial<Pick<PlannedNodeClaim, 'cheapest'>> {
  const offered = instanceTypes
    .flatMap((type) => {
      const offering = cheapestOf(compatibleOfferings(type, requirements));
      return offering === undefined ? [] : [{ type, offering }];
    })
    .toSorted((a, b) => byPrice(a.offering, b.offering) || compareText(a.type.name, b.type.name));
  return { requirements, instanceTypes: offered.map(({ type }) => type), ...optional({ cheapest: offered[0] }) };
}

/** The guard of the NodePool: its factor times the cheapest offering if no capacity were missing. *Shape:* Infinity for reserved capacity. */
function maxPriceOf(
  { requirements, instanceTypes, usual, maxPriceFactor }: NodeClaimTemplate,
  { reservation }: Offering,
): number {
  if (reservation !== undefined) return Number.POSITIVE_INFINITY;
  const types = usual?.instanceTypes ?? instanceTypes;
  const prices = types.flatMap((type) =>
    compatibleOfferings(type, requirements).flatMap((one) =>
      one.reservation === undefined ? one.priceUsdPerHour : [],
    ),
  );
  return multiple(
    maxPriceFactor,
    prices.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
  );
}

function cheapestOf(offerings: readonly Offering[]): Offering | undefined {
  return offerings.toSorted((a, b) => byPrice(a, b) || compareText(a.zone, b.zone))[0];
}

function byPrice(a: Offering, b: Offering): number {
  return a.priceUsdPerHour - b.priceUsdPerHour;
}
