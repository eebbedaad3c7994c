import type { Action } from '../../core/model/decision.ts';
import { refusedTermination } from '../../core/node-claim/terminate.ts';
import { portErrorOf, RefusedError } from '../../ports/errors.ts';
import type { HasClock, Launches, WritesClaims } from '../run/ports.ts';

type TerminateInstance = Action & { readonly kind: 'terminate-instance' };

/**
 * Terminates the instance. If EC2 refuses, or the call fails with an unexpected error, the claim records why and when it is tried again.
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
    if (failure instanceof RefusedError) await recordRefusal(ports, cluster, { ...action, message: failure.message });
    throw error;
  }
}

async function recordRefusal(
  { store, clock }: WritesClaims & HasClock,
  cluster: string,
  { nodeClaim, instanceId, message }: Required<TerminateInstance>,
): Promise<void> {
  const record = await store.readNodeClaim(cluster, nodeClaim);
  const refused = record && refusedTermination(record, { instanceId, message }, clock.now());
  if (refused !== undefined) await store.updateNodeClaim(refused);
}
