import { type Refusal, refusal } from '../refusal.ts';
import { type KeyRules, leastCount, type TopologyRule } from './rules.ts';

/** Which rule leaves none of the domains in which a node could be launched, with its counts. */
export function whyNoDomain({ key, rules }: KeyRules, launchable: readonly number[]): Refusal {
  const whys = rules.map((rule) => ({ rule, domains: launchable.filter((domain) => isLeft(rule, domain)).length }));
  const [first = whys[0]] = whys.filter(({ domains }) => domains === 0);
  if (first === undefined || launchable.length === 0) {
    const reason = first === undefined ? 'TopologySpread' : REASONS[first.rule.kind];
    return refusal(reason, `no node of the pool would have the label ${key.name}`, { domains: launchable.length });
  }
  return whyRule(first.rule, key.name, launchable.length);
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
      return there > 0;
  }
}

function whyRule(rule: TopologyRule, key: string, known: number): Refusal {
  switch (rule.kind) {
    case 'spread':
      return whySkewed(rule, key, known);
    case 'repel':
      return refusal(REASONS.repel, `every ${key} that is left has a pod to keep away from`, { domains: known });
    case 'attract':
      return refusal(REASONS.attract, `no pod that the affinity asks for is in a ${key} of this pool`, {
        domainsWithMatches: rule.counter.counts.filter((count) => count > 0).length,
      });
  }
}

function whySkewed(rule: TopologyRule & { readonly kind: 'spread' }, key: string, known: number): Refusal {
  const { maxSkew, minDomains, eligible } = rule;
  const least = leastCount(rule);
  const because =
    eligible.length < minDomains
      ? `minDomains asks for ${minDomains} domains, there are ${eligible.length}, so the emptiest counts as 0`
      : `the emptiest domain has ${least}`;
  const message = `no ${key} of the pool keeps the skew at ${maxSkew} or less (${because})`;
  return refusal(REASONS.spread, message, { maxSkew, least, minDomains, domains: known });
}

/** Which rule keeps the pod from a node of its own. */
export function whyNotOnNewHost(rules: readonly TopologyRule[]): Refusal {
  const attract = rules.find((rule) => rule.kind === 'attract');
  const there = attract?.counter.total ?? 0;
  const message =
    there === 0
      ? 'the affinity asks for the host of a pod that is nowhere yet'
      : `the affinity asks for the host of one of ${there} pods, and none of those hosts has room`;
  return refusal(REASONS.attract, message, { matchingPods: there });
}
