import { Readable } from 'node:stream';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { expect, test } from 'vitest';
import { UnreachableError } from '../../../../lib/ports/errors.ts';
import { endInstances } from '../../../../lib/providers/aws/instances/end-instances.ts';
import { describeInstances } from '../../../../lib/providers/aws/instances/instances.ts';
import { launch } from '../../../../lib/providers/aws/launch/launch.ts';
import { LaunchTemplates } from '../../../../lib/providers/aws/launch/launch-template.ts';
import { DynamoDbNodeClaimStore } from '../../../../lib/providers/dynamodb/node-claim-store.ts';
import { NOW_MS } from '../../../builders/times.ts';
import { aLaunchOfTwoTypes, aRecord } from '../../../contract/records.ts';

/** Answers with the status 200 that end in the middle. Whether the call took effect is unknown. */

const options = (body: string) => ({
  region: 'us-east-1',
  maxAttempts: 1,
  credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  requestHandler: {
    handle: async (request: { readonly body?: unknown }) => {
      const text = String(request.body).includes('Action=CreateLaunchTemplate') ? '<Response/>' : body;
      return { response: { statusCode: 200, headers: {}, body: Readable.from([Buffer.from(text)]) } };
    },
  },
});

const client = new EC2Client(options('<Response><fleetId>fleet-1</fleetId><fleetInst'));

test('a launch is not refused, so that no second one is requested, and the message has no advice for programmers', async () => {
  const answer = launch({ client, templates: new LaunchTemplates(client, { now: () => NOW_MS }) }, aLaunchOfTwoTypes());
  await expect(answer).rejects.toBeInstanceOf(UnreachableError);
  await expect(answer).rejects.not.toThrow('Deserialization');
});

test('a termination is tried again', async () => {
  const answer = endInstances({ client, onDemandUsdPerHour: new Map() }, 'demo', ['i-1']);
  await expect(answer).rejects.toBeInstanceOf(UnreachableError);
});

test.each(['', '<html/>'])(
  'an answer %j without a list of instances is not an empty list, after which claims are released',
  async (body) => {
    const reader = { client: new EC2Client(options(body)), onDemandUsdPerHour: new Map<string, number>() };
    for (const ids of [undefined, ['i-1']])
      await expect(describeInstances(reader, 'demo', ids)).rejects.toBeInstanceOf(UnreachableError);
  },
);

test('a write of the table is tried again', async () => {
  const store = new DynamoDbNodeClaimStore({
    client: new DynamoDBClient(options('{"Attributes":')),
    tableName: 'kerf',
  });
  await expect(store.createNodeClaim(aRecord())).rejects.toBeInstanceOf(UnreachableError);
});
