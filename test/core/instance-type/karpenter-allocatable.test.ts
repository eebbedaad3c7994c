import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CAPACITY_TYPE, REGION, ZONE, ZONE_ID } from '../../../lib/apis/labels.ts';
import { readCatalogue } from '../../../lib/core/instance-type/catalogue.ts';
import type { InstanceType } from '../../../lib/core/instance-type/instance-type.ts';
import { instanceTypesFor } from '../../../lib/core/instance-type/resolve.ts';
import { singleValues } from '../../../lib/core/requirements/requirements.ts';
import { parseResources } from '../../../lib/core/resources/resources.ts';
import { aNodeClass } from '../../builders/node-pools.ts';
import { catalogueOf } from './builders.ts';

/** Golden: what Karpenter documents of every type in us-east-1 with AL2023 and an untouched kubelet. */
const ROOT = join(import.meta.dirname, '../../..');
const DOCUMENTED = join(ROOT, '../shared/data/instance-types/karpenter-allocatable.json');

interface Difference {
  readonly type: string;
  readonly key: string;
  readonly karpenter: string | undefined;
  readonly ours: string | undefined;
}

interface Explanation {
  readonly why: string;
  readonly covers: (difference: Difference) => boolean;
}

const NETWORK = 'karpenter.k8s.aws/instance-network-bandwidth';
const CLOCK = 'karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz';

const FEWER_INTERFACES = new Set(['i7ie.48xlarge', 'i7ie.metal-48xl', 'i8ge.48xlarge', 'i8ge.metal-48xl']);
const NO_DOCUMENTED_NETWORK = new Set(['c1', 'c3', 'c4', 'd2', 'i2', 'm1', 'm2', 'm3', 'm4', 'r3', 't1', 't2']);
const OTHER_NETWORK = new Set(
  (
    'c3.8xlarge g7.2xlarge g7.4xlarge g7.8xlarge h1.8xlarge i3.8xlarge i7ie.48xlarge i7ie.metal-48xl i8g.metal-48xl ' +
    'i8ge.48xlarge i8ge.metal-48xl r3.8xlarge r4.8xlarge'
  ).split(' '),
);
const NO_CLOCK = new Set(['c1', 'm1', 'm2', 't1']);
const CORRECTED_CLOCK = new Set(['c9g', 'c9gd', 'i7i', 'i7ie', 'm9g', 'm9gd']);

const EXPLANATIONS: readonly Explanation[] = [
  {
    why: "EC2 states fewer interfaces on the first of the two cards than in Karpenter's copy, so fewer pods",
    covers: ({ type, key }) => FEWER_INTERFACES.has(type) && (key === 'pods' || key === 'memory'),
  },
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
  {
    why: "EC2's answer in moto states another clock speed than Karpenter's copy",
    covers: ({ type, key }) => key === CLOCK && CORRECTED_CLOCK.has(familyOf(type)),
  },
  {
    why: "branch interfaces come from a newer commit of Karpenter's provider, which knows more types",
    covers: ({ key, karpenter }) => key === 'vpc.amazonaws.com/pod-eni' && karpenter === undefined,
  },
];

/** The documentation has no label that depends on the offerings, none of Nitro Enclaves, and none that is empty. */
const NOT_DOCUMENTED = new Set([ZONE, ZONE_ID, REGION, CAPACITY_TYPE, 'eks.amazonaws.com/nitro-sandbox']);

if (existsSync(DOCUMENTED)) {
  const documented = new Map(Object.entries(recordOf(parsed(DOCUMENTED))));
  const ours = everyType();
  const shared = ours.filter(({ name }) => documented.has(name));
  const differences = shared.flatMap((type) => differencesOf(type, recordOf(documented.get(type.name))));

  test('every allocatable and label is what Karpenter documents, but for the differences explained above', () => {
    expect(shared.length).toBeGreaterThanOrEqual(1_350);
    expect(differences.filter((each) => !EXPLANATIONS.some(({ covers }) => covers(each)))).toEqual([]);
  });

  test.each(EXPLANATIONS)('an explanation still has something to explain: $why', ({ covers }) => {
    expect(differences.filter(covers)).not.toEqual([]);
  });

  test("of the types that Karpenter documents only g4ad is missing, as it is from moto's tables", () => {
    const known = new Set(ours.map(({ name }) => name));
    const missing = [...documented.keys()].filter((name) => !known.has(name));
    expect(new Set(missing.map(familyOf))).toEqual(new Set(['g4ad']));
  });
} else {
  test.skip('Karpenter parity of allocatable: needs ../shared/data, absent here', () => {});
}

/** All types of the shipped facts as if each were for sale; a1, which AL2023 cannot boot, with AL2 (the same sums). */
function everyType(): readonly InstanceType[] {
  const [types, region] = ['instance-types.json', 'regions/us-east-1.json'].map((file) =>
    parsed(join(ROOT, 'data', file)),
  );
  const catalogue = catalogueOf(readCatalogue(types, region).facts);
  const graviton1 = instanceTypesFor(catalogue, aNodeClass({ amiFamily: 'AL2' })).filter(({ name }) =>
    name.startsWith('a1.'),
  );
  return [...instanceTypesFor(catalogue, aNodeClass()), ...graviton1];
}

function differencesOf(type: InstanceType, documented: Readonly<Record<string, unknown>>): readonly Difference[] {
  const allocatable = parseResources(textsOf(documented['allocatable']));
  const labels = Object.entries(singleValues(type.requirements)).filter(
    ([label, value]) => !NOT_DOCUMENTED.has(label) && value !== '',
  );
  const karpenter = { ...asText(allocatable), ...textsOf(documented['labels']) };
  const ours = { ...asText(type.allocatable), ...Object.fromEntries(labels) };
  return [...new Set([...Object.keys(karpenter), ...Object.keys(ours)])]
    .map((key) => ({ type: type.name, key, karpenter: karpenter[key], ours: ours[key] }))
    .filter((each) => each.karpenter !== each.ours);
}

function asText(amounts: Readonly<Record<string, number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]));
}

function textsOf(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(recordOf(value)).map(([name, text]) => [name, String(text)]));
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function parsed(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function familyOf(type: string): string {
  return type.split('.')[0] ?? '';
}
