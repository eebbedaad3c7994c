/** docs/from-cluster-autoscaler.md, followed literally: every block of commands, what undoes it, and again to the end. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { fileOf, followPage } from '../../manual/follow-page.ts';
import { createAgents, createDeployment } from '../../rig/workloads.ts';
import { at } from '../../stack/json.ts';
import { read, succeed } from '../support/api-client.ts';
import { areUncordoned, isAt, nodeClaims, nodesWith, type PageRig, SOON, startPageRig } from './page-rig.ts';

const PODS = 6;
const WORKERS = 'eks.amazonaws.com/nodegroup=workers';

let rig: PageRig;
const page = followPage('from-cluster-autoscaler.md', () => rig.reader);

beforeAll(async () => {
  rig = await startPageRig({
    names: { GROUP: 'workers', NAMESPACE: 'default', NAME: 'web', SIZE: '3' },
    labels: (group) => ({ 'eks.amazonaws.com/nodegroup': group }),
    programs: {
      aws: async ({ resize }, args) => {
        const size = /desiredSize=(\d+)/.exec(args.join(' '))?.[1];
        if (args[1] === 'update-nodegroup-config' && size !== undefined) await resize('workers', Number(size));
        return '{}\n';
      },
      cdk: async ({ deploy, destroy }, [verb]) => {
        await (verb === 'destroy' ? destroy() : deploy());
        return '';
      },
    },
  });
  await rig.resize('workers', 3);
  await createDeployment({ name: 'web', replicas: PODS, requests: { cpu: '500m', memory: '256Mi' } });
  await createDeployment({ name: 'cluster-autoscaler', namespace: 'kube-system', replicas: 1 });
  await protect();
  await webIsAt('workers');
}, 120_000);

afterAll(async () => await rig.stop());

/** A PodDisruptionBudget, a pod with an emptyDir and a DaemonSet: what a drain meets. */
async function protect(): Promise<void> {
  const selector = { matchLabels: { app: 'web' } };
  await succeed({
    method: 'POST',
    path: '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
    body: { metadata: { name: 'web' }, spec: { maxUnavailable: 2, selector } },
  });
  const volumes = [{ name: 'scratch', emptyDir: {} }];
  await createDeployment({ name: 'scratch', replicas: 1, podSpec: { volumes } });
  await createAgents();
}

async function annotate(name: string, annotations: Readonly<Record<string, string>>): Promise<void> {
  await succeed({
    method: 'PATCH',
    path: `/apis/apps/v1/namespaces/default/deployments/${name}`,
    headers: { 'content-type': 'application/strategic-merge-patch+json' },
    body: { spec: { template: { metadata: { annotations } } } },
  });
  await vi.waitFor(async () => {
    const { metadata, status } = Object(await read(`/apis/apps/v1/namespaces/default/deployments/${name}`));
    const { generation: observedGeneration } = metadata;
    expect(status).toMatchObject({ observedGeneration, replicas: PODS, updatedReplicas: PODS, readyReplicas: PODS });
  }, SOON);
}

async function annotationsOf(name: string): Promise<unknown> {
  const deployment = await read(`/apis/apps/v1/namespaces/default/deployments/${name}`);
  return at(deployment, 'spec', 'template', 'metadata', 'annotations') ?? {};
}

async function replicasOfAutoscaler(): Promise<unknown> {
  return at(await read('/apis/apps/v1/namespaces/kube-system/deployments/cluster-autoscaler'), 'spec', 'replicas');
}

async function webIsAt(place: string): Promise<void> {
  await isAt('web', place, PODS);
}

test('before: the workloads of the cluster are read, and simulated on nodes of Kerf alone', async () => {
  writeFileSync(join(rig.reader.folder, 'nodepool.yaml'), fileOf('start-cluster.md', 'nodepool.yaml'));
  const { stdout } = await page.next(/^Before/);
  expect(stdout).toMatch(/nodes +\d+ launched/);
  expect(stdout).toMatch(/cost +\$/);
}, 60_000);

test('step 1: pods with the annotation of Cluster Autoscaler are listed, get that of Kerf, and lose it', async () => {
  await annotate('web', { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' });
  await webIsAt('workers');
  const { stdout } = await page.next(/^Step 1/);
  expect(stdout.split('\n').filter((line) => /^default web-\S+ of ReplicaSet web-/.test(line))).toHaveLength(PODS);
  await page.next(/^Step 1/);
  expect(await annotationsOf('web')).toMatchObject({ 'karpenter.sh/do-not-disrupt': 'true' });
  await page.next(/^Step 1/);
  expect(await annotationsOf('web')).not.toHaveProperty('karpenter.sh/do-not-disrupt');
  await webIsAt('workers');
}, 120_000);

test('step 2: Cluster Autoscaler is scaled to zero, up, and to zero', async () => {
  const [down] = page.left;
  await page.next(/^Step 2/);
  expect(await replicasOfAutoscaler()).toBe(0);
  await page.next(/^Step 2/);
  expect(await replicasOfAutoscaler()).toBe(1);
  await page.again(down);
  expect(await replicasOfAutoscaler()).toBe(0);
}, 60_000);

// Not run: npm ci, and the checks that read AWS.
test('steps 3 and 4: Kerf is deployed and gets a NodePool, and launches nothing without pending pods', async () => {
  const start = followPage('start-cluster.md', () => rig.reader);
  await start.next(/^1\. Tags/);
  start.skip(/^2\. Check/, 'kerf -- doctor');
  await start.next(/^3\. Deploy/);
  start.skip(/^3\. Deploy/, 'kerf -- doctor');
  await start.next(/^4\. Nodes/);
  expect(rig.standIns.calls).toEqual(
    expect.arrayContaining([expect.stringMatching(/^aws ec2 create-tags /), expect.stringMatching(/^npx cdk deploy /)]),
  );
  await webIsAt('workers');
  expect(await nodeClaims()).toEqual([]);
}, 120_000);

test('step 5: the pods of a node group move to nodes of Kerf; undone before the group is empty, it takes pods again', async () => {
  const [drain] = page.left;
  await page.next(/^Step 5/);
  await webIsAt('general');
  await page.next(/^Step 5/);
  await areUncordoned(WORKERS);
  await page.again(drain);
}, 240_000);

test('step 5: without its pods, the group is scaled to zero, up, and to zero', async () => {
  const [down] = page.left;
  await page.next(/^Step 5/);
  expect(await nodesWith(WORKERS)).toEqual([]);
  await page.next(/^Step 5/);
  await vi.waitFor(async () => expect(await nodesWith(WORKERS)).toHaveLength(3), SOON);
  await page.again(down);
  expect(await nodesWith(WORKERS)).toEqual([]);
  await webIsAt('general');
}, 120_000);

test('step 6: Cluster Autoscaler is deleted, and created again from the saved file', async () => {
  await page.next(/^Step 6/);
  expect(rig.standIns.calls.at(-1)).toBe('aws eks delete-nodegroup --cluster-name demo --nodegroup-name workers');
  await page.next(/^Step 6/);
  expect(await replicasOfAutoscaler()).toBe(0);
}, 60_000);

test('back: the pods move to the node group, and nothing of Kerf is left', async () => {
  await rig.resize('workers', 3);
  await page.next(/^Back/);
  await webIsAt('workers');
  expect(await nodeClaims()).toEqual([]);
  expect(await replicasOfAutoscaler()).toBe(1);
  expect(rig.standIns.calls.at(-1)).toMatch(/^npx cdk destroy /);
  expect(page.left).toEqual([]);
}, 240_000);
