import { SECOND_MS } from '../../apis/formats/time.ts';
import type { WantedAccess } from '../../core/install/access-entries.ts';
import type { AccessEntries } from '../../ports/access-entries.ts';
import type { Clock } from '../../ports/clock.ts';
import { portErrorOf, RefusedError } from '../../ports/errors.ts';
import type { Installation } from '../../ports/installation.ts';

/** EKS confirms an association some seconds before its API servers accept it. */
const RIGHTS_WITHIN_MS = 120 * SECOND_MS;
export const RIGHTS_PAUSE_MS = 5 * SECOND_MS;

export interface AdministratorPorts {
  readonly entries: Pick<AccessEntries, 'givePolicy' | 'takePolicy'>;
  /** Reports a policy that could not be taken back. The daily check takes it back later. */
  readonly warn: (cluster: string, message: string) => void;
}

/**
 * Gives the installer the rights of an administrator for the duration of the work, also if the work fails. If the function ends
 * before it takes them back, its next invocation does: Lambda's retry, the daily check, or the next deploy.
 * *Errors:* those of `givePolicy` and of the work.
 */
export async function asAdministrator<Result>(
  ports: AdministratorPorts,
  target: WantedAccess,
  work: () => Promise<Result>,
): Promise<Result> {
  const { cluster, administrator } = target;
  if (administrator === undefined) return await work();
  try {
    await ports.entries.givePolicy(cluster, administrator.principal, administrator.policy);
    return await work();
  } finally {
    await takeRightsBack(ports, target);
  }
}

/** Ends the administrator's rights of the installer in a cluster. A failure is reported and not thrown. */
export async function takeRightsBack(
  { entries, warn }: AdministratorPorts,
  { cluster, administrator }: WantedAccess,
): Promise<void> {
  if (administrator === undefined) return;
  try {
    await entries.takePolicy(cluster, administrator.principal, administrator.policy);
  } catch (error) {
    warn(
      cluster,
      `the installer still has the rights of an administrator (${portErrorOf(error).message}); the daily check removes them`,
    );
  }
}

/** Waits until the API server accepts the rights. *Errors:* RefusedError after two minutes. */
export async function awaitRights(
  { clock, pause }: { readonly clock: Clock; readonly pause: (ms: number) => Promise<void> },
  installation: Pick<Installation, 'whyNoRights'>,
): Promise<void> {
  const untilMs = clock.now() + RIGHTS_WITHIN_MS;
  for (;;) {
    const why = await installation.whyNoRights();
    if (why === undefined) return;
    if (clock.now() + RIGHTS_PAUSE_MS > untilMs) {
      throw new RefusedError(
        `the installer does not have the permissions of an administrator after ${RIGHTS_WITHIN_MS / SECOND_MS} s (${why}): give its role ` +
          '(the output InstallerRoleArn) an access entry with AmazonEKSClusterAdminPolicy, or set install to false',
      );
    }
    await pause(RIGHTS_PAUSE_MS);
  }
}
