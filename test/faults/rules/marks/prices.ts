import { milliValue, unitValue } from '../../../../lib/apis/formats/quantity.ts';
import { type Pod, podKey, type ResourceList } from '../../../../lib/apis/kubernetes.ts';
import type { NodePool } from '../../../../lib/apis/node-pool.ts';
import { isRecord } from '../../../../lib/apis/record.ts';
import type { NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import type { RuleOf } from '../../rule.ts';
import { FAULTS_CATALOGUE } from '../../story/cluster.ts';

/** A type surely has room for these shares of its CPU and memory: the kubelet and the system need less than the rest. */
const USABLE = { cpu: 0.9, memory: 0.6 };
/** More pods may not fit, because of the addresses of the smallest type. */
const MAX_PODS = 15;
/** The DaemonSet of a story, with room to spare. */
const DAEMONS: Needs = { cpuMillicores: 200, memoryBytes: 0 };
/** One node for all pods may cost more than one node for each of them, because types have few sizes. */
const TOGETHER_RATIO = 1.4;
const EPSILON = 1e-9;

interface Needs {
  readonly cpuMillicores: number;
  readonly memoryBytes: number;
}

/** What a claim may be launched as. */
interface Market {
  readonly nodePool: NodePool;
  /** `ZONE CAPACITY_TYPE`: something of it had no capacity once. */
  readonly missing: ReadonlySet<string>;
  /** The limits of the NodePool may allow no larger type. */
  readonly maxVcpus: number;
  /** B12: a pod gets a new node from the NodePool with the highest weight. One of another NodePool may be cheaper than that and have more room. */
  readonly isFirst: boolean;
}

/**
 * A new node costs at most as much as the cheapest instance that surely has room for its pods, and not much more than one node for each of
 * them. The prices are those of the catalogue, and nothing of the scheduling engine is used. The cost of a run is compared with another
 * run of the same code only, which does not show that both buy instances that are too dear.
 */
export const newNodesAreCheap: RuleOf = ({ violate, simulation, records }) => {
  const missing = new Set<string>();
  const specs = new Map<string, string>();
  const edited = new Set<string>();
  return {
    step() {
      for (const [name, { spec }] of simulation().state.nodePools) {
        const text = JSON.stringify(spec);
        if ((specs.get(name) ?? text) !== text) edited.add(name);
        specs.set(name, text);
      }
    },
    call({ method, args: [marks] }) {
      if (method !== 'catalogue.markUnavailable' || !Array.isArray(marks)) return;
      for (const { zone, capacityType } of marks.filter(isRecord))
        missing.add(`${String(zone)} ${String(capacityType)}`);
    },
    launching({ nodeClaim, members = [nodeClaim], nodePool: pool, overrides }) {
      const nodePool = simulation().state.nodePools.get(pool);
      if (nodePool === undefined || edited.has(pool)) return;
      const priceUsd = Math.min(...overrides.map(({ priceUsdPerHour }) => priceUsdPerHour));
      const sent = new Set(overrides.map(({ instanceType }) => instanceType));
      const isFirst = [...simulation().state.nodePools.values()].every((one) => weightOf(one) <= weightOf(nodePool));
      const vcpus = FAULTS_CATALOGUE.facts.filter(({ name }) => sent.has(name)).map((facts) => facts.vcpus);
      for (const name of members) {
        const record = records.get(name);
        const pods = record && freePods(record, simulation().state.pods);
        if (record === undefined || pods === undefined) continue;
        const mostUsd = maxPriceUsd(record, pods, { nodePool, missing, maxVcpus: Math.min(...vcpus), isFirst });
        if (priceUsd > mostUsd + EPSILON)
          violate(
            'new nodes are cheap',
            `NodeClaim ${name} for ${pods.length} pods costs ${priceUsd} USD an hour or more, and ${mostUsd} are enough`,
          );
      }
    },
  };
};

/**
 * The pods of a first attempt that may run in any zone. *Shape:* undefined if there are others, or some are gone, or for a replacement,
 * which may be limited to a capacity type.
 */
function freePods(
  { launch, pods: names, command }: NodeClaimRecord,
  existing: ReadonlyMap<string, Pod>,
): readonly Pod[] | undefined {
  if (launch.kind !== 'requested' || launch.attempt > 1 || command !== undefined) return undefined;
  if (names.length === 0 || names.length > MAX_PODS) return undefined;
  const wanted = new Set(names);
  const pods = [...existing.values()].filter((pod) => wanted.has(podKey(pod)));
  return pods.length === wanted.size && pods.every(isFree) ? pods : undefined;
}

function isFree({ spec }: Pod): boolean {
  const { topologySpreadConstraints, nodeSelector, volumes, affinity } = spec;
  return (topologySpreadConstraints ?? nodeSelector ?? volumes ?? affinity?.podAffinity) === undefined;
}

function weightOf({ spec }: NodePool): number {
  return spec.weight ?? 0;
}

/** The highest price that the claim may have. *Shape:* infinite if it cannot be computed. */
function maxPriceUsd({ spec }: NodeClaimRecord, pods: readonly Pod[], market: Market): number {
  const together = cheapestUsd(needsOf(spec.resources.requests), market);
  // A limit of nodes may allow no other node.
  if (market.nodePool.spec.limits !== undefined || !market.isFirst) return together;
  const alone = pods.map((pod) => cheapestUsd(withDaemons(needsOfPod(pod)), market));
  return Math.min(together, alone.reduce((sum, usd) => sum + usd, 0) * TOGETHER_RATIO);
}

function needsOf({ cpu = 0, memory = 0 }: ResourceList = {}): Needs {
  return { cpuMillicores: milliValue(cpu), memoryBytes: unitValue(memory) };
}

function needsOfPod({ spec: { containers } }: Pod): Needs {
  return containers.map(({ resources }) => needsOf(resources?.requests)).reduce(plus, needsOf());
}

function plus(a: Needs, b: Needs): Needs {
  return { cpuMillicores: a.cpuMillicores + b.cpuMillicores, memoryBytes: a.memoryBytes + b.memoryBytes };
}

function withDaemons(needs: Needs): Needs {
  return plus(needs, DAEMONS);
}

/** The price of the cheapest offering that the NodePool allows and that surely has room. */
function cheapestUsd(needs: Needs, { nodePool, missing, maxVcpus }: Market): number {
  const isLimited = nodePool.spec.limits !== undefined;
  const prices = FAULTS_CATALOGUE.offerings.flatMap(({ type, zone, onDemandUsdPerHour, spotUsdPerHour }) => {
    const facts = FAULTS_CATALOGUE.facts.find(({ name }) => name === type);
    if (facts === undefined || (isLimited && facts.vcpus > maxVcpus)) return [];
    const { vcpus, memoryMib } = facts;
    const hasRoom =
      needs.cpuMillicores <= vcpus * 1_000 * USABLE.cpu && needs.memoryBytes <= memoryMib * 2 ** 20 * USABLE.memory;
    if (!hasRoom) return [];
    return Object.entries({ 'on-demand': onDemandUsdPerHour, spot: spotUsdPerHour }).flatMap(([capacityType, usd]) => {
      const isAllowed = allows(nodePool, { family: type.split('.')[0] ?? '', zone, capacityType, vcpus });
      return isAllowed && usd !== undefined && !missing.has(`${zone} ${capacityType}`) ? [usd] : [];
    });
  });
  return Math.min(...prices, Number.POSITIVE_INFINITY);
}

interface Offered {
  readonly family: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly vcpus: number;
}

/** *Shape:* false for a requirement that stories do not have. */
function allows({ spec }: NodePool, { family, zone, capacityType, vcpus }: Offered): boolean {
  const text: Readonly<Record<string, string>> = {
    'karpenter.k8s.aws/instance-family': family,
    'topology.kubernetes.io/zone': zone,
    'karpenter.sh/capacity-type': capacityType,
  };
  return spec.template.spec.requirements.every(({ key, operator, values = [] }) => {
    if (operator === 'In') return values.includes(text[key] ?? '');
    return key === 'karpenter.k8s.aws/instance-cpu' && operator === 'Lt' && vcpus < Number(values[0]);
  });
}
