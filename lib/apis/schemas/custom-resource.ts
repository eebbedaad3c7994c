import { OBJECT_META_SCHEMA } from './object-meta.ts';
import { resource, type Schema } from './schema.ts';

/** A column of `kubectl get`. A column with a priority is shown only by `-o wide`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  readonly description?: string;
  readonly priority?: 1;
}

/** The definition of a kind, from which its CRD, TypeScript type and validation are generated. */
export interface CustomResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly category: string;
  readonly scope: 'Cluster' | 'Namespaced';
  readonly description: string;
  readonly columns: readonly PrinterColumn[];
  readonly spec: Schema;
  /** The server accepts an object without a spec. */
  readonly specIsOptional?: true;
  readonly status: Schema;
  /** The paths of the scale subresource, where the kind has one. */
  readonly scale?: { readonly specReplicasPath: string; readonly statusReplicasPath: string };
}

export const READY_COLUMN: PrinterColumn = {
  name: 'Ready',
  type: 'string',
  jsonPath: '.status.conditions[?(@.type=="Ready")].status',
};
export const AGE_COLUMN: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** The schema of an object in a manifest, without the status, which only the server writes. */
export function manifestSchema({ group, version, kind, spec }: CustomResource): Schema {
  return resource({ apiVersion: `${group}/${version}`, kind }, { metadata: OBJECT_META_SCHEMA, spec });
}
