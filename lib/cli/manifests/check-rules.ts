import { Environment } from '@marcbachmann/cel-js';
import { quote } from '../../apis/quote.ts';
import type { Rule, Schema } from '../../apis/schemas/schema.ts';
import type { Path, Report } from './problem.ts';
import { fieldOf, isRecord } from './record.ts';
import { suggest } from './suggest.ts';

/**
 * What a schema asks beyond the form of each field: its CEL rules, and lists that are sets. As on the API server, a rule
 * that cannot be evaluated is broken; rules about a change (`oldSelf`) do not concern a new object. The value has its form
 * checked and its defaults filled in; around what is malformed no rule is asked.
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
    const told = new Set<string>();
    for (const rule of rules) {
      if (rule.slip !== undefined && told.has(rule.slip)) continue;
      if (!checkRule(rule, { value, path }, report) && rule.slip !== undefined) told.add(rule.slip);
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

/** The one that was meant, where the rule has a list to choose from. */
function nearestOf({ message, allowed, known }: Rule, written: unknown): Pick<Rule, 'message' | 'allowed'> {
  const nearest = known === undefined || typeof written !== 'string' ? undefined : suggest(written, known);
  return nearest === undefined
    ? { message, allowed }
    : { message: `${message}; did you mean ${nearest}?`, allowed: nearest };
}

function valueAt(value: unknown, field: Path): unknown {
  return field.reduce<unknown>((here, name) => (isRecord(here) ? fieldOf(here, String(name)) : undefined), value);
}

/** The value and what is wrong with it, where one can show it. A message that begins with a subject has its own. */
function withValue(message: string, value: unknown): string {
  if (Array.isArray(value)) return /^[A-Z]/.test(message) && value.length > 0 ? `${quote(value)}: ${message}` : message;
  if (typeof value !== 'string' && typeof value !== 'number') return message;
  return `${quote(value)}${/^[A-Z]/.test(message) ? ':' : ''} ${message}`;
}

function checkSet(list: readonly unknown[], path: Path, report: Report): void {
  const seen = new Set<unknown>();
  for (const [index, item] of list.entries()) {
    if (seen.has(item)) report([...path, index], `${quote(item)} is there twice`, 'each value once');
    seen.add(item);
  }
}

const environment = new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false });
// Kubernetes reads decimal digits and nothing else; the evaluator's own int() takes blanks, hexadecimals and empty text.
environment.registerFunction('decimal(dyn): int', (text: unknown) => {
  const value = /^[+-]?\d+$/.test(String(text)) ? BigInt(String(text)) : undefined;
  if (value === undefined || BigInt.asIntN(64, value) !== value) throw new RangeError('not a whole number of 64 bits');
  return value;
});
const parsed = new Map<string, ReturnType<Environment['parse']>>();

function holds(rule: string, variables: Readonly<Record<string, unknown>>): boolean {
  const expression = parsed.get(rule) ?? environment.parse(rule.replace(/\bint\(/g, 'decimal('));
  parsed.set(rule, expression);
  try {
    return expression({ ...variables }) === true;
  } catch {
    // A field that is missing, or text that is no number: the API server refuses the object then, too.
    return false;
  }
}
