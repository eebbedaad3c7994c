import { RefusedError } from '../../ports/errors.ts';
import type { LeaseName } from '../../ports/leases.ts';
import type { HasClock, RemembersRefusals } from '../run/ports.ts';
import { isNewFailure } from './is-new-refusal.ts';

/** *Shape:* undefined after a refusal, which is added to the list. */
export async function unlessRefused<Answer>(
  refusals: RefusedError[],
  call: Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    refusals.push(error);
    return undefined;
  }
}

/** *Shape:* the refusals that were not reported before. */
export function newRefusals(
  ports: HasClock & RemembersRefusals,
  { cluster, work }: LeaseName,
  causes: readonly RefusedError[],
): readonly Error[] {
  const subject = `${cluster}: the lease of ${work}`;
  return causes
    .filter(({ message }) => isNewFailure(ports, subject, message))
    .map(
      (cause) =>
        new Error(
          `the table refuses the lease of ${work}, so runs continue without it and may do the same work twice: ${cause.message}; check the permissions of the function for its table`,
          { cause },
        ),
    );
}
