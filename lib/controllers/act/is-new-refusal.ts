import type { HasClock, RemembersRefusals } from '../run/ports.ts';

/** Whether the refusal of the subject was not reported with this cause for an hour. It counts as reported from now on. */
export function isNewRefusal(
  { refusals, clock }: HasClock & RemembersRefusals,
  subject: string,
  cause: string,
): boolean {
  return refusals?.isNew(subject, cause, clock.now()) ?? true;
}

/** The same for a failure: while it goes on, the marks of the function have it. @param subject begins with the name of the cluster */
export function isNewFailure(
  { refusals, clock }: HasClock & RemembersRefusals,
  subject: string,
  cause: string,
): boolean {
  return refusals?.isNewFailure(subject, cause, clock.now()) ?? true;
}
