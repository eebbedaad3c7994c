/** `kerf snapshot` as a process, on a real API server, with a kubeconfig. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { at, listAt, textAt } from '../../stack/json.ts';
import { callApi, succeed } from '../support/api-client.ts';
import { writeKubeconfig } from '../support/kubeconfig.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'kerf-snapshot-'));
const KUBECONFIG = join(FOLDER, 'config');
const NAMESPACE = 'snapshots';
const LIMITED = 'snapshots-limited';
const ODD_NODE = 'snapshots-odd';

beforeAll(async () => {
  writeKubeconfig(KUBECONFIG);
  await callApi({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: NAMESPACE } } });
  const container = {
    name: 'main',
    image: 'web',
    args: ['--password=SECRET'],
    env: [{ name: 'TOKEN', value: 'SECRET' }],
    resources: { requests: { cpu: '250m' } },
  };
  await succeed({
    method: 'POST',
    path: `/api/v1/namespaces/${NAMESPACE}/pods`,
    body: { metadata: { name: 'web-1' }, spec: { containers: [container], serviceAccountName: 'default' } },
  });
});

afterAll(async () => {
  rmSync(FOLDER, { recursive: true });
  for (const name of [NAMESPACE, LIMITED]) await callApi({ method: 'DELETE', path: `/api/v1/namespaces/${name}` });
  await callApi({ method: 'DELETE', path: `/api/v1/nodes/${ODD_NODE}` });
});

async function kerf(...args: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return await promisify(execFile)('node', ['bin/kerf.js', ...args], { maxBuffer: 100_000_000 });
}

test('a snapshot of the cluster has its pods without environment variables and arguments, and is explained', async () => {
  const { stdout, stderr } = await kerf('snapshot', '--kubeconfig', KUBECONFIG, '--region', 'us-east-1');
  expect(stderr).toMatch(/\d+ nodes?, \d+ pods?, \d+ NodePools? and \d+ NodeClaims? read\n$/);
  expect(stdout).not.toContain('SECRET');
  const pods = listAt(JSON.parse(stdout), 'pods').filter((pod) => textAt(pod, 'metadata', 'namespace') === NAMESPACE);
  expect(pods.map((pod) => textAt(pod, 'metadata', 'name'))).toEqual(['web-1']);
  const file = join(FOLDER, 'cluster.json');
  writeFileSync(file, stdout);
  const why = await kerf('why', 'pod', 'web-1', '-n', NAMESPACE, '--snapshot', file);
  expect(why.stdout).toMatch(/^pod snapshots\/web-1: \w+\n/);
  expect(why.stdout).toContain('requests  250m cpu');
}, 60_000);

test('a pod of a manifest has the requests that the API server gives it by a LimitRange', async () => {
  await callApi({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: LIMITED } } });
  const limits = [
    {
      type: 'Container',
      default: { memory: '3Gi' },
      defaultRequest: { cpu: '1250m' },
      max: { cpu: '4', memory: '8Gi' },
      min: { 'ephemeral-storage': '2Gi' },
    },
    { type: 'Pod', max: { cpu: '32' } },
  ];
  await succeed({
    method: 'POST',
    path: `/api/v1/namespaces/${LIMITED}/limitranges`,
    body: { metadata: { name: 'defaults' }, spec: { limits } },
  });
  const spec = {
    serviceAccountName: 'default',
    containers: [
      { name: 'bare', image: 'web' },
      { name: 'sized', image: 'web', resources: { requests: { cpu: '500m' } } },
    ],
  };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'bare', namespace: LIMITED }, spec };
  const manifest = join(FOLDER, 'bare.json');
  writeFileSync(manifest, JSON.stringify(pod));
  const before = await explained('before', '-f', manifest);
  await succeed({ method: 'POST', path: `/api/v1/namespaces/${LIMITED}/pods`, body: pod });
  expect(before).toEqual(await explained('after'));
  expect(before).toEqual(['requests', expect.stringContaining('1750m cpu')]);
}, 60_000);

/** The requests of the pod `bare` in a new snapshot. */
async function explained(name: string, ...args: readonly string[]): Promise<unknown> {
  const { stdout } = await kerf('snapshot', '--kubeconfig', KUBECONFIG, '--region', 'us-east-1');
  const file = join(FOLDER, `${name}.json`);
  writeFileSync(file, stdout);
  const why = await kerf('why', 'pod', 'bare', '-n', LIMITED, '--snapshot', file, '-o', 'json', ...args);
  return listAt(JSON.parse(why.stdout), 'facts').find((fact) => at(fact, '0') === 'requests');
}

test('what the API server accepts in a status is read back from the snapshot', async () => {
  const conditions = [{ type: 'Ready', status: 'odd', lastTransitionTime: '9999-12-31T23:59:59-14:00' }];
  const headers = { 'content-type': 'application/merge-patch+json' };
  const status = { phase: 'Odd', startTime: '0000-01-01T00:00:00+14:00', conditions };
  const pod = `/api/v1/namespaces/${NAMESPACE}/pods/web-1/status`;
  await succeed({ method: 'PATCH', path: pod, headers, body: { status } });
  const taints = [{ key: 'odd', effect: 'NoExecute', timeAdded: '9999-12-31T23:59:59-14:00' }];
  const node = { metadata: { name: ODD_NODE }, spec: { taints }, status: { conditions } };
  await succeed({ method: 'POST', path: '/api/v1/nodes', body: node });
  const { stdout } = await kerf('snapshot', '--kubeconfig', KUBECONFIG, '--region', 'us-east-1');
  expect(stdout).toContain('10000-01-01T13:59:59Z');
  expect(stdout).toContain('-0001-12-31T10:00:00Z');
  const file = join(FOLDER, 'odd.json');
  writeFileSync(file, stdout);
  const plan = await kerf('plan', 'provisioning', '--snapshot', file);
  expect(plan.stdout).not.toBe('');
}, 60_000);

test('a context that does not exist is named in one sentence', async () => {
  const failed = kerf('snapshot', '--kubeconfig', KUBECONFIG, '--context', 'prod');
  await expect(failed).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/has no context "prod".*"rig"/),
  });
});
