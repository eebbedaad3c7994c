/**
 * The whole story: a cluster without nodes gets pods, then nodes, and has no nodes again; with a real scheduler, the stack as
 * `cdk deploy` created it, and moto for EC2. Simulated are the machines, and STS, which authenticates the functions.
 * The emulator's queues deliver at once, where SQS waits for the batching window; its schedules tick each minute, as in AWS.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { eventually, logLines } from '../aws/deployment.ts';
import { read } from '../cluster/support/api-client.ts';
import { createDeployment, isRunning, podsOf, scaleDeployment } from '../rig/workloads.ts';
import { at, listAt } from '../stack/json.ts';
import { createCoreDns } from './core-dns.ts';
import { tellWhyItFailed } from './last-words.ts';
import { expectNothingLeaked, expectNothingLeft, expectOneInstanceAClaim } from './promises.ts';
import { claims, isInitialized, nodes, type Stage, setStage } from './stage.ts';
import { seconds } from './stopwatch.ts';

const REPLICAS = 10;

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
});
beforeEach(tellWhyItFailed);
afterAll(async () => await stage.close());

async function coreDns(): Promise<readonly unknown[]> {
  return listAt(await read('/api/v1/namespaces/kube-system/pods?labelSelector=k8s-app%3Dkube-dns'), 'items');
}

/** *Shape:* finds the run of a function, for this reason, after the lines that its log has now. */
async function linesOf(name: 'Provisioning' | 'Lifecycle'): Promise<(reason: string) => Promise<unknown>> {
  const before = (await logLines(name)).length;
  return async (reason) =>
    (await logLines(name))
      .slice(before)
      .find((line) => at(line, 'message') === 'reconciled' && String(at(line, 'reason')).includes(reason));
}

test('CoreDNS alone causes no launch', async () => {
  // Counted before the pods are created: the run for the webhook may end within milliseconds.
  const [provisioning, lifecycle] = [await linesOf('Provisioning'), await linesOf('Lifecycle')];
  await createCoreDns();
  await eventually('a run of provisioning, for a webhook', async () => provisioning('webhook'), 75_000);
  // Lifecycle wakes no other function: only pods that can wait are pending.
  await eventually('a run of lifecycle, for a tick', async () => lifecycle('tick'), 75_000);
  expect(await coreDns()).toHaveLength(2);
  await expectNothingLeft(stage);
}, 160_000);

test('pods get nodes and run, CoreDNS with them', async () => {
  await createDeployment({ name: 'web', replicas: REPLICAS, requests: { cpu: '1', memory: '1Gi' } });
  const allRun = async (): Promise<boolean> => (await podsOf('web')).filter(isRunning).length === REPLICAS;
  await seconds('pods created → pods running', allRun, 90_000);
  await seconds('… and CoreDNS', async () => (await coreDns()).filter(isRunning).length === 2, 60_000);
  await seconds('… and all nodes initialized', async () => (await nodes()).every(isInitialized), 60_000);
  await expectOneInstanceAClaim(stage);
  await expectNothingLeaked(stage, REPLICAS + 2);
  expect(stage.machines.refusals()).toEqual([]);
}, 240_000);

test('without the pods the nodes are removed, although CoreDNS runs, and nothing of the nodes is left', async () => {
  await scaleDeployment('web', 0);
  await seconds('pods gone → no nodes', async () => (await nodes()).length === 0, 200_000);
  await seconds('… and no claims', async () => (await claims()).length === 0, 150_000);
  await expectNothingLeft(stage);
  expect((await coreDns()).map((pod) => at(pod, 'status', 'phase'))).toEqual(['Pending', 'Pending']);
}, 400_000);
