/** What the functions may do in a cluster, by the verdict of the API server's own RBAC: all that they need, and no more (C87). */
import { beforeAll, describe, expect, test } from 'vitest';
import type { ClusterFunction } from '../../lib/core/install/rbac.ts';
import { succeed } from './support/api-client.ts';
import { type Attempt, callAs, FUNCTIONS, installRoles, isAllowed } from './support/identities.ts';

beforeAll(installRoles);

function attempts(verbs: readonly string[], group: string, resources: readonly string[]): readonly Attempt[] {
  return resources.flatMap((resource) => verbs.map((verb) => ({ verb, group, resource })));
}

const LOOK = ['list', 'watch'];

const WHOLE_CLUSTER: readonly Attempt[] = [
  ...attempts(LOOK, '', ['pods', 'nodes', 'namespaces', 'podtemplates', 'persistentvolumes', 'persistentvolumeclaims']),
  ...attempts(LOOK, 'apps', ['daemonsets', 'deployments', 'replicasets', 'statefulsets']),
  ...attempts(LOOK, 'policy', ['poddisruptionbudgets']),
  ...attempts(LOOK, 'storage.k8s.io', ['storageclasses', 'csinodes', 'volumeattachments']),
  ...attempts(LOOK, 'karpenter.sh', ['nodepools', 'nodeclaims', 'nodeoverlays']),
  ...attempts(LOOK, 'karpenter.k8s.aws', ['ec2nodeclasses']),
  ...attempts(LOOK, 'autoscaling.x-k8s.io', ['capacitybuffers']),
];

/** Disruption commands taint their nodes. Provisioning finishes their decisions. */
const TAINTS = attempts(['patch'], '', ['nodes']);

const LEASE = { group: 'coordination.k8s.io', resource: 'leases', name: 'karpenter-leader-election' };
const WEBHOOK = {
  group: 'admissionregistration.k8s.io',
  resource: 'validatingwebhookconfigurations',
  name: 'kerf',
};

const CLAIM = { group: 'coordination.k8s.io', resource: 'leases', name: 'kerf', namespace: 'kube-system' };

const EVERY_FUNCTION: readonly Attempt[] = [
  { ...CLAIM, verb: 'get' },
  { ...LEASE, verb: 'list' },
  { ...LEASE, verb: 'get', namespace: 'kube-system' },
  ...attempts(['list'], 'apps', ['deployments']),
  ...attempts(['list'], 'karpenter.sh', ['nodepools']),
  ...attempts(['create'], 'authorization.k8s.io', ['subjectaccessreviews']),
  ...['create', 'get', 'patch'].map((verb) => ({
    verb,
    group: 'events.k8s.io',
    resource: 'events',
    namespace: 'shop',
  })),
];

/** The requests of the provider to the API server for each function, verb by verb. */
const NEEDED: Readonly<Record<ClusterFunction, readonly Attempt[]>> = {
  provisioning: [
    ...EVERY_FUNCTION,
    ...WHOLE_CLUSTER,
    ...TAINTS,
    ...attempts(['patch'], '', ['pods/status']),
    ...attempts(['patch'], 'autoscaling.x-k8s.io', ['capacitybuffers/status']),
  ],
  disruption: [...EVERY_FUNCTION, ...WHOLE_CLUSTER, ...TAINTS],
  lifecycle: [
    ...EVERY_FUNCTION,
    ...attempts([...LOOK, 'patch'], '', ['nodes']),
    // Whether there is work for provisioning.
    ...attempts(['list'], '', ['pods']),
    ...attempts(LOOK, 'autoscaling.x-k8s.io', ['capacitybuffers']),
    ...attempts([...LOOK, 'get', 'create', 'patch', 'delete'], 'karpenter.sh', ['nodeclaims']),
    ...attempts(['patch'], 'karpenter.sh', ['nodeclaims/status', 'nodepools/status', 'nodeoverlays/status']),
    ...attempts(LOOK, 'karpenter.sh', ['nodeoverlays']),
    ...attempts([...LOOK, 'patch'], 'karpenter.sh', ['nodepools']),
    ...attempts([...LOOK, 'patch'], 'karpenter.k8s.aws', ['ec2nodeclasses']),
    ...attempts(['patch'], 'karpenter.k8s.aws', ['ec2nodeclasses/status']),
    ...['get', 'create', 'patch'].map((verb) => ({ ...WEBHOOK, verb })),
    ...['create', 'patch'].map((verb) => ({ ...CLAIM, verb })),
  ],
  termination: [
    ...EVERY_FUNCTION,
    ...attempts([...LOOK, 'patch', 'delete'], '', ['nodes']),
    ...attempts([...LOOK, 'get', 'delete'], '', ['pods']),
    ...attempts(['create'], '', ['pods/eviction']),
    ...attempts(['get', 'patch', 'delete'], 'karpenter.sh', ['nodeclaims']),
    ...attempts(['list'], 'policy', ['poddisruptionbudgets']),
    ...attempts(LOOK, 'storage.k8s.io', ['volumeattachments']),
    ...attempts(['list'], '', ['persistentvolumeclaims']),
  ],
};

const WRITE = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const ANY_VERB = ['get', ...LOOK, ...WRITE];
const RBAC_KINDS = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'];

/** What none of them may do, whatever else it may. */
const NEVER: readonly Attempt[] = [
  ...attempts(ANY_VERB, '', ['secrets', 'configmaps', 'serviceaccounts', 'serviceaccounts/token', 'nodes/proxy']),
  ...attempts(['create', 'update', 'patch', 'deletecollection'], '', ['pods', 'namespaces', 'persistentvolumes']),
  ...attempts(['create', 'get'], '', ['pods/exec', 'pods/attach', 'pods/portforward', 'pods/log', 'pods/binding']),
  ...attempts(['create', 'update', 'deletecollection'], '', ['nodes', 'nodes/status']),
  ...attempts(WRITE, 'apps', ['daemonsets', 'deployments', 'replicasets', 'statefulsets']),
  ...attempts(WRITE, 'policy', ['poddisruptionbudgets']),
  ...attempts(WRITE, 'karpenter.sh', ['nodeoverlays']),
  ...attempts(['create', 'delete', 'deletecollection'], 'karpenter.sh', ['nodepools']),
  ...attempts(['create', 'delete', 'deletecollection'], 'karpenter.k8s.aws', ['ec2nodeclasses']),
  ...attempts(WRITE, 'autoscaling.x-k8s.io', ['capacitybuffers']),
  ...attempts([...WRITE, 'bind', 'escalate'], 'rbac.authorization.k8s.io', RBAC_KINDS),
  ...attempts(['impersonate'], '', ['users', 'groups', 'serviceaccounts']),
  ...attempts(ANY_VERB, 'admissionregistration.k8s.io', [WEBHOOK.resource, 'mutatingwebhookconfigurations']),
  ...['delete', 'update'].map((verb) => ({ ...WEBHOOK, verb })),
  ...ANY_VERB.map((verb) => ({ ...WEBHOOK, verb, name: 'of-others' })),
  ...attempts(ANY_VERB, 'apiextensions.k8s.io', ['customresourcedefinitions']),
  ...attempts(WRITE, 'certificates.k8s.io', ['certificatesigningrequests', 'certificatesigningrequests/approval']),
  ...attempts(ANY_VERB, LEASE.group, [LEASE.resource]),
  ...WRITE.map((verb) => ({ ...LEASE, verb })),
  ...['update', 'delete', 'deletecollection'].map((verb) => ({ ...CLAIM, verb })),
  ...attempts(['*'], '*', ['*']),
];

/** What one of them may do, and this one may not. */
const NOT_ITS_BUSINESS: Readonly<Record<ClusterFunction, readonly Attempt[]>> = {
  provisioning: writesOfOthers('provisioning'),
  disruption: writesOfOthers('disruption'),
  lifecycle: [
    ...attempts(['delete'], '', ['nodes', 'pods']),
    ...attempts(['create'], '', ['pods/eviction']),
    ...attempts(['get', 'watch'], '', ['pods']),
    ...attempts(LOOK, '', ['persistentvolumeclaims']),
  ],
  termination: [
    ...attempts(['create'], 'karpenter.sh', ['nodeclaims']),
    ...attempts(['patch'], 'karpenter.k8s.aws', ['ec2nodeclasses', 'ec2nodeclasses/status']),
    ...attempts(['patch'], 'karpenter.sh', ['nodepools/status', 'nodeclaims/status']),
    ...['get', 'patch'].map((verb) => ({ ...WEBHOOK, verb })),
    ...['create', 'patch'].map((verb) => ({ ...CLAIM, verb })),
  ],
};

/** Those that only decide write events and taints, and provisioning the status of buffers. */
function writesOfOthers(name: ClusterFunction): readonly Attempt[] {
  const others = FUNCTIONS.filter((one) => one !== name).flatMap((one) => NEEDED[one]);
  const ofAll = new Set(['events', 'subjectaccessreviews']);
  const own = new Set(NEEDED[name].map((one) => JSON.stringify(one)));
  return others.filter(
    (one) => !['get', 'list', 'watch'].includes(one.verb) && !ofAll.has(one.resource) && !own.has(JSON.stringify(one)),
  );
}

describe.each(FUNCTIONS)('the function %s', (name) => {
  async function those(all: readonly Attempt[], expected: boolean): Promise<readonly Attempt[]> {
    const verdicts = await Promise.all(all.map(async (one) => ({ one, allowed: await isAllowed(name, one) })));
    return verdicts.filter(({ allowed }) => allowed === expected).map(({ one }) => one);
  }

  test('may do all that its controllers ask of the API server', async () => {
    expect(await those(NEEDED[name], false)).toEqual([]);
  });

  test('may read no secret, make no pod, touch no webhook but ours and gain no right', async () => {
    expect(await those(NEVER, true)).toEqual([]);
  });

  test('may not do what only the others do', async () => {
    expect(await those(NOT_ITS_BUSINESS[name], true)).toEqual([]);
  });
});

const CONFIGURATIONS = `/apis/${WEBHOOK.group}/v1/${WEBHOOK.resource}`;
const APPLY = {
  query: { fieldManager: 'kerf', force: 'true' },
  headers: { 'content-type': 'application/apply-patch+yaml' },
};

function configuration(name: string): Readonly<Record<string, unknown>> {
  const apiVersion = `${WEBHOOK.group}/v1`;
  return { apiVersion, kind: 'ValidatingWebhookConfiguration', metadata: { name }, webhooks: [] };
}

test('lifecycle makes our webhook configuration by server-side apply, and no other, nor by any other way', async () => {
  const path = `${CONFIGURATIONS}/kerf`;
  const applied = await callAs('lifecycle', { method: 'PATCH', path, body: configuration('kerf'), ...APPLY });
  const removed = await callAs('lifecycle', { method: 'DELETE', path });
  const posted = await callAs('lifecycle', { method: 'POST', path: CONFIGURATIONS, body: configuration('kerf') });
  const another = `${CONFIGURATIONS}/another`;
  const refused = await callAs('lifecycle', {
    method: 'PATCH',
    path: another,
    body: configuration('another'),
    ...APPLY,
  });
  await succeed({ method: 'DELETE', path });
  expect([applied.status, removed.status, posted.status, refused.status]).toEqual([201, 403, 403, 403]);
});

test('Karpenter’s lease is found in whatever namespace it is, by its name alone', async () => {
  const path = '/apis/coordination.k8s.io/v1/leases';
  const fieldSelector = `metadata.name=${LEASE.name}`;
  expect(await callAs('provisioning', { method: 'GET', path, query: { fieldSelector } })).toMatchObject({
    status: 200,
  });
  expect(await callAs('provisioning', { method: 'GET', path })).toMatchObject({ status: 403 });
});

test('every function may read the version, which Kubernetes allows every user', async () => {
  for (const name of FUNCTIONS)
    expect(await callAs(name, { method: 'GET', path: '/version' })).toMatchObject({ status: 200 });
});
