import type { ControllerPorts } from './ports.ts';

/** Instance types, zones and prices of the region → the table, for every cluster of the account. */
export async function refreshCatalogue(ports: Pick<ControllerPorts, 'cloud' | 'catalogue'>): Promise<void> {
  await ports.catalogue.writeCatalogue(await ports.cloud.describeCatalogue());
}
