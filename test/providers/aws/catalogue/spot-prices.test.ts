import { DescribeSpotPriceHistoryCommand, EC2Client } from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test } from 'vitest';
import { UnreachableError } from '../../../../lib/ports/errors.ts';
import { describeSpotPrices } from '../../../../lib/providers/aws/catalogue/spot-prices.ts';
import { NOW_MS } from '../../../builders/times.ts';
import { awsError } from '../aws-error.ts';

const client = new EC2Client({ region: 'us-east-1', maxAttempts: 1 });
const ec2 = mockClient(client);

const price = (AvailabilityZone: string, SpotPrice: string, atMs: number) => ({
  InstanceType: 'm5.large' as const,
  AvailabilityZone,
  SpotPrice,
  Timestamp: new Date(atMs),
});

beforeEach(() => ec2.reset());

test('C29: the latest price of each type and zone counts, whatever the order and the page', async () => {
  ec2
    .on(DescribeSpotPriceHistoryCommand)
    .resolvesOnce({
      SpotPriceHistory: [price('us-east-1a', '0.0300', 0), price('us-east-1b', '0.0500', NOW_MS)],
      NextToken: '2',
    })
    .resolves({ SpotPriceHistory: [price('us-east-1a', '0.0411', NOW_MS), price('us-east-1b', '0.9', 5)] });
  expect([...(await describeSpotPrices(client, NOW_MS))]).toEqual([
    ['m5.large us-east-1a', 0.0411],
    ['m5.large us-east-1b', 0.05],
  ]);
  expect(ec2.commandCalls(DescribeSpotPriceHistoryCommand)[0]?.args[0].input.StartTime).toEqual(new Date(NOW_MS));
});

test('invalid prices are left out', async () => {
  ec2.on(DescribeSpotPriceHistoryCommand).resolves({
    SpotPriceHistory: [price('us-east-1a', '', 0), price('us-east-1a', '0', 0), { SpotPrice: '1' }],
  });
  expect([...(await describeSpotPrices(client, NOW_MS))]).toEqual([]);
});

test('a page without a list fails the read: a part of the prices would be taken for all of them', async () => {
  ec2
    .on(DescribeSpotPriceHistoryCommand)
    .resolvesOnce({ SpotPriceHistory: [price('us-east-1a', '0.0300', 0)], NextToken: '2' })
    .resolves({});
  await expect(describeSpotPrices(client, NOW_MS)).rejects.toThrow(
    'describe spot prices: the answer of AWS has no list',
  );
});

test('a throttled history is reported as throttled', async () => {
  ec2.on(DescribeSpotPriceHistoryCommand).rejects(awsError('RequestLimitExceeded', 503));
  await expect(describeSpotPrices(client, NOW_MS)).rejects.toBeInstanceOf(UnreachableError);
});
