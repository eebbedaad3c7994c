import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CAPACITY_TYPE, REGION, ZONE, ZONE_ID } from '../../../lib/apis/labels.ts';
import { typeRequirements } from '../../../lib/core/instance-type/type-requirements.ts';
import type { InstanceType } from '../../../lib/core/model/instance-type.ts';
import { singleValues } from '../../../lib/core/requirements/requirements.ts';
import { parseResources } from '../../../lib/core/resources/resources.ts';
import {
  asText,
  CLOCK,
  type Difference,
  differingKeys,
  type Explanation,
  everyType,
  familyOf,
  LABEL_EXPLANATIONS,
  parsed,
  recordOf,
  textsOf,
} from './karpenter-differences.ts';

/** Golden: what Karpenter documents of every type in us-east-1 with AL2023 and an untouched kubelet. */
const ROOT = join(import.meta.dirname, '../../..');
const DOCUMENTED = join(ROOT, '../shared/data/instance-types/karpenter-allocatable.json');

const FEWER_INTERFACES = new Set(['i7ie.48xlarge', 'i7ie.metal-48xl', 'i8ge.48xlarge', 'i8ge.metal-48xl']);
const CORRECTED_CLOCK = new Set(['c9g', 'c9gd', 'i7i', 'i7ie', 'm9g', 'm9gd']);

const EXPLANATIONS: readonly Explanation[] = [
  ...LABEL_EXPLANATIONS,
  {
    why: "EC2 states fewer interfaces on the first of the two cards than in Karpenter's copy, so fewer pods",
    covers: ({ type, key }) => FEWER_INTERFACES.has(type) && (key === 'pods' || key === 'memory'),
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
const NOT_DOCUMENTED = new Set([ZONE, ZONE_ID, REGION, CAPACITY_TYPE, 'karpenter.k8s.aws/nitro-sandbox']);

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

function differencesOf(type: InstanceType, documented: Readonly<Record<string, unknown>>): readonly Difference[] {
  const allocatable = parseResources(textsOf(documented['allocatable']));
  const labels = Object.entries(singleValues(typeRequirements(type))).filter(
    ([label, value]) => !NOT_DOCUMENTED.has(label) && value !== '',
  );
  const karpenter = { ...asText(allocatable), ...textsOf(documented['labels']) };
  const ours = { ...asText(type.allocatable), ...Object.fromEntries(labels) };
  return differingKeys(type.name, karpenter, ours);
}
