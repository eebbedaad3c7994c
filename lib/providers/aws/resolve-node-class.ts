import {
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  type EC2Client,
  type Filter,
} from '@aws-sdk/client-ec2';
import type { EC2NodeClass, SelectorTerm } from '../../apis/ec2-node-class.ts';
import type { ResolvedNodeClass } from '../../core/node-class/resolved-node-class.ts';
import { whyNotStartable } from '../../core/node-class/user-data.ts';
import type { NodeClassResolution, UnresolvedNodeClass } from '../../ports/cloud-provider.ts';
import { allPages } from './pages.ts';
import { type ResolveTools, unresolved } from './resolution.ts';
import { resolveImages } from './resolve-images.ts';
import { termFilters } from './selector-terms.ts';

/** A3.27, A3.28: what the selectors find just now, or the first that finds nothing. */
export async function resolveNodeClass(tools: ResolveTools, nodeClass: EC2NodeClass): Promise<NodeClassResolution> {
  const unsupported = whyNotStartable(nodeClass);
  if (unsupported !== undefined) return unresolved('Unsupported', unsupported);
  const instanceProfile = instanceProfileOf(nodeClass);
  if (instanceProfile === undefined) {
    return unresolved(
      'InstanceProfileNotFound',
      `EC2NodeClass ${nodeClass.metadata.name} has neither role nor instanceProfile: set one`,
    );
  }
  const [subnets, securityGroups, images] = await Promise.all([
    resolveSubnets(tools.client, nodeClass.spec.subnetSelectorTerms),
    resolveSecurityGroups(tools.client, nodeClass.spec.securityGroupSelectorTerms),
    resolveImages(tools, nodeClass),
  ]);
  if (images.kind === 'unresolved') return images;
  if (subnets.length === 0) return nothing('SubnetsNotFound', 'subnetSelectorTerms', nodeClass);
  if (securityGroups.length === 0) return nothing('SecurityGroupsNotFound', 'securityGroupSelectorTerms', nodeClass);
  const { bootstrap } = tools.cluster;
  return {
    kind: 'resolved',
    nodeClass: { bootstrap, subnets, securityGroups, images: images.images, instanceProfile },
  };
}

function nothing(reason: UnresolvedNodeClass['reason'], field: string, { metadata }: EC2NodeClass) {
  return unresolved(
    reason,
    `EC2NodeClass ${metadata.name}: spec.${field} finds nothing in this region: check ids and tags`,
  );
}

/**
 * A3.10: `instanceProfile` as it stands. A `role` stands for the profile of the same name, which IAM's console and most
 * modules create beside a role for EC2: Kerf holds no IAM permissions and creates none (C67 does).
 */
function instanceProfileOf({ spec }: EC2NodeClass): string | undefined {
  return spec.instanceProfile ?? spec.role;
}

async function resolveSubnets(
  client: EC2Client,
  terms: readonly SelectorTerm[],
): Promise<ResolvedNodeClass['subnets']> {
  const found = await eachTerm(terms, 'subnet-id', (Filters) =>
    allPages('describe subnets', async (token) => {
      const answer = await client.send(
        new DescribeSubnetsCommand({ Filters, ...(token === undefined ? {} : { NextToken: token }) }),
      );
      return { items: answer.Subnets, next: answer.NextToken };
    }),
  );
  const subnets = found.flatMap((subnet) => {
    const { SubnetId: id, AvailabilityZone: zone, AvailabilityZoneId: zoneId = '' } = subnet;
    return id === undefined || zone === undefined
      ? []
      : [{ id, zone, zoneId, freeAddresses: subnet.AvailableIpAddressCount ?? 0 }];
  });
  // C45: the one with most free addresses first.
  return unique(subnets).toSorted((a, b) => b.freeAddresses - a.freeAddresses || (a.id < b.id ? -1 : 1));
}

async function resolveSecurityGroups(
  client: EC2Client,
  terms: readonly SelectorTerm[],
): Promise<ResolvedNodeClass['securityGroups']> {
  const found = await eachTerm(terms, 'group-id', (Filters) =>
    allPages('describe security groups', async (token) => {
      const answer = await client.send(
        new DescribeSecurityGroupsCommand({ Filters, ...(token === undefined ? {} : { NextToken: token }) }),
      );
      return { items: answer.SecurityGroups, next: answer.NextToken };
    }),
  );
  const groups = found.flatMap(({ GroupId: id, GroupName: name = '' }) => (id === undefined ? [] : [{ id, name }]));
  return unique(groups).toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Terms are alternatives; what one term says must hold together (A3.2). */
async function eachTerm<T>(
  terms: readonly SelectorTerm[],
  idFilter: string,
  list: (filters: Filter[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  return (await Promise.all(terms.map((term) => list(termFilters(term, idFilter))))).flat();
}

function unique<T extends { readonly id: string }>(items: readonly T[]): readonly T[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}
