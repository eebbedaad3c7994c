import {
  BOOLEAN,
  COUNT,
  DATE_TIME,
  enumSchema,
  listOf,
  type Schema,
  STRING,
  STRING_MAP,
  STRINGS,
  TEXT,
} from '../apis/schemas/schema.ts';
import type { NodePoolView } from '../core/model/cluster-snapshot.ts';
import type { WorkloadSelector } from '../core/model/settings.ts';
import { open } from './open-schema.ts';

/** The schema of the fields of a snapshot that are not lists of objects. */
export const HEAD_SCHEMA: Schema = open({
  formatVersion: { type: 'integer', minimum: 1, maximum: 1 },
  name: STRING,
  description: STRING,
  seed: { type: 'number' },
  instanceTypesFile: TEXT,
  instanceTypeNames: STRINGS,
  nodePoolInstanceTypes: { type: 'object', additionalProperties: STRINGS },
  complete: BOOLEAN,
  epoch: COUNT,
  decided: open(
    {
      function: TEXT,
      decisionId: TEXT,
      refused: STRINGS,
      refusedTaints: STRINGS,
      taints: BOOLEAN,
      verdict: { type: 'object' },
    },
    ['function', 'decisionId', 'refused', 'taints', 'verdict'],
  ),
  unusableNodePools: {
    type: 'object',
    additionalProperties: open({ reason: TEXT, message: STRING }, ['reason', 'message']),
  },
  options: open({
    preferencePolicy: enumSchema('Respect', 'Ignore'),
    preferencePriceFactor: { type: 'number', minimum: 1 },
    minValuesPolicy: enumSchema('Strict', 'BestEffort'),
    reservedCapacity: BOOLEAN,
    spotToSpotConsolidation: BOOLEAN,
    fleetConsolidation: BOOLEAN,
    lowScoreWaits: BOOLEAN,
    softTaints: BOOLEAN,
    staticCapacity: BOOLEAN,
    now: DATE_TIME,
    reservedFallback: BOOLEAN,
    ignoreAtZero: listOf(open({ namespace: TEXT, labels: STRING_MAP })),
  }),
});

/** A decision with what else it has read. */
export interface StoredDecision {
  readonly function: string;
  readonly decisionId: string;
  /** NodeClaims whose deletion was refused a short time before. */
  readonly refused: readonly string[];
  /** Nodes whose taints could not be changed a short time before. */
  readonly refusedTaints?: readonly string[];
  readonly taints: boolean;
  /** A `Verdict`. */
  readonly verdict: object;
}

export interface SnapshotHead {
  readonly formatVersion?: 1;
  readonly name?: string;
  readonly description?: string;
  readonly seed?: number;
  readonly instanceTypesFile?: string;
  readonly instanceTypeNames?: readonly string[];
  readonly nodePoolInstanceTypes?: Readonly<Record<string, readonly string[]>>;
  /** The snapshot is complete: absent objects do not exist in the cluster, and no defaults are added. @default false */
  readonly complete?: boolean;
  readonly epoch?: number;
  /** The decision that was made on this snapshot. */
  readonly decided?: StoredDecision;
  /** Why NodePools cannot launch nodes. @default from their status and that of their NodeClass */
  readonly unusableNodePools?: Readonly<Record<string, NonNullable<NodePoolView['unusable']>>>;
  readonly options?: {
    readonly preferencePolicy?: 'Respect' | 'Ignore';
    readonly preferencePriceFactor?: number;
    readonly minValuesPolicy?: 'Strict' | 'BestEffort';
    readonly reservedCapacity?: boolean;
    readonly spotToSpotConsolidation?: boolean;
    readonly fleetConsolidation?: boolean;
    readonly lowScoreWaits?: boolean;
    readonly softTaints?: boolean;
    readonly staticCapacity?: boolean;
    readonly now?: string;
    readonly reservedFallback?: boolean;
    /** @default as in the settings: pods of kube-system */
    readonly ignoreAtZero?: readonly WorkloadSelector[];
  };
}
