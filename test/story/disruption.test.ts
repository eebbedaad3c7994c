/**
 * Disruption by the deployed functions, with a real scheduler and real PodDisruptionBudgets: pods that are scaled down get fewer
 * nodes, and another image replaces every node, one at a time.
 */
import { setTimeout } from 'node:timers/promises';
import { DescribeImagesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { mergePatch, succeed } from '../cluster/support/api-client.ts';
import { COLLECTIONS } from '../cluster/support/resources.ts';
import { createDeployment, isRunning, podsOf, scaleDeployment } from '../rig/workloads.ts';
import { at, listAt } from '../stack/json.ts';
import { REQUIREMENTS } from './account.ts';
import { tellWhyItFailed } from './last-words.ts';
import { expectNothingLeaked, expectNothingLeft, expectOneInstanceAClaim } from './promises.ts';
import { claims, isInitialized, nodes, type Stage, setStage } from './stage.ts';
import { seconds } from './stopwatch.ts';

const POOL = `${COLLECTIONS.NodePool}/general`;
const CLASS = `${COLLECTIONS.EC2NodeClass}/default`;
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const WHEN_EMPTY = { consolidationPolicy: 'WhenEmpty', budgets: [{ nodes: '100%' }] };

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
  await choose([...REQUIREMENTS, { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Gt', values: ['7'] }]);
});
beforeEach(tellWhyItFailed);
afterAll(async () => {
  await disrupt(WHEN_EMPTY);
  await choose(REQUIREMENTS);
  await stage.close();
});

/** Nodes of 8 vCPUs are few enough for the simulated kubelets. */
async function choose(requirements: readonly unknown[]): Promise<void> {
  const template = { spec: { requirements } };
  expect(await mergePatch(POOL, { spec: { template } })).toMatchObject({ status: 200 });
}

async function disrupt(disruption: Readonly<Record<string, unknown>>): Promise<void> {
  expect(await mergePatch(POOL, { spec: { disruption } })).toMatchObject({ status: 200 });
}

async function createBudget(app: string, minAvailable: number): Promise<void> {
  const spec = { minAvailable, selector: { matchLabels: { app } } };
  const body = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: app }, spec };
  await succeed({ method: 'POST', path: BUDGETS, body });
}

async function running(app: string): Promise<number> {
  return (await podsOf(app)).filter(isRunning).length;
}

async function cpus(): Promise<number> {
  return (await nodes()).reduce<number>((sum, node) => sum + Number(at(node, 'status', 'capacity', 'cpu')), 0);
}

/** Looks again and again until `end` is called. *Shape:* all that was seen. */
function watch<Seen>(look: () => Promise<Seen>): { readonly end: () => Promise<readonly Seen[]> } {
  const seen: Seen[] = [];
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) {
      seen.push(await look());
      await setTimeout(300);
    }
    return seen;
  })();
  return {
    end: async () => {
      over.abort();
      return watching;
    },
  };
}

/** Whether no node is being replaced or deleted. */
async function isSettled(): Promise<boolean> {
  const [all, found] = [await claims(), await nodes()];
  return all.length === found.length && found.every((node) => isInitialized(node) && !isDisrupted(node));
}

function isDisrupted(node: unknown): boolean {
  return listAt(node, 'spec', 'taints').some((taint) => at(taint, 'key') === 'karpenter.sh/disrupted');
}

test('E20, E27: the nodes of 200 pods become those that 40 pods need, and the PodDisruptionBudget holds', async () => {
  const [app, many, few, least] = ['shrinks', 200, 40, 36];
  await createBudget(app, least);
  await createDeployment({ name: app, replicas: many, requests: { cpu: '500m', memory: '512Mi' } });
  await seconds('200 pods run', async () => (await running(app)) === many, 180_000);
  await seconds('… on initialized nodes', isSettled, 60_000);
  const before = await cpus();
  await scaleDeployment(app, few);
  await seconds('160 pods gone', async () => (await podsOf(app)).length === few, 60_000);
  const seen = watch(async () => running(app));
  await disrupt({ consolidationPolicy: 'WhenEmptyOrUnderutilized', budgets: [{ nodes: '100%' }] });
  // 15 pods fit on 8 vCPUs beside the kubelet, so 40 pods need three nodes.
  await seconds('… → nodes of at most 24 vCPUs', async () => (await cpus()) <= 24 && (await isSettled()), 480_000);
  console.log(`200 pods had nodes of ${before} vCPUs, 40 pods have ${await cpus()}`);
  expect(Math.min(...(await seen.end()))).toBeGreaterThanOrEqual(least);
  await seconds('… and all pods run', async () => (await running(app)) === few, 30_000);
  await disrupt(WHEN_EMPTY);
  await expectOneInstanceAClaim(stage);
  await expectNothingLeaked(stage, 12);
  await scaleDeployment(app, 0);
  await seconds('pods gone → nothing left', async () => (await claims()).length === 0, 240_000);
  await expectNothingLeft(stage);
}, 900_000);

/** Another image for the architecture of the nodes. */
async function anotherImage(used: ReadonlySet<string | undefined>): Promise<string> {
  const ec2 = new EC2Client({});
  const Filters = [{ Name: 'architecture', Values: ['x86_64'] }];
  const { Images = [] } = await ec2.send(new DescribeImagesCommand({ Filters }));
  ec2.destroy();
  const id = Images.map(({ ImageId }) => ImageId).find((one) => one !== undefined && !used.has(one));
  if (id === undefined) throw new Error('the emulator has no other image');
  return id;
}

test('D34, E14, E33: another image rolls 10 nodes, one at a time, each after its replacement is initialized', async () => {
  const [app, count] = ['rolls', 10];
  await createDeployment({ name: app, replicas: count, requests: { cpu: '5', memory: '1Gi' } });
  await seconds('10 pods run', async () => (await running(app)) === count, 180_000);
  await seconds('… on initialized nodes', isSettled, 60_000);
  const imagesOf = async (): Promise<readonly (string | undefined)[]> =>
    (await stage.machines.instances()).flatMap(({ State, ImageId }) => (State?.Name === 'running' ? [ImageId] : []));
  const old = new Set(await imagesOf());
  const nodesBefore = (await nodes()).length;
  await disrupt({ ...WHEN_EMPTY, budgets: [{ nodes: '1' }] });
  const seen = watch(async () => {
    const found = await nodes();
    return {
      disrupted: found.filter(isDisrupted).length,
      usable: found.filter((one) => isInitialized(one) && !isDisrupted(one)).length,
    };
  });
  const id = await anotherImage(old);
  const spec = { amiFamily: 'AL2023', amiSelectorTerms: [{ id }] };
  expect(await mergePatch(CLASS, { spec })).toMatchObject({ status: 200 });
  const isRolled = async (): Promise<boolean> =>
    (await imagesOf()).every((image) => image === id) && (await isSettled());
  await seconds(`another image → ${nodesBefore} nodes replaced`, isRolled, 900_000);
  const looks = await seen.end();
  expect(Math.max(...looks.map(({ disrupted }) => disrupted))).toBe(1);
  expect(Math.min(...looks.map(({ usable }) => usable))).toBeGreaterThanOrEqual(nodesBefore - 1);
  await expectOneInstanceAClaim(stage);
  await disrupt(WHEN_EMPTY);
  await scaleDeployment(app, 0);
  await seconds('pods gone → nothing left', async () => (await claims()).length === 0, 240_000);
  await expectNothingLeft(stage);
}, 1_500_000);
