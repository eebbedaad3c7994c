import { describe, expect, test } from 'vitest';
import { type AccessPorts, ensureAccess, removeAccess } from '../../../lib/controllers/install/ensure-access.ts';
import type { AccessEntry } from '../../../lib/core/install/access-entries.ts';
import { type AccessEntries, UnknownPrincipalError } from '../../../lib/ports/access-entries.ts';
import { RefusedError, UnreachableError } from '../../../lib/ports/errors.ts';

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

describe('an entry that EKS refuses does not stop the others', () => {
  const OF_FUNCTIONS: readonly AccessEntry[] = ['lifecycle', 'termination', 'webhook'].map((name) => ({
    principal: name,
    type: 'STANDARD',
    groups: [`kerf:${name}`],
  }));

  test.each(['find', 'setGroups'] as const)('of a deploy: %s', async (method) => {
    const written: string[] = [];
    const refuse = (principal: string): void => {
      if (principal === 'lifecycle') throw new RefusedError(`${method} of ${principal} is denied`);
    };
    const { ports } = waiting(0);
    const entries: AccessPorts['entries'] = {
      ...ports.entries,
      find: async (_, principal) => {
        if (method === 'find') refuse(principal);
        return { principal, type: 'STANDARD', groups: [] };
      },
      setGroups: async (_, principal) => {
        refuse(principal);
        written.push(principal);
      },
    };
    expect(await ensureAccess({ ...ports, entries }, { cluster: 'demo', entries: OF_FUNCTIONS })).toEqual({
      refusals: [`${method} of lifecycle is denied`],
    });
    expect(written).toEqual(['termination', 'webhook']);
  });

  test('of a removal, which ends with all refusals', async () => {
    const failing: Readonly<Record<string, Error>> = {
      lifecycle: new RefusedError('lifecycle is denied'),
      webhook: new UnreachableError('webhook: no answer'),
    };
    const removed: string[] = [];
    const remove: AccessEntries['remove'] = async (cluster, principal) => {
      if (cluster === 'demo' && failing[principal] !== undefined) throw failing[principal];
      removed.push(`${cluster} ${principal}`);
    };
    const targets = ['demo', 'green'].map((cluster) => ({ cluster, entries: OF_FUNCTIONS }));
    await expect(removeAccess({ remove }, ...targets)).rejects.toThrow('lifecycle is denied; webhook: no answer');
    expect(removed).toEqual(['demo termination', 'green lifecycle', 'green termination', 'green webhook']);
  });
});
