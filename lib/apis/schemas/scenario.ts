import { OBJECT_META_SCHEMA } from './object-meta.ts';
import { BOOLEAN, COUNT, closed, enumSchema, listOf, resource, type Schema, TEXT, textSchema } from './schema.ts';

const NAMES: Schema = listOf(TEXT, { minItems: 1 });

/** An event at the time `at`. Another rule requires exactly one of the other fields. */
const EVENT: Schema = closed(
  {
    at: textSchema('go-duration'),
    scale: closed({ deployment: textSchema('object-reference'), replicas: COUNT }, ['deployment', 'replicas']),
    deleteNode: closed({ name: TEXT, nodePool: TEXT, any: BOOLEAN }),
    interruptSpot: closed({ nodePool: TEXT, count: { type: 'integer', minimum: 1 } }),
    withoutCapacity: closed({
      instanceTypes: NAMES,
      zones: NAMES,
      capacityTypes: listOf(enumSchema('on-demand', 'spot', 'reserved'), { minItems: 1 }),
      for: textSchema('go-duration'),
    }),
    deletePod: closed({ pod: textSchema('object-reference') }, ['pod']),
  },
  ['at'],
);

export const SCENARIO: Schema = resource(
  { apiVersion: 'kerf.dev/v1alpha1', kind: 'Scenario' },
  {
    metadata: OBJECT_META_SCHEMA,
    spec: closed(
      {
        seed: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
        region: TEXT,
        duration: textSchema('go-duration'),
        events: listOf(EVENT),
      },
      ['events'],
    ),
  },
);
