import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type DescribeInstancesCommandInput, EC2Client } from '@aws-sdk/client-ec2';
import { describe, expect, test } from 'vitest';
import { describeInstances } from '../../../../lib/providers/aws/instances/instances.ts';
import { withoutInterfaces } from '../../../../lib/providers/aws/instances/without-interfaces.ts';

const MB = 1_000_000;
const SETTINGS = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  maxAttempts: 1,
};

/** The memory that is in use. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc()');
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** An instance, and the token of the next page, as the SDK reads them from a large answer: their texts are parts of its text. */
function aLargePage(page: number) {
  const fields = [
    'nodeclaim-general-a',
    'ami-0123456789abcdef0',
    `i-0123456789abcde${page}0`,
    `token-of-the-page-${page}`,
  ];
  const answer = Buffer.from(fields.join(' ').padEnd(20 * MB, 'x')).toString('latin1');
  const [nodeClaim, ImageId, InstanceId, NextToken] = answer.slice(0, fields.join(' ').length).split(' ');
  const Tags = [
    { Key: 'kubernetes.io/cluster/demo', Value: 'owned' },
    { Key: 'karpenter.sh/nodeclaim', Value: nodeClaim },
  ];
  return { Reservations: [{ Instances: [{ InstanceId, ImageId, State: { Name: 'running' }, Tags }] }], NextToken };
}

test('a list of five pages keeps the descriptions of instances, and their text, of one page at most', async () => {
  const client = new EC2Client(SETTINGS);
  const grownBytes: number[] = [];
  const beforeBytes = usedBytes();
  const send = async ({ input }: { readonly input: DescribeInstancesCommandInput }) => {
    grownBytes.push(usedBytes() - beforeBytes);
    const page = Number(input.NextToken?.split('-').at(-1) ?? 0) + 1;
    const { NextToken, ...answer } = aLargePage(page);
    return page < 5 ? { ...answer, NextToken } : answer;
  };
  Object.assign(client, { send });
  const found = await describeInstances({ client, onDemandUsdPerHour: new Map() }, 'demo');
  expect(found).toHaveLength(5);
  expect(grownBytes).toHaveLength(5);
  expect(Math.max(...grownBytes, usedBytes() - beforeBytes)).toBeLessThan(30 * MB);
});

const instance = (id: string, interfaces: string) =>
  `<item><instanceId>${id}</instanceId><instanceState><name>running</name></instanceState>${interfaces}<ebsOptimized>true</ebsOptimized></item>`;

describe('the network interfaces of instances', () => {
  const answerWith = (interfaces: string) =>
    `<DescribeInstancesResponse><reservationSet><item><instancesSet>${instance('i-1', interfaces)}${instance('i-2', interfaces)}</instancesSet></item></reservationSet></DescribeInstancesResponse>`;
  const INTERFACES =
    '<networkInterfaceSet><item><privateIpAddress>10.0.0.1</privateIpAddress></item></networkInterfaceSet>';

  test.each([1, 2, 7, 20, 21, 22, 23, 1_000])('are removed from an answer in chunks of %i bytes', async (size) => {
    const bytes = Buffer.from(answerWith(INTERFACES));
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
    expect(await text(withoutInterfaces(Readable.from(chunks)))).toBe(answerWith(''));
  });

  test('are not there: the answer is the same', async () => {
    const answer = answerWith('<networkInterfaceSet/>');
    expect(await text(withoutInterfaces(Readable.from([Buffer.from(answer)])))).toBe(answer);
  });

  test('are not read, in a list and by id', async () => {
    // The SDK cannot read this answer.
    const body = answerWith('<networkInterfaceSet><item></networkInterfaceSet>');
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/xml;charset=UTF-8' }).end(body);
    });
    const listening = Promise.withResolvers<void>();
    server.listen(0, '127.0.0.1', listening.resolve);
    await listening.promise;
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const client = new EC2Client({ ...SETTINGS, endpoint: `http://127.0.0.1:${port}` });
    const reader = { client, onDemandUsdPerHour: new Map<string, number>() };
    const found = await describeInstances(reader, 'demo', ['i-1', 'i-2']);
    expect(found.map(({ id, state }) => [id, state])).toEqual([
      ['i-1', 'running'],
      ['i-2', 'running'],
    ]);
    expect(await describeInstances(reader, 'demo'), 'they have no tags').toEqual([]);
    client.destroy();
    const closed = Promise.withResolvers<void>();
    server.close(() => closed.resolve());
    await closed.promise;
  });
});
