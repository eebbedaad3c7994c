/** The deployed stack: a call of the webhook leads through every queue and function to an instance. */
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:net';
import { DeleteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  CreateTagsCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';
import { EventBridgeClient, PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge';
import { IAMClient } from '@aws-sdk/client-iam';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readCatalogue } from '../../lib/core/instance-type/catalogue.ts';
import { EventBridgeDecisionBus } from '../../lib/providers/aws/messages/decision-bus.ts';
import { DynamoDbCatalogueStore } from '../../lib/providers/dynamodb/catalogue-store.ts';
import { DynamoDbNodeClaimStore } from '../../lib/providers/dynamodb/node-claim-store.ts';
import { FakeApiServer } from '../fakes/api-server.ts';
import { at, listAt, readJson, textAt } from '../stack/json.ts';
import { callWebhook, eventually, forwardClusterPort, logLines, output, webhookSecret } from './deployment.ts';
import { makeRole } from './ec2-world.ts';
import { applyManifests } from './manifests.ts';
import { spotWarning } from './spot-warning.ts';

const NODE_ROLE = 'KarpenterNodeRole-demo';
const SHIPPED = readCatalogue(readJson('data/instance-types.json'), readJson('data/regions/us-east-1.json'));
const sqs = new SQSClient();
let api: FakeApiServer;
let port: Server;
let secret: string;
let listener: string;

const table = () => ({ client: new DynamoDBClient(), tableName: output('TableName') });
const claims = async () => await new DynamoDbNodeClaimStore(table()).listNodeClaims('demo');

beforeAll(async () => {
  api = await FakeApiServer.start();
  port = await forwardClusterPort(api.endpoint);
  secret = await webhookSecret();
  listener = await listenToDecisions();
  await tagNetwork();
  await makeRole(new IAMClient(), NODE_ROLE);
  // The catalogue function runs every few hours: the shipped tables replace its result.
  await new DynamoDbCatalogueStore({ ...table(), region: 'us-east-1' }).writeCatalogue(SHIPPED);
  applyManifests(api, { discovery: 'demo', node: { role: NODE_ROLE }, pods: ['web-1'] });
});

afterAll(async () => {
  port.close();
  await api.close();
});

/** A queue with a rule on the stack's bus, as a dashboard or a notifier would have. */
async function listenToDecisions(): Promise<string> {
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: `listener-${randomUUID()}` }));
  const asked = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
  const events = new EventBridgeClient();
  const rule = { Name: `listener-${randomUUID()}`, EventBusName: output('EventBusName') };
  await events.send(new PutRuleCommand({ ...rule, EventPattern: '{"source":["kerf"]}' }));
  const Targets = [{ Id: 'queue', Arn: asked.Attributes?.QueueArn }];
  await events.send(new PutTargetsCommand({ Rule: rule.Name, EventBusName: rule.EventBusName, Targets }));
  return QueueUrl;
}

/** The account's default network, with the tags that the EC2NodeClass selects. */
async function tagNetwork(): Promise<void> {
  const ec2 = new EC2Client();
  const { Subnets = [] } = await ec2.send(new DescribeSubnetsCommand());
  const { SecurityGroups = [] } = await ec2.send(new DescribeSecurityGroupsCommand());
  const ids = [...Subnets.map(({ SubnetId }) => SubnetId), ...SecurityGroups.map(({ GroupId }) => GroupId)];
  const Resources = ids.filter((id) => id !== undefined);
  await ec2.send(new CreateTagsCommand({ Resources, Tags: [{ Key: 'karpenter.sh/discovery', Value: 'demo' }] }));
}

function review(resource: string): unknown {
  return {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: { uid: 'b9f7', resource: { group: 'events.k8s.io', version: 'v1', resource }, operation: 'CREATE' },
  };
}

test('a wrong secret and an unknown cluster are not found', async () => {
  expect(await callWebhook('/demo/wrong', review('nodes'))).toMatchObject({ status: 404 });
  expect(await callWebhook(`/elsewhere/${secret}`, review('nodes'))).toMatchObject({ status: 404 });
});

test('a call of the webhook is answered at once, and its message reaches the provisioning function', async () => {
  const answer = await callWebhook(`/demo/${secret}?timeout=1s`, review('events'));
  expect(answer).toMatchObject({ status: 200, body: { response: { uid: 'b9f7', allowed: true } } });
  const run = await eventually('a run for the webhook in the log of provisioning', async () =>
    (await logLines('Provisioning')).find(
      (line) => at(line, 'message') === 'reconciled' && String(at(line, 'reason')).includes('webhook'),
    ),
  );
  expect(run).toMatchObject({
    level: 'INFO',
    cluster: 'demo',
    controller: 'provisioning',
    actions: [{ kind: 'create-node-claim' }],
  });
});

test('the pod has its NodeClaim in the table, and the lifecycle function launches it', async () => {
  const launched = async () => {
    const records = await claims();
    return records.some(({ launch }) => launch.kind === 'launched') ? records : undefined;
  };
  // EC2 refuses the launch until the first tick of lifecycle, up to a minute later, has created the instance profile.
  const [record] = await eventually('a launched NodeClaim', launched, 100_000);
  expect(record).toMatchObject({ cluster: 'demo', nodePool: 'general', pods: ['default/web-1'] });
  // The table is written first, then the mirror in the cluster.
  const mirror = await eventually('a NodeClaim in the cluster', async () =>
    api.store.list({ group: '/apis/karpenter.sh/v1', resource: 'nodeclaims' }).at(0),
  );
  expect(textAt(mirror, 'metadata', 'name')).toBe(record?.name);
}, 150_000);

test('a rule on the bus receives the decision', async () => {
  const event = await eventually('a decision on the bus', async () => {
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: listener, WaitTimeSeconds: 1 }));
    const events = Messages.map(({ Body = '' }): unknown => JSON.parse(Body));
    return events.find((each) => at(each, 'detail', 'controller') === 'provisioning');
  });
  expect(event).toMatchObject({
    source: 'kerf',
    'detail-type': 'Decision',
    detail: { cluster: 'demo', actions: [{ kind: 'create-node-claim' }] },
  });
});

test("the run is in the metrics, in CloudWatch's format", async () => {
  const metrics = await eventually('a gauge of pending pods', async () =>
    (await logLines('Provisioning')).find((line) => at(line, 'karpenter_scheduler_queue_depth') === 1),
  );
  expect(metrics).toMatchObject({ Cluster: 'demo', _aws: { CloudWatchMetrics: [{ Namespace: 'Kerf' }] } });
});

test('a spot interruption warning terminates the instance', async () => {
  const [instanceId] = (await claims()).flatMap(({ launch }) =>
    launch.kind === 'launched' ? [launch.instance.id] : [],
  );
  expect(instanceId).toMatch(/^i-/);
  const MessageBody = spotWarning(instanceId ?? '');
  await sqs.send(new SendMessageCommand({ QueueUrl: output('InterruptionQueueUrl'), MessageBody }));
  await eventually('terminate-instance in the log of termination', async () =>
    (await logLines('Termination')).find((line) => hasAction(line, 'terminate-instance')),
  );
});

const hasAction = (line: unknown, kind: string): boolean =>
  listAt(line, 'actions').some((action) => at(action, 'kind') === kind);
const isTick = (line: unknown): boolean => String(at(line, 'reason')).split('+').includes('tick');

test('a minute after the deploy, lifecycle has run for a tick, and has woken disruption, because there is a NodeClaim', async () => {
  for (const name of ['Lifecycle', 'Disruption']) {
    await eventually(`a tick in the log of ${name}`, async () => (await logLines(name)).find(isTick), 150_000);
  }
}, 200_000);

test('the NodeClaim is released when the instance is terminated', async () => {
  // At once while EC2 shows the instance as terminated. The emulator forgets it after a minute; then a new claim waits for three.
  const released = await eventually(
    'release-node-claim in the log of termination',
    async () => (await logLines('Termination')).find((line) => hasAction(line, 'release-node-claim')),
    240_000,
  );
  expect(released).toMatchObject({ cluster: 'demo' });
});

test('refused requests have woken no function', async () => {
  const lines = await logLines('Lifecycle');
  expect(lines.filter((line) => String(at(line, 'reason')).includes('webhook'))).toEqual([]);
});

test("the catalogue function writes EC2's instance types with their prices from the price list and the spot market", async () => {
  const { client, tableName: TableName } = table();
  const Key = { pk: { S: 'catalogue#us-east-1' }, sk: { S: 'head' } };
  // The function answers the report of a missing catalogue only if there is none.
  await client.send(new DeleteItemCommand({ TableName, Key, ConditionExpression: 'attribute_exists(pk)' }));
  const bus = new EventBridgeDecisionBus({ client: new EventBridgeClient(), busName: output('EventBusName') });
  await bus.wakeCatalogue({ cluster: 'demo', reason: 'missing' });
  const { facts, offerings } = await eventually(
    'a catalogue of today',
    async () => {
      const found = await new DynamoDbCatalogueStore({ ...table(), region: 'us-east-1' }).readCatalogue();
      return found !== undefined && found.asOf > SHIPPED.asOf ? found : undefined;
    },
    90_000,
  );
  expect(facts.length).toBeGreaterThan(1_000);
  const found = offerings.find(({ type, zone }) => type === 'm5.large' && zone === 'us-east-1b');
  const shipped = SHIPPED.offerings.find(({ type, zone }) => type === 'm5.large' && zone === 'us-east-1b');
  expect(found?.onDemandUsdPerHour).toBe(shipped?.onDemandUsdPerHour);
  // moto's spot prices differ a little by zone.
  expect(found?.spotUsdPerHour).toBeCloseTo((shipped?.spotUsdPerHour ?? 0) * 1.01, 5);
}, 120_000);
