import { firstNames } from '../../../apis/counted.ts';
import { HOSTNAME } from '../../../apis/labels.ts';
import { formatTaint, untoleratedTaint } from '../../../apis/taints.ts';
import { suitableTypes } from '../../instance-type/suitable-types.ts';
import { valuesOf } from '../../instance-type/type-requirements.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { admitsNothing, type Requirement } from '../../requirements/requirement.ts';
import { formatRequirement, merge, type Requirements, whyIncompatible } from '../../requirements/requirements.ts';
import type { Resources } from '../../resources/resources.ts';
import { typesInWords } from '../amounts-in-words.ts';
import { type Demand, type RequirementAlternative, suitsNewNode } from '../pods/demand.ts';
import { conflictingPort } from '../pods/host-ports.ts';
import { podRequirements } from '../pods/pod-requirements.ts';
import { type Bitset, common, isEmptyBitset, membersOf } from '../pools/bitset.ts';
import { whyLimited } from '../pools/limits.ts';
import { inflexibility } from '../pools/min-values.ts';
import { limitsOf, withinLimits } from '../pools/pool-limits.ts';
import type { RequirementSet } from '../pools/requirement-sets.ts';
import { resourcesOf, vectorOf, volumeCount } from '../pools/resource-space.ts';
import { instanceTypesIn, isAvailable, lowestPrice, type PoolTypeIndex } from '../pools/type-index.ts';
import { fitting, whyNoInstanceType } from '../pools/why-no-instance-type.ts';
import type { Run } from '../run.ts';
import type { Unplaced } from '../schedule.ts';
import { newHostAnswer, onlyRepel } from '../topology/rules.ts';
import type { TopologyKey } from '../topology/topology-key.ts';
import { whyNoDomain, whyNotOnNewHost } from '../topology/why-no-domain.ts';
import { EBS_DRIVER } from '../volumes/attach-limits.ts';
import { pinTo } from './open-claim.ts';
import { whyTooExpensive } from './price-guard.ts';

/**
 * Why the pool cannot have a new claim for this pod at the end of the run: the first reason that applies.
 * *Shape:* of several demands, one for each required term of node affinity, all reasons; the word is that of a term that labels do not refuse.
 */
export function whyUnplaced(run: Run, types: PoolTypeIndex, demands: readonly Demand[]): Unplaced['refusals'][number] {
  const nodePool = types.template.nodePool.metadata.name;
  const whys = demands.map((demand) => whyRefused(run, types, demand));
  const first = whys.find(({ reason }) => reason !== 'Label') ?? whys[0] ?? NO_PLACE;
  const messages = new Set(whys.map(({ message }) => message));
  if (messages.size <= 1) return { nodePool, refusal: first };
  const message = `no required term fits: ${firstNames([...messages], MAX_NAMED)}`;
  return { nodePool, refusal: { ...first, message } };
}

const MAX_NAMED = 5;
const NO_PLACE = refusal('NoPlace', 'no alternative of its requirements remains');

function whyRefused(run: Run, types: PoolTypeIndex, demand: Demand): Refusal {
  const whys = demand.alternatives.map((alternative) => whyNot(run, { types, demand, alternative }));
  const why = whys.at(-1) ?? NO_PLACE;
  const byVolumes = BY_LABELS.has(why.reason) ? volumesOf(demand) : '';
  return { ...why, message: `${why.message}${byVolumes}` };
}

const BY_LABELS: ReadonlySet<Refusal['reason']> = new Set(['Label', 'NoInstanceTypes', 'NoOffering']);

/** `; the volume of PersistentVolumeClaim data restricts topology.kubernetes.io/zone`. *Shape:* empty if volumes restrict nothing. */
function volumesOf({ podClass: { pod }, alternatives }: Demand): string {
  const claims = (pod.spec.volumes ?? []).flatMap((volume) => volume.persistentVolumeClaim?.claimName ?? []);
  const own = podRequirements(pod);
  const keys = [...(alternatives.at(-1)?.requirements ?? [])].flatMap(([key, one]) => {
    const asked = own.get(key);
    return asked !== undefined && formatRequirement(asked) === formatRequirement(one) ? [] : [key];
  });
  if (claims.length === 0 || keys.length === 0) return '';
  const volumes = claims.length === 1 ? 'the volume of PersistentVolumeClaim' : 'the volumes of PersistentVolumeClaims';
  return `; ${volumes} ${claims.join(', ')} ${claims.length === 1 ? 'restricts' : 'restrict'} ${keys.join(', ')}`;
}

interface Refused {
  readonly types: PoolTypeIndex;
  readonly demand: Demand;
  readonly alternative: RequirementAlternative;
}

function whyNot(run: Run, refused: Refused): Refusal {
  const { types, demand, alternative } = refused;
  const { template } = types;
  const byLabels = whyNotAdmitted(refused);
  if (byLabels !== undefined) return byLabels;
  const set = run.sets.join(types.set, alternative.set) ?? types.set;
  const roomy = common(types.selectionFor(set).types, types.fitting(demand.requests));
  const requests = resourcesOf(run.space, demand.requests);
  if (isEmptyBitset(roomy))
    return (
      whyTooManyVolumes(run, refused, set) ??
      whyNoInstanceType(template, merge(template.requirements, alternative.requirements), requests)
    );
  if (newHostAnswer(demand.rules.onHost) !== 'yes') return whyNotOnNewHost(demand.rules.onHost);
  const pinned = pinnedByRules(run, { types, demand, set, roomy });
  if (pinned.kind === 'refused') return pinned.refusal;
  const within = common(types.selectionFor(pinned.set).types, roomy);
  if (isEmptyBitset(within)) return whyNoInstanceType(template, inOrder(refused, pinned.set), requests);
  return whyNotLaunched(run, refused, { set: pinned.set, within });
}

const SUCH_AS = ': m7i, c7i, r7i and the 8th generation attach 31, and up to 127 from 16xlarge';

/** B44. *Shape:* undefined if no type is large enough without the volumes. */
function whyTooManyVolumes(run: Run, { types, demand }: Refused, set: RequirementSet): Refusal | undefined {
  const others = vectorOf(run.space, resourcesOf(run.space, demand.requests));
  const large = membersOf(common(types.selectionFor(set).types, types.fitting(others)));
  if (large.length === 0) return undefined;
  for (const [driver, { size }] of demand.attachments) {
    const at = run.space.names.indexOf(volumeCount(driver));
    const roomOf = (type: number): number => types.rooms[type]?.[at] ?? Infinity;
    const best = large.reduce((a, b) => (roomOf(b) > roomOf(a) ? b : a));
    const most = roomOf(best);
    if (size <= most) continue;
    const name = types.types[best]?.name;
    const of =
      large.length === 1
        ? `a node of ${name} attaches ${most}`
        : `of ${typesInWords(large.length)} that fit, ${name} attaches the most, ${most}`;
    const message = `it has ${size} volumes of ${driver}, but ${of}: use fewer volumes, or allow instance types that attach more${driver === EBS_DRIVER ? SUCH_AS : ''}`;
    return refusal('TooManyVolumes', message, { requested: size, largest: most });
  }
  return undefined;
}

/** Checks taints and labels of the pool, independent of instance types. */
function whyNotAdmitted({ types, demand, alternative }: Refused): Refusal | undefined {
  const { template } = types;
  const taint = untoleratedTaint(template.taints, demand.podClass.pod.spec.tolerations);
  if (taint !== undefined) return refusal('Taint', `the taint ${formatTaint(taint)} is not tolerated`);
  const label = whyIncompatible(template.requirements, alternative.requirements);
  if (label !== undefined) return refusal('Label', whyOtherLabel(types, alternative, label));
  if (alternative.hostname === undefined || suitsNewNode(alternative)) return undefined;
  const asked = formatRequirement(alternative.hostname);
  const advice = podRequirements(demand.podClass.pod).has(HOSTNAME) ? '' : OF_VOLUMES;
  return refusal(
    'Label',
    `requires ${alternative.hostname.key} ${asked}, but the hostname of a new node is not known in advance${advice}`,
  );
}

const OF_VOLUMES =
  '; only that node can have its volumes: make room on it, or remove the annotation volume.kubernetes.io/selected-node of a claim that is not bound';

/** The requirements of the set, in the order: pool, pod, topology rules. */
function inOrder({ types, demand, alternative }: Refused, { requirements }: RequirementSet): Requirements {
  const keys = [
    ...types.template.requirements.keys(),
    ...alternative.requirements.keys(),
    ...demand.rules.byKey.map(({ key }) => key.name),
  ];
  const first = new Map(keys.flatMap((key) => withKey(requirements, key)));
  return new Map([...first, ...requirements]);
}

function withKey(requirements: Requirements, key: string): readonly (readonly [string, Requirement])[] {
  const one = requirements.get(key);
  return one === undefined ? [] : [[key, one]];
}

function whyOtherLabel(
  { template }: PoolTypeIndex,
  { requirements }: RequirementAlternative,
  { key, asked, offered }: { readonly key: string; readonly asked: string; readonly offered: string },
): string {
  const wanted = requirements.get(key);
  if (wanted !== undefined && admitsNothing(wanted) && wanted.mustExist)
    return `its requirements for ${key} leave no value`;
  const own = template.requirements.get(key);
  if (own === undefined) return `requires ${key} ${asked}, but nodes of the pool do not have this label`;
  if (admitsNothing(own)) return `requires ${key} ${asked}, but the pool allows no value`;
  return `requires ${key} ${asked}, but the pool allows ${offered}`;
}

interface Pinning {
  readonly types: PoolTypeIndex;
  readonly demand: Demand;
  readonly set: RequirementSet;
  readonly roomy: Bitset;
}

type Pinned =
  | { readonly kind: 'set'; readonly set: RequirementSet }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** Narrows each label of the set to the domains that the pod's own rules allow. Refuses at the first label without a domain. */
function pinnedByRules(run: Run, { types, demand, set, roomy }: Pinning): Pinned {
  let pinned = set;
  for (const keyRules of demand.rules.byKey) {
    if (keyRules.rules.length === 0) continue;
    const sold = keyRules.key.values.flatMap((_, domain) =>
      isAvailableIn(run, { types, set: pinned, roomy, domain, key: keyRules.key }) ? [domain] : [],
    );
    const among = new Set(sold);
    const left = run.allowance(keyRules).order.filter((domain) => among.has(domain));
    const next = pinTo(run.sets, pinned, { key: keyRules.key, domains: left });
    if (next !== undefined) pinned = next;
    else if (sold.length > 0 || !onlyRepel(keyRules)) return { kind: 'refused', refusal: whyNoDomain(keyRules, sold) };
  }
  return { kind: 'set', set: pinned };
}

/** Whether a type that is large enough is available in the domain. */
function isAvailableIn(
  run: Run,
  of: {
    readonly types: PoolTypeIndex;
    readonly set: RequirementSet;
    readonly roomy: Bitset;
    readonly domain: number;
    readonly key: TopologyKey;
  },
): boolean {
  const set = pinTo(run.sets, of.set, { key: of.key, domains: [of.domain] });
  return set !== undefined && isAvailable(of.types, set, of.roomy);
}

/** The number of values of the label among the types that would fit if no capacity were missing. */
function usualValues(
  { template: { usual } }: PoolTypeIndex,
  { requirements, requests }: Pick<RequirementSet, 'requirements'> & { readonly requests: Resources },
  key: string,
): number {
  if (usual === undefined) return 0;
  const roomy = fitting(suitableTypes(usual.instanceTypes, requirements), usual.daemons, requests);
  return new Set(roomy.flatMap((type) => valuesOf(type, key))).size;
}

/** B24: why these types have fewer values than minValues requires. *Shape:* undefined if they have as many. */
export function whyFewValues(
  types: PoolTypeIndex,
  { set, requests, among }: { readonly set: RequirementSet; readonly requests: Resources; readonly among: Bitset },
): Refusal | undefined {
  const rigid = inflexibility(types.template.minValues, types, among);
  if (rigid === undefined) return undefined;
  const { key, values, minValues } = rigid;
  const known = usualValues(types, { requirements: set.requirements, requests }, key);
  const lacks = `minValues requires ${minValues} values of ${key}, but`;
  if (known >= minValues)
    return refusal('MinValues', `${lacks} only ${values} of ${known} have capacity now`, { values, known, minValues });
  const message = `${lacks} ${values} would remain: lower minValues, or allow more instance types`;
  return refusal('MinValues', message, { values, minValues });
}

/** Why no type on which the pod fits can be launched: limits, minValues, or host ports of daemons. */
function whyNotLaunched(
  run: Run,
  { types, demand }: Refused,
  { set, within }: { readonly set: RequirementSet; readonly within: Bitset },
): Refusal {
  const { nodePool } = types.template;
  const left = limitsOf(run.limits, types);
  const affordable = withinLimits(types, within, left);
  if (left !== undefined && isEmptyBitset(affordable))
    return whyLimited(nodePool, left, instanceTypesIn(within, types));
  const among = common(types.selectionFor(set).types, affordable);
  const rigid = whyFewValues(types, { set, requests: resourcesOf(run.space, demand.requests), among });
  if (rigid !== undefined && run.options.minValuesPolicy !== 'BestEffort') return rigid;
  const would = membersOf(affordable);
  const instanceTypes = would.length;
  const ports = would.map((type) => conflictingPort(demand.podClass.ports, types.portsOf(type)));
  if (ports.length > 0 && ports.every((port) => port !== undefined)) {
    const taken = [...new Set(ports.map(({ port }) => port))].join(' or ');
    const message = `host port ${taken} is used by a DaemonSet on every instance type that fits (${instanceTypes})`;
    return refusal('HostPort', message, { instanceTypes });
  }
  const priceUsdPerHour = lowestPrice(types, set, affordable);
  const node = { demands: new Map([[demand, 1]]), requests: demand.requests, set, priceUsdPerHour };
  const tooExpensive = whyTooExpensive(run, types, node);
  if (tooExpensive !== undefined) return tooExpensive;
  const message = `no instance type satisfies its topology rules, the pool's limits and minValues together (${typesInWords(instanceTypes)} large enough)`;
  return refusal('NoPlace', message, { instanceTypes });
}
