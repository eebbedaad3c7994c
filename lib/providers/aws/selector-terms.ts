import type { Filter } from '@aws-sdk/client-ec2';
import type { SelectorTerm } from '../../apis/ec2-node-class.ts';

/** How EC2 calls what a term names: subnets have no names, the names of security groups are not their tags (A3.3). */
export interface FilterNames {
  readonly id: string;
  readonly name?: string;
}

/** A3.2: what one term says must hold together; a tag value `*` asks only for the key. *Shape:* empty for a term that says nothing. */
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

/** Terms are alternatives (A3.2). One that says nothing finds nothing: EC2 would answer it with all that there is. */
export async function eachTerm<T>(
  filtersOfTerms: readonly (readonly Filter[])[],
  list: (filters: Filter[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const told = filtersOfTerms.filter((filters) => filters.length > 0);
  return (await Promise.all(told.map((filters) => list([...filters])))).flat();
}

/** Several terms may find the same. */
export function unique<T extends { readonly id: string }>(items: readonly T[]): readonly T[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}
