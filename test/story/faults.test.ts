/**
 * Faults around the deployed functions, one after the other, while pods are created and deleted: after each, the pods run and
 * the promises hold. All functions are the deployed ones; a proxy throttles their DynamoDB.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { eventually, logLines } from '../aws/deployment.ts';
import { mergePatch } from '../cluster/support/api-client.ts';
import { COLLECTIONS } from '../cluster/support/resources.ts';
import { createDeployment, isRunning, podsOf, scaleDeployment } from '../rig/workloads.ts';
import { at } from '../stack/json.ts';
import { launchBystander, stateOf } from './bystander.ts';
import { tellWhyItFailed } from './last-words.ts';
import { expectNothingLeaked, expectNothingLeft, expectOneInstanceAClaim } from './promises.ts';
import { actOnRig, invokeAtOnce } from './rig-faults.ts';
import { claims, nodes, type Stage, setStage } from './stage.ts';
import { seconds } from './stopwatch.ts';
import { startWebhookFront } from './webhook-front.ts';

const APP = 'under-fire';
/** Each pod fills a node, so a duplicate launch is visible. */
const REQUESTS = { cpu: '1500m', memory: '1Gi' };

let stage: Stage;
let bystander: string;
let replicas = 0;

beforeAll(async () => {
  stage = await setStage();
  bystander = await launchBystander();
  await createDeployment({ name: APP, replicas, requests: REQUESTS });
});
beforeEach(tellWhyItFailed);
afterAll(async () => await stage.close());

async function wantMore(count: number): Promise<void> {
  replicas += count;
  await scaleDeployment(APP, replicas);
}

function cpusOf(found: readonly unknown[]): number {
  return found.reduce<number>((sum, node) => sum + Number(at(node, 'status', 'capacity', 'cpu')), 0);
}

async function limitPool(cpu: string | null): Promise<void> {
  await mergePatch(`${COLLECTIONS.NodePool}/general`, { spec: { limits: cpu === null ? null : { cpu } } });
}

async function isSettled(): Promise<boolean> {
  return (await claims()).length === (await nodes()).length;
}

async function expectAllRun(what: string, withinMs = 150_000): Promise<void> {
  const allRun = async (): Promise<boolean> => (await podsOf(APP)).filter(isRunning).length === replicas;
  await seconds(`pods run, ${what}`, allRun, withinMs);
  await seconds(`nodes for all claims, ${what}`, isSettled, 30_000);
  await expectOneInstanceAClaim(stage);
  await expectNothingLeaked(stage, replicas);
}

test('promises 1, 2: the API server is restarted while nodes are launched', async () => {
  await wantMore(2);
  await eventually('a claim', async () => ((await claims()).length > 0 ? true : undefined), 60_000);
  await actOnRig('restart-api-server');
  await expectAllRun('API server restarted');
}, 240_000);

test('promises 1, 2: the versions that functions have cached are gone (410) while nodes are launched', async () => {
  await wantMore(2);
  await actOnRig('compact-etcd');
  await actOnRig('restart-api-server');
  await expectAllRun('etcd compacted');
}, 240_000);

test('promises 1, 2: four invocations of each function at once launch nothing twice, and respect the limit', async () => {
  const limit = cpusOf(await nodes()) + 4;
  await limitPool(String(limit));
  await wantMore(3);
  await Promise.all([invokeAtOnce('Provisioning', 4), invokeAtOnce('Lifecycle', 4)]);
  await Promise.all([invokeAtOnce('Lifecycle', 4), invokeAtOnce('Provisioning', 4)]);
  const twoRun = async (): Promise<boolean> => (await podsOf(APP)).filter(isRunning).length === replicas - 1;
  await seconds('as many pods run as the limit allows, invoked at once', twoRun, 150_000);
  expect(cpusOf(await nodes())).toBeLessThanOrEqual(limit);
  await expectOneInstanceAClaim(stage);
  await limitPool(null);
  await expectAllRun('invoked at once, limit lifted');
}, 240_000);

test('promises 1, 7: DynamoDB refuses every call for 20 s', async () => {
  await actOnRig('throttle-dynamodb');
  await wantMore(2);
  const startedMs = Date.now();
  await eventually('20 s', async () => (Date.now() - startedMs > 20_000 ? true : undefined), 30_000);
  expect(await actOnRig('relieve-dynamodb')).toBeGreaterThan(0);
  await expectAllRun('DynamoDB throttled');
}, 240_000);

test('promise 5: the webhook does not answer for a minute: scheduling continues, and the tick replaces its wakes', async () => {
  await stage.front.close();
  await createDeployment({ name: 'small', replicas: 1, requests: { cpu: '50m', memory: '16Mi' } });
  await seconds('a pod with a place runs, webhook dead', async () => (await podsOf('small')).some(isRunning), 10_000);
  await scaleDeployment('small', 0);
  await wantMore(1);
  await expectAllRun('webhook dead');
  expect((await logLines('Provisioning')).some((line) => String(at(line, 'reason')).includes('tick'))).toBe(true);
  stage.front = await startWebhookFront();
}, 240_000);

test('promises 1, 4: all nodes are removed, nothing is left, and instances of others keep running', async () => {
  await scaleDeployment(APP, 0);
  await seconds('pods gone → no nodes', async () => (await nodes()).length === 0, 200_000);
  await seconds('… and no claims', async () => (await claims()).length === 0, 100_000);
  await expectOneInstanceAClaim(stage);
  await expectNothingLeft(stage);
  expect(await stateOf(bystander)).toBe('running');
}, 400_000);
