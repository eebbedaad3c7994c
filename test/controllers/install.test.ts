import { beforeEach, describe, expect, test } from 'vitest';
import { installAccess, removeAccess } from '../../lib/controllers/install.ts';
import type { AccessEntry, AuthenticationMode, FoundAccessEntry } from '../../lib/core/install/access-entries.ts';
import type { AccessEntries } from '../../lib/ports/access-entries.ts';
import { RefusedError } from '../../lib/ports/errors.ts';

const FUNCTION: AccessEntry = { principal: 'arn:role/lifecycle', type: 'STANDARD', groups: ['kerf:lifecycle'] };
const NODE: AccessEntry = { principal: 'arn:role/node', type: 'EC2_LINUX', groups: [] };
const DEMO = { cluster: 'demo', entries: [FUNCTION, NODE] };

let there: Map<string, FoundAccessEntry>;
let mode: AuthenticationMode;
let unknownRoles: ReadonlySet<string>;

/** EKS with one list for all clusters: keys are `cluster principal`. */
const eks: AccessEntries = {
  authenticationMode: async () => mode,
  find: async (cluster, principal) => there.get(`${cluster} ${principal}`),
  create: async (cluster, entry) => {
    if (unknownRoles.has(entry.principal)) throw new RefusedError(`${entry.principal} is invalid`);
    there.set(`${cluster} ${entry.principal}`, entry);
  },
  setGroups: async (cluster, principal, groups) => {
    const found = there.get(`${cluster} ${principal}`);
    if (found !== undefined) there.set(`${cluster} ${principal}`, { ...found, groups });
  },
  remove: async (cluster, principal) => void there.delete(`${cluster} ${principal}`),
};

beforeEach(() => {
  there = new Map();
  mode = 'API_AND_CONFIG_MAP';
  unknownRoles = new Set();
});

describe('installing', () => {
  test('lets functions and nodes in, and doing it again changes nothing', async () => {
    await installAccess(eks, [DEMO]);
    const first = new Map(there);
    await installAccess(eks, [DEMO]);
    expect([...first.keys()]).toEqual(['demo arn:role/lifecycle', 'demo arn:role/node']);
    expect(there).toEqual(first);
  });

  test('a cluster that cannot be entered keeps none of the others out, and every reason is told', async () => {
    unknownRoles = new Set(['arn:role/node']);
    const green = { cluster: 'green', entries: [FUNCTION] };
    await expect(installAccess(eks, [DEMO, green])).rejects.toThrow(
      'arn:role/node is invalid (is there such a role? Name it in nodeRole, or set makeNodeRole)',
    );
    expect([...there.keys()]).toEqual(['demo arn:role/lifecycle', 'green arn:role/lifecycle']);
  });

  test('nothing is written where the ConfigMap alone decides', async () => {
    mode = 'CONFIG_MAP';
    await expect(installAccess(eks, [DEMO])).rejects.toBeInstanceOf(RefusedError);
    expect(there.size).toBe(0);
  });
});

test('removing takes the functions out, and leaves the nodes that run', async () => {
  await installAccess(eks, [DEMO]);
  await removeAccess(eks, [DEMO]);
  expect([...there.keys()]).toEqual(['demo arn:role/node']);
});
