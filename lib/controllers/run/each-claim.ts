import { SECOND_MS } from '../../apis/formats/time.ts';
import type { Due } from '../../core/model/decision.ts';
import { isConflict, PortError } from '../../ports/errors.ts';

export interface EachClaim {
  readonly due: readonly Due[];
  readonly failures: readonly Error[];
}

/** Work that waits for something shared with other claims: it is begun at once and takes no claim's turn. */
export type Aside = (work: () => Promise<unknown>) => void;

/** How many claims are looked at side by side: a slow one must not keep the others from being launched in time. */
const AT_ONCE = 10;

/**
 * Looks at every claim; one that fails or hangs keeps none of the others waiting (promise 7). A claim that somebody else
 * changed meanwhile is looked at again in a second, one that the world failed in five.
 */
export async function eachClaim<Claim extends { readonly name: string }>(
  records: readonly Claim[],
  nowMs: number,
  look: (record: Claim, aside: Aside) => Promise<readonly Due[]>,
): Promise<EachClaim> {
  const due: Due[] = [];
  const failures: Error[] = [];
  const left = [...records];
  const asides: Promise<void>[] = [];
  const noteFailure = async ({ name }: Claim, work: Promise<unknown>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const overtaken = isConflict(error);
      if (error instanceof PortError && error.retryable) {
        due.push({ atMs: nowMs + (overtaken ? 1 : 5) * SECOND_MS, kind: 'settling' });
      }
      if (!overtaken) failures.push(new Error(`NodeClaim ${name}: ${error.message}`, { cause: error }));
    }
  };
  const next = async (): Promise<void> => {
    const record = left.shift();
    if (record === undefined) return;
    const aside: Aside = (work) => void asides.push(noteFailure(record, work()));
    await noteFailure(
      record,
      look(record, aside).then((more) => due.push(...more)),
    );
    await next();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  await Promise.all(asides);
  return { due, failures };
}
