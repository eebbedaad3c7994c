import { DescribeSecurityGroupsCommand, DescribeSubnetsCommand, type Filter } from '@aws-sdk/client-ec2';
import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { optional } from '../../../apis/optional.ts';
import { compareText } from '../../../core/compare-text.ts';
import { allPages } from '../client/pages.ts';
import { found, type Part, problem, type ResolveTools } from './resolution.ts';
import { eachTerm, termFilters, unique } from './selector-terms.ts';

/** The tools that subnets and security groups need. */
export type NetworkTools = Pick<ResolveTools, 'client' | 'answers' | 'region'>;

/** A3.2, C45, C61: the subnet with the most free addresses first. */
export async function resolveSubnets(tools: NetworkTools, { metadata, spec }: EC2NodeClass): Promise<Part> {
  const terms = spec.subnetSelectorTerms;
  const filters = terms.map((term) => termFilters(term, { id: 'subnet-id' }));
  const described = await eachTerm(filters, (one) =>
    tools.answers.subnets.ask({ key: JSON.stringify(one), keepMs: tools.answers.keepMs.subnets }, () =>
      listSubnets(tools, one),
    ),
  );
  const subnets = described.flatMap((subnet) => {
    const { SubnetId: id, AvailabilityZone: zone, AvailabilityZoneId: zoneId = '' } = subnet;
    return id === undefined || zone === undefined
      ? []
      : [{ id, zone, zoneId, freeAddresses: subnet.AvailableIpAddressCount ?? 0 }];
  });
  if (subnets.length === 0) {
    return problem('SubnetsNotFound', nothingFound(tools, `${metadata.name}: spec.subnetSelectorTerms`, terms));
  }
  return found({
    subnets: unique(subnets).toSorted((a, b) => b.freeAddresses - a.freeAddresses || compareText(a.id, b.id)),
  });
}

/** A3.3, C61. */
export async function resolveSecurityGroups(tools: NetworkTools, { metadata, spec }: EC2NodeClass): Promise<Part> {
  const terms = spec.securityGroupSelectorTerms;
  const filters = terms.map((term) => termFilters(term, { id: 'group-id', name: 'group-name' }));
  const described = await eachTerm(filters, (one) =>
    tools.answers.securityGroups.ask({ key: JSON.stringify(one), keepMs: tools.answers.keepMs.securityGroups }, () =>
      listSecurityGroups(tools, one),
    ),
  );
  const groups = described.flatMap(({ GroupId: id, GroupName: name = '' }) => (id === undefined ? [] : [{ id, name }]));
  if (groups.length === 0) {
    const where = `${metadata.name}: spec.securityGroupSelectorTerms`;
    return problem('SecurityGroupsNotFound', nothingFound(tools, where, terms));
  }
  return found({ securityGroups: unique(groups).toSorted((a, b) => compareText(a.id, b.id)) });
}

function nothingFound({ region }: NetworkTools, where: string, terms: readonly unknown[]): string {
  const asked = terms.slice(0, 3).map((term) => JSON.stringify(term));
  const more = terms.length > asked.length ? ` and ${terms.length - asked.length} more` : '';
  return `EC2NodeClass ${where} finds nothing in ${region} by ${asked.join(', ')}${more}; check ids, names and tags`;
}

function listSubnets({ client }: NetworkTools, Filters: Filter[]) {
  return allPages('describe subnets', async (token) => {
    const answer = await client.send(new DescribeSubnetsCommand({ Filters, ...optional({ NextToken: token }) }));
    return { items: answer.Subnets, next: answer.NextToken };
  });
}

function listSecurityGroups({ client }: NetworkTools, Filters: Filter[]) {
  return allPages('describe security groups', async (token) => {
    const answer = await client.send(new DescribeSecurityGroupsCommand({ Filters, ...optional({ NextToken: token }) }));
    return { items: answer.SecurityGroups, next: answer.NextToken };
  });
}
