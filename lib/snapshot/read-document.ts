import { Ajv, type ValidateFunction } from 'ajv';
import { BadInputError } from '../apis/bad-input-error.ts';
import { counted } from '../apis/counted.ts';
import { withDefaults } from '../apis/formats/with-defaults.ts';
import { fieldOf, isRecord, type UnknownRecord } from '../apis/record.ts';
import type { Schema } from '../apis/schemas/schema.ts';
import { AJV_OPTIONS } from '../manifests/check/ajv-options.ts';
import { FORMAT_CHECKS, isDateTime } from '../manifests/check/format-checks.ts';
import { explain } from '../manifests/explain/explain.ts';
import { formatPath, type Path, sentenceOf } from '../manifests/explain/problem.ts';
import {
  ENTRY_SCHEMAS,
  HEAD_SCHEMA,
  type ListName,
  type SnapshotHead,
  type SnapshotLists,
  WITH_DEFAULTS,
} from './document-schemas.ts';

/** One JSON file of a snapshot, whose parts are checked as they are asked for. */
export interface SnapshotDocument {
  readonly file: string;
  readonly head: SnapshotHead;
  readonly fields: readonly string[];
  /** *Errors:* BadInputError where something in the list has not the form that it must have. */
  list<K extends ListName>(name: K): SnapshotLists[K];
}

/** Lines that one message may have: a file that is wrong throughout is not worth more. */
const MAX_PROBLEMS = 10;
/** No API object is nested so deep. */
const DEEPEST = 200;

/**
 * Reads the text of a snapshot. *Errors:* BadInputError that names the field, its value and what is allowed.
 * *Cost:* O(size of the text).
 */
export function readDocument(text: string, file: string): SnapshotDocument {
  const whole = parseJson(text, file);
  if (!isRecord(whole))
    throw new BadInputError(
      `${file}: is ${kindOf(whole)}, not a snapshot: write an object with nodePools, instanceTypes and pods`,
    );
  if (!isHead(whole, file)) throw new BadInputError(`${file}: is no snapshot`);
  return {
    file,
    head: whole,
    fields: Object.keys(whole),
    list: (name) => readList(whole, name, file),
  };
}

/** Throws the problems of a snapshot, the first of them where there are many. */
export function refuse(file: string, problems: readonly string[]): never {
  const more = problems.length - MAX_PROBLEMS;
  throw new BadInputError(
    [
      ...problems.slice(0, MAX_PROBLEMS).map((problem) => `${file}: ${problem}`),
      ...(more > 0 ? [`${file}: ${counted(more, 'more problem')}`] : []),
    ].join('\n'),
  );
}

function parseJson(text: string, file: string): unknown {
  try {
    // Windows begins a text with a mark that JSON does not know.
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    // A text without the word has no field without a value, as most.
    return text.includes('null') ? withoutNulls(value, 0) : value;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new BadInputError(`${file}: is not valid JSON: ${why}`, { cause });
  }
}

/** Go writes a field that has no value as null: it is not there. */
function withoutNulls(value: unknown, depth: number): unknown {
  if (depth > DEEPEST) throw new RangeError(`it is nested more than ${DEEPEST} levels deep`);
  if (Array.isArray(value)) return value.map((one) => withoutNulls(one, depth + 1));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) =>
      field === null ? [] : [[name, withoutNulls(field, depth + 1)] as const],
    ),
  );
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return value === null ? 'null' : `a ${typeof value}`;
}

function isHead(value: unknown, file: string): value is SnapshotHead {
  return conforms(value, { schema: HEAD_SCHEMA, at: [], file });
}

function readList<K extends ListName>(whole: UnknownRecord, name: K, file: string): SnapshotLists[K] {
  const given = fieldOf(whole, name) ?? [];
  const entries: unknown =
    WITH_DEFAULTS.has(name) && Array.isArray(given) && fieldOf(whole, 'complete') !== true
      ? given.map((entry: unknown) => withDefaults(entry, ENTRY_SCHEMAS[name]))
      : normalized(name, given);
  if (!isList(name, entries, file)) throw new BadInputError(`${file}: ${name} cannot be read`);
  return entries;
}

/** A node alone stands for its nomination. */
function normalized(name: ListName, given: unknown): unknown {
  if (name !== 'nominations' || !Array.isArray(given)) return given;
  return given.map((entry: unknown) => (typeof entry === 'string' ? { node: entry } : entry));
}

function isList<K extends ListName>(name: K, value: unknown, file: string): value is SnapshotLists[K] {
  if (Array.isArray(value) && value.length === 0) return true;
  return conforms(value, { schema: listSchema(name), at: [name], file });
}

interface Check {
  readonly schema: Schema;
  readonly at: Path;
  readonly file: string;
}

/** *Errors:* BadInputError with what is wrong, each at its place. */
function conforms(value: unknown, { schema, at, file }: Check): boolean {
  const validate = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, validate);
  if (validate(value)) return true;
  const problems = (validate.errors ?? []).flatMap((error) => explain(error, { value, schema }) ?? []);
  return refuse(
    file,
    problems.map(({ path, ...problem }) => `${formatPath([...at, ...path])}: ${inJson(sentenceOf(problem))}`),
  );
}

/** The words are those for manifests, which are YAML. */
function inJson(sentence: string): string {
  return sentence.replace(/, each entry after "- "$/, '');
}

const listSchemas = new Map<ListName, Schema>();

function listSchema(name: ListName): Schema {
  const schema: Schema = listSchemas.get(name) ?? { type: 'array', items: ENTRY_SCHEMAS[name] };
  listSchemas.set(name, schema);
  return schema;
}

/** Compiling takes most of the time of a small run, so each list waits until a file has one. */
const compiled = new Map<Schema, ValidateFunction>();

const ajv = new Ajv(AJV_OPTIONS);
for (const [name, check] of FORMAT_CHECKS) ajv.addFormat(name, remembered(check));
ajv.addFormat('int32', { type: 'number', validate: (value: number) => Math.abs(value) <= 2 ** 31 });
ajv.addFormat('int64', true);
ajv.addFormat('date-time', remembered(isDateTime));

/** Ten thousands of pods ask for a few dozen amounts. */
function remembered(check: (text: string) => boolean): (text: string) => boolean {
  const known = new Map<string, boolean>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const answer = check(text);
    known.set(text, answer);
    return answer;
  };
}
