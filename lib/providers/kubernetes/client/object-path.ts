import { RefusedError } from '../../../ports/errors.ts';

/**
 * The path of the object in its collection. A name may come from a tag or a record, so it is one part of the path whatever it contains.
 * *Errors:* RefusedError for a name that would be the path of something else: of the whole collection, or of a folder above it.
 */
export function objectPath(collection: string, name: string): string {
  if (name !== '' && name !== '.' && name !== '..') return `${collection}/${encodeURIComponent(name)}`;
  throw new RefusedError(`Kubernetes API: "${name}" is not the name of an object in ${collection}`);
}
