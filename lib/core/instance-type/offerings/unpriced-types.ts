import { INSTANCE_TYPE } from '../../../apis/labels.ts';
import type { NodeOverlay } from '../../../apis/node-overlay.ts';
import { nodeOverlayProblems } from '../../validation/node-overlay.ts';
import type { Catalogue } from '../facts.ts';

/**
 * A4.12: adds prices for types without a price of EC2, from overlays that set a price and whose only requirement is a list of
 * instance type names. Existing prices stay; `applyOverlays` replaces them later.
 */
export function withOverlayPrices(catalogue: Catalogue, overlays: readonly NodeOverlay[]): Catalogue {
  const prices = new Map(overlays.flatMap(pricedTypes));
  if (prices.size === 0) return catalogue;
  const offerings = catalogue.offerings.map((one) => {
    const price = prices.get(one.type);
    if (price === undefined) return one;
    return {
      ...one,
      onDemandUsdPerHour: one.onDemandUsdPerHour ?? price,
      spotUsdPerHour: one.spotUsdPerHour ?? price,
    };
  });
  return { ...catalogue, offerings };
}

function pricedTypes(overlay: NodeOverlay): readonly (readonly [string, number])[] {
  const { price, requirements } = overlay.spec;
  const [only, ...others] = requirements;
  if (price === undefined || only === undefined || others.length > 0) return [];
  const usdPerHour = Number(price);
  const names = only.key === INSTANCE_TYPE && only.operator === 'In' ? (only.values ?? []) : [];
  if (!Number.isFinite(usdPerHour) || nodeOverlayProblems(overlay).length > 0) return [];
  return names.map((name) => [name, usdPerHour]);
}
