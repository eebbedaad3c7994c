import type { Action } from '../../core/model/decision.ts';
import { refusedTermination } from '../../core/node-claim/terminate.ts';
import { NotOwnedError, portErrorOf, RefusedError } from '../../ports/errors.ts';
import type { HasClock, Launches, WritesClaims } from '../run/ports.ts';

type TerminateInstance = Action & { readonly kind: 'terminate-instance' };

/**
 * Terminates the instance. If EC2 refuses, the instance has lost its tags, or the call fails with an unexpected error, the claim records
 * why and when it is tried again.
 * *Errors:* those of the port.
 */
export async function terminateInstance(
  ports: Launches & WritesClaims & HasClock,
  cluster: string,
  action: TerminateInstance,
): Promise<void> {
  try {
    await ports.cloud.terminate(cluster, action.instanceId);
  } catch (error) {
    const failure = portErrorOf(error);
    if (failure instanceof RefusedError) await recordRefusal(ports, action, { cluster, failure });
    throw error;
  }
}

async function recordRefusal(
  { store, clock }: WritesClaims & HasClock,
  { nodeClaim, instanceId }: TerminateInstance,
  { cluster, failure }: { readonly cluster: string; readonly failure: RefusedError },
): Promise<void> {
  const record = await store.readNodeClaim(cluster, nodeClaim);
  const { message } = failure;
  const why = { message, ...(failure instanceof NotOwnedError && { reason: 'InstanceNotTagged' as const }) };
  const refused = record && refusedTermination(record, { instanceId, ...why }, clock.now());
  if (refused !== undefined) await store.updateNodeClaim(refused);
}
