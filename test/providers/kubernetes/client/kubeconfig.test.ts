import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { RefusedError } from '../../../../lib/ports/errors.ts';
import { ApiClient } from '../../../../lib/providers/kubernetes/client/api-client.ts';
import { kubeconfigAccess } from '../../../../lib/providers/kubernetes/client/kubeconfig.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../../../fakes/tls.ts';

const CA = Buffer.from(TEST_CERTIFICATE).toString('base64');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kerf-kubeconfig-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** JSON is YAML. */
function kubeconfig(user: object, cluster: object = {}): string {
  const file = join(folder, 'config');
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'prod',
    clusters: [
      { name: 'eks', cluster: { server: 'https://demo.example', 'certificate-authority-data': CA, ...cluster } },
    ],
    users: [{ name: 'admin', user }],
    contexts: [
      { name: 'prod', context: { cluster: 'eks', user: 'admin' } },
      { name: 'half', context: { cluster: 'eks', user: 'gone' } },
    ],
  };
  writeFileSync(file, JSON.stringify(content));
  return file;
}

const access = (file: string, context?: string) => kubeconfigAccess({ file, context });

describe('a context of a kubeconfig', () => {
  test('the current one has the server, its authority and the token of its user', async () => {
    const { token, ...server } = await access(kubeconfig({ token: 't-1' }));
    expect(server).toEqual({ endpoint: 'https://demo.example', certificateAuthority: TEST_CERTIFICATE });
    expect(await token()).toBe('t-1');
  });

  test('an exec plugin is asked for the token, as aws eks get-token is', async () => {
    const credential = {
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      kind: 'ExecCredential',
      status: { token: 't-2' },
    };
    const exec = { command: process.execPath, args: ['-e', `console.log('${JSON.stringify(credential)}')`] };
    const { token } = await access(kubeconfig({ exec: { apiVersion: credential.apiVersion, ...exec } }));
    expect(await token()).toBe('t-2');
  });

  test.each<[string, Parameters<typeof kubeconfig>, RegExp]>([
    ['whose user has a client certificate alone', [{ 'client-certificate-data': CA }], /no token/],
    [
      'whose plugin fails',
      [{ exec: { command: join('/', 'no', 'such') } }],
      /gets no token: the program \/no\/such of its exec plugin was not found: install it/,
    ],
    ['that trusts any server', [{ token: 't' }, { 'insecure-skip-tls-verify': true }], /insecure-skip-tls-verify/],
    ['behind a proxy', [{ token: 't' }, { 'proxy-url': 'http://proxy' }], /has proxy-url, which kerf does not support/],
    ['without an authority', [{ token: 't' }, { 'certificate-authority-data': undefined }], /no certificate-authority/],
  ])('%s is refused', async (_, content, message) => {
    const asked = access(kubeconfig(...content));
    await expect(asked).rejects.toThrow(message);
    await expect(asked).rejects.toBeInstanceOf(RefusedError);
  });

  test.each([
    ['dev', /no context "dev" with a cluster and a user: write one of "prod", "half"$/],
    ['half', /no context "half" with a cluster and a user/],
  ])('%s, which lacks its entry in the file, is refused', async (context, message) => {
    await expect(access(kubeconfig({ token: 't' }), context)).rejects.toThrow(message);
  });

  test('a file without a current context, or without contexts, is refused with what to do', async () => {
    const file = kubeconfig({ token: 't' });
    const { 'current-context': _, ...content } = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify(content));
    await expect(access(file)).rejects.toThrow(/has no current context: add --context with one of "prod", "half"$/);
    expect(await (await access(file, 'prod')).token()).toBe('t');
    writeFileSync(file, JSON.stringify({ ...content, contexts: [], clusters: [], users: [] }));
    await expect(access(file)).rejects.toThrow(/has no contexts: run aws eks update-kubeconfig$/);
  });

  test('its tls-server-name is the name that the server must prove', async () => {
    const server = createServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const cluster = { server: `https://127.0.0.1:${port}`, 'tls-server-name': 'demo.example' };
    const options = await access(kubeconfig({ token: 't' }, cluster));
    const client = new ApiClient({ ...options, sleep: async () => {} });
    await expect(client.send({ method: 'GET', path: '/' })).rejects.toThrow(/demo\.example/);
    client.close();
    server.close();
  });

  test('a shell without a kubeconfig is told so', async () => {
    vi.stubEnv('KUBECONFIG', '');
    vi.stubEnv('HOME', folder);
    await expect(kubeconfigAccess({ file: undefined, context: undefined })).rejects.toThrow(
      /^there is no kubeconfig: /,
    );
    vi.unstubAllEnvs();
  });

  test('a missing file, or one that is not a kubeconfig, is rejected with its name', async () => {
    await expect(access(join(folder, 'none'))).rejects.toThrow(/none cannot be read: there is no such file/);
    const file = join(folder, 'broken');
    writeFileSync(file, 'clusters: [');
    await expect(access(file)).rejects.toThrow(/broken cannot be read/);
  });
});
