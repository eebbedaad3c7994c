import { SECOND_MS } from '../../apis/formats/time.ts';
import { inParallel } from '../../core/in-parallel.ts';
import { type PortError, portErrorOf } from '../../ports/errors.ts';
import type { HasClock, RemembersRefusals } from '../run/ports.ts';
import { failedLast, noteFailed } from './failed-last.ts';
import { isNewRefusal } from './is-new-refusal.ts';

/** The limits of one run. The next run decides again, and continues. */
const MAX_MS = 10 * SECOND_MS;
const MAX_WRITES = 2_000;
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
  readonly written: number;
  /** Whether the time or the number of writes was over before all were written. */
  readonly isCutShort: boolean;
}

/**
 * Writes what the rest of the run does not need, in order, a few at a time: 2,000 of them at most, for ten seconds at most, and until ten
 * have failed. A refusal counts for `isPaused`, so that the next run can leave the item out. An item whose write has failed otherwise is
 * written last for five minutes, so that the others get their turn.
 */
export async function writeHints<Item>(
  ports: HasClock & RemembersRefusals,
  items: readonly Item[],
  { subjectOf, atOnce, write }: Writing<Item>,
): Promise<WrittenHints> {
  const { clock } = ports;
  const startMs = clock.now();
  const failed: PortError[] = [];
  let written = 0;
  let isLate = false;
  await inParallel(failedLast(ports, items, subjectOf).slice(0, MAX_WRITES), atOnce, async (item) => {
    isLate ||= clock.now() >= startMs + MAX_MS;
    if (isLate || failed.length >= MAX_FAILURES) return;
    try {
      await write(item);
      written += 1;
    } catch (cause) {
      const error = portErrorOf(cause);
      if (error.retryable) noteFailed(ports, subjectOf(item), error);
      else isNewRefusal(ports, subjectOf(item), error.message);
      failed.push(error);
    }
  });
  return { failed, written, isCutShort: isLate || items.length > MAX_WRITES };
}
