import type { Catalogue } from '../../core/instance-type/facts.ts';
import type { InstanceType } from '../../core/model/instance-type.ts';

/** The last results for a catalogue, by their other inputs. */
const byCatalogue = new WeakMap<Catalogue, Map<string, readonly InstanceType[]>>();
/** More results than the NodeClasses of most clusters. */
const MAX_RESULTS = 8;

/**
 * The instance types of a catalogue for some inputs. *Shape:* the same objects for the same catalogue and inputs, so that what is
 * computed from them is computed once.
 */
export function lastTypes(
  catalogue: Catalogue,
  inputs: string,
  make: () => readonly InstanceType[],
): readonly InstanceType[] {
  const results = byCatalogue.get(catalogue) ?? new Map<string, readonly InstanceType[]>();
  byCatalogue.set(catalogue, results);
  const types = results.get(inputs) ?? make();
  results.delete(inputs);
  results.set(inputs, types);
  const [oldest] = results.keys();
  if (results.size > MAX_RESULTS && oldest !== undefined) results.delete(oldest);
  return types;
}
