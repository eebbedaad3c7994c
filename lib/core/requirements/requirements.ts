import type { Labels } from '../../apis/kubernetes.ts';
import { currentLabelName, WELL_KNOWN_LABELS } from '../../apis/labels.ts';
import type { NodePoolRequirement } from '../../apis/node-pool.ts';
import { compareText } from '../compare-text.ts';
import {
  admits,
  allowsAbsence,
  implies,
  intersect,
  oneOf,
  overlaps,
  type Requirement,
  requirement,
  toNodeSelectorRequirements,
} from './requirement.ts';

/** Requirements by label name; a name that is missing is unconstrained. Never changed in place. */
export type Requirements = ReadonlyMap<string, Requirement>;

export const NO_REQUIREMENTS: Requirements = new Map();

/** Requirements of one key intersect (A1.5); names of old are read as today's (A0.6). */
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

/** Values by label as the instance types carry them; an empty list means that the label is absent. */
export function requirementsFromValues(values: Readonly<Record<string, readonly string[]>>): Requirements {
  return new Map(Object.entries(values).map(([key, allowed]) => [key, oneOf(key, allowed)]));
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

/** Why two sets of requirements cannot both hold: the label, what was asked for and what is offered. */
export interface Incompatibility {
  readonly key: string;
  readonly asked: string;
  readonly offered: string;
}

/**
 * Why `asked` cannot be met by something that `offered` describes, or undefined where it can.
 * *Source:* A0.5: a label that is not offered must be well-known, or be asked for by NotIn or DoesNotExist; otherwise the
 * two must intersect, unless both allow the label to be absent.
 */
export function whyIncompatible(
  offered: Requirements,
  asked: Requirements,
  allowUndefined: ReadonlySet<string> = WELL_KNOWN_LABELS,
): Incompatibility | undefined {
  for (const [key, want] of asked) {
    const have = offered.get(key);
    if (have === undefined) {
      if (allowUndefined.has(key) || allowsAbsence(want)) continue;
      return { key, asked: formatRequirement(want), offered: 'not set' };
    }
    if (!overlaps(have, want) && !(allowsAbsence(have) && allowsAbsence(want))) {
      return { key, asked: formatRequirement(want), offered: formatRequirement(have) };
    }
  }
  return undefined;
}

/** True where both can hold at once; labels that only one of them names do not matter. *Cost:* O(labels of the smaller). */
export function intersects(a: Requirements, b: Requirements): boolean {
  const [fewer, more] = a.size <= b.size ? [a, b] : [b, a];
  for (const [key, one] of fewer) {
    const other = more.get(key);
    if (other === undefined) continue;
    if (!overlaps(one, other) && !(allowsAbsence(one) && allowsAbsence(other))) return false;
  }
  return true;
}

/** The label, in words, that keeps these labels from meeting the requirements; undefined where they do. */
export function whyLabelsFail(labels: Labels, asked: Requirements): Incompatibility | undefined {
  for (const [key, want] of asked) {
    if (!admits(want, labels[key])) return { key, asked: formatRequirement(want), offered: labels[key] ?? 'not set' };
  }
  return undefined;
}

/** Where exactly one value is left, the label that a node will carry. */
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
    .map(({ operator, values }) => (values === undefined ? operator : `${operator} [${shortened(values)}]`))
    .join(', ');
}

function shortened(values: readonly string[]): string {
  return values.length <= 4 ? values.join(', ') : `${values.slice(0, 4).join(', ')} and ${values.length - 4} more`;
}

/**
 * Why not every outcome that `offered` leaves open meets `asked`; undefined where each does. Of a node whose labels are
 * known this is plain matching; of a claim that is not launched yet it is the cautious answer: a label among `open` of
 * which nothing is said may still get any value.
 */
export function whyNotGuaranteed(
  offered: Requirements,
  asked: Requirements,
  open: ReadonlySet<string>,
): Incompatibility | undefined {
  for (const [key, want] of asked) {
    const have = offered.get(key);
    const met = have === undefined ? !open.has(key) && allowsAbsence(want) : implies(have, want);
    if (!met) {
      return { key, asked: formatRequirement(want), offered: have === undefined ? 'not set' : formatRequirement(have) };
    }
  }
  return undefined;
}
