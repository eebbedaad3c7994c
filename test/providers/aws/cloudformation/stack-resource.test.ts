import { expect, test } from 'vitest';
import { RefusedError, UnreachableError } from '../../../../lib/ports/errors.ts';
import { resourceState } from '../../../../lib/providers/aws/cloudformation/stack-resource.ts';
import { NOW_MS } from '../../../builders/times.ts';

const STACK = 'arn:aws:cloudformation:us-east-1:123456789012:stack/Kerf/1b2c';

async function stateOf(answer: () => Response | Promise<Response>, region = 'us-east-1') {
  const asked: { readonly url: string; readonly body: string; readonly authorization: string | null }[] = [];
  const state = await resourceState({
    region,
    stack: STACK,
    resource: 'InstallerAccess',
    clock: { now: () => NOW_MS },
    credentials: async () => ({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }),
    fetch: async (url, init) => {
      const request = new Request(url, init);
      asked.push({
        url: request.url,
        body: await request.text(),
        authorization: request.headers.get('authorization'),
      });
      return await answer();
    },
  });
  return { state, asked };
}

const detail = (status: string) => () =>
  new Response(
    `<DescribeStackResourceResponse><StackResourceDetail><ResourceStatus>${status}</ResourceStatus></StackResourceDetail></DescribeStackResourceResponse>`,
  );

test.each([
  ['CREATE_IN_PROGRESS', 'deploying'],
  ['UPDATE_IN_PROGRESS', 'deploying'],
  ['DELETE_IN_PROGRESS', 'deleting'],
  ['CREATE_COMPLETE', 'idle'],
  ['UPDATE_FAILED', 'idle'],
  ['DELETE_FAILED', 'idle'],
])('a resource with the status %s is %s', async (status, state) => {
  expect((await stateOf(detail(status))).state).toBe(state);
});

test('one signed request asks CloudFormation in the region', async () => {
  const { asked } = await stateOf(detail('CREATE_COMPLETE'), 'cn-north-1');
  expect(asked).toEqual([
    {
      url: 'https://cloudformation.cn-north-1.amazonaws.com.cn/',
      body: expect.stringContaining(`StackName=${encodeURIComponent(STACK)}&LogicalResourceId=InstallerAccess`),
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d+\/cn-north-1\/cloudformation\//,
      ),
    },
  ]);
});

const missing = () => new Response('<Error><Code>ValidationError</Code></Error>', { status: 400 });

test('a resource that does not exist is refused, and says which', async () => {
  await expect(stateOf(missing)).rejects.toThrow(RefusedError);
  await expect(stateOf(missing)).rejects.toThrow(/InstallerAccess.*400.*ValidationError/);
  await expect(stateOf(() => new Response('nothing'))).rejects.toThrow(RefusedError);
});

test.each([
  ['throttled', () => new Response('<Code>Throttling</Code>', { status: 400 })],
  ['broken', () => new Response('', { status: 503 })],
  ['silent', async () => await Promise.reject(new TypeError('fetch failed'))],
] as const)('a service that is %s is unreachable', async (_, answer) => {
  await expect(stateOf(answer)).rejects.toBeInstanceOf(UnreachableError);
});
