import {
  DescribeAvailabilityZonesCommand,
  DescribeInstanceTypeOfferingsCommand,
  DescribeInstanceTypesCommand,
  DescribeSpotPriceHistoryCommand,
  type EC2Client,
} from '@aws-sdk/client-ec2';
import { formatTime } from '../../apis/time.ts';
import type { Catalogue, InstanceTypeFacts, RegionalOffering } from '../../core/instance-type/facts.ts';
import { translated } from './errors.ts';
import { type BranchInterfaces, factsOf } from './instance-type-facts.ts';
import { allPages } from './pages.ts';

export interface CatalogueSources {
  readonly region: string;
  readonly nowMs: number;
  /** On-demand prices by type: the Price List service is read elsewhere, or the shipped table is used (C28). */
  readonly onDemandUsdPerHour: ReadonlyMap<string, number>;
  readonly branchInterfaces: BranchInterfaces;
}

/** The instance types of a region, where they are offered and at what price. *Cost:* some 30 calls. */
export async function describeCatalogue(client: EC2Client, sources: CatalogueSources): Promise<Catalogue> {
  const [facts, places, zoneIds, spotPrices] = await Promise.all([
    describeFacts(client, sources.branchInterfaces),
    describePlaces(client),
    describeZoneIds(client),
    describeSpotPrices(client, sources.nowMs),
  ]);
  const known = new Set(facts.map((each) => each.name));
  const offerings = places
    .filter(({ type }) => known.has(type))
    .map(
      ({ type, zone }): RegionalOffering => ({
        type,
        zone,
        zoneId: zoneIds.get(zone) ?? '',
        onDemandUsdPerHour: sources.onDemandUsdPerHour.get(type),
        spotUsdPerHour: spotPrices.get(`${type} ${zone}`),
      }),
    )
    .toSorted((a, b) => compare(a.type, b.type) || compare(a.zone, b.zone));
  return { region: sources.region, asOf: formatTime(sources.nowMs), facts, offerings };
}

async function describeFacts(client: EC2Client, branches: BranchInterfaces): Promise<readonly InstanceTypeFacts[]> {
  const Filters = [
    { Name: 'supported-virtualization-type', Values: ['hvm'] },
    { Name: 'processor-info.supported-architecture', Values: ['x86_64', 'arm64'] },
  ];
  const types = await allPages('describe instance types', async (token) => {
    const answer = await client.send(
      new DescribeInstanceTypesCommand({
        Filters,
        MaxResults: 100,
        ...(token === undefined ? {} : { NextToken: token }),
      }),
    );
    return { items: answer.InstanceTypes, next: answer.NextToken };
  });
  return types
    .map((info) => factsOf(info, branches))
    .filter((facts) => facts !== undefined)
    .toSorted((a, b) => compare(a.name, b.name));
}

async function describePlaces(client: EC2Client): Promise<readonly { readonly type: string; readonly zone: string }[]> {
  const offerings = await allPages('describe instance type offerings', async (token) => {
    const answer = await client.send(
      new DescribeInstanceTypeOfferingsCommand({
        LocationType: 'availability-zone',
        MaxResults: 1_000,
        ...(token === undefined ? {} : { NextToken: token }),
      }),
    );
    return { items: answer.InstanceTypeOfferings, next: answer.NextToken };
  });
  return offerings.flatMap(({ InstanceType: type, Location: zone }) =>
    type === undefined || zone === undefined ? [] : [{ type, zone }],
  );
}

async function describeZoneIds(client: EC2Client): Promise<ReadonlyMap<string, string>> {
  const command = new DescribeAvailabilityZonesCommand({ AllAvailabilityZones: false });
  const answer = await translated('describe availability zones', () => client.send(command));
  return new Map(
    (answer.AvailabilityZones ?? []).flatMap(({ ZoneName: name, ZoneId: id }) =>
      name === undefined || id === undefined ? [] : [[name, id] as const],
    ),
  );
}

/** C29: the latest price of each type and zone, by `type zone`. A history that starts now holds just the prices in force. */
async function describeSpotPrices(client: EC2Client, nowMs: number): Promise<ReadonlyMap<string, number>> {
  const history = await allPages('describe spot prices', async (token) => {
    const answer = await client.send(
      new DescribeSpotPriceHistoryCommand({
        StartTime: new Date(nowMs),
        ProductDescriptions: ['Linux/UNIX', 'Linux/UNIX (Amazon VPC)'],
        MaxResults: 1_000,
        ...(token === undefined ? {} : { NextToken: token }),
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

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
