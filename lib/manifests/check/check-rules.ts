import { Environment } from '@marcbachmann/cel-js';
import { quote } from '../../apis/formats/quote.ts';
import { fieldOf, isRecord } from '../../apis/record.ts';
import type { Rule, Schema } from '../../apis/schemas/schema.ts';
import { suggest } from '../../core/suggest.ts';
import type { Path, Report } from '../explain/problem.ts';
import { rightLabel } from '../explain/right-label.ts';

/**
 * Checks the CEL rules of a schema and the uniqueness of list entries. As on the API server, a rule that cannot be
 * evaluated has failed, and transition rules (`oldSelf`) do not apply to a new object. The caller has checked the type and
 * format of each field and filled in defaults. Rules that involve a malformed field are skipped.
 */
export function checkRules(value: unknown, schema: Schema, findings: Findings): void {
  visit({ value, schema, path: [] }, findings);
}

interface Findings {
  readonly malformed: readonly Path[];
  readonly report: Report;
}

interface Place {
  readonly value: unknown;
  readonly schema: Schema;
  readonly path: Path;
}

function visit({ value, schema, path }: Place, findings: Findings): void {
  const { report, malformed } = findings;
  const rules = schema['x-kubernetes-validations'] ?? [];
  if (rules.length > 0 && !malformed.some((fault) => path.every((step, index) => step === fault[index]))) {
    const reported = new Set<string>();
    for (const rule of rules) {
      if (rule.slip !== undefined && reported.has(rule.slip)) continue;
      if (!checkRule(rule, { value, path }, report) && rule.slip !== undefined) reported.add(rule.slip);
    }
  }
  if (Array.isArray(value)) {
    if (schema['x-kubernetes-list-type'] === 'set') checkSet(value, path, report);
    const { items } = schema;
    if (items === undefined) return;
    for (const [index, item] of value.entries())
      visit({ value: item, schema: items, path: [...path, index] }, findings);
  } else if (isRecord(value)) {
    const { properties = {}, additionalProperties } = schema;
    for (const [name, field] of Object.entries(value)) {
      const known = fieldOf(properties, name) ?? (typeof additionalProperties === 'object' && additionalProperties);
      if (known) visit({ value: field, schema: known, path: [...path, name] }, findings);
    }
  }
}

/** True where the rule holds. */
function checkRule(rule: Rule, { value, path }: Pick<Place, 'value' | 'path'>, report: Report): boolean {
  if (/\boldSelf\b/.test(rule.rule)) return true;
  if (rule.each) {
    const keys = isRecord(value) ? Object.keys(value) : Array.isArray(value) ? [...value.keys()] : [];
    const broken = keys.filter((key) => {
      const x: unknown = Array.isArray(value) ? value[Number(key)] : key;
      return !holds(rule.rule, { self: value, x });
    });
    for (const key of broken) {
      const { message, allowed } = nearestOf(rule, key);
      report([...path, key], message, allowed);
    }
    return broken.length === 0;
  }
  if (holds(rule.rule, { self: value })) return true;
  const field = rule.fieldPath?.slice(1).split('.') ?? [];
  const faulty = valueAt(value, field);
  const { message, allowed } = nearestOf(rule, faulty);
  report([...path, ...field], withValue(message, faulty), allowed);
  return false;
}

/** Adds the most similar known value to the message, where the rule lists known values. */
function nearestOf({ message, allowed, known }: Rule, written: unknown): Pick<Rule, 'message' | 'allowed'> {
  const nearest =
    known === undefined || typeof written !== 'string' ? undefined : (rightLabel(written) ?? suggest(written, known));
  return nearest === undefined
    ? { message, allowed }
    : { message: `${message}; did you mean ${nearest}?`, allowed: nearest };
}

function valueAt(value: unknown, field: Path): unknown {
  return field.reduce<unknown>((here, name) => (isRecord(here) ? fieldOf(here, String(name)) : undefined), value);
}

/** Puts a scalar value before the message. A message that begins with a capital letter is a sentence of its own. */
function withValue(message: string, value: unknown): string {
  if (Array.isArray(value)) return /^[A-Z]/.test(message) && value.length > 0 ? `${quote(value)}: ${message}` : message;
  if (typeof value !== 'string' && typeof value !== 'number') return message;
  return `${quote(value)}${/^[A-Z]/.test(message) ? ':' : ''} ${message}`;
}

function checkSet(list: readonly unknown[], path: Path, report: Report): void {
  const seen = new Set<unknown>();
  for (const [index, item] of list.entries()) {
    if (seen.has(item)) report([...path, index], `${quote(item)} is listed twice`, 'each value once');
    seen.add(item);
  }
}

const environment = new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false });
// Kubernetes accepts only decimal digits. The evaluator's own int() also accepts blanks, hexadecimal and empty text.
environment.registerFunction('decimal(dyn): int', (text: unknown) => {
  const value = /^[+-]?\d+$/.test(String(text)) ? BigInt(String(text)) : undefined;
  if (value === undefined || BigInt.asIntN(64, value) !== value) throw new RangeError('not a 64-bit integer');
  return value;
});
const parsed = new Map<string, ReturnType<Environment['parse']>>();

function holds(rule: string, variables: Readonly<Record<string, unknown>>): boolean {
  const expression = parsed.get(rule) ?? environment.parse(rule.replace(/\bint\(/g, 'decimal('));
  parsed.set(rule, expression);
  try {
    return expression({ ...variables }) === true;
  } catch {
    // For a missing field, or text that is not a number, the API server also rejects the object.
    return false;
  }
}
