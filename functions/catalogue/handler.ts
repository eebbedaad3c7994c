import { refreshCatalogue } from '../../lib/controllers/catalogue.ts';
import { wireCatalogue } from '../../lib/operator/catalogue.ts';

const ports = wireCatalogue();

/** Woken twice a day, and by a function that finds no catalogue. However many wakes a batch holds, one refresh answers all. */
export async function handler(): Promise<void> {
  await refreshCatalogue(ports);
}
