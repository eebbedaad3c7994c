import { RefusedError } from '../../../ports/errors.ts';

/** Does the work for each item, also if it is refused for another. *Shape:* the refusals. *Errors:* all others, at once. */
export async function despiteRefusals<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<readonly RefusedError[]> {
  const refusals: RefusedError[] = [];
  for (const item of items) {
    try {
      // One at a time: the limits of these calls are low.
      await work(item);
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      refusals.push(error);
    }
  }
  return refusals;
}
