import { quote } from '../apis/formats/quote.ts';
import { type ObjectMeta, podKey } from '../apis/kubernetes.ts';
import type { ListName } from './document-schemas.ts';
import { refuse } from './read-document.ts';

interface Named {
  readonly metadata: ObjectMeta;
}

/** *Errors:* BadInputError if two objects of a list have the same name or UID. */
export function refuseDuplicates(file: string, name: ListName, objects: readonly Named[]): void {
  refuseTwice(
    file,
    objects.map(({ metadata }, index) => ({
      place: `${name}[${index}]`,
      field: 'metadata.name',
      value: metadata.namespace === undefined ? metadata.name : podKey({ metadata }),
    })),
  );
  refuseTwice(
    file,
    objects.flatMap(({ metadata }, index) =>
      metadata.uid === undefined ? [] : [{ place: `${name}[${index}]`, field: 'metadata.uid', value: metadata.uid }],
    ),
  );
}

interface Entry {
  readonly place: string;
  readonly field: string;
  readonly value: string;
}

function refuseTwice(file: string, entries: readonly Entry[]): void {
  const first = new Map<string, string>();
  const problems: string[] = [];
  for (const { place, field, value } of entries) {
    const before = first.get(value);
    if (before === undefined) first.set(value, place);
    else
      problems.push(
        `${place}.${field}: ${quote(value)} is a duplicate of ${before}; use each ${field.slice('metadata.'.length)} once`,
      );
  }
  if (problems.length > 0) refuse(file, problems);
}
