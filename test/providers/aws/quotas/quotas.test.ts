import { expect, test } from 'vitest';
import { RefusedError, UnreachableError } from '../../../../lib/ports/errors.ts';
import type { SignedCallOptions } from '../../../../lib/providers/aws/client/signed-call.ts';
import { lambdaConcurrency } from '../../../../lib/providers/aws/quotas/lambda-concurrency.ts';
import { ec2Quotas } from '../../../../lib/providers/aws/quotas/vcpu-quotas.ts';
import { NOW_MS } from '../../../builders/times.ts';

interface Asked {
  readonly url: string;
  readonly body: string;
  readonly target: string | null;
  readonly authorization: string | null;
}

type Answer = (request: Asked) => Response;

function account(answer: Answer, endpoint?: string) {
  const asked: Asked[] = [];
  const options: SignedCallOptions = {
    region: 'eu-west-1',
    clock: { now: () => NOW_MS },
    credentials: async () => ({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }),
    ...(endpoint !== undefined && { endpoint }),
    fetch: async (url, init) => {
      const request = new Request(url, init);
      const one = {
        url: request.url,
        body: await request.text(),
        target: request.headers.get('x-amz-target'),
        authorization: request.headers.get('authorization'),
      };
      asked.push(one);
      return answer(one);
    },
  };
  return { options, asked };
}

const quota = (code: string, value: number) => ({ QuotaCode: code, QuotaName: 'a name', Value: value });

test('quotas of EC2 are read page by page, signed for Service Quotas of the region', async () => {
  const { options, asked } = account(({ body }) =>
    body.includes('NextToken')
      ? Response.json({ Quotas: [quota('L-2', 0)] })
      : Response.json({ Quotas: [quota('L-1', 64), quota('L-other', 1)], NextToken: 'more' }),
  );
  expect(await ec2Quotas(options, ['L-1', 'L-2'])).toEqual(
    new Map([
      ['L-1', 64],
      ['L-2', 0],
    ]),
  );
  expect(asked.map(({ url, target, body }) => [url, target, JSON.parse(body)])).toEqual([
    [
      'https://servicequotas.eu-west-1.amazonaws.com/',
      'ServiceQuotasV20190624.ListServiceQuotas',
      { ServiceCode: 'ec2', MaxResults: 100 },
    ],
    [expect.any(String), expect.any(String), { ServiceCode: 'ec2', MaxResults: 100, NextToken: 'more' }],
  ]);
  expect(asked[0]?.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d+\/eu-west-1\/servicequotas\//);
});

test('a quota without a value of its own has the default value of AWS, and one that the region lacks has none', async () => {
  const { options, asked } = account(({ target }) =>
    Response.json({
      Quotas: target?.endsWith('.ListServiceQuotas') === true ? [quota('L-1', 64)] : [quota('L-1', 5), quota('L-2', 5)],
    }),
  );
  expect(await ec2Quotas(options, ['L-1', 'L-2', 'L-3'])).toEqual(
    new Map([
      ['L-1', 64],
      ['L-2', 5],
    ]),
  );
  expect(asked).toHaveLength(2);
});

test('the concurrency of Lambda is the limit of the account, and what no function reserves', async () => {
  const limits = { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions: 900, CodeSizeZipped: 1 };
  const { options, asked } = account(() => Response.json({ AccountLimit: limits }));
  expect(await lambdaConcurrency(options)).toEqual({ limit: 1_000, unreserved: 900 });
  expect(asked[0]?.url).toBe('https://lambda.eu-west-1.amazonaws.com/2016-08-19/account-settings/');
  expect(asked[0]?.authorization).toContain('/eu-west-1/lambda/');
});

test('an emulator is called at its own endpoint', async () => {
  const { options, asked } = account(() => Response.json({ Quotas: [] }), 'http://127.0.0.1:4566');
  await ec2Quotas(options, ['L-1']);
  expect(new Set(asked.map(({ url }) => url))).toEqual(new Set(['http://127.0.0.1:4566/']));
});

test('a refusal names the permission, and a throttled call may be repeated', async () => {
  const refused = account(() => Response.json({ __type: 'AccessDeniedException' }, { status: 400 }));
  await expect(ec2Quotas(refused.options, ['L-1'])).rejects.toThrow(
    /read the quotas of EC2: Service Quotas answered 400: .*allow servicequotas:ListServiceQuotas$/,
  );
  await expect(lambdaConcurrency(refused.options)).rejects.toBeInstanceOf(RefusedError);
  await expect(lambdaConcurrency(refused.options)).rejects.toThrow(/allow lambda:GetAccountSettings$/);
  const throttled = account(() => Response.json({ __type: 'TooManyRequestsException' }, { status: 400 }));
  await expect(ec2Quotas(throttled.options, ['L-1'])).rejects.toBeInstanceOf(UnreachableError);
  const other = account(() => Response.json({}));
  await expect(lambdaConcurrency(other.options)).rejects.toThrow('no AccountLimit.ConcurrentExecutions');
});
