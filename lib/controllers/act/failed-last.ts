import { MINUTE_MS } from '../../apis/formats/time.ts';
import type { PortError } from '../../ports/errors.ts';
import type { HasClock, RemembersRefusals } from '../run/ports.ts';
import { isNewRefusal } from './is-new-refusal.ts';

/** How long an item whose work has failed comes last. */
const LAST_MS = 5 * MINUTE_MS;

/** The items in their order, those whose work has failed within five minutes last, so that the others get their turn. */
export function failedLast<Item>(
  { refusals, clock }: HasClock & RemembersRefusals,
  items: readonly Item[],
  subjectOf: (item: Item) => string,
): readonly Item[] {
  const sinceMs = clock.now() - LAST_MS;
  const { first = [], last = [] } = Object.groupBy(items, (item) =>
    refusals?.wasRefused(failureOf(subjectOf(item)), sinceMs) === true ? 'last' : 'first',
  );
  return [...first, ...last];
}

/** Notes for `failedLast` that the work on the subject has failed. */
export function noteFailed(ports: HasClock & RemembersRefusals, subject: string, { message }: PortError): void {
  isNewRefusal(ports, failureOf(subject), message);
}

function failureOf(subject: string): string {
  return `${subject}, failed`;
}
