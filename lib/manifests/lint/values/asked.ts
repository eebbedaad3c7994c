import type { Labels, NodeSelectorRequirement } from '../../../apis/kubernetes.ts';
import { currentLabelName } from '../../../apis/labels.ts';
import { optional } from '../../../apis/optional.ts';
import { type Requirement, requirement } from '../../../core/requirements/requirement.ts';
import type { FieldProblem } from '../../../core/validation/field-problem.ts';
import { listNames } from './words.ts';

/** One requirement on a node label, and its position in the object. */
export interface Asked {
  readonly key: string;
  /** As written in the manifest: `kubernetes.io/arch In [arm64]`. */
  readonly written: string;
  readonly requirement: Requirement;
  readonly path: FieldProblem['path'];
  /** The values and their position; only where the label must have one of them. */
  readonly choice?: { readonly path: FieldProblem['path']; readonly values: readonly string[] };
  readonly minValues?: number;
}

export function askedByRequirements(
  requirements: readonly (NodeSelectorRequirement & { readonly minValues?: number | undefined })[],
  path: FieldProblem['path'],
): readonly Asked[] {
  return requirements.map(({ key, operator, values = [], minValues }, index) => ({
    key: currentLabelName(key),
    written: `${key} ${operator}${values.length === 0 ? '' : ` [${listNames(values)}]`}`,
    requirement: requirement({ key: currentLabelName(key), operator, values }),
    path: [...path, index],
    ...(operator === 'In' ? { choice: { path: [...path, index, 'values'], values } } : {}),
    ...optional({ minValues }),
  }));
}

export function askedByLabels(labels: Labels, path: FieldProblem['path']): readonly Asked[] {
  return Object.entries(labels).map(([name, value]) => {
    const key = currentLabelName(name);
    return {
      key,
      written: `the label ${name}: ${value}`,
      requirement: requirement({ key, operator: 'In', values: [value] }),
      path: [...path, name],
      choice: { path: [...path, name], values: [value] },
    };
  });
}

/** The field to report: the values, if the requirement lists values. */
export function fieldPathOf({ path, choice }: Asked): FieldProblem['path'] {
  return choice?.path ?? path;
}
