import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, test } from 'vitest';
import { repeated } from '../../../lib/controllers/install/repeated.ts';
import { putAnswer } from '../../../lib/operator/lambda/cloudformation-request.ts';
import {
  answerTrigger,
  type CustomResourceRuntime,
  type DeploymentWork,
  UnfinishedError,
} from '../../../lib/operator/lambda/custom-resource.ts';
import { RefusedError, UnexpectedError, UnreachableError } from '../../../lib/ports/errors.ts';
import type { ResourceState } from '../../../lib/providers/aws/cloudformation/stack-resource.ts';
import { MINUTE, NOW_MS, SECOND } from '../../builders/times.ts';

const COMMON = {
  ServiceToken: 'token',
  ResponseURL: 'https://answers.test/1',
  StackId: 'stack',
  RequestId: 'request',
  LogicalResourceId: 'Access',
  ResourceType: 'AWS::CloudFormation::CustomResource',
};
const CREATE = { ...COMMON, RequestType: 'Create' };
const UPDATE = { ...COMMON, RequestType: 'Update', PhysicalResourceId: 'physical' };
const DELETE = { ...COMMON, RequestType: 'Delete', PhysicalResourceId: 'physical' };

let state: ResourceState | Error;
/** The answers of CloudFormation before `state`. */
let before: Error[];
let nowMs: number;
let done: string[];
let answers: unknown[];
let errors: string[];

const runtime: CustomResourceRuntime = {
  telemetry: { error: (message, cause) => void errors.push(`${message}: ${String(cause)}`) },
  put: async (url, body) => void answers.push({ url, ...JSON.parse(body) }),
  isAnswerAddress: (url) => url.startsWith('https://answers.test/'),
  state: async () => {
    const answer = before.shift() ?? state;
    if (answer instanceof Error) throw answer;
    return answer;
  },
};
const lambda = {
  clock: { now: () => nowMs },
  pause: async (ms: number) => void (nowMs += ms),
  remainingMs: () => NOW_MS + 5 * MINUTE - nowMs,
};
const work: DeploymentWork = {
  install: async () => void done.push('install'),
  remove: async () => {
    done.push('remove');
    return 'done';
  },
  takeRightsBack: async () => void done.push('take rights back'),
  repeated: async (call) => await repeated(lambda, call),
};

beforeEach(() => {
  state = 'deploying';
  before = [];
  nowMs = NOW_MS;
  done = [];
  answers = [];
  errors = [];
});

describe('CloudFormation is answered', () => {
  test('when something is created, under a name that stays', async () => {
    await answerTrigger(runtime, CREATE, work);
    expect(done).toEqual(['install']);
    expect(answers).toEqual([
      expect.objectContaining({ Status: 'SUCCESS', PhysicalResourceId: 'Access', RequestId: 'request' }),
    ]);
  });

  test('on an update, under the same name', async () => {
    await answerTrigger(runtime, UPDATE, work);
    expect(done).toEqual(['install']);
    expect(answers).toEqual([expect.objectContaining({ Status: 'SUCCESS', PhysicalResourceId: 'physical' })]);
  });

  test('when it fails, with the reason', async () => {
    const failing = { ...work, install: async () => Promise.reject(new Error('no way in')) };
    await answerTrigger(runtime, CREATE, failing);
    expect(answers).toEqual([expect.objectContaining({ Status: 'FAILED', Reason: 'no way in' })]);
  });

  test('with success when the removal fails, because a stack must be deletable without its cluster', async () => {
    state = 'deleting';
    const failing = { ...work, remove: async () => Promise.reject(new RefusedError('no such cluster')) };
    await answerTrigger(runtime, DELETE, failing);
    expect(answers).toEqual([expect.objectContaining({ Status: 'SUCCESS' })]);
    expect(errors).toEqual(['request of CloudFormation failed: RefusedError: no such cluster']);
  });

  test.each([new RangeError('not a time'), new UnexpectedError('not a time')])(
    'with a failure when the removal ends with an error of no port (%s), because it can be repeated',
    async (error) => {
      state = 'deleting';
      const remove = async (): Promise<never> => {
        throw error;
      };
      await answerTrigger(runtime, DELETE, { ...work, remove });
      expect(answers).toEqual([expect.objectContaining({ Status: 'FAILED', Reason: 'not a time' })]);
    },
  );

  test('not yet, when removing takes longer than one call: Lambda calls again', async () => {
    state = 'deleting';
    const slow: DeploymentWork = { ...work, remove: async () => 'unfinished' };
    await expect(answerTrigger(runtime, DELETE, slow)).rejects.toBeInstanceOf(UnfinishedError);
    expect(answers).toEqual([]);
  });
});

describe('an event is only a trigger', () => {
  test.each([
    'https://evil.test/1',
    'http://answers.test/1',
    'https://answers.test.evil.test/1',
    'nonsense',
    '',
    undefined,
  ])('an event whose answer goes to %s is refused: nothing is done, and nothing is sent', async (ResponseURL) => {
    state = 'deleting';
    for (const event of [CREATE, UPDATE, DELETE]) await answerTrigger(runtime, { ...event, ResponseURL }, work);
    expect([done, answers]).toEqual([[], []]);
    expect(errors).toHaveLength(3);
  });

  test.each(['deploying', 'idle'] as const)(
    'a forged or repeated Delete removes nothing while CloudFormation does not delete the resource (%s)',
    async (now) => {
      state = now;
      await answerTrigger(runtime, DELETE, work);
      expect(done).toEqual([]);
      expect(errors).toEqual([expect.stringContaining('CloudFormation does not delete the deployment')]);
      expect(answers).toEqual([expect.objectContaining({ Status: 'SUCCESS' })]);
    },
  );

  test('a Delete removes nothing and fails if CloudFormation does not answer', async () => {
    state = new UnreachableError('no route to CloudFormation');
    await answerTrigger(runtime, DELETE, work);
    expect(done).toEqual([]);
    expect(answers).toEqual([
      expect.objectContaining({ Status: 'FAILED', Reason: expect.stringContaining('no route to CloudFormation') }),
    ]);
    expect(errors[0]).toMatch(/nothing is removed: .*no route to CloudFormation/);
    expect(nowMs - NOW_MS, 'the invocation has time for the answer').toBe(2 * MINUTE);
  });

  test('a Delete removes everything after CloudFormation did not answer for a while', async () => {
    state = 'deleting';
    before = [new UnreachableError('400: Throttling: Rate exceeded'), new UnreachableError('no answer')];
    await answerTrigger(runtime, DELETE, work);
    expect([done, errors]).toEqual([['remove'], []]);
    expect(answers).toEqual([expect.objectContaining({ Status: 'SUCCESS' })]);
    expect(nowMs - NOW_MS).toBe(20 * SECOND);
  });

  test('a Delete removes nothing if CloudFormation refuses to answer, and the stack can be deleted', async () => {
    state = new RefusedError('403: AccessDenied');
    await answerTrigger(runtime, DELETE, work);
    expect([done, nowMs]).toEqual([[], NOW_MS]);
    expect(errors).toEqual([expect.stringContaining('AccessDenied')]);
    expect(answers).toEqual([expect.objectContaining({ Status: 'SUCCESS' })]);
  });

  test('a repeated Create installs nothing while the deployment is being deleted', async () => {
    state = 'deleting';
    await answerTrigger(runtime, CREATE, work);
    expect(done).toEqual([]);
    expect(answers).toEqual([expect.objectContaining({ Status: 'FAILED' })]);
  });

  test('a Create does not depend on an answer of CloudFormation, because installing is harmless', async () => {
    state = new UnreachableError('no route to CloudFormation');
    await answerTrigger(runtime, CREATE, work);
    expect(done).toEqual(['install']);
  });
});

describe('the daily check', () => {
  const SCHEDULED = { source: 'aws.events', 'detail-type': 'Scheduled Event' };

  test('takes rights back that an installation has left', async () => {
    state = 'idle';
    await answerTrigger(runtime, SCHEDULED, work);
    expect(done).toEqual(['take rights back']);
  });

  test.each(['deploying', 'deleting'] as const)('does not disturb an installation (%s)', async (now) => {
    state = now;
    await answerTrigger(runtime, SCHEDULED, work);
    expect(done).toEqual([]);
  });

  test('also runs if CloudFormation does not answer, because the rights must end', async () => {
    state = new UnreachableError('no route to CloudFormation');
    await answerTrigger(runtime, SCHEDULED, work);
    expect(done).toEqual(['take rights back']);
  });

  test.each([undefined, null, 7, 'x', {}, []])('%j is no more than such a check', async (event) => {
    state = 'idle';
    await answerTrigger(runtime, event, work);
    expect([done, answers]).toEqual([['take rights back'], []]);
  });
});

/** A server that answers with these statuses, in order, and a redirect to another path of itself for 302. */
async function served(statuses: readonly number[], use: (url: string) => Promise<void>): Promise<readonly string[]> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => (body += String(part)));
    request.on('end', () => {
      bodies.push(`${request.method} ${request.url} ${body}`);
      response.writeHead(statuses[bodies.length - 1] ?? 200, { location: '/elsewhere' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  try {
    await use(`http://127.0.0.1:${port}/answer`);
  } finally {
    server.close();
  }
  return bodies;
}

test('the answer is put to the address, once more where it was not taken', async () => {
  const bodies = await served([503, 200], async (url) => await putAnswer(url, '{}'));
  expect(bodies).toEqual(['PUT /answer {}', 'PUT /answer {}']);
});

test('the answer follows no redirect, which would leave the address', async () => {
  const bodies = await served([302, 200], async (url) => await putAnswer(url, '{}'));
  expect(bodies).toEqual(['PUT /answer {}', 'PUT /answer {}']);
});
