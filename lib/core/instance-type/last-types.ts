import type { InstanceType } from '../model/instance-type.ts';
import type { Catalogue } from './facts.ts';

interface Result {
  readonly settings: string;
  readonly types: readonly InstanceType[];
}

/** The last results for a catalogue, by their other inputs. */
const byCatalogue = new WeakMap<Catalogue, Map<string, Result>>();
/** More results than the NodeClasses of most clusters. */
const MAX_RESULTS = 8;

/**
 * The instance types of a catalogue for some inputs. *Shape:* the same objects for the same catalogue and inputs, so that what is
 * computed from them is computed once.
 * @param settings what does not change with the capacity of EC2
 * @param make gets the last types with the same settings, to use those again whose offerings are the same; none: an empty list
 */
export function lastTypes(
  catalogue: Catalogue,
  { settings, capacity }: { readonly settings: string; readonly capacity: string },
  make: (before: readonly InstanceType[]) => readonly InstanceType[],
): readonly InstanceType[] {
  const results = byCatalogue.get(catalogue) ?? new Map<string, Result>();
  byCatalogue.set(catalogue, results);
  const inputs = `${settings} ${capacity}`;
  const before = [...results.values()].findLast((one) => one.settings === settings)?.types ?? [];
  const result = results.get(inputs) ?? { settings, types: make(before) };
  results.delete(inputs);
  results.set(inputs, result);
  const [oldest] = results.keys();
  if (results.size > MAX_RESULTS && oldest !== undefined) results.delete(oldest);
  return result.types;
}
