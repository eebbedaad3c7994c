import type { Labels } from '../../apis/kubernetes.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import type { FieldProblem } from '../../core/validation/field-problem.ts';
import { rightLabel } from '../explain/right-label.ts';
import { type Asked, askedByLabels, askedByRequirements, fieldPathOf } from './values/asked.ts';
import { isLeftOut } from './values/left-out-types.ts';
import { listNames } from './values/words.ts';

const TEMPLATE = ['spec', 'template'] as const;

/** The requirements of a NodePool on its nodes, from both of the fields that have them. */
export function askedByNodePool({ spec: { template } }: NodePool): readonly Asked[] {
  return [
    ...askedByRequirements(template.spec.requirements, [...TEMPLATE, 'spec', 'requirements']),
    ...askedByLabels(template.metadata?.labels ?? {}, [...TEMPLATE, 'metadata', 'labels']),
  ];
}

/** Warns of labels that look like those of instance types, and are those of another controller or of no one. */
export function otherLabels(asked: readonly Asked[]): readonly FieldProblem[] {
  return asked.flatMap(({ key, path }) => {
    const right = rightLabel(key);
    if (right === undefined) return [];
    const message = `${key} is not a label of instance types: it chooses no type, and each node gets it as a label of its own`;
    return [{ path: typeof path.at(-1) === 'number' ? [...path, 'key'] : path, message, allowed: right }];
  });
}

/** Warns of instance types that EC2 has and the bundled data leaves out: a simulation launches none of them. */
export function leftOutAdvice(asked: readonly Asked[]): readonly FieldProblem[] {
  return asked.flatMap((one) => {
    const values = leftOutBy([one]);
    if (values.length === 0) return [];
    const message = `${listNames(values)}: no figures are bundled, so \`kerf simulate\` launches no such node; Kerf on AWS reads the figures from EC2`;
    return [{ path: fieldPathOf(one), message, allowed: 'another value to simulate the pool' }];
  });
}

/** The values of NodePool requirements for which no figures are bundled. */
export function leftOutOfNodePool(nodePool: NodePool): readonly string[] {
  return leftOutBy(askedByNodePool(nodePool));
}

/** The same for the node selector of a pod. */
export function leftOutOfSelector(nodeSelector: Labels): readonly string[] {
  return leftOutBy(askedByLabels(nodeSelector, []));
}

function leftOutBy(asked: readonly Asked[]): readonly string[] {
  return asked.flatMap(({ key, choice }) => (choice?.values ?? []).filter((value) => isLeftOut(key, value)));
}
