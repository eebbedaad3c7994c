import { shippedCatalogue } from '../../lib/catalogue/figures.ts';
import type { Catalogue } from '../../lib/core/instance-type/facts.ts';
import { samples } from '../samples.ts';

const ALL = shippedCatalogue({ region: 'us-east-1', because: 'the test' });
const NAMES = ALL.facts.map(({ name }) => name);

/** `aPool` allows the first two families and excludes the others. */
const FAMILIES = ['c7g', 'm7g', 'c7gd', 'm5', 't3', 'g5', 'inf2'];
const everyday = NAMES.filter((name) => FAMILIES.some((family) => name.startsWith(`${family}.`)));

/**
 * The shipped figures of us-east-1, read once for all tests of a worker. `npm test` keeps a few families of them, because
 * every run of a simulated function resolves all types. A simulation takes a third of the time with fewer families.
 */
export const CATALOGUE: Catalogue = only(new Set(samples(1, 0) === 1 ? NAMES : everyday));

function only(names: ReadonlySet<string>): Catalogue {
  return {
    ...ALL,
    facts: ALL.facts.filter(({ name }) => names.has(name)),
    offerings: ALL.offerings.filter(({ type }) => names.has(type)),
  };
}
