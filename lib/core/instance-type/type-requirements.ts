import type { InstanceType, LabelValues } from '../model/instance-type.ts';
import { inRequirement, type Requirement } from '../requirements/requirement.ts';
import type { Requirements } from '../requirements/requirements.ts';

/** Types, and lists of values that several types share, are read once. */
const byType = new WeakMap<LabelValues, Requirements>();
const byValues = new WeakMap<readonly string[], Requirement>();

/** The labels of an instance type as requirements. *Cost:* O(labels) for the first question, then O(1). */
export function typeRequirements({ requirements }: Pick<InstanceType, 'requirements'>): Requirements {
  const known = byType.get(requirements);
  if (known !== undefined) return known;
  const made = new Map(Object.entries(requirements).map(([key, values]) => [key, requirementOf(key, values)]));
  byType.set(requirements, made);
  return made;
}

function requirementOf(key: string, values: readonly string[]): Requirement {
  const known = byValues.get(values);
  if (known?.key === key) return known;
  const made = inRequirement(key, values);
  if (known === undefined) byValues.set(values, made);
  return made;
}

/** The values that a label of the type may have; none: it lacks the label. */
export function valuesOf({ requirements }: Pick<InstanceType, 'requirements'>, label: string): readonly string[] {
  return Object.hasOwn(requirements, label) ? (requirements[label] ?? []) : [];
}
