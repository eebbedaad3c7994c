/** Fields that several parts of a Scenario have. */
import { described, enumSchema, listOf, type Schema, TEXT, textSchema } from './schema.ts';

export const DURATION: Schema = textSchema('go-duration');
const NAMES: Schema = listOf(TEXT, { minItems: 1 });
export const POSITIVE: Schema = { type: 'integer', minimum: 1, maximum: 2_147_483_647 };
export const PERCENT: Schema = { type: 'integer', minimum: 0, maximum: 100 };

export const ZONES: Schema = described('The names of zones, such as us-east-1a. Default: all zones.', NAMES);
export const INSTANCE_TYPES: Schema = described(
  'The names of instance types, such as m7g.large. Default: all types.',
  NAMES,
);
export const OF_NODE_POOL: Schema = described('The name of a NodePool. Default: all NodePools.', TEXT);

/** How long an event lasts. */
export const FOR: Schema = described(
  'How long it lasts, such as 10m or 1h30m. Default: until the end of the simulation.',
  DURATION,
);
export const CAPACITY_TYPES: Schema = described(
  'on-demand, spot or reserved. Default: all of them.',
  listOf(enumSchema('on-demand', 'spot', 'reserved'), { minItems: 1 }),
);

/** A simulation of more pods takes too long in one process. */
export const MAX_PODS = 20_000;
