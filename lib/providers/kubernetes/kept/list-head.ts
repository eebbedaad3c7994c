import { UnreachableError } from '../../../ports/errors.ts';
import type { ApiClient } from '../client/api-client.ts';
import { kubernetesPortError } from '../client/errors.ts';
import { fieldsOf, itemsOf } from '../project/project.ts';
import type { ListView, Named } from './list-view.ts';

/** The present version of a cluster, and a cheap check of a view at that version. */
export interface ListHead<T extends Named> {
  readonly resourceVersion: string;
  /** Whether a view without later changes matches the state at this version. */
  readonly agrees: (view: ListView<T>) => boolean;
}

/** Lists one object and the number of the rest. The server returns its present state. */
export async function readHead<T extends Named>(client: ApiClient, path: string): Promise<ListHead<T>> {
  const answer = await client.send({ method: 'GET', path, query: { limit: '1' } });
  if (answer.status !== 200) throw kubernetesPortError(answer, `list ${path}`);
  const { resourceVersion, continue: more, remainingItemCount } = fieldsOf(fieldsOf(answer.body)['metadata']);
  if (typeof resourceVersion !== 'string') {
    throw new UnreachableError(`Kubernetes API: list ${path}: the response has no resourceVersion; try again later`);
  }
  const here = itemsOf(answer.body).length;
  // Without the number of the remaining items there is nothing to compare.
  const rest = typeof more === 'string' && more !== '' ? remainingItemCount : 0;
  return { resourceVersion, agrees: (view) => typeof rest === 'number' && view.size === here + rest };
}
