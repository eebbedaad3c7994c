import type { TopologySpreadConstraint } from '../../apis/kubernetes.ts';
import { isQualifiedName, NAME_RULE } from '../../apis/label-syntax.ts';
import { quote } from '../../apis/quote.ts';
import type { FieldProblem } from '../validation/field-problem.ts';

/** A spread of the cluster's configuration: which pods it counts is told for each pod anew. */
export type DefaultConstraint = Omit<TopologySpreadConstraint, 'labelSelector' | 'matchLabelKeys'> & {
  readonly labelSelector?: never;
  readonly matchLabelKeys?: never;
};

export type DefaultConstraints =
  | { readonly kind: 'accepted'; readonly constraints: readonly DefaultConstraint[] }
  | { readonly kind: 'refused'; readonly problems: readonly FieldProblem[] };

/** B22: the default constraints of a configuration, or why the kube-scheduler would not take them. Paths begin at the list. */
export function defaultConstraints(written: readonly TopologySpreadConstraint[]): DefaultConstraints {
  const problems = written.flatMap((one, index) => [
    ...fieldProblems(one).map((problem) => ({ ...problem, path: [index, ...problem.path] })),
    ...repetition(written, index),
  ]);
  if (problems.length > 0) return { kind: 'refused', problems };
  return { kind: 'accepted', constraints: written.map(withoutSelection) };
}

function withoutSelection(constraint: TopologySpreadConstraint): DefaultConstraint {
  const { labelSelector: _, matchLabelKeys: _keys, ...one } = constraint;
  return one;
}

function fieldProblems(constraint: TopologySpreadConstraint): readonly FieldProblem[] {
  return [
    ...maxSkewProblems(constraint),
    ...topologyKeyProblems(constraint),
    ...whenUnsatisfiableProblems(constraint),
    ...selectionProblems(constraint),
  ];
}

function maxSkewProblems({ maxSkew }: TopologySpreadConstraint): readonly FieldProblem[] {
  if (Number.isInteger(maxSkew) && maxSkew > 0) return [];
  return [{ path: ['maxSkew'], message: `is ${quote(maxSkew)}`, allowed: 'a whole number of one or more' }];
}

function topologyKeyProblems({ topologyKey }: TopologySpreadConstraint): readonly FieldProblem[] {
  if (isQualifiedName(topologyKey)) return [];
  const message = `${quote(topologyKey)} is no label name`;
  return [{ path: ['topologyKey'], message, allowed: `a name of ${NAME_RULE}, such as topology.kubernetes.io/zone` }];
}

const ACTIONS: readonly string[] = [
  'DoNotSchedule',
  'ScheduleAnyway',
] satisfies readonly TopologySpreadConstraint['whenUnsatisfiable'][];

function whenUnsatisfiableProblems({ whenUnsatisfiable }: TopologySpreadConstraint): readonly FieldProblem[] {
  if (ACTIONS.includes(whenUnsatisfiable)) return [];
  return [{ path: ['whenUnsatisfiable'], message: `is ${quote(whenUnsatisfiable)}`, allowed: ACTIONS.join(' or ') }];
}

function selectionProblems({ labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint): readonly FieldProblem[] {
  const message = 'has no place here: each pod is counted with those of its Services and its controller';
  const allowed = 'the constraint without it';
  return [
    ...(labelSelector === undefined ? [] : [{ path: ['labelSelector'], message, allowed }]),
    ...(matchLabelKeys.length === 0 ? [] : [{ path: ['matchLabelKeys'], message, allowed }]),
  ];
}

function repetition(all: readonly TopologySpreadConstraint[], index: number): readonly FieldProblem[] {
  const one = all[index];
  const first = all.findIndex(
    (other) => other.topologyKey === one?.topologyKey && other.whenUnsatisfiable === one.whenUnsatisfiable,
  );
  if (first === index) return [];
  const message = `repeats the topologyKey and whenUnsatisfiable of constraint ${first}`;
  return [{ path: [index], message, allowed: 'one constraint of them' }];
}
