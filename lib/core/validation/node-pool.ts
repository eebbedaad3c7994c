import { isQualifiedName } from '../../apis/formats/label-syntax.ts';
import { quote } from '../../apis/formats/quote.ts';
import type { Taint } from '../../apis/kubernetes.ts';
import { CAPACITY_TYPE, INSTANCE_TYPE, NODE_CLASS, NODE_POOL, ZONE } from '../../apis/labels.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { textField } from '../../apis/record.ts';
import { formatTaint } from '../../apis/taints.ts';
import { requirementsFrom, toNodeSelector } from '../requirements/requirements.ts';
import { amountProblems, durationProblems } from './decoding.ts';
import { type FieldProblem, under } from './field-problem.ts';
import { keyProblems, labelValueProblems, requirementProblems } from './requirements.ts';

const TEMPLATE = ['spec', 'template'] as const;
const LONGEST_LABEL_VALUE = 63;
/** The limit of the CRD, for NodePools and NodeClaims. */
const MAX_REQUIREMENTS = 100;
/** Every NodeClaim has a requirement on these. */
const ADDED_KEYS = [NODE_POOL, NODE_CLASS, INSTANCE_TYPE, ZONE, CAPACITY_TYPE];

/**
 * A1.26: why Karpenter's validation rejects a NodePool that the API server has accepted, or else why the API server would refuse its
 * NodeClaims (A1.5). The pool is then skipped.
 */
export function nodePoolProblems({ spec }: NodePool): readonly FieldProblem[] {
  const problems = fieldProblems(spec);
  return problems.length > 0 ? problems : countProblems(spec.template);
}

/** Requirements with the same key are merged, and each label of the template becomes one. */
function countProblems({ metadata, spec }: NodePool['spec']['template']): readonly FieldProblem[] {
  const ofLabels = [...Object.keys(metadata?.labels ?? {}), ...ADDED_KEYS].map((key) => {
    return { key, operator: 'In', values: [''] } as const;
  });
  const { length } = toNodeSelector(requirementsFrom([...spec.requirements, ...ofLabels]));
  if (length <= MAX_REQUIREMENTS) return [];
  const message = `gives each NodeClaim ${length} requirements with the labels, but the API server accepts ${MAX_REQUIREMENTS}`;
  const allowed = `${length - MAX_REQUIREMENTS} fewer`;
  return [{ path: [...TEMPLATE, 'spec', 'requirements'], message, allowed }];
}

function fieldProblems(spec: NodePool['spec']): readonly FieldProblem[] {
  const { requirements, taints = [], startupTaints = [], expireAfter } = spec.template.spec;
  const { terminationGracePeriod } = spec.template.spec;
  const { consolidateAfter, budgets } = spec.disruption;
  return [
    ...amountProblems(spec.limits, ['spec', 'limits']),
    ...durationProblems({ expireAfter, terminationGracePeriod }, [...TEMPLATE, 'spec']),
    ...durationProblems({ consolidateAfter }, ['spec', 'disruption']),
    ...budgets.flatMap(({ duration }, index) =>
      durationProblems({ duration }, ['spec', 'disruption', 'budgets', index]),
    ),
    ...labelProblems(spec.template.metadata?.labels ?? {}),
    ...under([...TEMPLATE, 'spec', 'requirements'], requirementProblems(requirements)),
    ...under([...TEMPLATE, 'spec'], taintProblems({ taints, startupTaints })),
  ];
}

/**
 * Returns why no node is launched for a NodePool; undefined for a valid one. Karpenter launches nodes even for names that are
 * too long for a label, and these nodes never join.
 */
export function whyInvalid(nodePool: NodePool): string | undefined {
  const { metadata, spec } = nodePool;
  const problems = [
    ...longNameProblems(metadata.name, ['metadata', 'name']),
    ...longNameProblems(spec.template.spec.nodeClassRef.name, [...TEMPLATE, 'spec', 'nodeClassRef', 'name']),
    ...nodePoolProblems(nodePool),
  ];
  if (problems.length === 0) return undefined;
  return problems.map((one) => `${one.path.join('.')} ${one.message}: write ${one.allowed}`).join('; ');
}

/** An object name may have 253 characters, but nodes carry it as a label, and a kubelet does not start with a longer label. */
function longNameProblems(name: unknown, path: FieldProblem['path']): readonly FieldProblem[] {
  if (typeof name !== 'string') return [{ path, message: 'is missing', allowed: 'a name' }];
  if (name.length <= LONGEST_LABEL_VALUE) return [];
  const message = `${quote(name)} has ${name.length} characters, but it becomes a label of every node`;
  return [{ path, message, allowed: `at most ${LONGEST_LABEL_VALUE} characters` }];
}

function labelProblems(labels: Readonly<Record<string, string>>): readonly FieldProblem[] {
  return Object.entries(labels).flatMap(([key, value]) => {
    const path = [...TEMPLATE, 'metadata', 'labels', key];
    return [...keyProblems(key, path), ...labelValueProblems(value, path)];
  });
}

/** A1.7: reports invalid names, and pairs of key and effect that occur twice in both lists together. */
function taintProblems(lists: Readonly<Record<'taints' | 'startupTaints', readonly Taint[]>>): readonly FieldProblem[] {
  const seen = new Set<string>();
  const problems: FieldProblem[] = [];
  for (const list of ['taints', 'startupTaints'] as const) {
    for (const [index, taint] of lists[list].entries()) {
      const path = [list, index];
      if (textField(taint, 'key') === undefined || textField(taint, 'effect') === undefined) {
        problems.push({ path, message: 'is incomplete', allowed: 'key and effect' });
        continue;
      }
      const { key, value = '', effect } = taint;
      const name = formatTaint({ key, effect });
      if (seen.has(name))
        problems.push({ path, message: `the taint ${name} is listed twice`, allowed: 'each key and effect once' });
      seen.add(name);
      if (!isQualifiedName(key)) problems.push(nameProblem([...path, 'key'], key));
      if (value !== '' && !isQualifiedName(value)) problems.push(nameProblem([...path, 'value'], value));
    }
  }
  return problems;
}

function nameProblem(path: FieldProblem['path'], name: string): FieldProblem {
  const allowed =
    'at most 63 letters, digits, "-", "_" or "."; an optional prefix is a DNS name of at most 253 characters and "/"';
  return { path, message: `${quote(name)} is not a valid name`, allowed };
}
