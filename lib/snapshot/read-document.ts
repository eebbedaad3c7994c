import { Ajv, type ValidateFunction } from 'ajv';
import { BadInputError } from '../apis/bad-input-error.ts';
import { counted } from '../apis/counted.ts';
import { withDefaults } from '../apis/formats/with-defaults.ts';
import { fieldOf, isRecord, type UnknownRecord } from '../apis/record.ts';
import type { Schema } from '../apis/schemas/schema.ts';
import { errorMessage } from '../core/error-message.ts';
import { AJV_OPTIONS } from '../manifests/check/ajv-options.ts';
import { FORMAT_CHECKS, isDateTime, isStatusTime } from '../manifests/check/format-checks.ts';
import { explain } from '../manifests/explain/explain.ts';
import { formatPath, type Path, sentenceOf } from '../manifests/explain/problem.ts';
import { ENTRY_SCHEMAS, type ListName, type SnapshotLists, WITH_DEFAULTS } from './document-schemas.ts';
import { HEAD_SCHEMA, type SnapshotHead } from './head-schema.ts';

/** One JSON file of a snapshot. Its lists are validated when they are read. */
export interface SnapshotDocument {
  readonly file: string;
  readonly head: SnapshotHead;
  readonly fields: readonly string[];
  /** *Errors:* BadInputError if the list has invalid entries. */
  list<K extends ListName>(name: K): SnapshotLists[K];
}

/** The maximum number of problems in one error message. */
const MAX_PROBLEMS = 10;
/** The maximum depth; API objects are not nested as deep. */
const MAX_DEPTH = 200;

/**
 * Parses the text of a snapshot. *Errors:* BadInputError with the field, its value and what is allowed.
 * *Cost:* O(size of the text).
 */
export function readDocument(
  text: string,
  file: string,
  content: 'snapshot' | 'instance types' = 'instance types',
): SnapshotDocument {
  const whole = parseJson(text, file);
  if (!isRecord(whole))
    throw new BadInputError(
      `${file}: is ${kindOf(whole)}, not a snapshot: write an object with nodePools, instanceTypes and pods`,
    );
  if (content === 'snapshot') refuseOther(whole, file);
  if (!isHead(whole, file)) throw new BadInputError(`${file}: is not a snapshot`);
  return {
    file,
    head: whole,
    fields: Object.keys(whole),
    list: (name) => readList(whole, name, file),
  };
}

/** A file without a list of a snapshot would be a cluster without pods, for which any plan is empty. */
function refuseOther(whole: UnknownRecord, file: string): void {
  if (Object.keys(ENTRY_SCHEMAS).some((name) => Array.isArray(fieldOf(whole, name)))) return;
  const [apiVersion, kind] = [fieldOf(whole, 'apiVersion'), fieldOf(whole, 'kind')];
  const isObject = typeof apiVersion === 'string' && typeof kind === 'string';
  // Otherwise, the error of the schema names the field.
  const fields = Object.keys(whole).filter((name) => name in ENTRY_SCHEMAS);
  if (fields.length > 0 && !isObject) return;
  const what = isObject ? `a Kubernetes ${kind} of ${apiVersion}` : 'an object without nodePools, nodes and pods';
  const instead = isObject ? `; to plan with its objects, pass the file with -f beside --snapshot` : '';
  throw new BadInputError(
    `${file}: is ${what}, not a snapshot: a snapshot is one JSON object with the lists nodePools, instanceTypes, nodes, pods and others, ` +
      `see docs/snapshot.md${instead}`,
  );
}

/** Throws a BadInputError with the first problems of a snapshot. */
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
    // Windows programs write a byte order mark, which is not valid JSON.
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    // Most texts do not contain null and need no second pass.
    return text.includes('null') ? withoutNulls(value, 0) : value;
  } catch (cause) {
    const why = errorMessage(cause);
    throw new BadInputError(
      `${file}: is not valid JSON: ${why.replaceAll('\n', ' ')}; write a JSON object, see docs/snapshot.md, and pass YAML manifests with -f`,
      { cause },
    );
  }
}

/** Removes fields with the value null, which Go writes for absent fields. */
function withoutNulls(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new RangeError(`it is nested more than ${MAX_DEPTH} levels deep`);
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

/** A nomination may be only the name of a node. */
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

/** *Errors:* BadInputError with the problems and their paths. */
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

/** Removes the hints for YAML from an error message. */
function inJson(sentence: string): string {
  return sentence.replace(/, each entry after "- "$/, '');
}

const listSchemas = new Map<ListName, Schema>();

function listSchema(name: ListName): Schema {
  const schema: Schema = listSchemas.get(name) ?? { type: 'array', items: ENTRY_SCHEMAS[name] };
  listSchemas.set(name, schema);
  return schema;
}

/** A schema is compiled when it is first needed, because compilation takes most of the time of a small run. */
const compiled = new Map<Schema, ValidateFunction>();

const ajv = new Ajv(AJV_OPTIONS);
for (const [name, check] of FORMAT_CHECKS) ajv.addFormat(name, remembered(check));
ajv.addFormat('int32', { type: 'number', validate: (value: number) => Math.abs(value) <= 2 ** 31 });
ajv.addFormat('int64', true);
ajv.addFormat('date-time', remembered(isDateTime));
ajv.addFormat('status-time', remembered(isStatusTime));

/** Tens of thousands of pods have only a few dozen different quantities. */
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
