import type { KnownFigures } from '../core/advice/known-figures.ts';
import { indexTypes } from '../core/advice/type-index.ts';
import { shippedFacts, shippedZones } from './figures.ts';
import { suggest } from './manifests/suggest.ts';

/** Returns the bundled instance types and zones of all regions, to find names in a manifest that do not exist. */
export function shippedFigures(): KnownFigures {
  return { types: indexTypes(shippedFacts()), zones: shippedZones(), suggest };
}
