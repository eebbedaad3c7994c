/** What the rig can break: each on a control plane of the test's own. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ControlPlane } from '../../scripts/control-plane.ts';
import { startOwnControlPlane } from '../rig/own-control-plane.ts';
import { createDeployment } from '../rig/workloads.ts';
import { at, textAt } from '../stack/json.ts';
import { callApi, read } from './support/api-client.ts';

let controlPlane: ControlPlane;

/** Answers every token that is a user's name as that user. */
const tokens = createServer((incoming, response) => void review(incoming, response));

async function review(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = await json(incoming);
  const user = { username: textAt(asked, 'spec', 'token'), groups: ['kerf:lifecycle'] };
  const status = { authenticated: user.username.startsWith('user-'), user };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ apiVersion: at(asked, 'apiVersion'), kind: 'TokenReview', status }));
}

beforeAll(async () => {
  const address = await new Promise<AddressInfo | string | null>((resolve) =>
    tokens.listen(0, '127.0.0.1', () => resolve(tokens.address())),
  );
  if (address === null || typeof address === 'string') throw new Error('this machine gave no port');
  controlPlane = await startOwnControlPlane({
    tokenWebhookUrl: `http://127.0.0.1:${address.port}/`,
    users: [{ token: 'static-token', user: 'someone', groups: ['some-group'] }],
  });
});
afterAll(async () => {
  await controlPlane.stop();
  tokens.close();
});

async function whoIs(token: string): Promise<unknown> {
  const { status, body } = await callApi({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    headers: { authorization: `Bearer ${token}` },
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
  });
  return status === 201 ? at(body, 'status', 'userInfo') : status;
}

test('a token belongs to a static user or to the user of the token webhook, otherwise it is refused', async () => {
  expect(await whoIs('static-token')).toMatchObject({
    username: 'someone',
    groups: expect.arrayContaining(['some-group']),
  });
  expect(await whoIs('user-1')).toMatchObject({
    username: 'user-1',
    groups: expect.arrayContaining(['kerf:lifecycle']),
  });
  expect(await whoIs('else')).toBe(401);
});

async function watch(resourceVersion: string): Promise<unknown> {
  const query = { watch: 'true', resourceVersion, timeoutSeconds: '1' };
  return (await callApi({ method: 'GET', path: '/apis/apps/v1/deployments', query })).body;
}

test('after a compaction and a restart old versions are gone (410), and the present objects stay', async () => {
  const before = textAt(await read('/api/v1/pods'), 'metadata', 'resourceVersion');
  await createDeployment({ name: 'stays', replicas: 1 });
  await controlPlane.compactEtcd();
  await controlPlane.restartApiServer();
  expect(await watch(before)).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
  expect(await read('/apis/apps/v1/namespaces/default/deployments/stays')).toMatchObject({ spec: { replicas: 1 } });
});
