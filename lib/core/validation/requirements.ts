import { counted } from '../../apis/counted.ts';
import { isLabelValue, isQualifiedName, NAME_RULE } from '../../apis/formats/label-syntax.ts';
import { quote } from '../../apis/formats/quote.ts';
import { REQUIREMENT_OPERATORS } from '../../apis/kubernetes.ts';
import {
  CAPACITY_TYPE,
  CAPACITY_TYPES,
  currentLabelName,
  HOSTNAME,
  NODE_CLASS,
  WELL_KNOWN_LABELS,
} from '../../apis/labels.ts';
import type { NodePoolRequirement } from '../../apis/node-pool.ts';
import { ownField, textField } from '../../apis/record.ts';
import type { FieldProblem } from './field-problem.ts';
import { placeholderHint } from './placeholder.ts';

/** A1.26: labels for which a NodePool may list unknown values, but needs at least one known value. */
const KNOWN_VALUES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  [CAPACITY_TYPE, CAPACITY_TYPES],
  ['karpenter.k8s.aws/instance-tenancy', ['default', 'dedicated']],
]);

/**
 * A1.5, A1.26: the rules for requirements that the API server's schema cannot express, and their shape, which a CRD without a schema
 * does not check. Paths begin at the list.
 */
export function requirementProblems(requirements: readonly NodePoolRequirement[]): readonly FieldProblem[] {
  const list: unknown = requirements;
  if (!Array.isArray(list)) return [{ path: [], message: 'is not a list', allowed: 'a list, which may be empty' }];
  return requirements.flatMap((requirement, index) => {
    if (!isComplete(requirement))
      return [{ path: [index], message: 'is incomplete', allowed: 'key, operator and values' }];
    return [
      ...keyProblems(requirement.key, [index, 'key']),
      ...operatorProblems(requirement, index),
      ...valueProblems(requirement, index),
      ...knownValueProblems(requirement, index),
    ];
  });
}

function isComplete(requirement: unknown): boolean {
  const values = ownField(requirement, 'values') ?? [];
  const areTexts = Array.isArray(values) && values.every((value) => typeof value === 'string');
  return areTexts && ['key', 'operator'].every((name) => textField(requirement, name) !== undefined);
}

/** Checks a label key in a template or requirement: its syntax, and that it is not reserved for Karpenter (A1.3). */
export function keyProblems(key: string, path: FieldProblem['path']): readonly FieldProblem[] {
  const known = currentLabelName(key);
  if (!isQualifiedName(known)) {
    const message = `${quote(key)} is not a label name`;
    return [
      {
        path,
        message,
        allowed: `a name of ${NAME_RULE}; an optional prefix is a DNS name of at most 253 characters and "/"`,
      },
    ];
  }
  if (!isRestricted(known)) return [];
  return [{ path, message: `${quote(key)} is reserved for Karpenter`, allowed: 'a label outside its domains' }];
}

/** The API server accepts the label of the NodeClass, but a requirement on it would repeat or contradict nodeClassRef. */
function isRestricted(key: string): boolean {
  if (WELL_KNOWN_LABELS.has(key) && key !== NODE_CLASS) return false;
  const slash = key.indexOf('/');
  const domain = slash < 0 ? '' : key.slice(0, slash);
  return (
    key === HOSTNAME ||
    ['karpenter.sh', 'karpenter.k8s.aws'].some((own) => domain === own || domain.endsWith(`.${own}`))
  );
}

const OPERATORS: ReadonlySet<string> = new Set(REQUIREMENT_OPERATORS);

function operatorProblems({ operator }: NodePoolRequirement, index: number): readonly FieldProblem[] {
  if (OPERATORS.has(operator)) return [];
  const message = `${quote(operator)} is not an operator`;
  return [{ path: [index, 'operator'], message, allowed: [...OPERATORS].join(', ') }];
}

function valueProblems({ operator, values = [] }: NodePoolRequirement, index: number): readonly FieldProblem[] {
  const odd = values.flatMap((value, position) => labelValueProblems(value, [index, 'values', position]));
  if (operator !== 'Gt' && operator !== 'Lt' && operator !== 'Gte' && operator !== 'Lte') return odd;
  const [value = ''] = values;
  const fine = values.length === 1 && /^[+-]?\d+$/.test(value) && BigInt(value) >= 0n && BigInt(value) < 1n << 63n;
  if (fine || odd.length > 0) return odd;
  const allowed = 'exactly one whole number of zero or more in quotes, such as ["4"]';
  return [{ path: [index, 'values'], message: `${operator} needs exactly one whole number of zero or more`, allowed }];
}

export function labelValueProblems(value: string, path: FieldProblem['path']): readonly FieldProblem[] {
  if (isLabelValue(value)) return [];
  const message = `${quote(value)} is not a label value${placeholderHint(value)}`;
  return [{ path, message, allowed: `${NAME_RULE}; it may be empty` }];
}

function knownValueProblems(
  { key, operator, values = [], minValues = 0 }: NodePoolRequirement,
  index: number,
): readonly FieldProblem[] {
  const known = KNOWN_VALUES.get(currentLabelName(key));
  if (known === undefined || operator !== 'In') return [];
  const usable = values.filter((value) => known.includes(value)).length;
  const path = [index, 'values'];
  if (usable === 0) {
    const message = `none of ${values.slice(0, 5).map(quote).join(', ')}${values.length > 5 ? ', …' : ''} is a value of ${key}`;
    const meant = known.filter((value) => values.some((written) => lettersOf(written) === lettersOf(value)));
    if (meant.length > 0)
      return [{ path, message: `${message}; did you mean ${meant.join(', ')}?`, allowed: meant.join(', ') }];
    return [{ path, message, allowed: `at least one of ${known.join(', ')}` }];
  }
  if (usable >= minValues) return [];
  const message = `has ${counted(usable, 'known value')} of ${key}, but minValues requires ${minValues}`;
  return [{ path, message, allowed: `a minValues of at most ${usable}, or more of ${known.join(', ')}` }];
}

/** Normalizes spelling: On-Demand, ON_DEMAND and ondemand are the same. */
function lettersOf(value: string): string {
  return value
    .slice(0, 80)
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');
}
