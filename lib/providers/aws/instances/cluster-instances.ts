import { CreateTagsCommand, type EC2Client, type Instance } from '@aws-sdk/client-ec2';
import type { Labels } from '../../../apis/kubernetes.ts';
import { NODE_CLAIM_TAG, NODE_POOL } from '../../../apis/labels.ts';
import { ownershipKey } from '../../../core/model/ownership-tags.ts';
import type { ClusterInstance } from '../../../core/node-claim/adoption/adoption-plan.ts';
import { translated } from '../client/errors.ts';
import { instanceFactsOf, listInstances, STATES } from './instances.ts';
import { ec2Tags, labelsOf } from './tags.ts';

/** C50, C55: all instances of the cluster that were launched for a NodePool, including those without the tag of their claim. */
export async function clusterInstances(client: EC2Client, cluster: string): Promise<readonly ClusterInstance[]> {
  const alive = STATES.filter((state) => state !== 'shutting-down');
  const filters = [
    { Name: `tag:${ownershipKey(cluster)}`, Values: ['owned'] },
    { Name: 'tag-key', Values: [NODE_POOL] },
    { Name: 'instance-state-name', Values: alive },
  ];
  return await listInstances(
    { client },
    { doing: `list what NodePools of ${cluster} launched`, filters, project: instanceOf },
  );
}

function instanceOf(instance: Instance): ClusterInstance | undefined {
  const tags = labelsOf(instance.Tags);
  const facts = instanceFactsOf(instance, 0);
  return facts && { ...facts, nodeClaim: tags[NODE_CLAIM_TAG] ?? '', tags };
}

export async function tagAdoptedInstance(client: EC2Client, instanceId: string, tags: Labels): Promise<void> {
  const command = new CreateTagsCommand({ Resources: [instanceId], Tags: ec2Tags(tags) });
  await translated(`tag ${instanceId}`, async () => await client.send(command));
}
