import { ARCH, OS } from '../../../apis/labels.ts';
import { compareText } from '../../../core/compare-text.ts';
import { capacityOf } from '../../../core/instance-type/capacity.ts';
import type { InstanceTypeFacts } from '../../../core/instance-type/facts.ts';
import { instanceLabels } from '../../../core/instance-type/instance-labels.ts';
import type { LabelValues } from '../../../core/model/instance-type.ts';
import { PLAIN_NODE_CLASS } from '../../../core/node-class/plain-node-class.ts';
import { admits, type Requirement } from '../../../core/requirements/requirement.ts';
import type { Resources } from '../../../core/resources/resources.ts';
import { withoutMarks } from './words.ts';

/** A set of instance types: bit n stands for the nth type. */
export type TypeSet = bigint;

/** The instance types of all regions, indexed by the labels that do not depend on a NodeClass. */
export interface KnownTypeIndex {
  readonly size: number;
  readonly all: TypeSet;
  /** False for labels that depend on a NodeClass, an offering or a pool. */
  readonly has: (key: string) => boolean;
  /** True if some type has this value of the label. *Cost:* O(1) after the first call for the label. */
  readonly hasValue: (key: string, value: string) => boolean;
  /** Every value of the label, in the order of `valuesAmong`. *Cost:* O(1) after the first call for the label. */
  readonly valuesOf: (key: string) => readonly string[];
  /** The values that begin with a letter, unchanged and, in the same order, without punctuation. */
  readonly namesUnder: (key: string, letter: string) => NamesUnder;
  /** *Cost:* O(values of the label) the first time, then O(size of the requirement). */
  readonly meeting: (requirement: Requirement) => TypeSet;
  /** The values of the types in the set, most frequent first, ties by name. */
  readonly valuesAmong: (key: string, types: TypeSet) => readonly string[];
  readonly factsOf: (types: TypeSet) => readonly InstanceTypeFacts[];
  /** The capacity of each type in the set, without resources that depend on the NodeClass. */
  readonly capacitiesOf: (types: TypeSet) => readonly Resources[];
}

interface NamesUnder {
  readonly names: readonly string[];
  readonly plainNames: readonly string[];
}

export function countOf(types: TypeSet): number {
  return types.toString(2).replaceAll('0', '').length;
}

/** *Cost:* O(types × labels), once. */
export function indexTypes(facts: readonly InstanceTypeFacts[]): KnownTypeIndex {
  const labels = facts.map(labelsOf);
  const keys = new Set(labels.flatMap((each) => Object.keys(each)));
  const valueSets = memoized((key: string) => setsByValue(labels.map((each) => each[key] ?? [])));
  const capacities = memoized((index: number) => facts.slice(index, index + 1).map(plainCapacity));
  const met = new Map<string, TypeSet>();
  const membersOf = memoized((types: TypeSet) => [...facts.keys()].filter(inOrder(types)));
  const all = (1n << BigInt(facts.length)) - 1n;
  const valuesOf = memoized((key: string) => valuesWithin(valueSets(key), all));
  const byLetter = memoized((key: string) => memoized((letter: string) => namesUnder(valuesOf(key), letter)));
  return {
    size: facts.length,
    all,
    hasValue: (key, value) => valueSets(key).has(value),
    valuesOf,
    namesUnder: (key, letter) => byLetter(key)(letter),
    has: (key) => keys.has(key),
    meeting: (requirement) => {
      const name = nameOf(requirement);
      const types = met.get(name) ?? unionOf(valueSets(requirement.key), requirement);
      met.set(name, types);
      return types;
    },
    valuesAmong: (key, types) => (types === all ? valuesOf(key) : valuesWithin(valueSets(key), types)),
    factsOf: (types) => membersOf(types).flatMap((index) => facts.slice(index, index + 1)),
    capacitiesOf: (types) => membersOf(types).flatMap(capacities),
  };
}

/** The labels of a type. Linux runs on every type and Windows on amd64; labels that depend on the NodeClass are left out. */
function labelsOf(facts: InstanceTypeFacts): LabelValues {
  const own = Object.entries(instanceLabels(facts, 'AL2023')).filter(([key]) => !NODE_CLASS_LABELS.test(key));
  const systems = facts.architecture === 'amd64' ? ['linux', 'windows'] : ['linux'];
  return { ...Object.fromEntries(own), [ARCH]: [facts.architecture], [OS]: systems };
}

const NODE_CLASS_LABELS = /\/(?:windows-build|capacity-reservation-.*|placement-group-.*|nitro-sandbox)$/;

type SetsByValue = ReadonlyMap<string | undefined, TypeSet>;

/** The types with each value; types without the label are under undefined. */
function setsByValue(valuesOfTypes: readonly (readonly string[])[]): SetsByValue {
  const sets = new Map<string | undefined, TypeSet>();
  for (const [index, values] of valuesOfTypes.entries()) {
    for (const value of values.length === 0 ? [undefined] : values)
      sets.set(value, (sets.get(value) ?? 0n) | (1n << BigInt(index)));
  }
  return sets;
}

function namesUnder(values: readonly string[], letter: string): NamesUnder {
  const names = values.filter((name) => name.startsWith(letter));
  return { names, plainNames: names.map(withoutMarks) };
}

function valuesWithin(sets: SetsByValue, types: TypeSet): readonly string[] {
  return [...sets]
    .map(([value, having]) => ({ value, count: countOf(having & types) }))
    .flatMap(({ value, count }) => (value === undefined || count === 0 ? [] : [{ value, count }]))
    .toSorted((a, b) => b.count - a.count || compareText(a.value, b.value))
    .map(({ value }) => value);
}

/** Looks up listed values one by one: the list may be much shorter than the number of known values. */
function unionOf(sets: SetsByValue, requirement: Requirement): TypeSet {
  let union = 0n;
  const { complement, values } = requirement;
  if (!complement && values.size > 0) {
    for (const value of values) if (admits(requirement, value)) union |= sets.get(value) ?? 0n;
    return union;
  }
  for (const [value, types] of sets) if (admits(requirement, value)) union |= types;
  return union;
}

function nameOf({ key, complement, values, mustExist, gte, lte }: Requirement): string {
  return [key, complement, mustExist, gte ?? '', lte ?? '', ...values].join(' ');
}

/** Tests the nth bit in the binary digits, which avoids shifting a large number for every type. */
function inOrder(types: TypeSet): (index: number) => boolean {
  const digits = types.toString(2);
  return (index) => digits[digits.length - 1 - index] === '1';
}

function plainCapacity(facts: InstanceTypeFacts): Resources {
  const ofTheNodeClass = new Set(['ephemeral-storage', 'pods']);
  return Object.fromEntries(
    Object.entries(capacityOf(facts, PLAIN_NODE_CLASS)).filter(([name]) => !ofTheNodeClass.has(name)),
  );
}

function memoized<From, To>(compute: (from: From) => To): (from: From) => To {
  const known = new Map<From, To>();
  return (from) => {
    const found = known.get(from) ?? compute(from);
    known.set(from, found);
    return found;
  };
}
