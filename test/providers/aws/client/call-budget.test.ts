import { Readable } from 'node:stream';
import { DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { describe, expect, test } from 'vitest';
import type { CallBudget, CallGrant } from '../../../../lib/ports/call-budget.ts';
import { UnreachableError } from '../../../../lib/ports/errors.ts';
import { holdToBudget, RETRIES, reservable } from '../../../../lib/providers/aws/client/call-budget.ts';
import { ec2CallLimits } from '../../../../lib/providers/aws/client/ec2-call-limits.ts';
import { translated } from '../../../../lib/providers/aws/client/errors.ts';
import { MINUTE, NOW_MS } from '../../../builders/times.ts';
import { memoryCallBudget } from '../../../fakes/memory-call-budget.ts';

const WRITES = ec2CallLimits('CreateFleet');
const SLOW = { capacity: 10, perSecond: 0.5 };

type Answer = 'fine' | 'throttled' | 'broken';

/** An EC2 client with configured responses, in virtual time, within the budget. */
function held(
  budgetOf: (clock: { now: () => number }) => CallBudget,
  answers: readonly Answer[] = [],
  retries: { readonly maxAttempts?: number } = {},
) {
  let nowMs = NOW_MS;
  const clock = { now: () => nowMs };
  const told: string[] = [];
  const requests: number[] = [];
  const budget = budgetOf(clock);
  const client = new EC2Client({
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    ...RETRIES,
    ...retries,
    requestHandler: {
      handle: async () => {
        const answer = answers[requests.length] ?? 'fine';
        requests.push(nowMs - NOW_MS);
        return { response: RESPONSES[answer]() };
      },
    },
  });
  holdToBudget(client, {
    clock,
    sleep: async (ms) => {
      nowMs += ms;
    },
    budget: {
      take: async (api) => budget.take(api),
      throttled: async (api) => {
        told.push(api);
        await budget.throttled(api);
      },
    },
  });
  const call = async () =>
    translated('describe', () => client.send(new DescribeInstancesCommand({ InstanceIds: ['i-1'] })));
  return { call, requests, told, now: clock.now };
}

const RESPONSES = {
  fine: () => response(200, '<DescribeInstancesResponse><reservationSet/></DescribeInstancesResponse>'),
  throttled: () => response(503, errorOf('RequestLimitExceeded')),
  broken: () => response(500, errorOf('InternalError')),
};

function errorOf(code: string): string {
  return `<Response><Errors><Error><Code>${code}</Code><Message>x</Message></Error></Errors></Response>`;
}

function response(statusCode: number, body: string) {
  return { statusCode, headers: { 'content-type': 'text/xml' }, body: Readable.from([Buffer.from(body)]) };
}

const always = (grant: CallGrant) => (): CallBudget => ({ take: async () => grant, throttled: async () => {} });

describe('a call within the budget', () => {
  test('is sent immediately if the budget allows it', async () => {
    const { call, requests, told } = held(always({ kind: 'granted', atMs: NOW_MS }));
    await call();
    expect(requests).toEqual([0]);
    expect(told).toEqual([]);
  });

  test('waits if the budget grants it for a later time', async () => {
    const { call, requests } = held(always({ kind: 'granted', atMs: NOW_MS + 1_500 }));
    await call();
    expect(requests).toEqual([1_500]);
  });

  test('tries again if other callers hold the remaining calls', async () => {
    const grants: CallGrant[] = [
      { kind: 'wait', untilMs: NOW_MS + 300 },
      { kind: 'granted', atMs: NOW_MS + 300 },
    ];
    const { call, requests } = held(() => ({
      take: async () => grants.shift() ?? { kind: 'wait', untilMs: Number.MAX_SAFE_INTEGER },
      throttled: async () => {},
    }));
    await call();
    expect(requests).toEqual([300]);
  });

  test('is not sent if it would wait too long, and the error has the time to try again', async () => {
    const { call, requests } = held(always({ kind: 'wait', untilMs: NOW_MS + 30_000 }));
    const failed = call();
    await expect(failed).rejects.toBeInstanceOf(UnreachableError);
    await expect(failed).rejects.toThrow(/DescribeInstances was not called.*2026-01-31T08:00:32Z/);
    expect(requests).toEqual([]);
  });

  test('takes one more for its retry', async () => {
    let taken = 0;
    const counting = (): CallBudget => ({
      take: async () => {
        taken += 1;
        return { kind: 'granted', atMs: NOW_MS };
      },
      throttled: async () => {},
    });
    const { call, requests, told } = held(counting, ['broken']);
    await call();
    expect(requests).toHaveLength(2);
    expect(taken).toBe(2);
    expect(told).toEqual([]);
  });
});

describe('a reserved call', () => {
  const clockAt = { ms: NOW_MS };
  const clock = { now: () => clockAt.ms };
  const reserving = (grants: CallGrant[]) => {
    clockAt.ms = NOW_MS;
    const taken: string[] = [];
    const take = async (api: string): Promise<CallGrant> => {
      taken.push(api);
      return grants.shift() ?? { kind: 'wait', untilMs: NOW_MS + MINUTE };
    };
    return { taken, budget: reservable({ take, throttled: async () => {} }, clock) };
  };

  test('is used by the next call of the same API, once', async () => {
    const { taken, budget } = reserving([{ kind: 'granted', atMs: NOW_MS + 700 }]);
    expect(await budget.reserve('CreateFleet')).toEqual({ kind: 'granted', atMs: NOW_MS + 700 });
    expect(await budget.take('CreateTags')).toMatchObject({ kind: 'wait' });
    expect(await budget.take('CreateFleet')).toEqual({ kind: 'granted', atMs: NOW_MS + 700 });
    expect(await budget.take('CreateFleet')).toMatchObject({ kind: 'wait' });
    expect(taken).toEqual(['CreateFleet', 'CreateTags', 'CreateFleet']);
  });

  test('is lost after ten seconds, so that a function saves up no calls', async () => {
    const { budget } = reserving([{ kind: 'granted', atMs: NOW_MS }]);
    await budget.reserve('CreateFleet');
    clockAt.ms += 10_000;
    expect(await budget.take('CreateFleet')).toMatchObject({ kind: 'wait' });
  });

  test('is not reserved if the budget has none', async () => {
    const { budget } = reserving([]);
    expect(await budget.reserve('CreateFleet')).toEqual({ kind: 'wait', untilMs: NOW_MS + MINUTE });
  });
});

test('a throttled action is reported to the budget by its name, and is not called again before the budget allows it', async () => {
  const { call, requests, told } = held((clock) => memoryCallBudget(() => SLOW, clock), ['throttled']);
  await expect(call()).rejects.toBeInstanceOf(UnreachableError);
  expect(told).toEqual(['DescribeInstances']);
  expect(requests).toEqual([0]);
});

test('while EC2 throttles everything, a hundred callers make few calls, and none waits longer than 3 seconds', async () => {
  const throttled = Array.from({ length: 1_000 }, (): Answer => 'throttled');
  // The pause before an SDK's own retry is real time.
  const once = { maxAttempts: 1 };
  const { call, requests, now } = held((clock) => memoryCallBudget(() => WRITES, clock), throttled, once);
  for (let caller = 0; caller < 100; caller += 1) {
    const before = now();
    await expect(call()).rejects.toBeInstanceOf(UnreachableError);
    expect(now() - before).toBeLessThanOrEqual(3_000);
  }
  expect(requests.length).toBeGreaterThan(1);
  expect(requests.length).toBeLessThan(20);
});

test.each([
  ['DescribeInstances', 100, 20],
  ['GetLaunchTemplateData', 100, 20],
  ['CreateFleet', 50, 5],
  ['DeleteLaunchTemplate', 50, 5],
  ['RunInstances', 5, 2],
  ['TerminateInstances', 100, 5],
  ['CreateTags', 100, 10],
  ['toString', 50, 5],
])('%s begins with %i calls and %i a second', (action, capacity, perSecond) => {
  const limits = ec2CallLimits(action);
  // With the calls that five processes keep, the burst is that of EC2.
  expect(limits.capacity + 5 * (limits.kept ?? 0)).toBe(capacity);
  expect(limits.perSecond).toBe(perSecond);
});
