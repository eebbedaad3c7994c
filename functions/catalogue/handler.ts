import { refreshCatalogue } from '../../lib/controllers/catalogue.ts';
import { wireCatalogue } from '../../lib/operator/wiring/catalogue.ts';

const { ports, telemetry } = wireCatalogue();

/** Runs twice a day, and when another function finds no catalogue. One refresh handles all wakes of a batch. */
export async function handler(): Promise<void> {
  const failures = await refreshCatalogue(ports);
  for (const failure of failures)
    telemetry.error('failed to read prices: the previous prices stay in use', failure, {});
}
