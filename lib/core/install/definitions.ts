/** Installs the CRDs of Kerf in a cluster that may already have CRDs of Karpenter or of another version of Kerf. */

import { counted } from '../../apis/counted.ts';
import { type CustomResourceDefinition, customResourceDefinition } from '../../apis/custom-resource-definition.ts';
import { CUSTOM_RESOURCES } from '../../apis/custom-resources.ts';
import { recordOf } from '../../apis/record.ts';

/** An existing CRD of the cluster. */
export interface FoundDefinition {
  /** Versions in which objects may be stored in etcd. */
  readonly storedVersions: readonly string[];
  /** True if the CRD has a conversion webhook, as the CRDs of Karpenter 1.0 had. */
  readonly convertedByWebhook: boolean;
  /** The schema of each version, `openAPIV3Schema`. */
  readonly schemas: Readonly<Record<string, unknown>>;
}

export interface WantedDefinition {
  readonly definition: CustomResourceDefinition;
  readonly version: string;
}

export type DefinitionStep =
  /** Apply by forced server-side apply. `instead`: the same write must remove a conversion webhook. */
  | { readonly kind: 'apply'; readonly instead: boolean }
  /** Keep the existing CRD, which is newer: the next write of each object would lose the fields that ours lacks. */
  | { readonly kind: 'keep'; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string };

export function wantedDefinitions(): readonly WantedDefinition[] {
  return CUSTOM_RESOURCES.map((resource) => ({
    definition: customResourceDefinition(resource),
    version: resource.version,
  }));
}

/**
 * Decides how to install the CRD of a kind. Kerf uses Karpenter's kinds with the same fields, so a CRD of Karpenter's Helm
 * chart is replaced and keeps the labels and annotations of the chart. No data is lost: neither a stored version nor a
 * field that objects may have is removed.
 */
export function definitionStep(
  { definition, version }: WantedDefinition,
  found: FoundDefinition | undefined,
): DefinitionStep {
  if (found === undefined) return { kind: 'apply', instead: false };
  const { name } = definition.metadata;
  const others = found.storedVersions.filter((stored) => stored !== version);
  if (others.length > 0) return { kind: 'refused', message: storedMessage(name, version, others) };
  const known = new Set(fieldsOf(schemaOf(definition)));
  const fields = fieldsOf(found.schemas[version]).filter((field) => !known.has(field));
  if (fields.length > 0) return { kind: 'keep', message: newerMessage(name, fields) };
  return { kind: 'apply', instead: found.convertedByWebhook };
}

const MAX_FIELDS = 5;

function newerMessage(name: string, fields: readonly string[]): string {
  const shown = fields.slice(0, MAX_FIELDS).join(', ');
  return `CRD ${name} is not changed: it has ${counted(fields.length, 'field')} that this version of Kerf does not have: ${shown}`;
}

function storedMessage(name: string, version: string, others: readonly string[]): string {
  return (
    `CRD ${name} may have objects stored as ${others.join(', ')}, but Kerf serves only ${version}. With the ` +
    `version of Karpenter that created it, rewrite every object (kubectl get ${name} -o json | kubectl replace -f -), set the CRD's ` +
    `status.storedVersions to ["${version}"], then deploy again`
  );
}

function schemaOf({ spec }: CustomResourceDefinition): unknown {
  const [version]: readonly unknown[] = arrayOf(recordOf(spec)['versions']);
  return recordOf(recordOf(version)['schema'])['openAPIV3Schema'];
}

/** *Shape:* the path of every field that an object may have: `spec.template.spec.taints[].key`. *Cost:* linear. */
function fieldsOf(schema: unknown, path = ''): readonly string[] {
  const { properties, items, additionalProperties } = recordOf(schema);
  const inside = Object.entries(recordOf(properties)).flatMap(([name, field]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return [at, ...fieldsOf(field, at)];
  });
  return [...inside, ...fieldsIn(items, `${path}[]`), ...fieldsIn(additionalProperties, `${path}.*`)];
}

function fieldsIn(schema: unknown, path: string): readonly string[] {
  return typeof schema === 'object' && schema !== null ? fieldsOf(schema, path) : [];
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
