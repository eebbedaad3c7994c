import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { stringify } from 'yaml';
import { customResourceDefinition } from '../../lib/apis/custom-resource-definition.ts';
import { CUSTOM_RESOURCES } from '../../lib/apis/custom-resources.ts';
import type { CustomResource } from '../../lib/apis/schemas/custom-resource.ts';
import { SCENARIO } from '../../lib/apis/schemas/scenario.ts';
import type { Schema } from '../../lib/apis/schemas/schema.ts';
import { jsonSchemaFiles } from './json-schemas.ts';

/** The generated files: path from the root of the project, and text. */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const resource of CUSTOM_RESOURCES) {
    files.set(`lib/apis/generated/${kebabCase(resource.kind)}.ts`, await typesOf(resource));
    files.set(`data/crds/${resource.group}_${resource.plural}.yaml`, definitionOf(resource));
  }
  files.set('lib/apis/generated/scenario-manifest.ts', await scenarioTypes());
  return new Map([...files, ...jsonSchemaFiles()]);
}

const HEADER = 'Generated from lib/apis/schemas by `npm run generate`: do not edit.';

function definitionOf(resource: CustomResource): string {
  const yaml = stringify(customResourceDefinition(resource), { lineWidth: 0, aliasDuplicateObjects: false });
  return `# ${HEADER}\n${yaml}`;
}

/** The project's types that a schema may name. */
const IMPORTS: readonly (readonly [string, readonly string[]])[] = [
  ['../kubelet-configuration.ts', ['KubeletConfiguration']],
  ['../kubernetes.ts', ['Condition', 'NodeSelectorRequirement', 'ObjectMeta', 'PodTemplate', 'ResourceList', 'Taint']],
];

async function typesOf(resource: CustomResource): Promise<string> {
  const { group, version, kind, description, spec, status } = resource;
  const root: JSONSchema = {
    title: kind,
    description,
    type: 'object',
    properties: {
      apiVersion: { const: `${group}/${version}` },
      kind: { const: kind },
      metadata: { tsType: 'ObjectMeta' },
      spec: jsonSchema(spec),
      status: jsonSchema(status),
    },
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
    additionalProperties: false,
  };
  return typesFile(root, kind);
}

/** The Scenario is not a custom resource: it has no CRD. */
async function scenarioTypes(): Promise<string> {
  const { properties = {}, description, required } = SCENARIO;
  const { apiVersion = {}, kind = {}, spec = {} } = properties;
  const root: JSONSchema = {
    title: 'ScenarioManifest',
    ...(description !== undefined && { description }),
    type: 'object',
    properties: {
      apiVersion: jsonSchema(apiVersion),
      kind: jsonSchema(kind),
      metadata: { tsType: 'ObjectMeta' },
      spec: jsonSchema(spec),
    },
    required: [...(required ?? [])],
    additionalProperties: false,
  };
  return typesFile(root, 'ScenarioManifest');
}

async function typesFile(root: JSONSchema, title: string): Promise<string> {
  const body = await compile(root, title, {
    bannerComment: '',
    ignoreMinAndMaxItems: true,
    style: { singleQuote: true, printWidth: 120 },
  });
  const imports = IMPORTS.flatMap(([from, names]) => {
    const used = names.filter((name) => new RegExp(`: ${name}\\b`).test(body));
    return used.length === 0 ? [] : [`import type { ${used.join(', ')} } from '${from}';\n`];
  });
  return `/* ${HEADER} */\n${imports.join('')}\n${body.trimStart()}`;
}

/** The type of a stored object: fields with a default are present. */
function jsonSchema(schema: Schema): JSONSchema {
  const { title, description, tsType, type, properties, required, items, additionalProperties } = schema;
  const values = schema.enum;
  if (tsType !== undefined) return { tsType, ...(description !== undefined && { description }) };
  if (schema['x-kubernetes-int-or-string']) return { tsType: 'number | string', ...(description && { description }) };
  const defaulted = Object.entries(properties ?? {}).flatMap(([name, { default: filled }]) =>
    filled === undefined ? [] : [name],
  );
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(typeof type === 'string' && { type }),
    ...(values !== undefined && { enum: [...values] }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, jsonSchema(value)])),
      required: [...new Set([...(required ?? []), ...defaulted])],
    }),
    ...(items !== undefined && { items: jsonSchema(items) }),
    additionalProperties: typeof additionalProperties === 'object' ? jsonSchema(additionalProperties) : false,
  };
}

function kebabCase(kind: string): string {
  return kind
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();
}
