import type { DaemonSet, Labels, Pod, Taint } from '../../lib/apis/kubernetes.ts';
import type { ClusterSnapshot } from '../../lib/core/cluster/snapshot.ts';
import type { InstanceType } from '../../lib/core/instance-type/instance-type.ts';
import type { Reason } from '../../lib/core/model/reasons.ts';
import type { Schedule } from '../../lib/core/scheduling/schedule.ts';

/**
 * Checks a schedule against Kubernetes's own rules, with nothing of `lib/core/scheduling` but the shape of its answer. Each
 * new claim is looked at in every outcome that it leaves open: type, zone and capacity type.
 */
export function verifySchedule(snapshot: ClusterSnapshot, pods: readonly Pod[], schedule: Schedule): readonly string[] {
  const places = placesOf(snapshot, pods, schedule);
  return [
    ...eachOnce(pods, schedule),
    ...places.flatMap((place) => place.outcomes.flatMap((outcome) => wrongWith(place, outcome, snapshot.daemonSets))),
    ...places.filter(({ outcomes }) => outcomes.length === 0).map(({ name }) => `${name}: nothing can become of it`),
    ...places.flatMap((place) => place.added.flatMap((pod) => wrongNeighbours(place, pod, places))),
    ...places.flatMap((place) => place.added.flatMap((pod) => wrongSpread(place, pod, places))),
    ...overLimits(snapshot, schedule),
    ...schedule.unplaced.flatMap((one) => unjustified(snapshot, one)),
  ];
}

/** One way in which a place may turn out. */
interface Outcome {
  readonly labels: Labels;
  readonly allocatable: Readonly<Record<string, number>>;
}

/** A node or a new claim, with the pods that were there and those that the run put there. */
interface Place {
  readonly name: string;
  readonly taints: readonly Taint[];
  readonly there: readonly Pod[];
  readonly added: readonly Pod[];
  readonly outcomes: readonly Outcome[];
  /** True where daemons are still to come. */
  readonly isNew: boolean;
}

const ZONE = 'topology.kubernetes.io/zone';
const HOSTNAME = 'kubernetes.io/hostname';
const CAPACITY_TYPE = 'karpenter.sh/capacity-type';

function placesOf(snapshot: ClusterSnapshot, pods: readonly Pod[], schedule: Schedule): readonly Place[] {
  const original = (pod: Pod): Pod => pods.find((one) => one.metadata.uid === pod.metadata.uid) ?? pod;
  const nodes = snapshot.nodes.map((node): Place => {
    const name = node.metadata.name;
    const added = schedule.existing.find((one) => one.stateNode.name === name)?.pods ?? [];
    const { cpu = 0, memory = 0, pods: slots = 0 } = node.status?.allocatable ?? {};
    return {
      name,
      taints: node.spec?.taints ?? [],
      there: snapshot.pods.filter((pod) => pod.spec.nodeName === name),
      added: added.map(original),
      outcomes: [
        {
          labels: node.metadata.labels ?? {},
          allocatable: { cpu: Number(cpu) * 1_000, memory: Number(memory), pods: Number(slots) },
        },
      ],
      isNew: false,
    };
  });
  return [...nodes, ...schedule.newClaims.map((claim) => newPlace(claim, original))];
}

function newPlace(claim: Schedule['newClaims'][number], original: (pod: Pod) => Pod): Place {
  const { template } = claim.template.nodePool.spec;
  const outcomes = claim.instanceTypes.flatMap((type) =>
    type.offerings
      .filter((offering) => offering.available)
      .map(
        (offering): Labels => ({
          ...labelsOf(type),
          ...template.metadata?.labels,
          [ZONE]: offering.zone,
          [CAPACITY_TYPE]: offering.capacityType,
          [HOSTNAME]: claim.name,
        }),
      )
      .filter((labels) => [ZONE, CAPACITY_TYPE].every((key) => leftOpen(claim, key, labels[key])))
      .map((labels) => ({ labels, allocatable: type.allocatable })),
  );
  return {
    name: claim.name,
    taints: template.spec.taints ?? [],
    there: [],
    added: claim.pods.map(original),
    outcomes,
    isNew: true,
  };
}

function leftOpen(claim: Schedule['newClaims'][number], key: string, value = ''): boolean {
  const left = claim.requirements.get(key);
  return left === undefined || left.values.has(value) !== left.complement;
}

/** The labels of a type that have one value. */
function labelsOf(type: InstanceType): Labels {
  const labels: Record<string, string> = {};
  for (const [key, { values }] of type.requirements) if (values.size === 1) labels[key] = [...values].join('');
  return labels;
}

function eachOnce(pods: readonly Pod[], schedule: Schedule): readonly string[] {
  const seen = [
    ...schedule.newClaims.flatMap((claim) => claim.pods),
    ...schedule.existing.flatMap((one) => one.pods),
    ...schedule.unplaced.map(({ pod }) => pod),
  ].map((pod) => pod.metadata.uid);
  return pods.flatMap(({ metadata }) => {
    const times = seen.filter((uid) => uid === metadata.uid).length;
    return times === 1 ? [] : [`${metadata.name} is placed or given up ${times} times`];
  });
}

function wrongWith(place: Place, outcome: Outcome, daemonSets: readonly DaemonSet[]): readonly string[] {
  const all = [...place.there, ...place.added];
  const daemons = place.isNew ? daemonSets.filter((one) => daemonRuns(one, place.taints, outcome.labels)) : [];
  const short = ['cpu', 'memory', 'pods'].flatMap((resource) => {
    const used =
      total(all.map((pod) => requestOf(pod.spec, resource))) +
      total(daemons.map((one) => requestOf(one.spec.template.spec, resource)));
    const there = outcome.allocatable[resource] ?? 0;
    return place.added.length > 0 && used > there ? [`${place.name}: ${used} ${resource} of ${there}`] : [];
  });
  const misplaced = place.added.flatMap((pod) => {
    const why = whyNot(pod, place.taints, outcome.labels);
    return why === undefined ? [] : [`${place.name}: ${pod.metadata.name} ${why} ${JSON.stringify(outcome.labels)}`];
  });
  const ports = all.flatMap(portsOf);
  return [...short, ...misplaced, ...(new Set(ports).size < ports.length ? [`${place.name}: a port twice`] : [])];
}

function total(amounts: readonly number[]): number {
  return amounts.reduce((sum, one) => sum + one, 0);
}

/** Requests are plain numbers in these tests: cpu in cores, memory in bytes. */
function requestOf(spec: Pod['spec'], resource: string): number {
  if (resource === 'pods') return 1;
  const asked = total(spec.containers.map((one) => Number(one.resources?.requests?.[resource] ?? 0)));
  return resource === 'cpu' ? Math.round(asked * 1_000) : asked;
}

function portsOf(pod: Pod): readonly number[] {
  return pod.spec.containers.flatMap((one) => (one.ports ?? []).flatMap((port) => port.hostPort ?? []));
}

function whyNot(pod: Pod, taints: readonly Taint[], labels: Labels): string | undefined {
  if (!toleratesAll(pod, taints)) return 'does not tolerate';
  return meetsLabels(pod, labels) ? undefined : 'does not want';
}

function toleratesAll(pod: Pick<Pod, 'spec'>, taints: readonly Taint[]): boolean {
  const keys = (pod.spec.tolerations ?? []).map((one) => one.key);
  return taints.every((taint) => taint.effect === 'PreferNoSchedule' || keys.includes(taint.key));
}

function meetsLabels(pod: Pick<Pod, 'spec'>, labels: Labels): boolean {
  const { nodeSelector = {}, affinity } = pod.spec;
  const [term] = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const selected = Object.entries(nodeSelector).every(([key, value]) => labels[key] === value);
  return selected && (term?.matchExpressions ?? []).every((one) => meetsExpression(one, labels[one.key]));
}

function meetsExpression(
  { operator, values = [] }: { readonly operator: string; readonly values?: readonly string[] },
  value: string | undefined,
): boolean {
  if (operator === 'In') return value !== undefined && values.includes(value);
  if (operator === 'NotIn') return value === undefined || !values.includes(value);
  if (operator === 'Gt') return value !== undefined && Number(value) > Number(values[0]);
  throw new Error(`the tests do not use ${operator}`);
}

function daemonRuns({ spec }: DaemonSet, taints: readonly Taint[], labels: Labels): boolean {
  return toleratesAll(spec.template, taints) && meetsLabels(spec.template, labels);
}

/** The values that a place may have for a topology key. */
function domainsOf(place: Place, key: string): ReadonlySet<string> {
  if (key === HOSTNAME) return new Set([place.name]);
  return new Set(place.outcomes.flatMap(({ labels }) => labels[key] ?? []));
}

/** Pods that keep away from each other must be in no domain that both may be in. */
function wrongNeighbours(place: Place, pod: Pod, places: readonly Place[]): readonly string[] {
  return places.flatMap((other) =>
    [...other.there, ...other.added]
      .filter((one) => one.metadata.uid !== pod.metadata.uid)
      .flatMap((one) =>
        [...avoidedBy(pod, one), ...avoidedBy(one, pod)]
          .filter((key) => !domainsOf(place, key).isDisjointFrom(domainsOf(other, key)))
          .map(
            (key) => `${pod.metadata.name} on ${place.name} and ${one.metadata.name} on ${other.name} share a ${key}`,
          ),
      ),
  );
}

/** The topology keys by which the pod keeps away from the other. */
function avoidedBy(pod: Pod, other: Pod): readonly string[] {
  const terms = pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  return terms
    .filter((term) => term.labelSelector?.matchLabels?.['app'] === other.metadata.labels?.['app'])
    .map((term) => term.topologyKey);
}

function wrongSpread(place: Place, pod: Pod, places: readonly Place[]): readonly string[] {
  const app = pod.metadata.labels?.['app'];
  return (pod.spec.topologySpreadConstraints ?? []).flatMap(({ topologyKey, maxSkew }) => {
    const [domain, ...more] = domainsOf(place, topologyKey);
    if (domain === undefined || more.length > 0)
      return [`${pod.metadata.name} is spread, but its ${topologyKey} is open`];
    const count = (one: string): number =>
      total(
        places
          .filter((other) => domainsOf(other, topologyKey).has(one))
          .filter((other) => other.outcomes.some(({ labels }) => meetsLabels(pod, labels)))
          .map(
            (other) =>
              [...other.there, ...other.added].filter(({ metadata }) => metadata.labels?.['app'] === app).length,
          ),
      );
    // A new host is always possible, and empty.
    const usable = topologyKey === HOSTNAME ? [] : zonesFor(pod, places);
    const least = topologyKey === HOSTNAME ? 0 : Math.min(...usable.map(count));
    const skew = count(domain) - least;
    return skew <= maxSkew ? [] : [`${pod.metadata.name}: ${topologyKey} ${domain} is ${skew} ahead of ${maxSkew}`];
  });
}

/** The zones with a place that counts for the pod: one whose labels it asks for. */
function zonesFor(pod: Pod, places: readonly Place[]): readonly string[] {
  const counting = places.filter(({ outcomes }) => outcomes.some(({ labels }) => meetsLabels(pod, labels)));
  const zones = new Set(counting.flatMap((place) => [...domainsOf(place, ZONE)]));
  const [term] =
    pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const wanted = pod.spec.nodeSelector?.[ZONE];
  return [...zones].filter(
    (zone) =>
      (wanted === undefined || wanted === zone) &&
      (term?.matchExpressions ?? []).every((one) => one.key !== ZONE || meetsExpression(one, zone)),
  );
}

function overLimits({ nodePools, nodeClaims }: ClusterSnapshot, { newClaims }: Schedule): readonly string[] {
  return nodePools.flatMap(({ nodePool: { metadata, spec } }) => {
    const held = nodeClaims.filter((one) => one.nodePool === metadata.name).map((one) => one.holds);
    const planned = newClaims
      .filter((claim) => claim.template.nodePool.metadata.name === metadata.name)
      .map((claim) => (name: string) => Math.max(...claim.instanceTypes.map((type) => type.capacity[name] ?? 0)));
    return Object.entries(spec.limits ?? {}).flatMap(([name, limit]) => {
      const most = name === 'cpu' ? Number(limit) * 1_000 : Number(limit);
      const used =
        name === 'nodes'
          ? held.length + planned.length
          : total(held.map((one) => one[name] ?? 0)) + total(planned.map((largest) => largest(name)));
      return planned.length > 0 && used > most ? [`pool ${metadata.name}: ${used} ${name} of ${most}`] : [];
    });
  });
}

/** A pod that is given up for want of room or types must fit on no node that the pool could make for it alone. */
function unjustified(
  { nodePools, daemonSets }: ClusterSnapshot,
  { pod, refusals }: Schedule['unplaced'][number],
): readonly string[] {
  const hard: readonly Reason[] = [
    'ContradictoryRequirements',
    'InsufficientResources',
    'NoInstanceTypes',
    'NoOffering',
    'Label',
    'Taint',
    'HostPort',
    'LimitExceeded',
  ];
  const limited = nodePools.filter(({ nodePool }) => Object.keys(nodePool.spec.limits ?? {}).length > 0);
  const hasLimits = (name?: string): boolean => limited.some(({ nodePool }) => nodePool.metadata.name === name);
  return refusals
    .filter(({ refusal }) => hard.includes(refusal.reason))
    .filter(({ nodePool, refusal }) => refusal.reason !== 'LimitExceeded' || !hasLimits(nodePool))
    .flatMap(({ nodePool, refusal }) => {
      const view = nodePools.find((one) => one.nodePool.metadata.name === nodePool);
      const { spec, metadata } = view?.nodePool.spec.template ?? {};
      const fitting = (view?.instanceTypes ?? []).flatMap((type) =>
        type.offerings
          .filter(({ available }) => available)
          .map(({ zone, capacityType }) => {
            const labels: Labels = {
              ...labelsOf(type),
              ...metadata?.labels,
              [ZONE]: zone,
              [CAPACITY_TYPE]: capacityType,
            };
            const allowed = (spec?.requirements ?? []).every((one) => meetsExpression(one, labels[one.key]));
            const place = {
              name: 'alone',
              taints: spec?.taints ?? [],
              there: [],
              added: [pod],
              outcomes: [],
              isNew: true,
            };
            const fine = wrongWith(place, { labels, allocatable: type.allocatable }, daemonSets).length === 0;
            return allowed && fine ? `${type.name} in ${zone}` : undefined;
          }),
      );
      const one = fitting.find((text) => text !== undefined);
      return one === undefined
        ? []
        : [`${pod.metadata.name}: ${refusal.reason}, but ${one} of ${nodePool ?? ''} would do`];
    });
}
