import { UnreachableError } from '../../ports/errors.ts';
import type { ApiClient } from './api-client.ts';
import { portErrorOf } from './errors.ts';
import type { Named, View } from './list-view.ts';
import { fieldsOf, itemsOf } from './project.ts';

/** The version that a cluster is at now, and a cheap look at what there is of a kind then. */
export interface Head<T extends Named> {
  readonly resourceVersion: string;
  /** Whether a view that has heard of nothing later is what was there. */
  readonly agrees: (view: View<T>) => boolean;
}

/** One object, of so many: the server reads it of its present state, and no less. */
export async function readHead<T extends Named>(client: ApiClient, path: string): Promise<Head<T>> {
  const answer = await client.send({ method: 'GET', path, query: { limit: '1' } });
  if (answer.status !== 200) throw portErrorOf(answer, `list ${path}`);
  const { resourceVersion, continue: more, remainingItemCount } = fieldsOf(fieldsOf(answer.body)['metadata']);
  if (typeof resourceVersion !== 'string') {
    throw new UnreachableError(`Kubernetes API: list ${path}: an answer without a resourceVersion: try again later`);
  }
  const here = itemsOf(answer.body).length;
  // Without a count of the rest nothing can be compared.
  const rest = typeof more === 'string' && more !== '' ? remainingItemCount : 0;
  return { resourceVersion, agrees: (view) => typeof rest === 'number' && view.size === here + rest };
}
