import { SECOND_MS } from '../../apis/formats/time.ts';
import { inParallel } from '../../core/in-parallel.ts';
import { type PortError, portErrorOf } from '../../ports/errors.ts';
import type { HasClock, RemembersRefusals } from '../run/ports.ts';
import { isNewRefusal } from './is-new-refusal.ts';

const MAX_MS = 10 * SECOND_MS;
/** A ClusterRole without the permission refuses every object; a policy may refuse single objects. */
const MAX_FAILURES = 10;

interface Writing<Item> {
  /** Of the refusals of the item. */
  readonly subjectOf: (item: Item) => string;
  readonly atOnce: number;
  readonly write: (item: Item) => Promise<unknown>;
}

interface WrittenHints {
  readonly failed: readonly PortError[];
  /** Whether the time was over before all were written. */
  readonly isLate: boolean;
}

/**
 * Writes what the rest of the run does not need, in order, a few at a time: for ten seconds at most, and until ten have failed. A refusal
 * counts for `isPaused`, so that the next run can leave the item out.
 */
export async function writeHints<Item>(
  ports: HasClock & RemembersRefusals,
  items: readonly Item[],
  { subjectOf, atOnce, write }: Writing<Item>,
): Promise<WrittenHints> {
  const { clock } = ports;
  const untilMs = clock.now() + MAX_MS;
  const failed: PortError[] = [];
  let isLate = false;
  await inParallel(items, atOnce, async (item) => {
    isLate ||= clock.now() >= untilMs;
    if (isLate || failed.length >= MAX_FAILURES) return;
    try {
      await write(item);
    } catch (cause) {
      const error = portErrorOf(cause);
      if (!error.retryable) isNewRefusal(ports, subjectOf(item), error.message);
      failed.push(error);
    }
  });
  return { failed, isLate };
}
