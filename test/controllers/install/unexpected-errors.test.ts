/** Errors that are not of a port, such as an object of an unknown shape in one cluster. */
import { beforeEach, expect, test } from 'vitest';
import { type InstallTarget, install } from '../../../lib/controllers/install/install.ts';
import { type UninstallPorts, type UninstallTarget, uninstall } from '../../../lib/controllers/install/uninstall.ts';
import { aWorld, TARGET } from './uninstall-world.ts';

const ADMINISTRATOR = { principal: 'arn:role/installer', policy: 'arn:admin' };
const FUNCTION = { principal: 'arn:role/lifecycle', type: 'STANDARD', groups: ['kerf:lifecycle'] } as const;

/** The calls that change something, by cluster. */
let done: string[];
/** The clusters in which the installer is an administrator. */
let administered: Set<string>;
let warnings: string[];
let ports: UninstallPorts;

function targetOf(cluster: string): UninstallTarget & InstallTarget {
  const webhook = { url: 'https://hooks.example.com/', cluster, secret: 'secret' };
  return { ...TARGET, cluster, entries: [FUNCTION], administrator: ADMINISTRATOR, webhook, drain: true };
}

const BOTH = ['demo', 'green'].map(targetOf);

async function noPolicy(): Promise<never> {
  throw new TypeError('no policy');
}

/** Cluster demo has an object that cannot be read. */
beforeEach(async () => {
  done = [];
  administered = new Set();
  warnings = [];
  const { ports: whole } = aWorld();
  const installation = await whole.installation('demo');
  ports = {
    ...whole,
    warn: (cluster, message) => void warnings.push(`${cluster}: ${message}`),
    entries: {
      ...whole.entries,
      remove: async (cluster) => void done.push(`${cluster} access`),
      givePolicy: async (cluster) => void administered.add(cluster),
      takePolicy: async (cluster) => void administered.delete(cluster),
    },
    installation: async (cluster) => ({
      ...installation,
      apply: async ({ kind }) => {
        done.push(`${cluster} ${kind}`);
        return 'applied';
      },
      findOtherAutoscalers: async () => {
        if (cluster === 'demo') throw new RangeError('"10000-01-01" is not a time');
        return await installation.findOtherAutoscalers();
      },
      releaseClaim: async () => void done.push(`${cluster} Lease`),
    }),
  };
});

test('an installation goes on in the other clusters, and is an administrator in none afterwards', async () => {
  await expect(install(ports, BOTH)).rejects.toThrow(
    /^cluster demo: unexpected error: RangeError: "10000-01-01" is not a time$/,
  );
  expect(done).toContain('green ValidatingWebhookConfiguration');
  expect([...administered]).toEqual([]);
});

test('a removal goes on in the other clusters, and stops in that one, whose access stays for another one', async () => {
  const { draining, failures } = await uninstall(ports, BOTH);
  expect(draining).toEqual([]);
  expect(failures).toEqual([
    { cluster: 'demo', message: expect.stringContaining('is not a time'), isUnexpected: true },
  ]);
  expect(done).toEqual(['green Lease', 'green access']);
  expect([...administered]).toEqual([]);
});

test('rights that could not be taken back are reported', async () => {
  await install({ ...ports, entries: { ...ports.entries, takePolicy: noPolicy } }, [targetOf('green')]);
  expect(warnings).toEqual([expect.stringMatching(/^green: .*still has the rights.*TypeError: no policy/)]);
});
