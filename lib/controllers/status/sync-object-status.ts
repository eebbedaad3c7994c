import { ConflictError, PortError } from '../../ports/errors.ts';

interface Named {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/**
 * Looks after every object by itself: one that fails keeps none of the others waiting (promise 7). One that somebody else
 * wrote meanwhile is left to the next look, which is near. *Shape:* the failures.
 *
 * What is written so is no action of a recorded decision: it follows from what is seen just now, so that whoever looks next
 * says it again, and a write that was lost or overtaken is made good by that.
 */
export async function syncObjects<Kind extends Named>(
  objects: readonly Kind[],
  tend: (object: Kind) => Promise<readonly Error[] | void>,
): Promise<readonly Error[]> {
  const failures = await Promise.all(
    objects.map(async (object): Promise<readonly Error[]> => {
      try {
        return (await tend(object)) ?? [];
      } catch (error) {
        if (!(error instanceof PortError)) throw error;
        if (error instanceof ConflictError) return [];
        return [new Error(`${object.kind} ${object.metadata.name}: ${error.message}`, { cause: error })];
      }
    }),
  );
  return failures.flat();
}
