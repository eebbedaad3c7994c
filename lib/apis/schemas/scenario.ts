import { OBJECT_META } from './object-meta.ts';
import { BOOLEAN, COUNT, closed, listOf, oneOf, resource, type Schema, TEXT, text } from './schema.ts';

const NAMES: Schema = listOf(TEXT, { minItems: 1 });

/** An event at the time `at`. Another rule requires exactly one of the other fields. */
const EVENT: Schema = closed(
  {
    at: text('go-duration'),
    scale: closed({ deployment: text('object-reference'), replicas: COUNT }, ['deployment', 'replicas']),
    deleteNode: closed({ name: TEXT, nodePool: TEXT, any: BOOLEAN }),
    interruptSpot: closed({ nodePool: TEXT, count: { type: 'integer', minimum: 1 } }),
    withoutCapacity: closed({
      instanceTypes: NAMES,
      zones: NAMES,
      capacityTypes: listOf(oneOf('on-demand', 'spot', 'reserved'), { minItems: 1 }),
      for: text('go-duration'),
    }),
    deletePod: closed({ pod: text('object-reference') }, ['pod']),
  },
  ['at'],
);

export const SCENARIO: Schema = resource(
  { apiVersion: 'kerf.dev/v1alpha1', kind: 'Scenario' },
  {
    metadata: OBJECT_META,
    spec: closed(
      {
        seed: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
        region: TEXT,
        duration: text('go-duration'),
        events: listOf(EVENT),
      },
      ['events'],
    ),
  },
);
