import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suggest } from '../../../lib/cli/manifests/suggest.ts';
import type { KnownFigures } from '../../../lib/core/advice/known-figures.ts';
import { indexTypes } from '../../../lib/core/advice/type-index.ts';
import { readCatalogue } from '../../../lib/core/instance-type/catalogue.ts';
import type { Catalogue, InstanceTypeFacts } from '../../../lib/core/instance-type/facts.ts';
import type { FieldProblem } from '../../../lib/core/validation/field-problem.ts';

const DATA = join(import.meta.dirname, '../../../data');

export function shippedFacts(): readonly InstanceTypeFacts[] {
  return catalogueOf('eu-west-3.json').facts;
}

/** Fresh each time, so that a test can tell what the first use costs. */
export function shippedFigures(): KnownFigures {
  const regions = readdirSync(join(DATA, 'regions')).map(catalogueOf);
  const zones = regions.map(
    ({ region, offerings }) => [region, new Map(offerings.map(({ zone, zoneId }) => [zone, zoneId]))] as const,
  );
  return { types: indexTypes(shippedFacts()), zones: new Map(zones), suggest };
}

function catalogueOf(file: string): Catalogue {
  return readCatalogue(parsed('instance-types.json'), parsed(join('regions', file)));
}

/** `field: what is wrong; write what is allowed` */
export function sentences(problems: readonly FieldProblem[]): readonly string[] {
  return problems.map(({ path, message, allowed }) => `${path.join('.')}: ${message}; write ${allowed}`);
}

function parsed(file: string): unknown {
  return JSON.parse(readFileSync(join(DATA, file), 'utf8'));
}
