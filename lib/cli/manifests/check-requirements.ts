import type { LabelSelector, NodeSelectorRequirement } from '../../apis/kubernetes.ts';
import { AWS_WELL_KNOWN_LABELS, CAPACITY_TYPE, CAPACITY_TYPES, HOSTNAME, NODE_POOL } from '../../apis/labels.ts';
import type { NodePoolRequirement } from '../../apis/node-pool.ts';
import { type Path, quote, type Report } from './problem.ts';

const TENANCY = 'karpenter.k8s.aws/instance-tenancy';

/** A1.26: keys of which at least one known value must be left. */
const KNOWN_VALUES: Readonly<Record<string, readonly string[]>> = {
  [CAPACITY_TYPE]: CAPACITY_TYPES,
  [TENANCY]: ['default', 'dedicated'],
};

/** A1.5, A1.6, A1.26: what an operator asks of its values, and which keys a NodePool may name. */
export function checkNodePoolRequirements(
  requirements: readonly NodePoolRequirement[],
  at: Path,
  report: Report,
): void {
  for (const [index, requirement] of requirements.entries()) {
    const here = [...at, index];
    checkRestrictedLabel(requirement.key, [...here, 'key'], report);
    checkValueCount(requirement, here, report);
    checkKnownValues(requirement, here, report);
    const { minValues, operator, values = [] } = requirement;
    if (operator === 'In' && minValues !== undefined && values.length < minValues) {
      report(
        [...here, 'minValues'],
        `${minValues} is more than the ${values.length} values`,
        `at least ${minValues} values, or a minValues of at most ${values.length}`,
      );
    }
  }
}

/** A1.3: labels that Karpenter sets itself, by name or by domain. */
export function checkRestrictedLabel(key: string, at: Path, report: Report): void {
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  const own = key === NODE_POOL || key === HOSTNAME;
  const karpenter = endsWithDomain(domain, 'karpenter.sh') && key !== CAPACITY_TYPE;
  const aws = endsWithDomain(domain, 'karpenter.k8s.aws') && !AWS_WELL_KNOWN_LABELS.includes(key);
  if (own || karpenter)
    report(
      at,
      `${quote(key)} is set by Karpenter and cannot be asked for`,
      `another label; of its domain, ${CAPACITY_TYPE} only`,
    );
  else if (aws)
    report(at, `${quote(key)} is no label of an EC2 instance`, `one of ${AWS_WELL_KNOWN_LABELS.join(', ')}`);
}

/** The rules of Kubernetes for the node affinity of a pod. */
export function checkNodeSelectorRequirements(
  requirements: readonly NodeSelectorRequirement[] | undefined,
  at: Path,
  report: Report,
): void {
  for (const [index, requirement] of (requirements ?? []).entries()) {
    checkValueCount(requirement, [...at, index], report);
    checkNoValues(requirement, [...at, index], report);
    if (requirement.operator === 'NotIn') checkSomeValues(requirement, [...at, index], report);
  }
}

export function checkLabelSelector(selector: LabelSelector | undefined, at: Path, report: Report): void {
  for (const [index, expression] of (selector?.matchExpressions ?? []).entries()) {
    const here = [...at, 'matchExpressions', index];
    checkNoValues(expression, here, report);
    if (expression.operator === 'In' || expression.operator === 'NotIn') checkSomeValues(expression, here, report);
  }
}

function checkValueCount({ operator, values = [] }: NodeSelectorRequirement, at: Path, report: Report): void {
  if (operator === 'In') checkSomeValues({ operator, values }, at, report);
  if (operator !== 'Gt' && operator !== 'Lt' && operator !== 'Gte' && operator !== 'Lte') return;
  const [value = ''] = values;
  if (values.length === 1 && /^\d+$/.test(value)) return;
  const message =
    values.length === 1
      ? `${quote(value)} is no whole number of zero or more`
      : `${operator} has ${values.length} values`;
  report([...at, 'values'], message, 'exactly one whole number of zero or more in quotes, such as ["4"]');
}

function checkSomeValues(
  { operator, values = [] }: Pick<NodeSelectorRequirement, 'operator' | 'values'>,
  at: Path,
  report: Report,
): void {
  if (values.length === 0) report([...at, 'values'], `${operator} has no values`, 'at least one value, such as ["a"]');
}

function checkNoValues(
  { operator, values = [] }: Pick<NodeSelectorRequirement, 'operator' | 'values'>,
  at: Path,
  report: Report,
): void {
  if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0) {
    report(
      [...at, 'values'],
      `${operator} takes no values, and here ${values.length === 1 ? 'is one' : `are ${values.length}`}`,
      'no values, or the operator In or NotIn',
    );
  }
}

function checkKnownValues({ key, operator, values = [] }: NodePoolRequirement, at: Path, report: Report): void {
  const known = Object.hasOwn(KNOWN_VALUES, key) ? KNOWN_VALUES[key] : undefined;
  if (known === undefined || values.length === 0) return;
  const left =
    operator === 'In'
      ? known.filter((value) => values.includes(value))
      : operator === 'NotIn'
        ? known.filter((value) => !values.includes(value))
        : known;
  if (left.length > 0) return;
  const list = values.map(quote).join(', ');
  report(
    [...at, 'values'],
    operator === 'In' ? `none of ${list} is a value of ${key}` : `${list} leaves no value of ${key}`,
    `at least one of ${known.join(', ')}`,
  );
}

function endsWithDomain(domain: string, suffix: string): boolean {
  return domain === suffix || domain.endsWith(`.${suffix}`);
}
