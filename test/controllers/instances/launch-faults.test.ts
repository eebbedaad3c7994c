import { describe, expect, test } from 'vitest';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import type { LaunchRequest } from '../../../lib/core/model/node-claim-record.ts';
import type { LaunchOutcome } from '../../../lib/ports/cloud-provider.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import { randomFrom } from '../../../lib/simulator/random.ts';
import { expectAllGone, expectOneInstanceAClaim, launchedFor, live } from '../life.ts';

type Launch = (request: LaunchRequest) => Promise<LaunchOutcome>;

/** Ports with the CreateFleet of the test. */
function withLaunch(make: (launch: Launch) => Launch): {
  readonly wrapPorts: (ports: ControllerPorts) => ControllerPorts;
} {
  return {
    wrapPorts: (ports) => ({
      ...ports,
      cloud: { ...ports.cloud, launch: make(async (one) => ports.cloud.launch(one)) },
    }),
  };
}

/** The reply of the first call of each claim is lost after the launch. The test answers the second call. */
function lostThen(second: (launch: Launch, request: LaunchRequest) => Promise<LaunchOutcome>) {
  const calls = new Map<string, number>();
  return withLaunch((launch) => async (request) => {
    const nth = (calls.get(request.clientToken) ?? 0) + 1;
    calls.set(request.clientToken, nth);
    if (nth > 1) return second(launch, request);
    await launch(request);
    throw new UnreachableError('the reply was lost');
  });
}

describe('a launch whose reply was lost', () => {
  const clean = live();

  test.each<[string, (launch: Launch, request: LaunchRequest) => Promise<LaunchOutcome>]>([
    ['EC2 returns the launched instance again', async (launch, request) => launch(request)],
    [
      'EC2 no longer accepts the token',
      async (launch, request) => launch({ ...request, nodePool: 'changed since by an upgrade' }),
    ],
    [
      'EC2 rejects the next call, which has no information about the first call',
      async () => ({ kind: 'rejected', missing: [], message: 'UnauthorizedOperation' }),
    ],
    [
      'EC2 is never heard of again',
      async () => {
        throw new UnreachableError('no answer');
      },
    ],
  ])('launches nothing twice and leaks nothing where %s', async (_, second) => {
    const result = await live(lostThen(second));
    expectOneInstanceAClaim(result);
    expect(launchedFor(result).length, 'as many as without the fault').toBe(launchedFor(await clean).length);
    expectAllGone(result);
  });

  test('and whose instance was terminated meanwhile: the claim is deleted, and its pods get another one', async () => {
    const ended = new Set<string>();
    const result = await live({
      wrapPorts: (ports) => ({
        ...ports,
        cloud: {
          ...ports.cloud,
          launch: async (request) => {
            const outcome = await ports.cloud.launch(request);
            if (outcome.kind !== 'launched' || ended.size > 0) return outcome;
            for (const { id } of outcome.instances) {
              ended.add(id);
              await ports.cloud.terminate(request.cluster, id);
            }
            throw new UnreachableError('the reply was lost');
          },
        },
      }),
    });
    expect(ended.size).toBe(1);
    expectOneInstanceAClaim(result);
    expectAllGone(result);
  });
});

const OBJECTION: LaunchOutcome = { kind: 'refused', missing: [], message: 'InternalError: try again' };

describe('a launch that EC2 refuses', () => {
  test('for another reason than capacity is tried again after a pause, with a new token', async () => {
    const tokens = new Set<string>();
    const result = await live(
      withLaunch((launch) => async (request) => {
        tokens.add(request.clientToken);
        return tokens.size <= 2 ? OBJECTION : launch(request);
      }),
    );
    expect(tokens.size).toBeGreaterThan(2);
    expectOneInstanceAClaim(result);
    expectAllGone(result);
  });

  test('in one zone and as spot is tried with another offering in the same invocation', async () => {
    const asked: LaunchRequest[] = [];
    const result = await live(
      withLaunch((launch) => async (request) => {
        asked.push(request);
        if (request.capacityType !== 'spot') return launch(request);
        const missing = request.overrides.map(({ instanceType, zone, capacityType }) => ({
          instanceType,
          zone,
          capacityType,
          reason: 'InsufficientInstanceCapacity',
        }));
        return { kind: 'refused', missing, message: 'no spot' };
      }),
    );
    const [first, second] = asked;
    expect([first?.capacityType, second?.capacityType]).toEqual(['spot', 'on-demand']);
    expect(second?.nodeClaim).toBe(first?.nodeClaim);
    expectOneInstanceAClaim(result);
    expectAllGone(result);
  });
});

test.each([1, 2, 3])(
  'random answers of EC2 (seed %i) to three concurrent invocations: no claim launches twice, no instance leaks, no pod is lost',
  async (seed) => {
    const random = randomFrom(seed);
    const result = await live({
      invocations: 3,
      ...withLaunch((launch) => async (request) => {
        const chance = random.between(0, 9);
        if (chance < 2) throw new UnreachableError('throttled');
        if (chance === 2) return { kind: 'rejected', missing: [], message: 'UnauthorizedOperation' };
        const outcome = await launch(request);
        if (chance < 6) throw new UnreachableError('the reply was lost');
        return outcome;
      }),
    });
    expectOneInstanceAClaim(result);
    expectAllGone(result);
  },
);
