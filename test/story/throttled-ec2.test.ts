/** EC2 throttles 90 % of all calls while it announces the end of spot instances: their pods are evicted nevertheless. */
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { eventually, output, variable } from '../aws/deployment.ts';
import { MotoControl } from '../aws/moto-control.ts';
import { spotWarning } from '../aws/spot-warning.ts';
import { succeed } from '../cluster/support/api-client.ts';
import { COLLECTIONS } from '../cluster/support/resources.ts';
import { createDeployment, isRunning, podsOf, scaleDeployment } from '../rig/workloads.ts';
import { at, textAt } from '../stack/json.ts';
import { tellWhyItFailed } from './last-words.ts';
import { expectNothingLeft, expectOneInstanceAClaim } from './promises.ts';
import { claims, isInitialized, nodes, type Stage, setStage } from './stage.ts';
import { seconds } from './stopwatch.ts';

const APP = 'warned';
/** Each pod fills a node. */
const PODS = 3;
const REQUESTS = { cpu: '1500m', memory: '1Gi' };
const FIRST_EVICTION_MS = 10_000;

let stage: Stage;
let calm: (() => Promise<void>) | undefined;

beforeAll(async () => {
  stage = await setStage();
});
beforeEach(tellWhyItFailed);
afterAll(async () => {
  await calm?.();
  await stage.close();
});

const uidOf = (pod: unknown): string => textAt(pod, 'metadata', 'uid');

/** The pods among those with the UIDs that are not deleted. */
async function left(uids: ReadonlySet<string>): Promise<number> {
  const pods = await podsOf(APP);
  return pods.filter((pod) => uids.has(uidOf(pod)) && at(pod, 'metadata', 'deletionTimestamp') === undefined).length;
}

async function warn(instanceId: string): Promise<void> {
  const sqs = new SQSClient({});
  const MessageBody = spotWarning(instanceId, new Date().toISOString());
  await sqs.send(new SendMessageCommand({ QueueUrl: output('InterruptionQueueUrl'), MessageBody }));
  sqs.destroy();
}

test('C79, promise 7: the first pod is evicted within 10 s of the warning, although EC2 throttles 90 % of the calls', async () => {
  await createDeployment({ name: APP, replicas: PODS, requests: REQUESTS });
  await seconds('pods run', async () => (await podsOf(APP)).filter(isRunning).length === PODS, 150_000);
  await seconds('nodes initialized', async () => (await nodes()).every(isInitialized), 60_000);
  const uids = new Set((await podsOf(APP)).map(uidOf));
  const ids = (await nodes()).map((node) => textAt(node, 'spec', 'providerID').split('/').at(-1) ?? '');
  calm = await new MotoControl(variable('KERF_MOTO')).rule({ kind: 'throttle', share: 0.9 });
  const warnedAtMs = Date.now();
  await Promise.all(ids.map(warn));
  const first = await eventually(
    'the first eviction',
    async () => ((await left(uids)) < PODS ? Date.now() - warnedAtMs : undefined),
    60_000,
  );
  console.log(`spot warning → first eviction, EC2 throttled at 90 %: ${(first / 1_000).toFixed(1)} s`);
  await seconds('… → all evicted', async () => (await left(uids)) === 0, 60_000);
  expect(first).toBeLessThan(FIRST_EVICTION_MS);
}, 360_000);

test('promises 1, 7: when EC2 answers again, the pods run on other nodes, and nothing is left of the old ones', async () => {
  await calm?.();
  calm = undefined;
  await seconds('pods run again', async () => (await podsOf(APP)).filter(isRunning).length === PODS, 150_000);
  await expectOneInstanceAClaim(stage);
  await scaleDeployment(APP, 0);
  await succeed({ method: 'DELETE', path: COLLECTIONS.NodeClaim });
  await seconds('claims deleted → nothing left', async () => (await claims()).length === 0, 200_000);
  await expectNothingLeft(stage);
}, 420_000);
