/** The CRDs of Kerf in a cluster that may have others of the same kinds: Karpenter's own, or those of another version of Kerf. */
import { type CustomResourceDefinition, customResourceDefinition } from '../../apis/custom-resource-definition.ts';
import { CUSTOM_RESOURCES } from '../../apis/custom-resources.ts';

/** A definition that the cluster has. */
export interface FoundDefinition {
  /** Versions in which objects may lie in etcd. */
  readonly storedVersions: readonly string[];
  /** What is asked to turn an object of one version into one of another, as Karpenter's CRDs of 1.0 had it. */
  readonly convertedByWebhook: boolean;
  /** The schema of each version, `openAPIV3Schema`. */
  readonly schemas: Readonly<Record<string, unknown>>;
}

export interface WantedDefinition {
  readonly definition: CustomResourceDefinition;
  readonly version: string;
}

export type DefinitionStep =
  /** By server-side apply, by force. `instead`: of a conversion webhook, which must go in the same write. */
  | { readonly kind: 'apply'; readonly instead: boolean }
  /** It is newer than ours: fields that ours does not know would be lost at the next write of each object. */
  | { readonly kind: 'keep'; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string };

export function wantedDefinitions(): readonly WantedDefinition[] {
  return CUSTOM_RESOURCES.map((resource) => ({
    definition: customResourceDefinition(resource),
    version: resource.version,
  }));
}

/**
 * What becomes of the definition of a kind. The kinds are Karpenter's, and so is the meaning of every field: one that its Helm
 * chart made is taken over, and keeps the chart's marks. No object is ever lost by it: neither a version that objects lie in,
 * nor a field that they may have.
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

const MOST_FIELDS = 5;

function newerMessage(name: string, fields: readonly string[]): string {
  const shown = fields.slice(0, MOST_FIELDS).join(', ');
  return `CRD ${name} stays as it is: it has ${fields.length} fields that this version of Kerf does not know: ${shown}`;
}

function storedMessage(name: string, version: string, others: readonly string[]): string {
  return (
    `CRD ${name} says that objects may be stored as ${others.join(', ')}: Kerf serves ${version} alone. With the ` +
    `version of Karpenter that made it, write every object anew (kubectl get ${name} -o json | kubectl replace -f -), set the CRD's ` +
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

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
