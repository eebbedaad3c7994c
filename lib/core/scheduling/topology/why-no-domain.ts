import { type Refusal, refusal } from '../../model/refusal.ts';
import { countedInWords, listFirstThree } from './counted-in-words.ts';
import { type KeyRules, leastCount, startsGroup, type TopologyRule } from './rules.ts';
import type { TopologyKey } from './topology-key.ts';

/** Which rule leaves none of the domains in which a node could be launched, with its counts. */
export function whyNoDomain({ key, rules }: KeyRules, launchable: readonly number[]): Refusal {
  const whys = rules.map((rule) => ({ rule, left: launchable.filter((domain) => isLeft(rule, domain)) }));
  if (launchable.length === 0) return whyNoLabel(rules, key);
  const blocking = whys.find(({ left }) => left.length === 0);
  return blocking === undefined ? whyNotTogether(whys, key) : whyRule(blocking.rule, key, launchable);
}

/** To keep away from others needs no label. */
function whyNoLabel(rules: readonly TopologyRule[], key: TopologyKey): Refusal {
  const needing = rules.filter(({ kind }) => kind !== 'repel');
  const reason = REASONS[needing[0]?.kind ?? 'repel'];
  const message = `no node of the pool for it would have the label ${JSON.stringify(key.name)}, which ${needing.map(named).join(' and ')} asks for`;
  return refusal(reason, message, { domains: 0 });
}

const REASONS = { spread: 'TopologySpread', repel: 'PodAntiAffinity', attract: 'PodAffinity' } as const;

function isLeft(rule: TopologyRule, domain: number): boolean {
  const there = rule.counter.counts[domain] ?? 0;
  switch (rule.kind) {
    case 'spread':
      return there + rule.self - leastCount(rule) <= rule.maxSkew;
    case 'repel':
      return there === 0;
    case 'attract':
      return there > 0 || startsGroup(rule);
  }
}

function named(rule: TopologyRule): string {
  switch (rule.kind) {
    case 'spread':
      return `its spread constraint (maxSkew ${rule.maxSkew})`;
    case 'repel':
      return isInverse(rule)
        ? `the anti-affinity of other pods to pods with ${countedInWords(rule.counter.counted)}`
        : `its anti-affinity to pods with ${countedInWords(rule.counter.counted)}`;
    case 'attract':
      return `its affinity to pods with ${countedInWords(rule.counter.counted)}`;
  }
}

/** B55: the term of pods that are there already. */
function isInverse({ counter }: TopologyRule): boolean {
  return counter.counted.kind === 'repelled';
}

interface Left {
  readonly rule: TopologyRule;
  readonly left: readonly number[];
}

/** Each rule alone leaves something; what each leaves says which of them to change. */
function whyNotTogether(whys: readonly Left[], key: TopologyKey): Refusal {
  const narrow = whys.toSorted((a, b) => a.left.length - b.left.length).slice(0, 3);
  const each = narrow.map(({ rule, left }) => `${named(rule)} leaves ${listFirstThree(domainNames(key, left), ', ')}`);
  const [first] = narrow;
  const reason = first === undefined ? 'TopologySpread' : REASONS[first.rule.kind];
  return refusal(reason, `no ${key.name} meets all of its rules: ${each.join('; ')}`, { rules: whys.length });
}

function domainNames({ values }: TopologyKey, domains: readonly number[]): readonly string[] {
  return domains.map((domain) => values[domain] ?? '');
}

function whyRule(rule: TopologyRule, key: TopologyKey, launchable: readonly number[]): Refusal {
  const { counter } = rule;
  const pods = countedInWords(counter.counted);
  const names = listFirstThree(domainNames(key, launchable), ', ');
  switch (rule.kind) {
    case 'spread':
      return whySkewed(rule, key, launchable);
    case 'repel': {
      const whose = isInverse(rule) ? `a pod that keeps away pods with ${pods}` : `a pod with ${pods}`;
      const message = `each ${key.name} it could use (${names}) has ${whose}: ${isInverse(rule) ? "the other pod's" : 'its own'} anti-affinity`;
      return refusal(REASONS.repel, message, { domains: launchable.length });
    }
    case 'attract': {
      const domainsWithMatches = counter.counts.filter((count) => count > 0).length;
      const where =
        counter.total === 0
          ? 'no such pod runs or found a place'
          : `such pods are in ${listFirstThree(domainNames(key, occupied(rule)), ', ')}, its node could be in ${names}`;
      return refusal(REASONS.attract, `its affinity asks for the ${key.name} of a pod with ${pods}: ${where}`, {
        domainsWithMatches,
      });
    }
  }
}

function occupied({ counter }: TopologyRule): readonly number[] {
  return [...counter.counts.keys()].filter((domain) => (counter.counts[domain] ?? 0) > 0);
}

function whySkewed(
  rule: TopologyRule & { readonly kind: 'spread' },
  key: TopologyKey,
  launchable: readonly number[],
): Refusal {
  const { maxSkew, minDomains, eligible, counter } = rule;
  const least = leastCount(rule);
  const emptiest = eligible.filter((domain) => (counter.counts[domain] ?? 0) === least);
  const because =
    eligible.length < minDomains
      ? `minDomains asks for ${minDomains} domains, there are ${eligible.length}, so the emptiest counts as 0`
      : `the emptiest, ${listFirstThree(domainNames(key, emptiest), ', ')}, has ${least}, and no node for it can be launched there`;
  const message = `no ${key.name} of the pool keeps the skew at ${maxSkew} or less (${because})`;
  return refusal(REASONS.spread, message, { maxSkew, least, minDomains, domains: launchable.length });
}

/** Which rule keeps the pod from a node of its own. */
export function whyNotOnNewHost(rules: readonly TopologyRule[]): Refusal {
  const attracting = rules.filter((rule) => rule.kind === 'attract');
  const attract = attracting.find((rule) => !startsGroup(rule)) ?? attracting[0];
  if (attract === undefined) return refusal(REASONS.spread, 'its spread over hosts allows no pod at all on a new one');
  const there = attract.counter.total;
  const where =
    there === 0
      ? 'no such pod runs or found a place'
      : `there ${there === 1 ? 'is 1' : `are ${there}`}, and ${there === 1 ? 'its host does' : 'their hosts do'} not take this pod as well`;
  const message = `its affinity asks for the host of a pod with ${countedInWords(attract.counter.counted)}: ${where}`;
  return refusal(REASONS.attract, message, { matchingPods: there });
}
