/**
 * docs/migration.md, followed literally: the commands of kubectl, and stand-ins for cdk and helm. Kerf in shadow does nothing, and the
 * adoption has its own tests; here Kerf acts in step 5.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type FollowedPage, followPage } from '../../manual/follow-page.ts';
import { createDeployment } from '../../rig/workloads.ts';
import { at } from '../../stack/json.ts';
import { callApi, read, succeed } from '../support/api-client.ts';
import { create, installDefinitions } from '../support/resources.ts';
import { aNodeClass, aNodePool } from '../support/samples.ts';
import { expectAllAt, isAt, nodeClaims, type PageRig, SOON, startPageRig } from './page-rig.ts';

const KARPENTER = '/apis/apps/v1/namespaces/kube-system/deployments/karpenter';

/** Step 3. */
let down: FollowedPage['left'][number] | undefined;
let rig: PageRig;
const page = followPage('migration.md', () => rig.reader);

beforeAll(async () => {
  rig = await startPageRig({
    names: {},
    labels: () => ({}),
    programs: {
      cdk: async ({ deploy, destroy }, [verb, ...args]) => {
        if (verb === 'deploy' && args.includes('shadow=false')) await deploy();
        else await destroy();
        return '';
      },
      helm: async (_, args) => {
        if (args.includes('uninstall')) await callApi({ method: 'DELETE', path: KARPENTER });
        return '';
      },
    },
  });
  await installDefinitions();
  await create(aNodeClass());
  await create(aNodePool());
  await rig.resize('system', 1);
  await createKarpenter();
}, 120_000);

afterAll(async () => await rig.stop());

/** A Deployment of Karpenter's chart with its right to create NodeClaims, which proves that it is Karpenter. */
async function createKarpenter(): Promise<void> {
  const metadata = { name: 'karpenter' };
  const rules = [{ apiGroups: ['karpenter.sh'], resources: ['nodeclaims'], verbs: ['create'] }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'karpenter' };
  const subjects = [{ kind: 'ServiceAccount', name: 'karpenter', namespace: 'kube-system' }];
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  await succeed({ method: 'POST', path: `${rbac}/clusterroles`, body: { metadata, rules } });
  await succeed({ method: 'POST', path: `${rbac}/clusterrolebindings`, body: { metadata, roleRef, subjects } });
  await succeed({ method: 'POST', path: '/api/v1/namespaces/kube-system/serviceaccounts', body: { metadata } });
  const labels = { 'app.kubernetes.io/name': 'karpenter' };
  await createDeployment({
    name: 'karpenter',
    namespace: 'kube-system',
    replicas: 2,
    labels,
    podSpec: { serviceAccountName: 'karpenter' },
  });
  await succeed({
    method: 'PATCH',
    path: KARPENTER,
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { metadata: { labels } },
  });
  await vi.waitFor(async () => expect(at(await read(KARPENTER), 'status', 'readyReplicas')).toBe(2), SOON);
}

async function replicas(): Promise<unknown> {
  return at(await read(KARPENTER), 'spec', 'replicas');
}

async function pendingPod(name: string): Promise<void> {
  await createDeployment({ name, replicas: 1, requests: { cpu: '8', memory: '1Gi' } });
}

test('steps 1 and 2: Kerf is deployed in shadow, removed, and deployed', async () => {
  const [deployed] = page.left;
  await page.next(/^Steps 1 and 2/);
  await page.next(/^Steps 1 and 2/);
  await page.again(deployed);
  // Reads the table of a deployment.
  page.skip(/^Steps 1 and 2/, 'report shadow');
  expect(rig.standIns.calls.map((call) => call.split(' ')[2])).toEqual(['deploy', 'destroy', 'deploy']);
}, 60_000);

test('step 3: Karpenter is scaled to zero, up, and to zero', async () => {
  [down] = page.left;
  await page.next(/^Step 3/);
  expect(await replicas()).toBe(0);
  await page.next(/^Step 3/);
  expect(await replicas()).toBe(2);
  await page.again(down);
  expect(await replicas()).toBe(0);
  // Reads EC2 and the table of a deployment.
  page.skip(/^Step 4/, 'adopt --cluster demo --table TABLE --apply');
}, 60_000);

test('step 5: Kerf launches a node; undone, Karpenter runs and the node stays', async () => {
  const [act] = page.left;
  await page.next(/^Steps 5 and 6/);
  await pendingPod('first');
  await isAt('first', 'general', 1);
  const before = (await nodeClaims()).length;
  await page.next(/^Steps 5 and 6/);
  expect(await replicas()).toBe(2);
  expect(await nodeClaims()).toHaveLength(before);
  await page.again(down);
  await page.again(act);
}, 180_000);

test('step 6: Karpenter is uninstalled, and the kinds and the nodes stay', async () => {
  await page.next(/^Steps 5 and 6/);
  expect((await callApi({ method: 'GET', path: KARPENTER })).status).toBe(404);
  await expectAllAt('first', 'general', 1);
  expect(page.left).toEqual([]);
}, 60_000);
