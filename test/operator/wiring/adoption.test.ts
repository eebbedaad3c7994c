import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OptionError } from '../../../lib/operator/options/option-values.ts';
import { accessByKubeconfig, wireAdoption } from '../../../lib/operator/wiring/adoption.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
let folder: string;
let file: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kerf-adoption-'));
  file = join(folder, 'config');
  const content = {
    'current-context': 'prod',
    clusters: [
      {
        name: 'eks',
        cluster: { server: 'https://demo.example', 'certificate-authority-data': base64('PEM of prod\n') },
      },
    ],
    users: [{ name: 'admin', user: { token: 't' } }],
    contexts: [{ name: 'prod', context: { cluster: 'eks', user: 'admin' } }],
  };
  writeFileSync(file, JSON.stringify(content));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('a kubeconfig reaches the cluster whose certificate authority EKS names', async () => {
  const cluster = { name: 'prod', certificateAuthority: base64('PEM of prod') };
  expect(await accessByKubeconfig({ file, context: undefined }, cluster)).toMatchObject({
    endpoint: 'https://demo.example',
  });
});

test('a context of another cluster is refused', async () => {
  const cluster = { name: 'prod', certificateAuthority: base64('PEM of another') };
  const reached = accessByKubeconfig({ file, context: undefined }, cluster);
  await expect(reached).rejects.toThrow(/not of the EKS cluster prod: their certificate authorities differ/);
  await expect(reached).rejects.toBeInstanceOf(OptionError);
});

test('a context that the kubeconfig does not have is bad input', async () => {
  const reached = accessByKubeconfig({ file, context: 'dev' }, { name: 'prod', certificateAuthority: '' });
  await expect(reached).rejects.toBeInstanceOf(OptionError);
});

test('an endpoint and a kubeconfig exclude each other', async () => {
  const options = {
    cluster: 'prod',
    region: undefined,
    table: 't',
    endpoint: 'https://demo.example',
    namespaces: undefined,
  };
  await expect(wireAdoption({ ...options, kubeconfig: { file, context: undefined } })).rejects.toThrow(
    /leave out --endpoint/,
  );
});
