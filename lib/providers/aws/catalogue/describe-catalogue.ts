import {
  DescribeAvailabilityZonesCommand,
  DescribeInstanceTypeOfferingsCommand,
  DescribeInstanceTypesCommand,
  type EC2Client,
} from '@aws-sdk/client-ec2';
import { formatTime } from '../../../apis/formats/time.ts';
import { optional } from '../../../apis/optional.ts';
import { compareText } from '../../../core/compare-text.ts';
import type { Catalogue, InstanceTypeFacts, RegionalOffering } from '../../../core/instance-type/facts.ts';
import { UnreachableError } from '../../../ports/errors.ts';
import { translated } from '../client/errors.ts';
import { allFullPages } from '../client/pages.ts';
import { type BranchInterfaces, instanceTypeFactsOf } from './instance-type-facts.ts';

export interface CatalogueSources {
  readonly region: string;
  readonly nowMs: number;
  readonly branchInterfaces: BranchInterfaces;
}

/** The instance types of a region and where they are offered, without prices. *Cost:* some 25 calls. */
export async function describeCatalogue(client: EC2Client, sources: CatalogueSources): Promise<Catalogue> {
  const [facts, places, zoneIds] = await Promise.all([
    describeFacts(client, sources.branchInterfaces),
    describePlaces(client),
    describeZoneIds(client),
  ]);
  const known = new Set(facts.map((each) => each.name));
  const offerings = places
    .filter(({ type }) => known.has(type))
    .map(({ type, zone }): RegionalOffering => ({ type, zone, ...optional({ zoneId: zoneIds.get(zone) }) }))
    .toSorted((a, b) => compareText(a.type, b.type) || compareText(a.zone, b.zone));
  return { region: sources.region, asOf: formatTime(sources.nowMs), facts, offerings };
}

async function describeFacts(client: EC2Client, branches: BranchInterfaces): Promise<readonly InstanceTypeFacts[]> {
  const Filters = [
    { Name: 'supported-virtualization-type', Values: ['hvm'] },
    { Name: 'processor-info.supported-architecture', Values: ['x86_64', 'arm64'] },
  ];
  const types = await allFullPages('describe instance types', async (token) => {
    const answer = await client.send(
      new DescribeInstanceTypesCommand({
        Filters,
        MaxResults: 100,
        ...optional({ NextToken: token }),
      }),
    );
    return { items: answer.InstanceTypes, next: answer.NextToken };
  });
  return types
    .map((info) => instanceTypeFactsOf(info, branches))
    .filter((facts) => facts !== undefined)
    .toSorted((a, b) => compareText(a.name, b.name));
}

async function describePlaces(client: EC2Client): Promise<readonly { readonly type: string; readonly zone: string }[]> {
  const offerings = await allFullPages('describe instance type offerings', async (token) => {
    const answer = await client.send(
      new DescribeInstanceTypeOfferingsCommand({
        LocationType: 'availability-zone',
        MaxResults: 1_000,
        ...optional({ NextToken: token }),
      }),
    );
    return { items: answer.InstanceTypeOfferings, next: answer.NextToken };
  });
  return offerings.flatMap(({ InstanceType: type, Location: zone }) =>
    type === undefined || zone === undefined ? [] : [{ type, zone }],
  );
}

/** *Shape:* `us-east-1a` → `use1-az6`, for this account. *Errors:* UnreachableError if the answer has no zones. */
export async function describeZoneIds(client: EC2Client): Promise<ReadonlyMap<string, string>> {
  const command = new DescribeAvailabilityZonesCommand({ AllAvailabilityZones: false });
  const doing = 'describe availability zones';
  const { AvailabilityZones: zones = [] } = await translated(doing, () => client.send(command));
  if (zones.length === 0) throw new UnreachableError(`${doing}: the answer of AWS has no zones; try again later`);
  return new Map(
    zones.flatMap(({ ZoneName: name, ZoneId: id }) =>
      name === undefined || id === undefined ? [] : [[name, id] as const],
    ),
  );
}
