import { SECOND_MS } from '../../../apis/formats/time.ts';
import { ownField } from '../../../apis/record.ts';
import { type SignedCallOptions, signedJson } from '../client/signed-call.ts';

const TIMEOUT_MS = 5 * SECOND_MS;
/** EC2 has about 300 quotas, in pages of 100. */
const MAX_PAGES = 20;

type Operation = 'ListServiceQuotas' | 'ListAWSDefaultServiceQuotas';

/**
 * The values of quotas of EC2 by their codes. A quota that was never changed may have only a default value. *Shape:* without the codes
 * that the region does not have. *Cost:* 3 or 4 requests; twice as many if a value is a default. *Errors:* PortError. *Source:* Service
 * Quotas' ListServiceQuotas and ListAWSDefaultServiceQuotas.
 */
export async function ec2Quotas(
  options: SignedCallOptions,
  codes: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const applied = await quotasOf(options, 'ListServiceQuotas');
  const complete = codes.every((code) => applied.has(code));
  const all = complete ? applied : new Map([...(await quotasOf(options, 'ListAWSDefaultServiceQuotas')), ...applied]);
  return new Map(
    codes.flatMap((code) => {
      const value = all.get(code);
      return value === undefined ? [] : [[code, value] as const];
    }),
  );
}

async function quotasOf(options: SignedCallOptions, operation: Operation): Promise<ReadonlyMap<string, number>> {
  const values = new Map<string, number>();
  let token: unknown;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await pageOf(options, operation, token);
    const quotas = ownField(answer, 'Quotas');
    for (const quota of Array.isArray(quotas) ? quotas : []) {
      const [code, value] = [ownField(quota, 'QuotaCode'), ownField(quota, 'Value')];
      if (typeof code === 'string' && typeof value === 'number') values.set(code, value);
    }
    token = ownField(answer, 'NextToken');
    if (typeof token !== 'string') break;
  }
  return values;
}

async function pageOf(options: SignedCallOptions, operation: Operation, token: unknown): Promise<unknown> {
  const input = { ServiceCode: 'ec2', MaxResults: 100, ...(typeof token === 'string' && { NextToken: token }) };
  const request = {
    service: 'servicequotas',
    serviceName: 'Service Quotas',
    method: 'POST',
    path: '/',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `ServiceQuotasV20190624.${operation}`,
    },
    body: JSON.stringify(input),
    timeoutMs: TIMEOUT_MS,
    doing: 'read the quotas of EC2',
  } as const;
  return await signedJson(options, request, { hint: `allow servicequotas:${operation}` });
}
