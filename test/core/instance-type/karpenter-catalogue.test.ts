import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CAPACITY_TYPE, REGION, ZONE, ZONE_ID } from '../../../lib/apis/labels.ts';
import type { InstanceType } from '../../../lib/core/model/instance-type.ts';
import { parseResources, subtract } from '../../../lib/core/resources/resources.ts';
import {
  asText,
  type Difference,
  differingKeys,
  everyType,
  LABEL_EXPLANATIONS,
  parsed,
  recordOf,
  textsOf,
} from './karpenter-differences.ts';

/** Golden: capacity, overhead and every label, absent ones too, of the types that us-east-1 sells, with AL2023. */
const CATALOGUE = join(import.meta.dirname, '../../../../shared/data/instance-types/catalogue-us-east-1.json');

/** They follow from where a type is sold. */
const OF_OFFERINGS = new Set([ZONE, ZONE_ID, REGION, CAPACITY_TYPE]);

if (existsSync(CATALOGUE)) {
  const theirs = listOf(recordOf(parsed(CATALOGUE))['instanceTypes']).map(recordOf);
  const ours = new Map(everyType().map((type) => [type.name, type]));
  const shared = theirs.flatMap((type) => {
    const own = ours.get(String(type['name']));
    return own === undefined ? [] : [{ type, own }];
  });

  test('every type of the catalogue is known', () => {
    expect(theirs.length).toBeGreaterThanOrEqual(1_300);
    expect(shared).toHaveLength(theirs.length);
  });

  test('capacity is the same for every type, devices and all (C2 to C8)', () => {
    expect(shared.flatMap(({ type, own }) => inCapacity(type, own))).toEqual([]);
  });

  test('so is what is left for pods (C9 to C13)', () => {
    expect(shared.flatMap(({ type, own }) => inAllocatable(type, own))).toEqual([]);
  });

  test('and every label, but for the differences explained (C15 to C24)', () => {
    const differences = shared.flatMap(({ type, own }) => inLabels(type, own));
    expect(differences.filter((each) => !LABEL_EXPLANATIONS.some(({ covers }) => covers(each)))).toEqual([]);
    expect(differences).not.toEqual([]);
  });
} else {
  test.skip('Karpenter parity of capacity and labels: needs ../shared/data, absent here', () => {});
}

type Described = Readonly<Record<string, unknown>>;

function inCapacity(type: Described, own: InstanceType): readonly Difference[] {
  return differingKeys(own.name, asText(parseResources(textsOf(type['capacity']))), asText(own.capacity));
}

function inAllocatable(type: Described, own: InstanceType): readonly Difference[] {
  const capacity = parseResources(textsOf(type['capacity']));
  const overheads = Object.values(recordOf(type['overhead'])).map((each) => parseResources(textsOf(each)));
  return differingKeys(own.name, asText(overheads.reduce(subtract, capacity)), asText(own.allocatable));
}

function inLabels(type: Described, own: InstanceType): readonly Difference[] {
  const theirs = Object.entries(recordOf(type['requirements'])).map(
    ([label, values]) => [label, textOf(listOf(values).map(String))] as const,
  );
  const values = Object.entries(own.requirements).map(([label, list]) => [label, textOf(list)] as const);
  return differingKeys(own.name, labelsOf(theirs), labelsOf(values));
}

/** Without those that are absent: they are left out here, and an empty list there. */
function labelsOf(entries: readonly (readonly [string, string])[]): Readonly<Record<string, string>> {
  return Object.fromEntries(entries.filter(([label, text]) => text !== '[]' && !OF_OFFERINGS.has(label)));
}

function textOf(values: readonly string[]): string {
  const [only, ...others] = values;
  return only !== undefined && others.length === 0 ? only : JSON.stringify(values.toSorted());
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
