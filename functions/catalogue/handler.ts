import { ownField } from '../../lib/apis/record.ts';
import { createCatalogue, refreshCatalogue } from '../../lib/controllers/catalogue.ts';
import { wireCatalogue } from '../../lib/operator/wiring/catalogue.ts';

const { ports, telemetry } = wireCatalogue();

/** Runs twice a day, when another function finds no catalogue, and when it is called by hand. */
export async function handler(event?: unknown): Promise<void> {
  const isMissing = ownField(event, 'reason') === 'missing';
  const failures = isMissing ? await createCatalogue(ports) : await refreshCatalogue(ports);
  for (const failure of failures)
    telemetry.error('failed to read prices: the previous prices stay in use', failure, {});
}
