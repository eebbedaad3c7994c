/**
 * What `kerf plan` and `kerf diff` show for a snapshot of a real API server, and what the functions decide on the same cluster. EC2 and the
 * table are simulated. Nodes are those that Kerf has launched; the kube-scheduler binds their pods.
 */

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { shippedCatalogue } from '../../../lib/catalogue/figures.ts';
import type { RunReport } from '../../../lib/controllers/run/ports.ts';
import type { Action } from '../../../lib/core/model/decision.ts';
import { instanceOf, providerIdOf } from '../../../lib/core/model/node-claim-record.ts';
import { nodeNameOf } from '../../../lib/simulator/aws/node-name.ts';
import type { ControlPlane } from '../../../scripts/control-plane.ts';
import { createNode } from '../../rig/claimed-nodes.ts';
import { type FakeKubelets, startFakeKubelets } from '../../rig/fake-kubelets.ts';
import { CLUSTER, type KerfInProcess, startKerf } from '../../rig/kerf-in-process.ts';
import { machineCapacity } from '../../rig/machine-node.ts';
import { startOwnControlPlane } from '../../rig/own-control-plane.ts';
import { createAgents, createDeployment, scaleDeployment } from '../../rig/workloads.ts';
import { at, listAt, recordAt, textAt } from '../../stack/json.ts';
import { read, succeed } from '../support/api-client.ts';
import { claimText, created, nodeText, planned, startedBy } from '../support/decided.ts';
import { writeKubeconfig } from '../support/kubeconfig.ts';
import { create, installDefinitions, pathOf, type Sample } from '../support/resources.ts';
import { aNodeClass, aNodePool } from '../support/samples.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'kerf-snapshot-decisions-'));
const KUBECONFIG = join(FOLDER, 'config');
const SOON = { timeout: 60_000, interval: 500 };
const UNREGISTERED = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' };
/** A nomination of the table, which a snapshot does not have, ends before. */
const NOMINATED_MS = 3 * 60_000;

const catalogue = shippedCatalogue({ region: 'us-east-1', because: 'the test' });

let controlPlane: ControlPlane;
let kerf: KerfInProcess;
let kubelets: FakeKubelets;
/** How far the clock of the functions is ahead. */
let aheadMs = 0;

const CATEGORIES = (...values: readonly string[]) => ({
  key: 'karpenter.k8s.aws/instance-category',
  operator: 'In',
  values,
});
const CAPACITY = (...values: readonly string[]) => ({ key: 'karpenter.sh/capacity-type', operator: 'In', values });
const ANY_ARCHITECTURE = { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64', 'arm64'] };

const DISRUPTION = {
  consolidationPolicy: 'WhenEmptyOrUnderutilized',
  consolidateAfter: '0s',
  budgets: [{ nodes: '100%' }],
};

function pool(name: string, spec: Readonly<Record<string, unknown>>, template: Readonly<Record<string, unknown>>) {
  return { ...aNodePool({ disruption: DISRUPTION, ...spec }, template), metadata: { name } };
}

/** @param consolidateAfter with 'Never', only drift removes its nodes */
const general = (consolidateAfter: string): Sample =>
  pool(
    'general',
    { weight: 10, disruption: { ...DISRUPTION, consolidateAfter } },
    { requirements: [CATEGORIES('c', 'm', 'r'), CAPACITY('spot', 'on-demand'), ANY_ARCHITECTURE] },
  );
const steady = (...categories: readonly string[]): Sample =>
  pool(
    'steady',
    {},
    {
      requirements: [CATEGORIES(...categories), CAPACITY('on-demand')],
      taints: [{ key: 'steady', value: 'yes', effect: 'NoSchedule' }],
    },
  );
const LIMITED = pool(
  'limited',
  { limits: { cpu: '3' }, disruption: { ...DISRUPTION, consolidateAfter: 'Never' } },
  { requirements: [CATEGORIES('m'), CAPACITY('on-demand')] },
);

const ON_STEADY = {
  nodeSelector: { 'karpenter.sh/nodepool': 'steady' },
  tolerations: [{ key: 'steady', operator: 'Exists' }],
};
const of = (app: string) => ({ labelSelector: { matchLabels: { app } } });
const cpu = (amount: string, memory = '512Mi') => ({ cpu: amount, memory });

beforeAll(async () => {
  // The nodes have no kubelets that renew leases, and must stay Ready.
  controlPlane = await startOwnControlPlane({ nodeGraceSeconds: 3_600 });
  await installDefinitions();
  for (const object of [aNodeClass(), general('Never'), steady('m'), LIMITED])
    expect((await create(object)).status).toBe(201);
  kerf = await startKerf({ isWoken: false, clock: { now: () => Date.now() + aheadMs } });
  kubelets = startFakeKubelets();
  writeKubeconfig(KUBECONFIG);
  await createAgents(cpu('120m', '200Mi'));
  await createDeployment({ name: 'web', replicas: 6, requests: cpu('900m', '1Gi') });
  await createDeployment({ name: 'api', replicas: 2, requests: cpu('700m'), podSpec: ON_STEADY });
  await pendingPods(8);
  await launchPending();
}, 180_000);

afterAll(async () => {
  await kubelets.close();
  await kerf.close();
  await controlPlane.stop();
  rmSync(FOLDER, { recursive: true });
});

// The commands of one test are not carried out in the next.
afterEach(async () => {
  for (const { id } of await kerf.store.listCommands(CLUSTER)) await kerf.store.endCommand(CLUSTER, id);
});

async function change(object: Sample): Promise<void> {
  const headers = { 'content-type': 'application/merge-patch+json' };
  await succeed({ method: 'PATCH', path: pathOf(object), headers, body: { spec: object.spec } });
}

/** *Shape:* when the scheduler has refused exactly so many pods. */
async function pendingPods(count: number): Promise<void> {
  await vi.waitFor(async () => {
    const pods = listAt(await read('/api/v1/pods'), 'items');
    const refused = pods.filter((pod) =>
      listAt(pod, 'status', 'conditions').some(
        (one) => at(one, 'type') === 'PodScheduled' && at(one, 'reason') === 'Unschedulable',
      ),
    );
    expect(refused).toHaveLength(count);
    expect(pods.filter((pod) => at(pod, 'spec', 'nodeName') === undefined)).toHaveLength(count);
  }, SOON);
}

/** Provisioning, launches, and nodes that join: until each NodeClaim is initialized. */
async function launchPending(): Promise<void> {
  await kerf.run('lifecycle');
  await decided('provisioning');
  await vi.waitFor(async () => {
    await kerf.run('lifecycle');
    const records = await kerf.store.listNodeClaims(CLUSTER);
    const nodes = new Set(listAt(await read('/api/v1/nodes'), 'items').map((node) => textAt(node, 'metadata', 'name')));
    for (const record of records) {
      const instance = instanceOf(record);
      if (instance === undefined || nodes.has(nodeNameOf(instance))) continue;
      await createNode({
        name: nodeNameOf(instance),
        providerId: providerIdOf(instance),
        taints: [UNREGISTERED],
        ...machineOf(instance.instanceType),
      });
    }
    expect(records.filter(({ initializedAtMs }) => initializedAtMs === undefined)).toEqual([]);
  }, SOON);
}

/** The functions learn the memory from the nodes. */
function machineOf(instanceType: string) {
  const fact = catalogue.facts.find(({ name }) => name === instanceType);
  if (fact === undefined) throw new Error(`${instanceType} is not in the catalogue`);
  return { labels: { 'kubernetes.io/arch': fact.architecture }, capacity: machineCapacity(fact, 0.9) };
}

async function decided(name: 'provisioning' | 'disruption'): Promise<readonly Action[]> {
  const report: RunReport = await kerf.run(name);
  expect(report.failures).toEqual([]);
  expect(report.skipped).toBeUndefined();
  return report.decisions.flatMap(({ actions }) => actions);
}

async function kerfCommand(...args: readonly string[]): Promise<unknown> {
  const options = { maxBuffer: 100_000_000, env: { ...process.env, NODE_NO_WARNINGS: '1' } };
  try {
    const { stdout } = await promisify(execFile)('node', ['bin/kerf.js', ...args, '--output', 'json'], options);
    return JSON.parse(stdout);
  } catch (error) {
    // A difference has exit code 1.
    if (at(error, 'code') !== 1) throw error;
    return JSON.parse(textAt(error, 'stdout'));
  }
}

/** `kerf snapshot`, as a process. *Shape:* the path of the file. */
async function snapshot(name: string): Promise<string> {
  const file = join(FOLDER, `${name}.json`);
  writeFileSync(file, JSON.stringify(await kerfCommand('snapshot', '--kubeconfig', KUBECONFIG)));
  return file;
}

test('a plan from the snapshot has the NodeClaims that provisioning creates', async () => {
  const zones = { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' };
  const apart = { topologyKey: 'kubernetes.io/hostname' };
  await createDeployment({
    name: 'spread',
    replicas: 5,
    requests: cpu('1500m'),
    podSpec: { topologySpreadConstraints: [{ ...zones, ...of('spread') }] },
  });
  await createDeployment({
    name: 'apart',
    replicas: 9,
    requests: cpu('300m'),
    podSpec: {
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ ...apart, ...of('apart') }] } },
    },
  });
  await createDeployment({
    name: 'together',
    replicas: 3,
    requests: cpu('1', '6Gi'),
    podSpec: {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'topology.kubernetes.io/zone', ...of('together') },
          ],
        },
      },
    },
  });
  await createDeployment({
    name: 'arm',
    replicas: 4,
    requests: cpu('1'),
    podSpec: { nodeSelector: { 'kubernetes.io/arch': 'arm64', 'karpenter.sh/capacity-type': 'on-demand' } },
  });
  await createDeployment({
    name: 'over',
    replicas: 2,
    requests: cpu('1600m'),
    podSpec: { nodeSelector: { 'karpenter.sh/nodepool': 'limited' } },
  });
  await createDeployment({ name: 'nowhere', replicas: 2, podSpec: { nodeSelector: { disk: 'tape' } } });
  await createDeployment({ name: 'huge', replicas: 1, requests: cpu('2000') });
  await vi.waitFor(async () => expect(await unboundPods()).not.toEqual([]), SOON);
  await settledPods();
  const file = await snapshot('pending');
  const plan = await kerfCommand('plan', 'provisioning', '--snapshot', file);
  const report = await kerf.run('provisioning');
  expect(report.failures).toEqual([]);
  const [decision] = report.decisions;
  const claims = created(decision?.actions ?? []);
  console.log(`${claims.length} NodeClaims for ${claims.flatMap(({ pods }) => pods).length} pods`);
  expect(new Set(claims.map(({ nodePool }) => nodePool))).toEqual(new Set(['general', 'limited']));
  expect(planned(plan, 'newNodeClaims')).toEqual(claims);
  const nominated = (decision?.actions ?? []).flatMap((action) =>
    action.kind === 'nominate-node' ? [{ node: action.node, pods: [...action.pods].toSorted() }] : [],
  );
  expect(
    listAt(plan, 'existing').map((one) => ({
      node: at(one, 'node'),
      pods: listAt(one, 'pods').map(String).toSorted(),
    })),
  ).toEqual(nominated);
  const refused = new Set(
    (decision?.blocked ?? []).flatMap(({ subject }) =>
      subject.kind === 'Pod' ? [`${subject.namespace}/${subject.name}`] : [],
    ),
  );
  expect(new Set(Object.keys(recordAt(plan, 'podErrors')))).toEqual(refused);
  // Two that match no NodePool, one that is too large, and one of two that the limit leaves out.
  expect(refused.size).toBe(4);
  await launchPending();
  await settledPods();
}, 120_000);

async function unboundPods(): Promise<readonly string[]> {
  return listAt(await read('/api/v1/pods'), 'items')
    .filter((pod) => at(pod, 'spec', 'nodeName') === undefined)
    .map((pod) => textAt(pod, 'metadata', 'name'));
}

function isAnswered(pod: unknown): boolean {
  const refused = listAt(pod, 'status', 'conditions').some((one) => at(one, 'reason') === 'Unschedulable');
  return refused || at(pod, 'status', 'phase') === 'Running';
}

/** *Shape:* when all Deployments have their pods, the scheduler has answered for each, and binds no more of them. */
async function settledPods(): Promise<void> {
  let bound: readonly unknown[] = [];
  let sinceMs = 0;
  await vi.waitFor(async () => {
    const deployments = listAt(await read('/apis/apps/v1/deployments'), 'items');
    const pods = listAt(await read('/api/v1/namespaces/default/pods'), 'items');
    const wanted = deployments.reduce((sum: number, one) => sum + Number(at(one, 'spec', 'replicas')), 0);
    expect(pods).toHaveLength(wanted);
    expect(pods.filter((pod) => !isAnswered(pod))).toEqual([]);
    const now = pods.map((pod) => at(pod, 'spec', 'nodeName'));
    if (!isDeepStrictEqual(now, bound)) [bound, sinceMs] = [now, Date.now()];
    expect(Date.now() - sinceMs).toBeGreaterThanOrEqual(STABLE_MS);
  }, SOON);
}

/** The scheduler tries a pod again up to some seconds after a node has changed, and later on a busy machine. */
const STABLE_MS = 3_000;

test('a plan of disruption from the snapshot begins with the command that disruption proposes', async () => {
  await change(general('0s'));
  // While nominations last, nominated nodes stay, and a snapshot does not have the nominations of the table.
  aheadMs = NOMINATED_MS;
  for (const name of ['over', 'nowhere', 'huge']) await scaleDeployment(name, 0);
  await scaleDeployment('web', 1);
  await scaleDeployment('spread', 1);
  await scaleDeployment('apart', 2);
  await settledPods();
  await kerf.run('lifecycle');
  const plan = await kerfCommand('plan', 'disruption', '--snapshot', await snapshot('idle'));
  const decisions = startedBy(await decided('disruption'));
  const first = listAt(plan, 'commands')[0];
  expect(decisions).toHaveLength(1);
  expect({
    method: at(first, 'method'),
    nodes: listAt(first, 'candidates').map((one) => textAt(one, 'node')),
    prices: listAt(first, 'replacements').map((one) => at(one, 'cheapestOffering', 'price')),
    savingUsdPerHour: at(first, 'estimatedHourlySavings'),
  }).toEqual(decisions[0]);
}, 180_000);

test('a difference has what provisioning and disruption decide when the changed NodePool is applied', async () => {
  await change(general('Never'));
  aheadMs = 2 * NOMINATED_MS;
  await createDeployment({ name: 'late', replicas: 4, requests: cpu('1500m'), podSpec: ON_STEADY });
  await settledPods();
  await kerf.run('lifecycle');
  const file = await snapshot('before');
  const changed = join(FOLDER, 'steady.json');
  writeFileSync(changed, JSON.stringify(steady('c')));
  const difference = await kerfCommand('diff', '--snapshot', file, '-f', changed);
  expect(at(difference, 'changed')).toBe(true);
  const before = await kerfCommand('plan', 'provisioning', '--snapshot', file);

  await change(steady('c'));
  // Lifecycle finds that the nodes of the NodePool have drifted.
  await kerf.run('lifecycle');
  const commands = startedBy(await decided('disruption'));
  const claims = created(await decided('provisioning'));

  const launched = listAt(difference, 'launched');
  const ofProvisioning = launched.filter((node) => at(node, 'by') === 'provisioning').map(nodeText);
  const notLaunched = new Set(listAt(difference, 'notLaunched').map(nodeText));
  const still = planned(before, 'newNodeClaims')
    .map(claimText)
    .filter((text) => !notLaunched.has(text));
  expect(claims.map(claimText).toSorted()).toEqual([...still, ...ofProvisioning].toSorted());
  expect(ofProvisioning.length).toBeGreaterThan(0);

  const drifted = listAt(difference, 'removed').filter((node) => at(node, 'by') === 'drift');
  expect(drifted.map((node) => textAt(node, 'node'))).toEqual(commands.flatMap(({ nodes }) => nodes));
  const replacements = launched.filter((node) => at(node, 'by') === 'drift');
  expect(replacements.map((node) => at(node, 'usdPerHour'))).toEqual(commands.flatMap(({ prices }) => prices));
  expect(commands.map(({ method }) => method)).toEqual(['drift']);
}, 120_000);
