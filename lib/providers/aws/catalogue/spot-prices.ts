import { DescribeSpotPriceHistoryCommand, type EC2Client } from '@aws-sdk/client-ec2';
import { optional } from '../../../apis/optional.ts';
import { allFullPages } from '../client/pages.ts';

/** C29: the latest price of each type and zone, by `type zone`. A history that starts now contains only the present prices. */
export async function describeSpotPrices(client: EC2Client, nowMs: number): Promise<ReadonlyMap<string, number>> {
  const history = await allFullPages('describe spot prices', async (token) => {
    const answer = await client.send(
      new DescribeSpotPriceHistoryCommand({
        StartTime: new Date(nowMs),
        ProductDescriptions: ['Linux/UNIX', 'Linux/UNIX (Amazon VPC)'],
        MaxResults: 1_000,
        ...optional({ NextToken: token }),
      }),
    );
    return { items: answer.SpotPriceHistory, next: answer.NextToken };
  });
  const latest = new Map<string, { readonly atMs: number; readonly price: number }>();
  for (const { InstanceType: type, AvailabilityZone: zone, SpotPrice, Timestamp } of history) {
    const price = Number(SpotPrice);
    const atMs = Timestamp?.getTime() ?? 0;
    if (type === undefined || zone === undefined || !(price > 0)) continue;
    if ((latest.get(`${type} ${zone}`)?.atMs ?? -1) < atMs) latest.set(`${type} ${zone}`, { atMs, price });
  }
  return new Map([...latest].map(([place, { price }]) => [place, price]));
}
