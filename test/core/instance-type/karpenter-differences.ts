import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFacts } from '../../../lib/core/instance-type/catalogue.ts';
import { instanceTypesFor } from '../../../lib/core/instance-type/resolve.ts';
import type { InstanceType } from '../../../lib/core/model/instance-type.ts';
import { catalogueOf } from '../../builders/catalogue-facts.ts';
import { aNodeClass } from '../../builders/node-pools.ts';

/** What Karpenter and Kerf say differently of instance types, and why. */
export interface Difference {
  readonly type: string;
  readonly key: string;
  readonly karpenter: string | undefined;
  readonly ours: string | undefined;
}

export interface Explanation {
  readonly why: string;
  readonly covers: (difference: Difference) => boolean;
}

const NETWORK = 'karpenter.k8s.aws/instance-network-bandwidth';
export const CLOCK = 'karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz';

const NO_DOCUMENTED_NETWORK = new Set(['c1', 'c3', 'c4', 'd2', 'i2', 'm1', 'm2', 'm3', 'm4', 'r3', 't1', 't2']);
const OTHER_NETWORK = new Set(
  (
    'c3.8xlarge g7.2xlarge g7.4xlarge g7.8xlarge h1.8xlarge i3.8xlarge i7ie.48xlarge i7ie.metal-48xl i8g.metal-48xl ' +
    'i8ge.48xlarge i8ge.metal-48xl r3.8xlarge r4.8xlarge'
  ).split(' '),
);
const NO_CLOCK = new Set(['c1', 'm1', 'm2', 't1']);

/** Of labels, whatever the source. */
export const LABEL_EXPLANATIONS: readonly Explanation[] = [
  {
    why: 'EC2 states a baseline bandwidth for old families that the page Karpenter reads does not list',
    covers: ({ type, key, karpenter }) =>
      key === NETWORK && karpenter === undefined && NO_DOCUMENTED_NETWORK.has(familyOf(type)),
  },
  {
    why: 'the page that Karpenter reads rounds bandwidths down to 10 Mbps',
    covers: ({ key, karpenter, ours }) => key === NETWORK && Math.abs(Number(ours) - Number(karpenter)) < 10,
  },
  {
    why: 'EC2 and the page that Karpenter reads state different bandwidths',
    covers: ({ type, key, karpenter }) => key === NETWORK && karpenter !== undefined && OTHER_NETWORK.has(type),
  },
  {
    why: 'EC2 states no clock speed: Karpenter labels it 0, we leave the label out (C24)',
    covers: ({ type, key, karpenter, ours }) =>
      key === CLOCK && karpenter === '0' && ours === undefined && NO_CLOCK.has(familyOf(type)),
  },
];

const DATA = join(import.meta.dirname, '../../../data');

/** All types of the shipped facts as if each were for sale; a1, which AL2023 cannot boot, with AL2 (the same sums). */
export function everyType(): readonly InstanceType[] {
  const catalogue = catalogueOf(readFacts(parsed(join(DATA, 'instance-types.json'))));
  const graviton1 = instanceTypesFor(catalogue, aNodeClass({ amiFamily: 'AL2' })).filter(({ name }) =>
    name.startsWith('a1.'),
  );
  return [...instanceTypesFor(catalogue, aNodeClass()), ...graviton1];
}

export function differingKeys(
  type: string,
  karpenter: Readonly<Record<string, string>>,
  ours: Readonly<Record<string, string>>,
): readonly Difference[] {
  return [...new Set([...Object.keys(karpenter), ...Object.keys(ours)])]
    .map((key) => ({ type, key, karpenter: karpenter[key], ours: ours[key] }))
    .filter((each) => each.karpenter !== each.ours);
}

export function asText(amounts: Readonly<Record<string, number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]));
}

export function textsOf(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(recordOf(value)).map(([name, text]) => [name, String(text)]));
}

export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

export function parsed(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

export function familyOf(type: string): string {
  return type.split('.')[0] ?? '';
}
