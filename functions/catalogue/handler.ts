import { refreshCatalogue } from '../../lib/controllers/catalogue.ts';
import { wireCatalogue } from '../../lib/operator/catalogue.ts';

const { ports, telemetry } = wireCatalogue();

/** Woken twice a day, and by a function that finds no catalogue. However many wakes a batch holds, one refresh answers all. */
export async function handler(): Promise<void> {
  const failures = await refreshCatalogue(ports);
  for (const failure of failures) telemetry.error('prices were not read: the last known stay in force', failure, {});
}
