import { ConflictError, portErrorOf } from '../../ports/errors.ts';
import { failureOf } from '../act/run-notes.ts';

interface Named {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/**
 * Reconciles every object. An object that fails does not delay the others (promise 7). After a conflict, the next run
 * reconciles the object. *Shape:* the failures.
 *
 * These writes are not actions of a recorded decision: they follow from the observed state, and the next run repeats a lost
 * write.
 */
export async function syncObjects<Kind extends Named>(
  objects: readonly Kind[],
  sync: (object: Kind) => Promise<readonly Error[] | void>,
): Promise<readonly Error[]> {
  const failures = await Promise.all(
    objects.map(async (object): Promise<readonly Error[]> => {
      try {
        return (await sync(object)) ?? [];
      } catch (cause) {
        const error = portErrorOf(cause);
        if (error instanceof ConflictError) return [];
        return [failureOf(`${object.kind} ${object.metadata.name}`, error)];
      }
    }),
  );
  return failures.flat();
}
