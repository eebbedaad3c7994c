import type { Filter } from '@aws-sdk/client-ec2';
import type { SelectorTerm } from '../../../apis/ec2-node-class.ts';

/** The EC2 filter names for fields of a term. Subnets have no names, and the name of a security group is not its tag Name (A3.3). */
export interface FilterNames {
  readonly id: string;
  readonly name?: string;
}

/** A3.2: all fields of a term must match; a tag value `*` matches any value. *Shape:* empty for an empty term. */
export function termFilters(term: SelectorTerm, names: FilterNames): readonly Filter[] {
  return [
    ...(term.id === undefined ? [] : [{ Name: names.id, Values: [term.id] }]),
    ...(term.name === undefined || names.name === undefined ? [] : [{ Name: names.name, Values: [term.name] }]),
    ...tagFilters(term.tags),
  ];
}

export function tagFilters(tags: SelectorTerm['tags']): readonly Filter[] {
  return Object.entries(tags ?? {}).map(([key, value]) =>
    value === '*' ? { Name: 'tag-key', Values: [key] } : { Name: `tag:${key}`, Values: [value] },
  );
}

/** Terms are alternatives (A3.2). An empty term matches nothing, although EC2 would return all resources for it. */
export async function eachTerm<T>(
  filtersOfTerms: readonly (readonly Filter[])[],
  list: (filters: Filter[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const told = filtersOfTerms.filter((filters) => filters.length > 0);
  return (await Promise.all(told.map((filters) => list([...filters])))).flat();
}

/** Removes duplicates, because several terms may match the same resource. */
export function unique<T extends { readonly id: string }>(items: readonly T[]): readonly T[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}
