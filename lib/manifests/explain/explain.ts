import type { ErrorObject } from 'ajv';
import { cutText, quote } from '../../apis/formats/quote.ts';
import { optional } from '../../apis/optional.ts';
import { fieldOf, isRecord } from '../../apis/record.ts';
import { isFormatName } from '../../apis/schemas/formats.ts';
import type { Schema } from '../../apis/schemas/schema.ts';
import { suggest } from '../../core/suggest.ts';
import { placeholderHint } from '../../core/validation/placeholder.ts';
import { allowedBy, boundsOf, sizeAllowed, sizeMessage, tooLong } from '../check/allowed-words.ts';
import { hasFormat } from '../check/format-checks.ts';
import { exampleOfField, FORMER_VALUES, sizeMeant } from './common-mistakes.ts';
import { durationAllowed } from './duration-slips.ts';
import type { Explanation, Path, Sentence } from './problem.ts';
import { unknownField } from './unknown-field.ts';

/** Turns one error of the validator into a sentence with the value and the allowed values. */
export function explain(
  error: ErrorObject,
  whole: { readonly value: unknown; readonly schema: Schema },
): Explanation | undefined {
  const path = pathOf(error.instancePath, whole.value);
  const schema = schemaOf(error);
  const { keyword, data } = error;
  if (keyword === 'required') return missing({ path, name: textParam(error, 'missingProperty'), schema, data });
  if (keyword === 'additionalProperties')
    return unknownField({ path, name: textParam(error, 'additionalProperty'), schema, data, root: whole.schema });
  // The validator also reports an error for the key itself, which is more precise.
  if (keyword === 'propertyNames') return undefined;
  if (error.propertyName !== undefined)
    return {
      path: [...path, error.propertyName],
      message: `the name ${quote(error.propertyName)} is not allowed`,
      allowed: allowedBy(schema),
    };
  if (keyword === 'type') return wrongType(path, data, schema);
  const long = tooLong(data, schema);
  if (long !== undefined) return { path, ...long };
  if (keyword === 'enum') return wrongValue(path, data, schema);
  if (typeof data === 'number' && (keyword === 'maximum' || keyword === 'format'))
    return { path, message: sizeMessage('maximum', data), allowed: boundsOf(schema) };
  if (keyword === 'format' || keyword === 'pattern') return wrongText(path, data, schema);
  if (keyword === 'uniqueItems') return { path, message: 'contains a value twice', allowed: 'each value once' };
  const wanted = keyword === 'minItems' ? exampleOfField(path, undefined) : undefined;
  return { path, message: sizeMessage(keyword, data), allowed: wanted ?? sizeAllowed(schema) };
}

/** A small map in YAML's flow style. */
function flow(data: Readonly<Record<string, unknown>>): string {
  return `{${Object.entries(data)
    .slice(0, 8)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : quote(value)}`)
    .join(', ')}}`;
}

function wrongValue(path: Path, data: unknown, schema: Schema): Explanation {
  const former = typeof data === 'string' ? fieldOf(FORMER_VALUES, data) : undefined;
  const hint = typeof data === 'string' ? placeholderHint(data) : '';
  const values = schema.enum ?? [];
  const nearest =
    typeof data === 'string' && data !== '' && !isOperatorElsewhere(data) ? suggest(data, values) : undefined;
  const didYouMean = nearest === undefined || values.length === 1 ? '' : `; did you mean ${nearest}?`;
  return {
    path,
    message: `${quote(data)} is not allowed${didYouMean}${hint}`,
    allowed: former ?? (nearest === undefined ? allowedBy(schema) : `${nearest} (${allowedBy(schema)})`),
  };
}

/** Gte and Lte are valid elsewhere, so Gt and Lt are not suggested for them. */
function isOperatorElsewhere(text: string): boolean {
  return text === 'Gte' || text === 'Lte';
}

function wrongText(path: Path, data: unknown, schema: Schema): Explanation {
  const hint = typeof data === 'string' ? placeholderHint(data) : '';
  const allowed = textAllowed(data, schema);
  const lower = typeof data === 'string' ? data.toLowerCase() : '';
  if (lower !== data && allowed === allowedBy(schema) && accepts(schema, lower))
    return { path, message: `${quote(data)} is not allowed: use lower case`, allowed: cutText(lower, 300) };
  return { path, message: `${quote(data)} is not allowed${hint}`, allowed };
}

/** Describes what the schema accepts. A corrected value comes first where a common mistake is recognized. */
function textAllowed(data: unknown, schema: Schema): string {
  const words = allowedBy(schema);
  if (/^(?:a duration|hours and minutes)/.test(words)) return durationAllowed(String(data), words);
  const size = words.startsWith('a whole size') ? sizeMeant(String(data)) : undefined;
  return size !== undefined && accepts(schema, size) ? size : words;
}

interface Absent {
  readonly path: Path;
  readonly name: string;
  readonly schema: Schema;
  /** The object that lacks the field. */
  readonly data: unknown;
}

function missing({ path, name, schema, data }: Absent): Explanation {
  const field = fieldOf(schema.properties ?? {}, name);
  const allowed = exampleOfField([...path, name], data) ?? (field === undefined ? undefined : allowedBy(field));
  return { path: [...path, name], message: 'is missing', ...optional({ allowed }) };
}

function wrongType(path: Path, data: unknown, schema: Schema): Explanation {
  const nested = path.at(-1) === 'resources' && path.at(-2) === 'limits' && isRecord(data);
  if (nested) return { path, message: 'is a map', allowed: `its entries one level up: limits: ${flow(data)}` };
  if (data === null) return { path, message: 'has no value', allowed: allowedBy(schema) };
  if (isRecord(data)) return { path, message: 'is a map', allowed: allowedBy(schema) };
  if (Array.isArray(data)) return { path, message: 'is a list', allowed: allowedBy(schema) };
  const restate = (written: string): Sentence => wrongScalar(data, schema, written);
  if (typeof data === 'string') return { path, ...restate(data) };
  return { path, ...restate(quote(data)), restate };
}

/** `written` is the source text of the value. */
function wrongScalar(data: unknown, schema: Schema, written: string): Sentence {
  const whole = schema.type === 'integer' && typeof data === 'number' ? ' that is not whole' : '';
  return { message: `${readAs(data, written)}${whole}`, allowed: typeAllowed(data, schema, written) };
}

function readAs(data: unknown, written: string): string {
  if (typeof data === 'string') return `${quote(data)} is text${placeholderHint(data)}`;
  const shown = cutText(written, 80);
  if (typeof data === 'boolean')
    return written === quote(data) ? `${shown} is a boolean` : `${shown} is read as ${quote(data)}`;
  return written === quote(data) ? `${shown} is a number` : `${shown} is read as the number ${quote(data)}`;
}

function typeAllowed(data: unknown, schema: Schema, written: string): string {
  const types: readonly string[] = [schema.type ?? []].flat();
  if (typeof data !== 'string' && types.includes('string'))
    return accepts(schema, written) ? `it in quotes: ${quote(written)}` : textAllowed(written, schema);
  if (types.includes('array') && schema.items !== undefined) return listAllowed(schema, written);
  if (typeof data === 'string' && types.includes('integer') && /^\d{1,15}$/.test(data))
    return `it without quotes: ${data}`;
  if (typeof data === 'string' && types.includes('boolean')) return 'true or false, without quotes';
  return allowedBy(schema);
}

/** Suggests a list for text in place of a list. The text is split at ", ", but not at ",": --only=a,b is one argument. */
function listAllowed(schema: Schema, written: string): string {
  const { items = {} } = schema;
  const entries = written.split(/, +/);
  if (placeholderHint(written) !== '') return allowedBy(schema);
  const fine = items.type === 'string' && written.length <= 200 && entries.every((entry) => accepts(items, entry));
  return fine && written !== '' ? `[${entries.map((entry) => JSON.stringify(entry)).join(', ')}]` : allowedBy(schema);
}

function accepts({ enum: values, pattern, format, minLength = 0, maxLength = 10_000 }: Schema, text: string): boolean {
  if (text.length < minLength || text.length > maxLength) return false;
  if (values !== undefined && !values.includes(text)) return false;
  if (pattern !== undefined && !new RegExp(pattern).test(text)) return false;
  return format === undefined || (isFormatName(format) && hasFormat(format, text));
}

function pathOf(pointer: string, value: unknown): Path {
  let here = value;
  return pointer
    .split('/')
    .slice(1)
    .map((part) => {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      const step = Array.isArray(here) ? Number(name) : name;
      here = Array.isArray(here) ? here[Number(name)] : isRecord(here) ? here[name] : undefined;
      return step;
    });
}

/** The schema that contains the failed keyword. The validator returns the object that was passed to it. */
function schemaOf({ parentSchema }: ErrorObject): Schema {
  return isSchema(parentSchema) ? parentSchema : {};
}

function isSchema(value: unknown): value is Schema {
  return isRecord(value);
}

function textParam(error: ErrorObject, name: string): string {
  const params: unknown = error.params;
  const value = isRecord(params) ? params[name] : undefined;
  return typeof value === 'string' ? value : '';
}
