/** Installing into a real API server and taking it out again, with the rights that the installer has on EKS. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { SECOND_MS } from '../../lib/apis/formats/time.ts';
import { type InstallPorts, type InstallTarget, install } from '../../lib/controllers/install/install.ts';
import { uninstall } from '../../lib/controllers/install/uninstall.ts';
import { wantedDefinitions } from '../../lib/core/install/definitions.ts';
import { rbacObjects } from '../../lib/core/install/rbac.ts';
import type { AccessEntries } from '../../lib/ports/access-entries.ts';
import { ApiClient } from '../../lib/providers/kubernetes/client/api-client.ts';
import { kubernetesInstallation } from '../../lib/providers/kubernetes/install/installation.ts';
import { memoryNodeClaimStore } from '../../lib/simulator/memory-node-claim-store.ts';
import type { ControlPlane } from '../../scripts/control-plane.ts';
import { aClaim, anInstance } from '../builders/node-claims.ts';
import { nodeManifest } from '../rig/node-objects.ts';
import { startOwnControlPlane } from '../rig/own-control-plane.ts';
import { at, listAt, textAt } from '../stack/json.ts';
import { callApi, mergePatch, read, succeed } from './support/api-client.ts';
import { isAllowed } from './support/identities.ts';
import { conditionOf, create, pathOf } from './support/resources.ts';
import { aNodeClaim, aNodeClass, aNodePool } from './support/samples.ts';

const TARGET: InstallTarget = {
  cluster: 'demo',
  entries: [],
  webhook: { url: 'https://hooks.example.com/', cluster: 'demo', secret: 'of-the-path' },
};
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CONFIGURATION = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/kerf';
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';

let controlPlane: ControlPlane;
const clients: ApiClient[] = [];
let poolBefore: unknown;
let pauses: number;
let onPause: () => Promise<void>;

beforeAll(async () => {
  controlPlane = await startOwnControlPlane({ users: [{ token: 'installer', user: 'installer', groups: [] }] });
});
afterAll(async () => {
  for (const client of clients) client.close();
  await controlPlane.stop();
});
beforeEach(() => {
  pauses = 0;
  onPause = async () => {};
});

const NO_ENTRIES: AccessEntries = {
  clusters: unexpected,
  authenticationMode: unexpected,
  find: unexpected,
  create: unexpected,
  setGroups: unexpected,
  givePolicy: unexpected,
  takePolicy: unexpected,
  remove: unexpected,
};

async function unexpected(): Promise<never> {
  return await Promise.reject(new Error('no access entries here'));
}

/** Time passes by pauses alone. */
function ports(installedBy = 'this deployment'): InstallPorts {
  const { endpoint, certificateAuthority } = controlPlane;
  const client = new ApiClient({
    endpoint,
    certificateAuthority: readFileSync(certificateAuthority, 'utf8'),
    token: async () => 'installer',
  });
  clients.push(client);
  const startMs = Date.now();
  const clock = { now: () => startMs + pauses * SECOND_MS };
  return {
    entries: NO_ENTRIES,
    warn: () => {},
    installation: async () =>
      kubernetesInstallation({
        client,
        clock,
        installedBy,
        deployment: '111122223333/eu-central-1/Kerf',
      }),
    clock,
    pause: async (ms) => {
      pauses += ms / SECOND_MS;
      await onPause();
      // The API server's own controllers need real time.
      await vi.waitFor(() => {}, { timeout: 1 });
    },
  };
}

/** On EKS by the access policy AmazonEKSClusterAdminPolicy: everything, and not by being a master. */
async function makeInstallerAdmin(): Promise<void> {
  await callApi({
    method: 'POST',
    path: BINDINGS,
    body: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'installer' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'installer' }],
    },
  });
}

/** One of Kerf's CRDs as another version installed it. */
async function givenDefinition(path: string, change: (version: object, spec: object) => object): Promise<void> {
  const name = path.slice(DEFINITIONS.length + 1);
  const { definition } = wantedDefinitions().find((one) => one.definition.metadata.name === name) ?? {};
  const [version] = listAt(definition, 'spec', 'versions');
  if (definition === undefined || typeof version !== 'object' || version === null) throw new Error(`no ${name}`);
  const metadata = {
    name,
    labels: { 'app.kubernetes.io/managed-by': 'Helm' },
    annotations: { 'meta.helm.sh/release-name': 'karpenter' },
  };
  const body = { ...definition, metadata, spec: change(version, definition.spec) };
  await succeed({
    method: 'PATCH',
    path,
    query: { fieldManager: 'helm' },
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body,
  });
  await vi.waitFor(async () => {
    if (conditionOf(await read(path), 'Established') !== 'True') throw new Error(name);
  }, 20_000);
}

function objectOf(value: unknown): object {
  if (typeof value === 'object' && value !== null) return value;
  throw new TypeError(`${JSON.stringify(value)} is not an object`);
}

/** A version of another schema. */
function withSchema(version: object, change: (properties: object) => object): object {
  const openAPIV3Schema = at(version, 'schema', 'openAPIV3Schema');
  const spec = at(openAPIV3Schema, 'properties', 'spec');
  const changed = { ...objectOf(spec), properties: change(objectOf(at(spec, 'properties'))) };
  const properties = { ...objectOf(at(openAPIV3Schema, 'properties')), spec: changed };
  return { ...version, schema: { openAPIV3Schema: { ...objectOf(openAPIV3Schema), properties } } };
}

async function installedVersions(): Promise<readonly string[]> {
  const definitions = wantedDefinitions().map(({ definition }) => `${DEFINITIONS}/${definition.metadata.name}`);
  const roles = rbacObjects().map(
    ({ kind, metadata }) => `/apis/rbac.authorization.k8s.io/v1/${kind.toLowerCase()}s/${metadata.name}`,
  );
  const objects = await Promise.all([...definitions, ...roles, CONFIGURATION].map(read));
  return objects.map(
    (object) => `${textAt(object, 'metadata', 'name')} ${textAt(object, 'metadata', 'resourceVersion')}`,
  );
}

const BUFFERS = `${DEFINITIONS}/capacitybuffers.autoscaling.x-k8s.io`;
const OVERLAYS = `${DEFINITIONS}/nodeoverlays.karpenter.sh`;
const POOLS = `${DEFINITIONS}/nodepools.karpenter.sh`;

test('a CRD with stored objects of an old version is not changed, and everything else is installed', async () => {
  await makeInstallerAdmin();
  await givenDefinition(BUFFERS, (version, spec) => ({ ...spec, versions: [{ ...version, name: 'v1alpha1' }] }));
  await givenDefinition(POOLS, (version, spec) => ({
    ...spec,
    versions: [withSchema(version, ({ ...properties }) => ({ ...properties, weight: { type: 'integer' } }))],
  }));
  await givenDefinition(OVERLAYS, (version, spec) => ({
    ...spec,
    versions: [{ ...version, name: 'v1alpha0', storage: false }, version],
    conversion: {
      strategy: 'Webhook',
      webhook: {
        conversionReviewVersions: ['v1'],
        clientConfig: { service: { name: 'karpenter', namespace: 'kube-system', path: '/conversion/karpenter.sh' } },
      },
    },
  }));
  await create(aNodePool());
  poolBefore = await read(pathOf(aNodePool()));
  await expect(install(ports(), [TARGET])).rejects.toThrow(
    /cluster demo: CRD capacitybuffers.*stored as v1alpha1, but Kerf serves only v1beta1.*kubectl get/,
  );
  expect(at(await read(BUFFERS), 'spec', 'versions', '0', 'name')).toBe('v1alpha1');
  expect(await read(CONFIGURATION)).toMatchObject({ metadata: { name: 'kerf' } });
});

test('the CRDs of Karpenter’s chart are taken over with their marks, and their objects stay', async () => {
  expect(await read(pathOf(aNodePool()))).toEqual(poolBefore);
  const pools = await read(POOLS);
  expect(pools).toMatchObject({ metadata: { annotations: { 'meta.helm.sh/release-name': 'karpenter' } } });
  const weight = ['schema', 'openAPIV3Schema', 'properties', 'spec', 'properties', 'weight'];
  expect(at(listAt(pools, 'spec', 'versions')[0], ...weight, 'maximum')).toBe(100);
  expect(await read(OVERLAYS)).toMatchObject({
    spec: { versions: [{ name: 'v1alpha1' }], conversion: { strategy: 'None' } },
  });
});

test('when no object has the old version any more, as the failure requires, the install continues', async () => {
  await givenDefinition(BUFFERS, (version, spec) => ({
    ...spec,
    versions: [{ ...version, name: 'v1alpha1', storage: false }, version],
  }));
  await mergePatch(`${BUFFERS}/status`, { status: { storedVersions: ['v1beta1'] } });
  expect(await install(ports(), [TARGET])).toEqual([]);
  expect(at(await read(BUFFERS), 'spec', 'versions')).toEqual([expect.objectContaining({ name: 'v1beta1' })]);
});

test('installing again changes nothing', async () => {
  const before = await installedVersions();
  expect(await install(ports(), [TARGET])).toEqual([]);
  expect(await installedVersions()).toEqual(before);
});

test('a newer CRD keeps the fields that Kerf does not have, and the report lists them', async () => {
  const path = `${DEFINITIONS}/nodeclaims.karpenter.sh`;
  const [version] = listAt(await read(path), 'spec', 'versions');
  const newer = withSchema(objectOf(version), (properties) => ({ ...properties, hereafter: { type: 'string' } }));
  await mergePatch(path, { spec: { versions: [newer] } });
  expect(await install(ports(), [TARGET])).toEqual([
    {
      cluster: 'demo',
      message: expect.stringMatching(/nodeclaims.karpenter.sh is not changed: it has 1 field that .*spec.hereafter/),
    },
  ]);
  expect(listAt(await read(path), 'spec', 'versions')).toEqual([expect.objectContaining(newer)]);
  await mergePatch(path, { spec: { versions: [version] } });
});

test('rights that EKS has not given yet are waited for, and no longer than two minutes', async () => {
  await succeed({ method: 'DELETE', path: `${BINDINGS}/installer` });
  await vi.waitFor(async () => {
    const { status } = await callApi({
      method: 'GET',
      path: '/api/v1/secrets',
      headers: { authorization: 'Bearer installer' },
    });
    if (status !== 403) throw new Error('it still may');
  });
  await expect(install(ports(), [TARGET])).rejects.toThrow(
    /does not have the permissions of an administrator after 120 s.*install to false/,
  );
  expect(pauses).toBeLessThanOrEqual(120);
  pauses = 0;
  onPause = makeInstallerAdmin;
  await install(ports(), [TARGET]);
  expect(pauses).toBeGreaterThan(0);
});

test('a cluster that another deployment took over loses nothing by the first one’s going', async () => {
  await install(ports('another deployment'), [TARGET]);
  await takeOut(ports());
  expect(await read(CONFIGURATION)).toMatchObject({ metadata: { name: 'kerf' } });
  await install(ports(), [TARGET]);
});

test('functions that decide lose the right to look while a cluster is drained, and get it back by an install', async () => {
  const installation = await ports().installation('demo');
  const list = { verb: 'list', group: '', resource: 'pods' };
  const deciding = rbacObjects().filter((object) => object.kind === 'ClusterRoleBinding');
  const provisioning = deciding.filter(({ metadata }) => metadata.name === 'kerf-provisioning');
  expect(await installation.revokeDeciding(provisioning, 1_000)).toBe(1_000);
  expect(await installation.revokeDeciding(provisioning, 2_000)).toBe(1_000);
  await vi.waitFor(async () => expect(await isAllowed('provisioning', list)).toBe(false));
  expect(await isAllowed('termination', list)).toBe(true);
  await install(ports(), [TARGET]);
  await vi.waitFor(async () => expect(await isAllowed('provisioning', list)).toBe(true));
  expect(await installation.revokeDeciding(provisioning, 3_000)).toBe(3_000);
});

async function finalizersOf(path: string): Promise<unknown> {
  return at(await read(path), 'metadata', 'finalizers');
}

const FINALIZERS = ['karpenter.sh/termination', 'example.com/of-others'];
const NODES = '/api/v1/nodes';

async function takeOut(some: InstallPorts, store = memoryNodeClaimStore()) {
  const messages = { wake: async () => {} };
  const target = { ...TARGET, installed: true, drain: false };
  return await uninstall({ ...some, store, messages, remainingMs: () => 60_000 }, [target]);
}

test('taking it out removes webhook, rights, our finalizers and our taint; CRDs, objects, nodes and what is of others stay', async () => {
  const OURS = { key: 'kerf.dev/underutilized', effect: 'PreferNoSchedule' };
  const OF_OTHERS = { key: 'example.com/of-others', effect: 'PreferNoSchedule' };
  const store = memoryNodeClaimStore();
  const launch = { kind: 'launched', attempt: 1, instance: anInstance({ id: 'i-ours' }), atMs: 0 } as const;
  await store.createNodeClaim(aClaim({ name: 'general-x7k2p', launch }));
  for (const [name, id] of Object.entries({ ours: 'i-ours', 'of-karpenter': 'i-other' })) {
    await succeed({ method: 'POST', path: NODES, body: nodeManifest({ name, providerId: `aws:///eu-west-3a/${id}` }) });
    await mergePatch(`${NODES}/${name}`, { metadata: { finalizers: FINALIZERS }, spec: { taints: [OF_OTHERS, OURS] } });
  }
  await create(aNodeClaim());
  await mergePatch(pathOf(aNodeClaim()), { metadata: { finalizers: FINALIZERS } });
  await create(aNodeClass());
  await mergePatch(pathOf(aNodeClass()), { metadata: { finalizers: ['karpenter.k8s.aws/termination'] } });

  expect(await takeOut(ports(), store)).toEqual({ draining: [], failures: [] });

  expect(await finalizersOf(`${NODES}/ours`)).toEqual(['example.com/of-others']);
  // The node lifecycle controller adds a taint too.
  const taints = at(await read(`${NODES}/ours`), 'spec', 'taints');
  expect(taints).toContainEqual(OF_OTHERS);
  expect(taints).not.toContainEqual(OURS);
  expect(await finalizersOf(`${NODES}/of-karpenter`)).toEqual(FINALIZERS);
  expect(await finalizersOf(pathOf(aNodeClaim()))).toEqual(['example.com/of-others']);
  expect(await finalizersOf(pathOf(aNodeClass()))).toBeUndefined();
  expect(await callApi({ method: 'GET', path: CONFIGURATION })).toMatchObject({ status: 404 });
  expect(await isAllowed('lifecycle', { verb: 'list', group: '', resource: 'nodes' })).toBe(false);
  expect(await read(pathOf(aNodePool()))).toMatchObject({ kind: 'NodePool' });
  // Again, as CloudFormation may ask.
  expect(await takeOut(ports(), store)).toEqual({ draining: [], failures: [] });
});

test('no node keeps a taint that only Kerf removes, also one that has not registered; nodes of others keep theirs', async () => {
  await install(ports(), [TARGET]);
  const DISRUPTED = { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' };
  const UNREGISTERED = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' };
  const store = memoryNodeClaimStore();
  for (const [name, finalizers] of Object.entries({ candidate: FINALIZERS, joining: [], foreign: [] })) {
    const launch = { kind: 'launched', attempt: 1, instance: anInstance({ id: `i-${name}` }), atMs: 0 } as const;
    if (name !== 'foreign') await store.createNodeClaim(aClaim({ name, launch }));
    await succeed({
      method: 'POST',
      path: NODES,
      body: nodeManifest({ name, providerId: `aws:///eu-west-3a/i-${name}` }),
    });
    await mergePatch(`${NODES}/${name}`, { metadata: { finalizers }, spec: { taints: [DISRUPTED, UNREGISTERED] } });
  }

  expect(await takeOut(ports(), store)).toEqual({ draining: [], failures: [] });

  const keysOf = async (name: string): Promise<readonly string[]> =>
    listAt(await read(`${NODES}/${name}`), 'spec', 'taints').map((taint) => textAt(taint, 'key'));
  const ours = [DISRUPTED.key, UNREGISTERED.key];
  for (const name of ['candidate', 'joining']) {
    const keys = await keysOf(name);
    expect(keys.filter((key) => ours.includes(key))).toEqual([]);
  }
  expect(await keysOf('foreign')).toEqual(expect.arrayContaining(ours));
});

test('a node that drains keeps its finalizer, and is reported; everything else is removed', async () => {
  await install(ports(), [TARGET]);
  const store = memoryNodeClaimStore();
  const launch = { kind: 'launched', attempt: 1, instance: anInstance({ id: 'i-draining' }), atMs: 0 } as const;
  await store.createNodeClaim(aClaim({ name: 'general-d7r1n', launch }));
  const node = nodeManifest({ name: 'draining', providerId: 'aws:///eu-west-3a/i-draining' });
  await succeed({ method: 'POST', path: NODES, body: node });
  await mergePatch(`${NODES}/draining`, { metadata: { finalizers: FINALIZERS } });
  await succeed({ method: 'DELETE', path: `${NODES}/draining` });

  const { draining, failures } = await takeOut(ports(), store);

  expect(draining).toEqual([]);
  expect(failures).toEqual([
    { cluster: 'demo', message: expect.stringMatching(/Node draining of instance i-draining /) },
  ]);
  expect(await finalizersOf(`${NODES}/draining`)).toEqual(FINALIZERS);
  expect(await callApi({ method: 'GET', path: CONFIGURATION })).toMatchObject({ status: 404 });
});
