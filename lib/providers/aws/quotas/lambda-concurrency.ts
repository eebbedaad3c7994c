import { SECOND_MS } from '../../../apis/formats/time.ts';
import { ownField } from '../../../apis/record.ts';
import type { LambdaConcurrency } from '../../../ports/doctor.ts';
import { RefusedError } from '../../../ports/errors.ts';
import { type SignedCallOptions, signedJson } from '../client/signed-call.ts';

const TIMEOUT_MS = 5 * SECOND_MS;

/** The concurrent executions of Lambda in the region. *Errors:* PortError. *Source:* Lambda's GetAccountSettings. */
export async function lambdaConcurrency(options: SignedCallOptions): Promise<LambdaConcurrency> {
  const doing = 'read the account settings of Lambda';
  const request = {
    service: 'lambda',
    serviceName: 'Lambda',
    method: 'GET',
    path: '/2016-08-19/account-settings/',
    timeoutMs: TIMEOUT_MS,
    doing,
  } as const;
  const answer = await signedJson(options, request, { hint: 'allow lambda:GetAccountSettings' });
  const limits = ownField(answer, 'AccountLimit');
  const [limit, unreserved] = [
    ownField(limits, 'ConcurrentExecutions'),
    ownField(limits, 'UnreservedConcurrentExecutions'),
  ];
  if (typeof limit === 'number' && typeof unreserved === 'number') return { limit, unreserved };
  throw new RefusedError(`${doing}: Lambda returned no AccountLimit.ConcurrentExecutions; use AWS's own endpoint`);
}
