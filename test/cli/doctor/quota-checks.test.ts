import { describe, expect, test } from 'vitest';
import { checkFunctionUrls, checkLambda, checkVcpuQuotas } from '../../../lib/cli/doctor/quota-checks.ts';
import type { PoolVcpus, QuotaUse } from '../../../lib/core/node-pool/vcpu-quotas.ts';

function use(code: string, name: string, ...nodePools: readonly PoolVcpus[]): QuotaUse {
  return { quota: { code, name }, nodePools };
}

const general: PoolVcpus = { name: 'general', limit: 100 };
const open: PoolVcpus = { name: 'open', limit: undefined };
const gpu: PoolVcpus = { name: 'gpu', limit: 96 };

describe('the vCPU quotas', () => {
  test.each([
    [100, [general], 'pass', 'm: 100 vCPUs; limits.cpu of NodePool general is 100'],
    [99, [general], 'warn', 'm: 99 vCPUs; limits.cpu of NodePool general is 100'],
    [195, [general, gpu], 'warn', 'm: 195 vCPUs; limits.cpu of NodePools general, gpu add up to 196'],
    [32, [open, general], 'pass', 'm: 32 vCPUs; NodePools open, general without limits.cpu may use all of it'],
    [5, [open], 'warn', 'm: 5 vCPUs; NodePool open without limits.cpu may use all of it'],
    [0, [general], 'fail', 'm: 0 vCPUs; limits.cpu of NodePool general is 100'],
    [1, [], 'warn', 'm: 1 vCPU'],
    [64, [], 'pass', 'm: 64 vCPUs'],
  ] as const)('%d vCPUs for %j: %s', (vcpus, pools, ...[status, message]) => {
    const [found, ...others] = checkVcpuQuotas([use('L-1', 'm', ...pools)], new Map([['L-1', vcpus]]));
    expect(others).toEqual([]);
    expect(found).toMatchObject({ status, message });
    expect(found?.fix === undefined).toBe(status === 'pass');
  });

  test('the fix asks for what the limits add up to', () => {
    const [found] = checkVcpuQuotas([use('L-1', 'm', general, gpu)], new Map([['L-1', 5]]));
    expect(found?.fix).toBe(
      'Ask for more: aws service-quotas request-service-quota-increase --service-code ec2 --quota-code L-1 --desired-value 196, or lower spec.limits.cpu',
    );
  });

  test('families with a quota of 0 are one warning where the NodePool may launch others', () => {
    const uses = [use('L-1', 'standard', open), use('L-2', 'P', open), use('L-3', 'X', open)];
    const values = new Map([
      ['L-1', 64],
      ['L-2', 0],
      ['L-3', 0],
    ]);
    expect(checkVcpuQuotas(uses, values)).toMatchObject([
      { status: 'pass' },
      {
        status: 'warn',
        message: '0 vCPUs, and NodePool open may launch them: P, X',
        fix: expect.stringContaining('instance-category'),
      },
    ]);
  });

  test('a quota of 0 fails where a NodePool may launch nothing else', () => {
    const uses = [use('L-1', 'standard', open), use('L-2', 'P', open, gpu)];
    const values = new Map([
      ['L-1', 64],
      ['L-2', 0],
    ]);
    expect(checkVcpuQuotas(uses, values).map(({ status }) => status)).toEqual(['pass', 'fail']);
  });

  test('a quota without a value is skipped, with the command', () => {
    expect(checkVcpuQuotas([use('L-1', 'm', general)], new Map())).toMatchObject([
      { status: 'skip', fix: expect.stringContaining('--quota-code L-1') },
    ]);
  });
});

describe('the concurrency of Lambda', () => {
  test.each([
    [1_000, 1_000, 'pass'],
    [200, 111, 'pass'],
    [200, 110, 'warn'],
    [110, 100, 'warn'],
    [109, 109, 'warn'],
    [1_000, 99, 'fail'],
    [10, 10, 'fail'],
  ])('%d, of which %d are unreserved: %s', (limit, unreserved, status) => {
    const found = checkLambda({ limit, unreserved });
    expect(found).toMatchObject({
      status,
      message: expect.stringContaining(`${limit} concurrent executions, of which ${unreserved}`),
    });
    expect(found.fix?.includes('L-B99A9384') ?? false).toBe(status !== 'pass');
  });
});

test.each([
  ['eu-south-2', ['warn']],
  ['eu-west-3', []],
])('a deploy creates a Function URL, which may not exist in %s', (region, statuses) => {
  expect(checkFunctionUrls(region).map(({ status }) => status)).toEqual(statuses);
});
