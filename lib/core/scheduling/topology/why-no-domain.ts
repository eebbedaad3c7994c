import { counted } from '../../../apis/counted.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { countedInWords, listFirstThree } from './counted-in-words.ts';
import { type KeyRules, minimumCount, startsGroup, type TopologyRule } from './rules.ts';
import type { TopologyKey } from './topology-key.ts';

/** Names the rule that excludes all domains in which a node could be launched, with its counts. */
export function whyNoDomain({ key, rules }: KeyRules, launchable: readonly number[]): Refusal {
  const whys = rules.map((rule) => ({ rule, left: launchable.filter((domain) => isLeft(rule, domain)) }));
  if (launchable.length === 0) return whyNoLabel(rules, key);
  const blocking = whys.find(({ left }) => left.length === 0);
  return blocking === undefined ? whyNotTogether(whys, key) : whyRule(blocking.rule, key, launchable);
}

/** Anti-affinity does not need the label, so only the other rules are named. */
function whyNoLabel(rules: readonly TopologyRule[], key: TopologyKey): Refusal {
  const needing = rules.filter(({ kind }) => kind !== 'repel');
  const reason = REASONS[needing[0]?.kind ?? 'repel'];
  const requires = needing.length === 1 ? 'requires' : 'require';
  const message = `nodes of the pool would not have the label ${JSON.stringify(key.name)}, which ${needing.map(named).join(' and ')} ${requires}`;
  return refusal(reason, message, { domains: 0 });
}

const REASONS = { spread: 'TopologySpread', repel: 'PodAntiAffinity', attract: 'PodAffinity' } as const;

type AttractRule = TopologyRule & { readonly kind: 'attract' };

function isLeft(rule: TopologyRule, domain: number): boolean {
  const matching = rule.counter.counts[domain] ?? 0;
  switch (rule.kind) {
    case 'spread':
      return matching + rule.self - minimumCount(rule) <= rule.maxSkew;
    case 'repel':
      return matching === 0;
    case 'attract':
      return matching > 0 || startsGroup(rule);
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

/** B55: the rule is the anti-affinity term of other pods. */
function isInverse({ counter }: TopologyRule): boolean {
  return counter.counted.kind === 'repelled';
}

interface Left {
  readonly rule: TopologyRule;
  readonly left: readonly number[];
}

/** Each rule alone allows some domains. The message lists them, to show which rule to change. */
function whyNotTogether(whys: readonly Left[], key: TopologyKey): Refusal {
  const narrow = whys.toSorted((a, b) => a.left.length - b.left.length).slice(0, 3);
  const each = narrow.map(({ rule, left }) => `${named(rule)} allows ${listFirstThree(domainNames(key, left), ', ')}`);
  const [first] = narrow;
  const reason = first === undefined ? 'TopologySpread' : REASONS[first.rule.kind];
  return refusal(reason, `no ${key.name} satisfies all rules: ${each.join('; ')}`, { rules: whys.length });
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
      const why = isInverse(rule)
        ? `a pod whose anti-affinity excludes pods with ${pods}`
        : `a pod with ${pods}, which its anti-affinity excludes`;
      const message = `every possible ${key.name} (${names}) has ${why}`;
      return refusal(REASONS.repel, message, { domains: launchable.length });
    }
    case 'attract': {
      if (selectsNone(rule)) return whyNotJoint(rule);
      const domainsWithMatches = counter.counts.filter((count) => count > 0).length;
      const where =
        counter.total === 0
          ? noneCounted(rule)
          : `matching pods are in ${listFirstThree(domainNames(key, occupied(rule)), ', ')}, but its node can only be in ${names}`;
      return refusal(REASONS.attract, `its affinity requires the ${key.name} of a pod with ${pods}: ${where}`, {
        domainsWithMatches,
      });
    }
  }
}

/** The nodes of pods that another required term counts may lack the label. */
function noneCounted({ together }: AttractRule): string {
  return together.every(({ total }) => total === 0)
    ? 'no matching pod is running or placed'
    : 'the nodes of the matching pods do not have this label';
}

/** B53: the pod has several required affinity terms, and no pod is selected by all of them. */
function selectsNone({ self, counter: { total, counted: pods } }: AttractRule): boolean {
  return pods.joined !== undefined && total === 0 && !self;
}

function whyNotJoint({ counter }: AttractRule): Refusal {
  const { joined = [] } = counter.counted;
  const terms = listFirstThree(joined.map(countedInWords), '; ');
  const message = `no pod, not even the pod itself, is selected by all of its ${joined.length} required affinity terms: ${terms}`;
  return refusal('PodAffinityTerms', message, { terms: joined.length, matchingPods: 0 });
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
  const least = minimumCount(rule);
  const emptiest = eligible.filter((domain) => (counter.counts[domain] ?? 0) === least);
  const because =
    eligible.length < minDomains
      ? `minDomains is ${minDomains}, but there ${eligible.length === 1 ? 'is' : 'are'} ${counted(eligible.length, 'domain')}, so the minimum count is 0`
      : `the minimum count is ${least}, in ${listFirstThree(domainNames(key, emptiest), ', ')}, where no node can be launched for the pod`;
  const message = `no ${key.name} of the pool satisfies maxSkew ${maxSkew} (${because})`;
  return refusal(REASONS.spread, message, { maxSkew, least, minDomains, domains: launchable.length });
}

/** Names the rule that excludes a new node for the pod. */
export function whyNotOnNewHost(rules: readonly TopologyRule[]): Refusal {
  const attracting = rules.filter((rule) => rule.kind === 'attract');
  const attract = attracting.find((rule) => !startsGroup(rule)) ?? attracting[0];
  if (attract === undefined)
    return refusal(REASONS.spread, 'its spread constraint over hosts allows no pod on a new host');
  if (selectsNone(attract)) return whyNotJoint(attract);
  const matching = attract.counter.total;
  const where =
    matching === 0
      ? 'no matching pod is running or placed'
      : matching === 1
        ? 'the host of the matching pod does not fit'
        : `the hosts of the ${matching} matching pods do not fit`;
  const message = `its affinity requires the host of a pod with ${countedInWords(attract.counter.counted)}: ${where}`;
  return refusal(REASONS.attract, message, { matchingPods: matching });
}
