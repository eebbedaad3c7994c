import type { ErrorObject } from 'ajv';
import { FORMATS, isFormatName } from '../../apis/schemas/formats.ts';
import type { Schema } from '../../apis/schemas/schema.ts';
import { placeholderHint } from '../../core/validation/placeholder.ts';
import { durationAllowed } from './duration-slips.ts';
import { hasFormat } from './format-checks.ts';
import { type Path, quote } from './problem.ts';
import { fieldOf, isRecord } from './record.ts';
import { FORMER_VALUES, movedField, wantedField } from './slips.ts';
import { suggest } from './suggest.ts';

export interface Explanation {
  readonly path: Path;
  readonly message: string;
  readonly allowed?: string;
  /** A field that the server would drop: all others can be judged as if it were not there. */
  readonly unknown?: true;
}

/** One error of the validator as a sentence: the value, what may stand there, what to do. */
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
  // The rule for the key itself, which comes as an error of its own, says more.
  if (keyword === 'propertyNames') return undefined;
  if (error.propertyName !== undefined)
    return {
      path: [...path, error.propertyName],
      message: `the name ${quote(error.propertyName)} is not allowed`,
      allowed: allowedBy(schema),
    };
  if (keyword === 'type') {
    const nested = path.at(-1) === 'resources' && path.at(-2) === 'limits' && isRecord(data);
    const allowed = nested ? `its entries one level up: limits: ${flow(data)}` : undefined;
    return { path, message: wrongType(data, schema), allowed: allowed ?? typeAllowed(data, schema) };
  }
  if (keyword === 'enum') return wrongValue(path, data, schema);
  if (keyword === 'format' || keyword === 'pattern') return wrongText(path, data, schema);
  if (keyword === 'uniqueItems') return { path, message: 'has one value twice', allowed: 'each value once' };
  const wanted = keyword === 'minItems' ? wantedField(String(path.at(-1)), undefined) : undefined;
  return { path, message: sizeMessage(keyword, data), allowed: wanted ?? sizeAllowed(schema) };
}

/** A small map as YAML writes it within a line. */
function flow(data: Readonly<Record<string, unknown>>): string {
  return `{${Object.entries(data)
    .slice(0, 8)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : quote(value)}`)
    .join(', ')}}`;
}

function wrongValue(path: Path, data: unknown, schema: Schema): Explanation {
  const former = typeof data === 'string' ? fieldOf(FORMER_VALUES, data) : undefined;
  const hint = typeof data === 'string' ? placeholderHint(data) : '';
  const message = `${quote(data)} is not allowed${didYouMean(data, schema.enum ?? [])}${hint}`;
  return { path, message, allowed: former ?? allowedBy(schema) };
}

function wrongText(path: Path, data: unknown, schema: Schema): Explanation {
  const hint = typeof data === 'string' ? placeholderHint(data) : '';
  return { path, message: `${quote(data)} is not allowed${hint}`, allowed: textAllowed(data, schema) };
}

/** What the schema accepts, after the very text where a slip tells it. */
function textAllowed(data: unknown, schema: Schema): string {
  const words = allowedBy(schema);
  return /^(?:a duration|hours and minutes)/.test(words) ? durationAllowed(String(data), words) : words;
}

interface Absent {
  readonly path: Path;
  readonly name: string;
  readonly schema: Schema;
  /** The object that lacks the field, or has one too many. */
  readonly data: unknown;
}

function missing({ path, name, schema, data }: Absent): Explanation {
  const field = fieldOf(schema.properties ?? {}, name);
  const allowed = wantedField(name, data) ?? (field === undefined ? undefined : allowedBy(field));
  return { path: [...path, name], message: 'is missing', ...(allowed !== undefined && { allowed }) };
}

interface Stranger extends Absent {
  readonly root: Schema;
}

/** More names than this are no help to a reader who is told the nearest. */
const NAMES_WORTH_LISTING = 12;

function unknownField({ path, name, schema, data, root }: Stranger): Explanation {
  const known = Object.keys(schema.properties ?? {}).filter((field) => field !== 'status');
  const nearest = suggest(name, known);
  const value = isRecord(data) ? fieldOf(data, name) : undefined;
  const moved = name === 'apiVersion' && path.at(-1) !== 'nodeClassRef' ? undefined : movedField(name, value);
  const places = nearest === undefined && moved === undefined ? placesOf(name, root, '') : [];
  const elsewhere = places.find((place) => !place.startsWith('metadata.')) ?? places[0];
  if (moved !== undefined)
    return { path: [...path, name], message: 'this field does not exist here', allowed: moved, unknown: true };
  if (elsewhere !== undefined)
    return {
      path: [...path, name],
      message: 'this field does not belong here',
      allowed: `it as ${elsewhere}`,
      unknown: true,
    };
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return {
    path: [...path, name],
    message: `this field does not exist${hint}`,
    allowed: nearest !== undefined && known.length > NAMES_WORTH_LISTING ? nearest : `one of ${known.join(', ')}`,
    unknown: true,
  };
}

/** Where else in the kind a field of this name is: most often one level up or down. */
function placesOf(name: string, schema: Schema, prefix: string): readonly string[] {
  const here = Object.entries(schema.properties ?? {}).flatMap(([field, inner]) => {
    const place = prefix === '' ? field : `${prefix}.${field}`;
    return field === name ? [place] : placesOf(name, inner, place);
  });
  return schema.items === undefined ? here : [...here, ...placesOf(name, schema.items, `${prefix}[]`)];
}

function wrongType(data: unknown, schema: Schema): string {
  if (data === null) return 'has no value';
  const shown = isRecord(data)
    ? 'a map'
    : Array.isArray(data)
      ? 'a list'
      : `${quote(data)} is ${typeNames[typeof data] ?? typeof data}`;
  return isRecord(data) || Array.isArray(data)
    ? `is ${shown}`
    : `${shown}${schema.type === 'integer' && typeof data === 'number' ? ' that is not whole' : ''}`;
}

const typeNames: Readonly<Record<string, string>> = { string: 'text', number: 'a number', boolean: 'true or false' };

function typeAllowed(data: unknown, schema: Schema): string {
  const types: readonly string[] = [schema.type ?? []].flat();
  if ((Number.isFinite(data) || typeof data === 'boolean') && types.includes('string')) {
    return accepts(schema, String(data)) ? `it in quotes: ${quote(String(data))}` : textAllowed(data, schema);
  }
  if (typeof data === 'string' && types.includes('integer') && /^\d+$/.test(data)) return `it without quotes: ${data}`;
  if (typeof data === 'string' && types.includes('boolean')) return 'true or false, without quotes';
  return allowedBy(schema);
}

function accepts({ enum: values, pattern, format, minLength = 0, maxLength = 10_000 }: Schema, text: string): boolean {
  if (text.length < minLength || text.length > maxLength) return false;
  if (values !== undefined && !values.includes(text)) return false;
  if (pattern !== undefined && !new RegExp(pattern).test(text)) return false;
  return !isFormatName(format) || hasFormat(format, text);
}

/** What a schema accepts, to complete "write …". */
function allowedBy(schema: Schema): string {
  if (schema.enum !== undefined)
    return schema.enum.length === 1
      ? String(schema.enum[0])
      : `one of ${schema.enum.map((value) => (value === '' ? '""' : value)).join(', ')}`;
  if (schema.allowed !== undefined) return schema.allowed;
  if (isFormatName(schema.format)) return FORMATS[schema.format].allowed;
  if (schema.format === 'date-time') return 'a time such as 2026-01-31T12:00:00Z';
  const [type]: readonly string[] = [schema.type ?? []].flat();
  switch (type ?? 'string') {
    case 'object': {
      const fields = Object.keys(schema.properties ?? {});
      const wanted = schema.required !== undefined && schema.required.length > 0 ? schema.required : fields;
      return wanted.length === 0
        ? 'a map'
        : `a map with ${wanted.slice(0, 8).join(', ')}${wanted.length > 8 ? ', …' : ''}`;
    }
    case 'array':
      return `a list${schema.minItems === undefined ? '' : ` of at least ${schema.minItems}`}, each entry after "- "`;
    case 'integer':
      return numberRange('a whole number', schema);
    case 'number':
      return numberRange('a number', schema);
    case 'boolean':
      return 'true or false';
    default:
      return schema.minLength === undefined ? 'text' : 'text that is not empty';
  }
}

function numberRange(noun: string, { minimum, maximum }: Schema): string {
  if (minimum !== undefined && maximum !== undefined && maximum < 2_147_483_647)
    return `${noun} from ${minimum} to ${maximum}`;
  return minimum === undefined ? noun : `${noun} of ${minimum} or more`;
}

function sizeMessage(keyword: string, data: unknown): string {
  const count = isRecord(data) ? Object.keys(data).length : Array.isArray(data) ? data.length : undefined;
  if (count !== undefined) return `has ${count === 0 ? 'no entry' : count === 1 ? '1 entry' : `${count} entries`}`;
  if (keyword === 'minLength' || keyword === 'maxLength')
    return `${quote(data)} is too ${keyword === 'minLength' ? 'short' : 'long'}`;
  return `${quote(data)} is too ${keyword === 'minimum' ? 'small' : 'large'}`;
}

function sizeAllowed(schema: Schema): string {
  const least = schema.minItems ?? schema.minProperties;
  const most = schema.maxItems ?? schema.maxProperties;
  if (least !== undefined && most !== undefined) return `${least} to ${most} entries`;
  if (least !== undefined) return `at least ${least} ${least === 1 ? 'entry' : 'entries'}`;
  if (most !== undefined) return `at most ${most} entries`;
  return schema.maxLength === undefined ? allowedBy(schema) : `at most ${schema.maxLength} characters`;
}

function didYouMean(data: unknown, values: readonly string[]): string {
  const nearest = typeof data === 'string' && data !== '' ? suggest(data, values) : undefined;
  return nearest === undefined || values.length === 1 ? '' : `; did you mean ${nearest}?`;
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

/** The schema around the keyword that failed: the validator hands back the one that it was given. */
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
