/** The nominations of provisioning on a real API server, and what its identity may write to the status of pods, beyond what RBAC can limit. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { nominationPolicy } from '../../../lib/core/install/nomination-policy.ts';
import { groupOf, rbacObjects } from '../../../lib/core/install/rbac.ts';
import { ApiClient } from '../../../lib/providers/kubernetes/client/api-client.ts';
import { kubernetesInstallation } from '../../../lib/providers/kubernetes/install/installation.ts';
import { KubernetesCluster } from '../../../lib/providers/kubernetes/kubernetes-cluster.ts';
import type { ControlPlane } from '../../../scripts/control-plane.ts';
import { podNominationContract } from '../../contract/pod-nominations.ts';
import { startOwnControlPlane } from '../../rig/own-control-plane.ts';

const PODS = '/api/v1/namespaces/default/pods';
const CLOCK = { now: () => Date.now() };

let controlPlane: ControlPlane;
const clients: ApiClient[] = [];

beforeAll(async () => {
  controlPlane = await startOwnControlPlane({
    users: [
      { token: 'installer', user: 'installer', groups: ['system:masters'] },
      { token: 'provisioning', user: 'provisioning', groups: [groupOf('provisioning')] },
      // RBAC alone would let this identity write everything.
      { token: 'strong', user: 'strong', groups: [groupOf('lifecycle'), 'system:masters'] },
    ],
  });
  const installation = kubernetesInstallation({
    client: clientOf('installer'),
    clock: CLOCK,
    installedBy: 'test',
    deployment: '111122223333/eu-central-1/Kerf',
  });
  for (const object of nominationPolicy()) expect(await installation.apply(object)).toBe('applied');
  for (const object of rbacObjects()) await installation.apply(object);
  await create('probe');
  // The API server reads policies with a delay.
  await vi.waitFor(
    async () => expect(await patch('strong', 'probe', { status: { reason: `${Date.now()}` } })).toBe(422),
    {
      timeout: 30_000,
      interval: 500,
    },
  );
  await remove('probe');
});

afterAll(async () => {
  for (const client of clients) client.close();
  await controlPlane.stop();
});

function clientOf(token: string): ApiClient {
  const { endpoint, certificateAuthority } = controlPlane;
  const client = new ApiClient({
    endpoint,
    certificateAuthority: readFileSync(certificateAuthority, 'utf8'),
    token: async () => token,
  });
  clients.push(client);
  return client;
}

/** A pod that the kube-scheduler leaves alone. */
async function create(name: string, spec: object = {}): Promise<void> {
  const containers = [{ name: 'main', image: 'none', resources: { requests: { cpu: '100m' } } }];
  const body = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: 'web' } },
    spec: { ...spec, containers, schedulerName: 'none' },
  };
  expect((await clientOf('installer').send({ method: 'POST', path: PODS, body })).status).toBe(201);
}

async function remove(name: string): Promise<void> {
  const body = { gracePeriodSeconds: 0 };
  await clientOf('installer').send({ method: 'DELETE', path: `${PODS}/${name}`, body });
}

async function patch(token: string, name: string, body: object): Promise<number> {
  const request = { method: 'PATCH', body, contentType: 'application/merge-patch+json' } as const;
  return (await clientOf(token).send({ ...request, path: `${PODS}/${name}/status` })).status;
}

podNominationContract('a real API server, as provisioning', async () => {
  const cluster = new KubernetesCluster({ client: clientOf('provisioning'), clock: CLOCK });
  return {
    cluster,
    second: cluster,
    put: async (thing) => {
      if (thing.kind !== 'Pod') throw new Error(`the suite creates a ${thing.kind}`);
      const { metadata, status, spec } = thing.object;
      const { name } = metadata;
      await create(name, spec);
      const path = `${PODS}/${name}/status`;
      const contentType = 'application/merge-patch+json';
      const query = { fieldManager: 'kube-scheduler' };
      await clientOf('installer').expect({ method: 'PATCH', path, query, body: { status }, contentType });
    },
    close: async () => remove('web-1'),
  };
});

describe('an identity of Kerf', () => {
  const condition = { type: 'Ready', status: 'True' };
  test.each([
    ['the phase', { status: { phase: 'Failed' } }],
    ['a condition', { status: { conditions: [condition] } }],
    ['an address', { status: { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }] } }],
    ['a reason beside the nomination', { status: { nominatedNodeName: 'node-1', reason: 'Evicted' } }],
    ['a label', { metadata: { labels: { app: 'other' } } }],
    ['an annotation', { metadata: { annotations: { a: 'b' } } }],
    ['a finalizer', { metadata: { finalizers: ['example.com/kept'] } }],
  ])('may not write %s of a pod, whatever RBAC allows', async (_, change) => {
    await create('target');
    for (const token of ['provisioning', 'strong']) expect(await patch(token, 'target', change)).toBe(422);
    expect(await patch('strong', 'target', { status: { nominatedNodeName: 'node-1' } })).toBe(200);
    await remove('target');
  });
});

test('others write what they like, and no other function of Kerf has the right to nominate', async () => {
  await create('theirs');
  expect(await patch('installer', 'theirs', { status: { reason: 'x' }, metadata: { labels: { app: 'y' } } })).toBe(200);
  const writers = rbacObjects().flatMap((object) =>
    object.kind === 'ClusterRole' && object.rules.some(({ resources }) => resources.includes('pods/status'))
      ? [object.metadata.name]
      : [],
  );
  expect(writers).toEqual(['kerf-provisioning']);
  await remove('theirs');
});
