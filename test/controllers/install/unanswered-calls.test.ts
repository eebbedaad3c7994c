import { describe, expect, test } from 'vitest';
import { type UninstallPorts, uninstall } from '../../../lib/controllers/install/uninstall.ts';
import type { ClusterMessage } from '../../../lib/core/install/cluster-messages.ts';
import { RefusedError, UnreachableError } from '../../../lib/ports/errors.ts';
import type { Installation } from '../../../lib/ports/installation.ts';
import { aClaim } from '../../builders/node-claims.ts';
import { MINUTE, NOW_MS } from '../../builders/times.ts';
import { aWorld, TARGET } from './uninstall-world.ts';

const ADMINISTRATOR = { principal: 'arn:role/installer', policy: 'arn:admin' };
const ACCESS = { principal: 'arn:role/termination', type: 'STANDARD', groups: ['kerf:termination'] } as const;

/** A cluster with two NodeClaims, whose nodes termination removes five minutes after their deletion. */
async function aDrain() {
  const { world, store, ports } = aWorld();
  for (const name of ['general-1', 'general-2']) await store.createNodeClaim(aClaim({ name }));
  world.meanwhile = async () => {
    for (const record of await store.listNodeClaims('demo')) {
      const { deletion } = record;
      if (deletion !== undefined && world.nowMs >= deletion.requestedAtMs + 5 * MINUTE)
        await store.updateNodeClaim({ ...record, releasedAtMs: world.nowMs });
    }
  };
  /** What is removed, and how many NodeClaims remained then. */
  const removed: string[] = [];
  const remove = async (what: string): Promise<void> =>
    void removed.push(`${what}, ${(await store.listNodeClaims('demo')).length} NodeClaims`);
  const whole: Installation = {
    ...(await ports.installation('demo')),
    releaseClaim: async () => await remove('Lease'),
  };
  const entries = { ...ports.entries, remove: async () => await remove('access') };
  return { world, store, removed, whole, ports: { ...ports, entries, installation: async () => whole } };
}

/** The method, failing while `fails` says so. */
function failing<Args extends unknown[], Result>(
  method: (...args: Args) => Promise<Result>,
  whyNot: () => Error | undefined,
): (...args: Args) => Promise<Result> {
  return async (...args) => {
    const error = whyNot();
    if (error !== undefined) throw error;
    return await method(...args);
  };
}

/** Without an answer in these calls, counted from 1. */
function unanswered(...numbers: readonly number[]): () => Error | undefined {
  let calls = 0;
  return () => {
    calls += 1;
    return numbers.includes(calls) ? new UnreachableError('no answer within 10 s') : undefined;
  };
}

async function never(): Promise<never> {
  throw new UnreachableError('no answer');
}

async function drain(ports: UninstallPorts): Promise<readonly ClusterMessage[]> {
  const target = { ...TARGET, drain: true, entries: [ACCESS], administrator: ADMINISTRATOR };
  const { draining, failures } = await uninstall(ports, [target]);
  expect(draining).toEqual([]);
  return failures;
}

const DRAINED_FIRST = ['Lease, 0 NodeClaims', 'access, 0 NodeClaims'];

describe('a drain goes on after a call without an answer', () => {
  test.each([1, 3, 20])('of the table (read %i of the NodeClaims)', async (number) => {
    const { store, removed, ports } = await aDrain();
    const readNodeClaims = failing(
      async (cluster: string) => await store.readNodeClaims(cluster),
      unanswered(number, number + 1),
    );
    expect(await drain({ ...ports, store: { ...store, readNodeClaims } })).toEqual([]);
    expect(removed).toEqual(DRAINED_FIRST);
  });

  test.each(['whyNoRights', 'readClaim', 'isTakenOver', 'remove', 'findOtherAutoscalers', 'revokeDeciding'] as const)(
    'of the API server (%s)',
    async (method) => {
      const { removed, whole, ports } = await aDrain();
      const call: (...args: never[]) => Promise<unknown> = whole[method];
      const installation = { ...whole, [method]: failing(call, unanswered(1, 2)) };
      expect(await drain({ ...ports, installation: async () => installation })).toEqual([]);
      expect(removed).toEqual(DRAINED_FIRST);
    },
  );

  test('of EKS', async () => {
    const { removed, ports } = await aDrain();
    const installation = failing(ports.installation, unanswered(1));
    const givePolicy = failing(async () => {}, unanswered(1));
    const entries = { ...ports.entries, givePolicy };
    expect(await drain({ ...ports, entries, installation })).toEqual([]);
    expect(removed).toEqual(DRAINED_FIRST);
  });
});

describe('a drain ends, so that the stack can be deleted', () => {
  test('after 40 minutes, if the table cannot be read any more', async () => {
    const { world, store, removed, ports } = await aDrain();
    expect(await drain({ ...ports, store: { ...store, readNodeClaims: never } })).toContainEqual({
      cluster: 'demo',
      message: expect.stringMatching(/cannot be read after 40 minutes \(no answer\).*tag karpenter.sh/),
    });
    expect(world.nowMs - NOW_MS).toBe(40 * MINUTE);
    expect(removed).toEqual(['Lease, 2 NodeClaims', 'access, 2 NodeClaims']);
  });

  test('after five minutes, if the API server does not answer any more', async () => {
    const { world, removed, whole, ports } = await aDrain();
    const installation = { ...whole, readClaim: never };
    const failures = await drain({ ...ports, installation: async () => installation });
    expect(failures).toEqual([{ cluster: 'demo', message: 'no answer' }]);
    expect(world.nowMs - NOW_MS).toBe(5 * MINUTE);
    expect(removed).toEqual(['access, 2 NodeClaims']);
  });

  test('while the invocation has three minutes for the other steps', async () => {
    const { world, whole, ports } = await aDrain();
    const installation = { ...whole, readClaim: never };
    const remainingMs = () => NOW_MS + 5 * MINUTE - world.nowMs;
    await drain({ ...ports, remainingMs, installation: async () => installation });
    expect(remainingMs()).toBe(3 * MINUTE);
  });

  test('at once, if a call is refused', async () => {
    const { world, removed, whole, ports } = await aDrain();
    const installation = { ...whole, readClaim: async () => Promise.reject(new RefusedError('forbidden')) };
    const failures = await drain({ ...ports, installation: async () => installation });
    expect(failures).toEqual([{ cluster: 'demo', message: 'forbidden' }]);
    expect(world.nowMs).toBe(NOW_MS);
    expect(removed).toEqual(['access, 2 NodeClaims']);
  });
});
