import { firstNames } from '../../apis/counted.ts';
import type { Labels } from '../../apis/kubernetes.ts';
import { currentLabelName, WELL_KNOWN_LABELS } from '../../apis/labels.ts';
import type { NodePoolRequirement } from '../../apis/node-pool.ts';
import { fieldOf } from '../../apis/record.ts';
import { compareText } from '../compare-text.ts';
import {
  admits,
  allowsAbsence,
  implies,
  inRequirement,
  intersect,
  overlaps,
  type Requirement,
  requirement,
  toNodeSelectorRequirements,
} from './requirement.ts';

/** Requirements by label name. A label without an entry is unconstrained. */
export type Requirements = ReadonlyMap<string, Requirement>;

export const NO_REQUIREMENTS: Requirements = new Map();

/** Builds a set of requirements. Those with the same key are intersected (A1.5). Deprecated label names are replaced (A0.6). */
export function requirementsFrom(list: readonly NodePoolRequirement[]): Requirements {
  const all = new Map<string, Requirement>();
  for (const one of list) narrow(all, requirement({ ...one, key: currentLabelName(one.key) }));
  return all;
}

function narrow(all: Map<string, Requirement>, one: Requirement): void {
  const known = all.get(one.key);
  all.set(one.key, known === undefined ? one : intersect(known, one));
}

/** Each label as `In [value]`. */
export function requirementsFromLabels(labels: Labels = {}): Requirements {
  return requirementsFrom(Object.entries(labels).map(([key, value]) => ({ key, operator: 'In', values: [value] })));
}

/** Builds requirements from the values of each label; an empty list means that the label is absent. */
export function requirementsFromValues(values: Readonly<Record<string, readonly string[]>>): Requirements {
  return new Map(Object.entries(values).map(([key, allowed]) => [key, inRequirement(key, allowed)]));
}

export function withRequirement(all: Requirements, one: Requirement): Requirements {
  return merge(all, new Map([[one.key, one]]));
}

export function merge(a: Requirements, b: Requirements): Requirements {
  if (b.size === 0) return a;
  const merged = new Map(a);
  for (const one of b.values()) narrow(merged, one);
  return merged;
}

/** Why two sets of requirements are incompatible: the label, the required values and the offered values. */
export interface RequirementConflict {
  readonly key: string;
  readonly asked: string;
  readonly offered: string;
}

/**
 * The first reason why `offered` is incompatible with `asked`; undefined if they are compatible.
 * *Source:* A0.5: a label that is not offered must be in `allowUndefined`, or be required with NotIn or DoesNotExist. The
 * requirements of any other label must overlap, unless both allow the label to be absent.
 */
export function whyIncompatible(
  offered: Requirements,
  asked: Requirements,
  allowUndefined: ReadonlySet<string> = WELL_KNOWN_LABELS,
): RequirementConflict | undefined {
  const want = firstConflict(offered, asked, allowUndefined);
  if (want === undefined) return undefined;
  const have = offered.get(want.key);
  return {
    key: want.key,
    asked: formatRequirement(want),
    offered: have === undefined ? 'not set' : formatRequirement(have),
  };
}

/** Whether there is no such reason. *Cost:* less than that of the reason, because no text is made. */
export function isCompatible(offered: Requirements, asked: Requirements): boolean {
  return firstConflict(offered, asked, WELL_KNOWN_LABELS) === undefined;
}

function firstConflict(
  offered: Requirements,
  asked: Requirements,
  allowUndefined: ReadonlySet<string>,
): Requirement | undefined {
  for (const [key, want] of asked) {
    const have = offered.get(key);
    if (have === undefined) {
      if (allowUndefined.has(key) || allowsAbsence(want)) continue;
      return want;
    }
    if (!overlaps(have, want) && !(allowsAbsence(have) && allowsAbsence(want))) return want;
  }
  return undefined;
}

/** Whether all that meets `offered` meets `asked` too, so that their intersection is `offered`. */
export function includes(offered: Requirements, asked: Requirements): boolean {
  for (const [key, want] of asked) {
    const have = offered.get(key);
    if (have === undefined || !implies(have, want) || (want.minValues ?? 0) > (have.minValues ?? 0)) return false;
  }
  return true;
}

/** Whether both sets are compatible. Labels in only one of them are ignored. *Cost:* O(labels of the smaller set). */
export function intersects(a: Requirements, b: Requirements): boolean {
  const [fewer, more] = a.size <= b.size ? [a, b] : [b, a];
  for (const [key, one] of fewer) {
    const other = more.get(key);
    if (other === undefined) continue;
    if (!overlaps(one, other) && !(allowsAbsence(one) && allowsAbsence(other))) return false;
  }
  return true;
}

/** The first label that does not meet the requirements; undefined if all do. */
export function whyLabelsFail(labels: Labels, asked: Requirements): RequirementConflict | undefined {
  for (const [key, want] of asked) {
    const value = fieldOf(labels, key);
    if (!admits(want, value)) return { key, asked: formatRequirement(want), offered: value ?? 'not set' };
  }
  return undefined;
}

/** The labels with exactly one allowed value, which a node will have. */
export function singleValues(all: Requirements): Labels {
  const labels: Record<string, string> = {};
  for (const [key, one] of all) {
    const [value] = one.values;
    if (!one.complement && one.values.size === 1 && value !== undefined) labels[key] = value;
  }
  return labels;
}

export function toNodeSelector(all: Requirements): readonly NodePoolRequirement[] {
  return [...all.values()].toSorted((a, b) => compareText(a.key, b.key)).flatMap(toNodeSelectorRequirements);
}

/** `In [a, b]`, `NotIn [c]`, `Exists, Gte 4`. */
export function formatRequirement(one: Requirement): string {
  return toNodeSelectorRequirements(one)
    .map(({ operator, values }) => (values === undefined ? operator : `${operator} [${firstNames(values, 4)}]`))
    .join(', ');
}

/**
 * Why some label values that `offered` allows do not meet `asked`; undefined if all do. For a node with known labels this is
 * plain matching. For a claim that is not launched yet, a label in `open` without a requirement can still get any value.
 */
export function whyNotGuaranteed(
  offered: Requirements,
  asked: Requirements,
  open: ReadonlySet<string>,
): RequirementConflict | undefined {
  for (const [key, want] of asked) {
    const have = offered.get(key);
    const met = have === undefined ? !open.has(key) && allowsAbsence(want) : implies(have, want);
    if (!met) {
      return { key, asked: formatRequirement(want), offered: have === undefined ? 'not set' : formatRequirement(have) };
    }
  }
  return undefined;
}
