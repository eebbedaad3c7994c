import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FORMATS, isFormatName } from '../../lib/apis/schemas/formats.ts';
import { SCENARIO } from '../../lib/apis/schemas/scenario.ts';
import type { Schema } from '../../lib/apis/schemas/schema.ts';

/** The example of the page. */
export const SCENARIO_EXAMPLE: string = join(import.meta.dirname, 'scenario-example.yaml');

/** The text of docs/scenario.md. */
export function scenarioDocument(): string {
  const example = readFileSync(SCENARIO_EXAMPLE, 'utf8');
  const spec = SCENARIO.properties?.['spec'] ?? {};
  return [
    INTRODUCTION,
    '## Example\n',
    `${indented(example)}\n`,
    '## Fields of the object\n',
    '`apiVersion` is `kerf.dev/v1alpha1`, and `kind` is `Scenario`. `metadata.name` is required.\n',
    ...sectionsOf('spec', spec),
  ].join('\n');
}

const INTRODUCTION = `<!-- Generated from lib/apis/schemas by \`npm run generate\`: do not edit. -->
# Scenario

${SCENARIO.description ?? ''} The files of one simulation have at most one Scenario.
\`kerf validate\` checks it, and \`kerf simulate\` runs it:

    npm run --silent kerf -- simulate nodepools.yaml workloads.yaml scenario.yaml
`;

/** An object of the schema and, after it, the objects in it. */
function sectionsOf(path: string, schema: Schema): readonly string[] {
  const { properties = {}, required = [], description } = schema;
  const fields = Object.entries(properties);
  const rows = fields.map(([name, field]) => rowOf(`${path}.${name}`, field, required.includes(name)));
  const table = ['| field | type | meaning |', '|---|---|---|', ...rows].join('\n');
  return [
    `## ${path}\n`,
    ...(description === undefined ? [] : [`${description}\n`]),
    ...(rows.length === 0 ? [] : [`${table}\n`]),
    ...fields.flatMap(([name, field]) => {
      const [inner, suffix] = objectIn(field);
      return inner === undefined ? [] : sectionsOf(`${path}.${name}${suffix}`, inner);
    }),
  ];
}

function rowOf(path: string, schema: Schema, isRequired: boolean): string {
  const name = path.slice(path.lastIndexOf('.') + 1);
  const meaning = `${isRequired ? 'Required. ' : ''}${schema.description ?? ''}${defaultOf(schema)}`;
  return `| \`${name}\` | ${typeOf(path, schema)} | ${cell(meaning)} |`;
}

function defaultOf(schema: Schema): string {
  return schema.default === undefined ? '' : ` Default: ${JSON.stringify(schema.default)}.`;
}

/** The type in words, with what is allowed. Objects link to their section. */
function typeOf(path: string, schema: Schema): string {
  const [inner, suffix] = objectIn(schema);
  if (inner !== undefined) {
    const link = `[object](#${anchorOf(`${path}${suffix}`)})`;
    return suffix === '' ? link : `list of ${link}`;
  }
  if (schema.tsType === 'PodTemplate') return 'pod template of Kubernetes';
  if (schema.items !== undefined) return `list: ${typeOf(path, schema.items)}`;
  if (schema.enum !== undefined) return `one of ${schema.enum.map((value) => `\`${value}\``).join(', ')}`;
  if (isFormatName(schema.format)) return cell(FORMATS[schema.format].allowed);
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  return `${types.map((type) => TYPES[type]).join(' or ')}${limitsOf(schema)}`;
}

const TYPES: Readonly<Record<string, string>> = {
  object: 'object',
  array: 'list',
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
};

/** Larger limits are those of the number's representation, and tell a reader nothing. */
const MAX_TOLD = 1_000_000;

function limitsOf({ minimum, maximum }: Schema): string {
  const most = maximum !== undefined && maximum <= MAX_TOLD ? maximum : undefined;
  if (minimum !== undefined && most !== undefined) return ` from ${minimum} to ${most}`;
  if (minimum !== undefined) return `, at least ${minimum}`;
  return most === undefined ? '' : `, at most ${most}`;
}

/** The object that a field contains, itself or in a list, and the suffix of its path. */
function objectIn(schema: Schema): readonly [Schema | undefined, string] {
  const item = schema.items ?? schema;
  // Kubernetes documents pod templates.
  if (item.tsType === 'PodTemplate') return [undefined, ''];
  return [item.properties === undefined ? undefined : item, schema.items === undefined ? '' : '[]'];
}

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').trim();
}

function indented(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? '' : `    ${line}`))
    .join('\n');
}
