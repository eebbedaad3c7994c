import { formatTaint, untoleratedTaint } from '../../../apis/taints.ts';
import { admits } from '../../requirements/requirement.ts';
import { formatRequirement, merge, whyIncompatible } from '../../requirements/requirements.ts';
import type { Ask, Demand } from '../pods/demand.ts';
import { type Bitset, common, isEmptyBitset, membersOf, removeFrom } from '../pools/bitset.ts';
import { fitsLimits, whyLimited } from '../pools/limits.ts';
import { inflexibility } from '../pools/min-values.ts';
import type { RequirementSet } from '../pools/requirement-sets.ts';
import { resourcesOf } from '../pools/resource-space.ts';
import { instanceTypesIn, type TypeIndex } from '../pools/type-index.ts';
import { whyNoInstanceType } from '../pools/why-no-instance-type.ts';
import { type Refusal, refusal } from '../refusal.ts';
import type { Run } from '../run.ts';
import type { Unplaced } from '../schedule.ts';
import { hostAnswer } from '../topology/rules.ts';
import type { TopologyKey } from '../topology/topology-key.ts';
import { whyNoDomain, whyNotOnNewHost } from '../topology/why-no-domain.ts';
import { pinTo, tolerates } from './open-claim.ts';

/** Why the pool can have no new claim for such a pod, as things are when the run ends: the first thing that stands in the way. */
export function whyUnplaced(run: Run, types: TypeIndex, demand: Demand): Unplaced['refusals'][number] {
  const nodePool = types.template.nodePool.metadata.name;
  const whys = demand.asks.map((ask) => whyNot(run, types, { demand, ask }));
  return { nodePool, refusal: whys.at(-1) ?? refusal('Unknown', 'nothing is asked for') };
}

function whyNot(run: Run, types: TypeIndex, { demand, ask }: { readonly demand: Demand; readonly ask: Ask }): Refusal {
  const { template } = types;
  const { pod, ports } = demand.podClass;
  if (!tolerates(types, pod.spec.tolerations)) {
    const taint = untoleratedTaint(template.taints, pod.spec.tolerations);
    return refusal('Taint', `the taint ${taint === undefined ? '' : formatTaint(taint)} is not tolerated`);
  }
  const label = whyIncompatible(template.requirements, ask.set.requirements);
  if (label !== undefined)
    return refusal('Label', `asks for ${label.key} ${label.asked}, the pool offers ${label.offered}`);
  if (ask.hostname !== undefined && !admits(ask.hostname, 'a-node-that-is-not-named-yet')) {
    const asked = formatRequirement(ask.hostname);
    return refusal('Label', `asks for ${ask.hostname.key} ${asked}, and the name of a new node is not known before`);
  }
  const set = run.sets.join(types.set, ask.set) ?? types.set;
  const roomy = common(types.selectionFor(set).types, types.fitting(demand.requests));
  const requests = resourcesOf(run.space, demand.requests);
  if (isEmptyBitset(roomy))
    return whyNoInstanceType(template, merge(template.requirements, ask.set.requirements), requests);
  if (hostAnswer(demand.rules.onHost, Number.MAX_SAFE_INTEGER) !== 'yes') return whyNotOnNewHost(demand.rules.onHost);
  let pinned = set;
  for (const keyRules of demand.rules.byKey) {
    if (keyRules.rules.length === 0) continue;
    const sold = keyRules.key.values.flatMap((_, domain) =>
      isSold(run, { types, set: pinned, roomy, domain, key: keyRules.key }) ? [domain] : [],
    );
    const left = run.allowance(keyRules).order.filter((domain) => sold.includes(domain));
    const next = pinTo(pinned, keyRules.key, left, run.sets);
    if (next === undefined) return whyNoDomain(keyRules, sold);
    pinned = next;
  }
  const selection = types.selectionFor(pinned);
  const within = common(selection.types, roomy);
  if (isEmptyBitset(within)) return whyNoInstanceType(template, pinned.requirements, requests);
  const left = run.limits.get(template.nodePool.metadata.name);
  const instanceTypes = instanceTypesIn(within, types);
  if (left !== undefined && !instanceTypes.some((type) => fitsLimits(type, left))) {
    return whyLimited(template.nodePool, left, instanceTypes);
  }
  for (const type of membersOf(within)) {
    const instanceType = types.types[type];
    if (instanceType === undefined || !fitsLimits(instanceType, left)) removeFrom(within, type);
  }
  const rigid = inflexibility(types, selection, within);
  if (rigid !== undefined) {
    const { key, values, minValues } = rigid;
    const message = `${key} would be left with ${values} values, minValues asks for ${minValues}`;
    return refusal('MinValues', message, { values, minValues });
  }
  if (ports.length > 0) {
    const taken = ports.map(({ port }) => port).join(' or ');
    return refusal(
      'HostPort',
      `a daemon takes host port ${taken} on each of ${membersOf(within).length} instance types that would do`,
      {
        instanceTypes: membersOf(within).length,
      },
    );
  }
  return refusal(
    'NoPlace',
    `none of ${instanceTypes.length} instance types that would do keeps to every rule at once`,
    {
      instanceTypes: instanceTypes.length,
    },
  );
}

/** Whether a type with the room is to be had in the domain. */
function isSold(
  run: Run,
  of: {
    readonly types: TypeIndex;
    readonly set: RequirementSet;
    readonly roomy: Bitset;
    readonly domain: number;
    readonly key: TopologyKey;
  },
): boolean {
  const set = pinTo(of.set, of.key, [of.domain], run.sets);
  return set !== undefined && !isEmptyBitset(common(of.types.selectionFor(set).types, of.roomy));
}
