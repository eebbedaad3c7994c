import { describe, expect, test } from 'vitest';
import { type AccessPorts, ensureAccess } from '../../../lib/controllers/install/ensure-access.ts';
import { UnknownPrincipalError } from '../../../lib/ports/access-entries.ts';

const NODE = { principal: 'arn:role/node', type: 'EC2_LINUX', groups: [] } as const;

/** A cluster whose EKS knows the role after this time. */
function waiting(knownAfterMs: number) {
  let nowMs = 0;
  const ports: AccessPorts = {
    clock: { now: () => nowMs },
    pause: async (ms) => void (nowMs += ms),
    entries: {
      authenticationMode: async () => 'API',
      find: async () => undefined,
      setGroups: async () => {},
      create: async (_cluster, { principal }) => {
        if (nowMs < knownAfterMs) throw new UnknownPrincipalError(`${principal} is invalid`);
      },
    },
  };
  return { ports, passedMs: () => nowMs };
}

describe('the entry of a role that the stack has just created', () => {
  test('is created when EKS knows the role', async () => {
    const { ports, passedMs } = waiting(12_000);
    expect(await ensureAccess(ports, { cluster: 'demo', entries: [NODE] })).toEqual({ refusals: [] });
    expect(passedMs()).toBe(15_000);
  });

  test('is refused if EKS does not know the role after half a minute, with what to do', async () => {
    const { ports, passedMs } = waiting(Number.POSITIVE_INFINITY);
    const outcome = await ensureAccess(ports, { cluster: 'demo', entries: [NODE] });
    expect(outcome).toEqual({
      refusals: [expect.stringMatching(/^arn:role\/node is invalid \(does the role exist\?/)],
    });
    expect(passedMs()).toBe(30_000);
  });
});
