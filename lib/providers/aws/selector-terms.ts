import type { Filter } from '@aws-sdk/client-ec2';
import type { SelectorTerm } from '../../apis/ec2-node-class.ts';

/** A3.3: groups have a name of their own, subnets only the tag of that name. */
const NAME_FILTER: Readonly<Record<string, string>> = {
  'group-id': 'group-name',
  'subnet-id': 'tag:Name',
  'image-id': 'name',
};

/** A3.3: a tag value `*` asks only for the key. */
export function termFilters(term: SelectorTerm, idFilter: string): Filter[] {
  const tags = Object.entries(term.tags ?? {}).map(([key, value]) =>
    value === '*' ? { Name: 'tag-key', Values: [key] } : { Name: `tag:${key}`, Values: [value] },
  );
  return [
    ...(term.id === undefined ? [] : [{ Name: idFilter, Values: [term.id] }]),
    ...(term.name === undefined ? [] : [{ Name: NAME_FILTER[idFilter] ?? 'name', Values: [term.name] }]),
    ...tags,
  ];
}
