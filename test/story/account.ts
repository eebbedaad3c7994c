/** The resources in the account and the cluster that a user creates: a network, a role for nodes, a NodePool. */

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  CreateTagsCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';
import { IAMClient } from '@aws-sdk/client-iam';
import { readCatalogue } from '../../lib/core/instance-type/catalogue.ts';
import { DynamoDbCatalogueStore } from '../../lib/providers/dynamodb/catalogue-store.ts';
import { output } from '../aws/deployment.ts';
import { makeRole } from '../aws/ec2-world.ts';
import { succeed } from '../cluster/support/api-client.ts';
import { COLLECTIONS } from '../cluster/support/resources.ts';
import { aNodeClass, aNodePool } from '../cluster/support/samples.ts';
import { readJson } from '../stack/json.ts';

export const CLUSTER = 'demo';

export const CATALOGUE = readCatalogue(readJson('data/instance-types.json'), readJson('data/regions/us-east-1.json'));

/** The account's default network, with the tags that the EC2NodeClass selects, and the role of the nodes. */
export async function furnishAccount(): Promise<void> {
  const ec2 = new EC2Client({});
  const { Subnets = [] } = await ec2.send(new DescribeSubnetsCommand());
  const { SecurityGroups = [] } = await ec2.send(new DescribeSecurityGroupsCommand());
  const ids = [...Subnets.map(({ SubnetId }) => SubnetId), ...SecurityGroups.map(({ GroupId }) => GroupId)];
  const Resources = ids.filter((id) => id !== undefined);
  await ec2.send(new CreateTagsCommand({ Resources, Tags: [{ Key: 'karpenter.sh/discovery', Value: CLUSTER }] }));
  await makeRole(new IAMClient({}), `KarpenterNodeRole-${CLUSTER}`);
  // The catalogue function runs every few hours: the shipped tables replace its result.
  const table = { client: new DynamoDBClient({}), tableName: output('TableName') };
  await new DynamoDbCatalogueStore({ ...table, region: 'us-east-1' }).writeCatalogue(CATALOGUE);
}

/** Of the nodes. */
export const REQUIREMENTS = [
  { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
  { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
  { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Lt', values: ['9'] },
];

/** One NodePool of any on-demand type, whose empty nodes are removed at once, and whose other nodes stay. */
export async function configureNodes(): Promise<void> {
  const disruption = { consolidationPolicy: 'WhenEmpty', consolidateAfter: '0s', budgets: [{ nodes: '100%' }] };
  for (const object of [aNodeClass(), aNodePool({ disruption }, { requirements: REQUIREMENTS })]) {
    await succeed({ method: 'POST', path: COLLECTIONS[object.kind], body: object });
  }
}
