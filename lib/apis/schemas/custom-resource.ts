import { OBJECT_META } from './object-meta.ts';
import { resource, type Schema } from './schema.ts';

/** A column of `kubectl get`; one with a priority is shown by `-o wide` only. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  readonly description?: string;
  readonly priority?: 1;
}

/** A kind of our own or of Karpenter's: the one source of its CRD, its TypeScript type and its validation. */
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
  /** The server takes an object without a spec. */
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

/** The schema of a whole object as people write it; the status is the server's. */
export function manifestSchema({ group, version, kind, spec }: CustomResource): Schema {
  return resource({ apiVersion: `${group}/${version}`, kind }, { metadata: OBJECT_META, spec });
}
