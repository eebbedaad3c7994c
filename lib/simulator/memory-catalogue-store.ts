import type { UnavailableOffering } from '../core/action.ts';
import type { Catalogue } from '../core/instance-type/facts.ts';
import type { CatalogueStore } from '../ports/catalogue-store.ts';

/** The catalogue's part of the table, in memory. */
export function memoryCatalogueStore(): CatalogueStore {
  let catalogue: Catalogue | undefined;
  const unavailable = new Map<string, UnavailableOffering>();
  return {
    readCatalogue: async () => catalogue,
    writeCatalogue: async (written) => {
      catalogue = written;
    },
    markUnavailable: async (offering) => {
      const key = `${offering.instanceType}/${offering.zone}/${offering.capacityType}`;
      if ((unavailable.get(key)?.untilMs ?? 0) < offering.untilMs) unavailable.set(key, offering);
    },
    listUnavailable: async (nowMs) => [...unavailable.values()].filter((offering) => offering.untilMs > nowMs),
  };
}
