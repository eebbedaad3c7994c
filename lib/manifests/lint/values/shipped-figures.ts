import { shippedFacts, shippedTypesAsOf, shippedZones } from '../../../catalogue/figures.ts';
import { suggest } from '../../../core/suggest.ts';
import type { KnownFigures } from './known-figures.ts';
import { indexTypes } from './type-index.ts';

/** Returns the bundled instance types and zones of all regions, to find names in a manifest that do not exist. */
export function shippedFigures(): KnownFigures {
  return { types: indexTypes(shippedFacts()), typesAsOf: shippedTypesAsOf(), zones: shippedZones(), suggest };
}
