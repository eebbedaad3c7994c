import { parseDuration } from '../../apis/duration.ts';

/** Slips that many people make, and what they meant. */

/** Fields that Karpenter had before v1, or that people put on the wrong object, and what stands for them today. */
export const MOVED_FIELDS: Readonly<Record<string, string>> = {
  apiVersion: 'group: karpenter.k8s.aws in its place',
  kubelet: 'it in the EC2NodeClass: spec.kubelet',
  kubeletConfiguration: 'it in the EC2NodeClass: spec.kubelet',
  ttlSecondsAfterEmpty: 'spec.disruption.consolidateAfter, such as 30s',
  ttlSecondsUntilExpired: 'spec.template.spec.expireAfter, such as 720h',
  consolidation: 'spec.disruption.consolidationPolicy',
  provider: 'spec.template.spec.nodeClassRef',
  providerRef: 'spec.template.spec.nodeClassRef',
  subnetSelector: 'spec.subnetSelectorTerms, such as [{tags: {karpenter.sh/discovery: CLUSTER}}]',
  securityGroupSelector: 'spec.securityGroupSelectorTerms, such as [{tags: {karpenter.sh/discovery: CLUSTER}}]',
  amiSelector: 'spec.amiSelectorTerms, such as [{alias: al2023@latest}]',
};

/** Required fields that v1beta1 did without. */
export const NEW_FIELDS: Readonly<Record<string, string>> = {
  amiSelectorTerms: 'which images to launch, such as [{alias: al2023@latest}]: v1 has no default for them',
  nodeClassRef: 'which EC2NodeClass to launch with: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}',
};

/** Values of before v1 and what they are called today. */
export const FORMER_VALUES: Readonly<Record<string, string>> = {
  WhenUnderutilized: "WhenEmptyOrUnderutilized: v1's name for it",
};

const UNITS: readonly (readonly [RegExp, string])[] = [
  [/^s(ec(ond)?s?)?$/, 's'],
  [/^m(in(ute)?s?)?$/, 'm'],
  [/^h((ou)?rs?)?$/, 'h'],
];
const DAYS: Readonly<Record<string, number>> = { d: 24, day: 24, days: 24, w: 168, week: 168, weeks: 168 };

/** `5min`, `1d`, `1.5h` or `30` as a duration of whole hours, minutes and seconds; undefined where it is no such slip. */
export function durationMeant(text: string): string | undefined {
  const plain = /^\s*(\d+)\s*([A-Za-z]*)\s*$/.exec(text);
  if (plain !== null) return wholeDuration(plain[1] ?? '', (plain[2] ?? '').toLowerCase());
  const ms = parseDuration(text);
  if (ms === undefined || ms % 1_000 !== 0 || ms === 0) return undefined;
  const seconds = ms / 1_000;
  return seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
}

function wholeDuration(amount: string, unit: string): string | undefined {
  if (unit === 'never') return 'Never';
  if (unit === '') return `${amount}s, or with m or h`;
  const hours = Object.hasOwn(DAYS, unit) ? DAYS[unit] : undefined;
  if (hours !== undefined) return `${Number(amount) * hours}h`;
  const known = UNITS.find(([name]) => name.test(unit));
  return known === undefined ? undefined : `${amount}${known[1]}`;
}
