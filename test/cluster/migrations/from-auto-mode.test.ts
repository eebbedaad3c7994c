/**
 * docs/from-auto-mode.md, followed literally: every block of commands, and what undoes it. Kerf in shadow and on standby does nothing,
 * so it runs from step 7 on; other tests play both.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { fileOf, followPage } from '../../manual/follow-page.ts';
import { createDeployment } from '../../rig/workloads.ts';
import { at } from '../../stack/json.ts';
import { callApi, read, succeed } from '../support/api-client.ts';
import { COLLECTIONS, create, installDefinitions } from '../support/resources.ts';
import { aNodePool } from '../support/samples.ts';
import { areUncordoned, isAt, nodeClaims, nodesWith, type PageRig, SOON, startPageRig } from './page-rig.ts';

const PODS = 5;
const AUTO = 'auto';
const BRIDGE = 'bridge';

/** Stands for the volume, which only nodes with the driver attach. */
const cordonAuto = { heading: '', line: 0, text: 'kubectl cordon -l eks.amazonaws.com/compute-type=auto' };
const uncordonAuto = { ...cordonAuto, text: 'kubectl uncordon -l eks.amazonaws.com/compute-type=auto' };

let rig: PageRig;
const page = followPage('from-auto-mode.md', () => rig.reader);

beforeAll(async () => {
  rig = await startPageRig({
    names: { NODE_ROLE_ARN: 'arn:aws:iam::123456789012:role/nodes', SUBNET_ID: 'subnet-1' },
    labels: (group) => ({
      'topology.kubernetes.io/zone': 'us-east-1a',
      ...(group === AUTO ? { 'eks.amazonaws.com/compute-type': 'auto' } : { 'eks.amazonaws.com/nodegroup': group }),
    }),
    programs: {
      aws,
      cdk: async ({ deploy, destroy }, [verb, ...args]) => {
        if (verb === 'destroy') await destroy();
        else if (args.includes('shadow=false')) await deploy();
        return '';
      },
    },
  });
  // Auto Mode has the kinds of Karpenter.
  await installDefinitions();
  await createAutoModePools();
  await rig.resize(AUTO, 2);
  await createDeployment({ name: 'web', replicas: PODS, requests: { cpu: '500m', memory: '256Mi' } });
  await createDatabase();
  await isAt('web', AUTO, PODS);
  await isAt('db', AUTO, 1);
}, 120_000);

afterAll(async () => await rig.stop());

/** EKS: the sizes of the node group, and Auto Mode with its nodes. */
async function aws({ resize }: PageRig, args: readonly string[]): Promise<string> {
  const line = args.join(' ');
  const size = /desiredSize=(\d+)/.exec(line)?.[1];
  if (size !== undefined) await resize(BRIDGE, Number(size));
  if (line.startsWith('eks delete-nodegroup')) await resize(BRIDGE, 0);
  if (line.includes('--compute-config enabled=false')) await resize(AUTO, 0);
  if (line.includes('--compute-config file://')) {
    await createAutoModePools();
    await resize(AUTO, 2);
  }
  return line.includes('cluster.computeConfig')
    ? '{"enabled": true, "nodePools": ["general-purpose", "system"]}\n'
    : '';
}

async function createAutoModePools(): Promise<void> {
  const nodeClassRef = { group: 'eks.amazonaws.com', kind: 'NodeClass', name: 'default' };
  const category = { key: 'eks.amazonaws.com/instance-category', operator: 'In', values: ['c', 'm', 'r'] };
  for (const name of ['general-purpose', 'system'])
    await create({ ...aNodePool({}, { nodeClassRef, requirements: [category] }), metadata: { name } });
}

/** A StatefulSet whose volume Auto Mode made. */
async function createDatabase(): Promise<void> {
  const storage = '10Gi';
  await succeed({
    method: 'POST',
    path: '/api/v1/persistentvolumes',
    body: {
      metadata: { name: 'pvc-0001' },
      spec: {
        capacity: { storage },
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'auto-ebs',
        persistentVolumeReclaimPolicy: 'Delete',
        csi: { driver: 'ebs.csi.eks.amazonaws.com', volumeHandle: 'vol-0123456789abcdef0' },
      },
    },
  });
  const selector = { matchLabels: { app: 'db' } };
  const claim = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'auto-ebs', resources: { requests: { storage } } },
  };
  const mounts = [{ name: 'data', mountPath: '/data' }];
  await succeed({
    method: 'POST',
    path: '/apis/apps/v1/namespaces/default/statefulsets',
    body: {
      metadata: { name: 'db' },
      spec: {
        selector,
        serviceName: 'db',
        replicas: 1,
        volumeClaimTemplates: [claim],
        template: {
          metadata: { labels: { app: 'db' } },
          spec: { containers: [{ name: 'main', image: 'db', volumeMounts: mounts }] },
        },
      },
    },
  });
}

async function statusOf(path: string): Promise<number> {
  return (await callApi({ method: 'GET', path })).status;
}

test('before: validate names the labels of Auto Mode, and the workloads are simulated on nodes of Kerf alone', async () => {
  const { stdout } = await page.next(/^Before/);
  expect(stdout).toContain('karpenter.k8s.aws/instance-category');
  writeFileSync(join(rig.reader.folder, 'nodepool.yaml'), fileOf('start-cluster.md', 'nodepool.yaml'));
  expect((await page.next(/^Before/)).stdout).toMatch(/nodes +\d+ launched/);
}, 60_000);

test('step 1: the add-ons are installed and uninstalled', async () => {
  await page.next(/^Step 1/);
  await page.next(/^Step 1/);
  const verbs = rig.standIns.calls.map((call) => call.split(' ')[2]);
  expect(verbs).toEqual([...Array(5).fill('create-addon'), ...Array(5).fill('delete-addon')]);
}, 60_000);

test('step 2: the claim of a StatefulSet is bound to a volume of the other driver with the same handle', async () => {
  expect((await page.next(/^Step 2: volumes/)).stdout).toMatch(/^vol-0123456789abcdef0 10Gi/);
  writeFileSync(join(rig.reader.folder, 'volume.yaml'), fileOf('from-auto-mode.md', 'volume.yaml'));
  await page.next(/^Step 2: volumes/);
  const claim = '/api/v1/namespaces/default/persistentvolumeclaims/data-db-0';
  await vi.waitFor(async () => expect(at(await read(claim), 'status', 'phase')).toBe('Bound'), SOON);
  expect(at(await read(claim), 'spec', 'volumeName')).toBe('data-db-0');
  expect(await statusOf('/api/v1/persistentvolumes/pvc-0001')).toBe(404);
}, 120_000);

test('step 3: a node group is created, runs the pod with the volume, is deleted and created', async () => {
  const [made, started] = page.left;
  await page.next(/^Step 3/);
  // The driver is an add-on, which does not run on the nodes of Auto Mode.
  await page.again(cordonAuto);
  await page.next(/^Step 3/);
  await isAt('db', BRIDGE, 1);
  await page.next(/^Step 3/);
  expect(await nodesWith('eks.amazonaws.com/nodegroup=bridge')).toEqual([]);
  await page.again(made);
  await page.again(started);
  await page.again(uncordonAuto);
  await vi.waitFor(async () => expect(await nodesWith('eks.amazonaws.com/nodegroup=bridge')).toHaveLength(6), SOON);
}, 120_000);

test('step 4: Kerf is deployed in shadow with its NodePool, removed and deployed', async () => {
  const [deployed] = page.left;
  await page.next(/^Step 4/);
  expect(await statusOf(`${COLLECTIONS.NodePool}/general`)).toBe(200);
  await page.next(/^Step 4/);
  expect(await statusOf(`${COLLECTIONS.NodePool}/general`)).toBe(404);
  await page.again(deployed);
}, 120_000);

test('step 5: the pods move to the node group; undone, the nodes of Auto Mode take pods again', async () => {
  const [drain] = page.left;
  await page.next(/^Step 5/);
  await isAt('web', BRIDGE, PODS);
  await page.next(/^Step 5/);
  await areUncordoned('eks.amazonaws.com/compute-type=auto');
  await page.again(drain);
}, 240_000);

test('step 6: Auto Mode is disabled, enabled with its settings from before, and disabled', async () => {
  const [disabled] = page.left;
  await page.next(/^Step 6/);
  expect(await statusOf(`${COLLECTIONS.NodePool}/general-purpose`)).toBe(404);
  await page.next(/^Step 6/);
  expect(await statusOf(`${COLLECTIONS.NodePool}/general-purpose`)).toBe(200);
  await page.again(disabled);
}, 120_000);

test('steps 7 and 8: the pods move to nodes of Kerf, and the node group is empty', async () => {
  await page.next(/^Steps 7 and 8/);
  await isAt('web', 'general', PODS);
  await isAt('db', 'general', 1);
  expect(await nodesWith('eks.amazonaws.com/nodegroup=bridge')).toEqual([]);
}, 240_000);

test('back: the pods move to the node group, and nothing of Kerf is left', async () => {
  await page.next(/^Back/);
  await isAt('web', BRIDGE, PODS);
  await isAt('db', BRIDGE, 1);
  expect(await nodeClaims()).toEqual([]);
  expect(page.left).toEqual([]);
}, 240_000);
