import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { app } from '../../lib/cli/app.ts';
import { FakeApiServer } from '../fakes/api-server.ts';
import { TEST_CERTIFICATE } from '../fakes/tls.ts';
import { type Installed, installPackage } from './install-package.ts';

/** The package as `npm pack` makes it, installed in an empty folder and run on Node.js 20. It needs npm's registry. */

let installed: Installed;

beforeAll(async () => {
  installed = await installPackage();
});

afterAll(() => installed.remove());

const MAX_TARBALL_BYTES = 1_400_000;

test('the tarball is small, and has neither sources nor tests', () => {
  const { size } = statSync(installed.tarball);
  console.log(`tarball: ${size} of ${MAX_TARBALL_BYTES} bytes`);
  expect(size).toBeLessThanOrEqual(MAX_TARBALL_BYTES);
  const { stdout } = spawnSync('tar', ['tzf', installed.tarball], { encoding: 'utf8' });
  const files = stdout
    .trim()
    .split('\n')
    .map((file) => file.replace('package/', ''));
  expect(files.filter((file) => /\.ts$|^(?:lib|test|functions|scripts)\//.test(file))).toEqual([]);
  expect(files).toEqual(
    expect.arrayContaining([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'bin/kerf.js',
      'data/regions/us-east-1.json',
      'dist/LICENSES.txt',
    ]),
  );
});

test('installing the package installs no other package and runs no script', () => {
  const modules = readdirSync(join(installed.folder, 'node_modules')).filter((name) => !name.startsWith('.'));
  expect(modules).toEqual(['kerf']);
  const manifest: unknown = JSON.parse(readFileSync(join(installed.folder, 'node_modules/kerf/package.json'), 'utf8'));
  expect(manifest).not.toHaveProperty('dependencies');
  expect(manifest).not.toHaveProperty('optionalDependencies');
  for (const script of ['preinstall', 'install', 'postinstall', 'prepare'])
    expect(manifest).not.toHaveProperty(['scripts', script]);
});

test('the licenses of all packages in the bundle are in the tarball', () => {
  const text = readFileSync(join(installed.folder, 'node_modules/kerf/dist/LICENSES.txt'), 'utf8');
  for (const name of ['@aws-sdk/client-ec2', '@kubernetes/client-node', '@stricli/core', 'ajv', 'yaml'])
    expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'));
});

const EXAMPLES = 'node_modules/kerf/examples';
const DEMO = [`${EXAMPLES}/demo/cluster.yaml`, `${EXAMPLES}/demo/workloads.yaml`];
const PLAN = ['--snapshot', `${EXAMPLES}/plan/cluster.json`];

/** Arguments for each command that needs neither a cluster nor AWS. */
const OFFLINE: readonly (readonly string[])[] = [
  [],
  ['--version'],
  ['simulate', ...DEMO, `${EXAMPLES}/demo/scenario.yaml`],
  ['simulate', ...DEMO, '--output', 'json', '--for', '10m'],
  ['plan', 'provisioning', ...PLAN],
  ['plan', 'disruption', ...PLAN],
  ['why', 'pod', 'web-1', ...PLAN],
  ['why', 'node', 'node-1', ...PLAN],
  ['why', 'nodeclaim', 'missing', ...PLAN],
  ['top', ...PLAN, '--once'],
  ['diff', ...PLAN, ...DEMO],
  ['validate', ...DEMO, `${EXAMPLES}/arm-v1alpha5`],
  ['convert', `${EXAMPLES}/arm-v1alpha5`],
  ['instance-types', '--name', 'm7g.*'],
  ['schema'],
  ['schema', 'NodePool'],
  ['completion', 'bash'],
  ['simulate', 'missing.yaml'],
  ['simulat'],
];

test.each(OFFLINE.map((args) => [args.join(' '), args] as const))(
  'on Node.js 20, the package prints the same as the sources: kerf %s',
  async (_, args) => {
    expect(installed.nodeVersion).toMatch(/^v20\./);
    const [packaged, fromSources] = [await installed.kerf(args), await installed.sources(args)];
    expect(packaged).toEqual(fromSources);
    expect(packaged.stdout + packaged.stderr).not.toBe('');
    expect(packaged.stderr).not.toContain('    at ');
  },
);

test('on Node.js 20, the records of a simulation are listed, shown and replayed as by the sources', async () => {
  const simulated = await installed.kerf([
    'simulate',
    ...DEMO,
    '--for',
    '6m',
    '--show',
    'summary',
    '--records',
    'recs',
  ]);
  expect(simulated).toMatchObject({ code: 0 });
  const listed = await installed.kerf(['decisions', '--records', 'recs']);
  expect(listed).toEqual(await installed.sources(['decisions', '--records', 'recs']));
  const id = /^([a-z0-9]{6}) .* provisioning /m.exec(listed.stdout)?.[1] ?? '';
  for (const args of [['show', id], ['replay', id], ['replay'], ['status'], ['cost'], ['report', 'shadow']].map(
    (words) => [...words, '--records', 'recs'],
  )) {
    const packaged = await installed.kerf(args);
    expect(packaged, args.join(' ')).toMatchObject({ code: 0, stdout: expect.stringMatching(/./) });
    expect(packaged).toEqual(await installed.sources(args));
  }
});

test('on Node.js 20, the page of a simulation is that of the sources, byte for byte', async () => {
  const args = ['simulate', ...DEMO, '--for', '3m', '--show', 'summary', '--report'];
  expect(await installed.kerf([...args, 'package.html'])).toMatchObject({ code: 0 });
  expect(await installed.sources([...args, 'sources.html'])).toMatchObject({ code: 0 });
  const [packaged, fromSources] = ['package.html', 'sources.html'].map((name) =>
    readFileSync(join(installed.folder, name), 'utf8'),
  );
  expect(packaged).toContain('<!doctype html>');
  expect(packaged).toBe(fromSources);
});

/** The commands with tests of their own. */
const RECORDED = [['decisions'], ['show'], ['replay'], ['status'], ['cost'], ['report', 'shadow']];

/** The commands that connect to a cluster or to AWS, which have tests of their own below. */
const ONLINE = [
  ['doctor'],
  ['snapshot'],
  ['adopt'],
  ['dead-letters', 'list'],
  ['dead-letters', 'send'],
  ['dead-letters', 'delete'],
];

test('every command has a run here', () => {
  const runs = [...OFFLINE, ...RECORDED, ...ONLINE].map((args) => args.join(' '));
  expect(commandsOf(app.root).filter((command) => !runs.some((run) => run.startsWith(command)))).toEqual([]);
});

test('every command prints its help', async () => {
  for (const command of commandsOf(app.root)) {
    const { stdout, code } = await installed.kerf([...command.split(' '), '--help']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`kerf ${command}`) });
  }
});

/** The full names of the commands. */
function commandsOf(root: typeof app.root, before: readonly string[] = []): readonly string[] {
  if (!('getAllEntries' in root)) return [before.join(' ')];
  return root.getAllEntries().flatMap(({ name, target }) => commandsOf(target, [...before, name.original]));
}

test('snapshot reads a cluster over TLS, and plan reads its snapshot', async () => {
  const server = await FakeApiServer.start('https');
  try {
    const kubeconfig = join(installed.folder, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigOf(server.endpoint));
    const { stdout, stderr, code } = await installed.kerf([
      'snapshot',
      '--kubeconfig',
      'kubeconfig',
      '--region',
      'eu-west-1',
    ]);
    expect({ stderr, code }).toEqual({ stderr: '0 nodes, 0 pods, 0 NodePools and 0 NodeClaims read\n', code: 0 });
    writeFileSync(join(installed.folder, 'cluster.json'), stdout);
    expect(await installed.kerf(['plan', 'provisioning', '--snapshot', 'cluster.json'])).toMatchObject({ code: 0 });
  } finally {
    await server.close();
  }
});

test.each([
  ['doctor', '--cluster', 'demo', '--region', 'eu-west-1'],
  ['adopt', '--cluster', 'demo', '--table', 'kerf', '--region', 'eu-west-1'],
  ['dead-letters', 'list', '--queue', 'AWS/1/wakes', '--region', 'eu-west-1'],
  ['dead-letters', 'send', '--queue', 'AWS/1/wakes', '--region', 'eu-west-1'],
  ['dead-letters', 'delete', '--queue', 'AWS/1/wakes', '--region', 'eu-west-1'],
  ['instance-types', '--from', 'account', '--region', 'eu-west-1'],
])('%s %s calls AWS, and prints the refusal without a stack trace', async (...args) => {
  const aws = await refusingAws();
  try {
    const { stdout, stderr, code } = await installed.kerf(
      args.map((arg) => arg.replace('AWS', aws.endpoint)),
      {
        AWS_ENDPOINT_URL: aws.endpoint,
        AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
        AWS_SECRET_ACCESS_KEY: 'example',
      },
    );
    expect(aws.paths.length).toBeGreaterThan(0);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('not allowed');
    expect(stderr).not.toMatch(/^ +at |Warning/m);
  } finally {
    aws.server.close();
  }
});

/** AWS for credentials without rights. */
async function refusingAws(): Promise<{
  readonly server: Server;
  readonly endpoint: string;
  readonly paths: readonly string[];
}> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    const text = 'not allowed';
    const isXml = request.headers['content-type']?.includes('form-urlencoded') === true;
    response.writeHead(403, {
      'content-type': isXml ? 'text/xml' : 'application/x-amz-json-1.0',
      'x-amzn-errortype': 'AccessDeniedException',
    });
    response.end(
      isXml
        ? `<Response><Errors><Error><Code>UnauthorizedOperation</Code><Message>${text}</Message></Error></Errors></Response>`
        : JSON.stringify({ __type: 'AccessDeniedException', message: text }),
    );
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen');
  return { server, paths, endpoint: `http://127.0.0.1:${address.port}` };
}

function kubeconfigOf(endpoint: string): string {
  const cluster = { server: endpoint, 'certificate-authority-data': Buffer.from(TEST_CERTIFICATE).toString('base64') };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster }],
    users: [{ name: 'test', user: { token: 'a-token' } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  });
}
