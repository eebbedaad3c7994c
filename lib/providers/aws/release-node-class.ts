import {
  DeleteLaunchTemplateCommand,
  DescribeInstancesCommand,
  DescribeLaunchTemplatesCommand,
  type EC2Client,
} from '@aws-sdk/client-ec2';
import { NODE_CLASS } from '../../apis/labels.ts';
import { CLUSTER_TAG } from '../../core/node-claim/ownership-tags.ts';
import { isTemplateMissing, nameOf, translated } from './errors.ts';
import { allPages } from './pages.ts';

/** A3.30: the launch templates that were made for a class, found by their tags. *Shape:* their names. */
export async function deleteLaunchTemplates(
  client: EC2Client,
  cluster: string,
  nodeClass: string,
): Promise<readonly string[]> {
  const Filters = [
    { Name: `tag:${CLUSTER_TAG}`, Values: [cluster] },
    { Name: `tag:${NODE_CLASS}`, Values: [nodeClass] },
  ];
  const templates = await allPages('describe launch templates', async (token) => {
    const answer = await client.send(
      new DescribeLaunchTemplatesCommand({ Filters, ...(token === undefined ? {} : { NextToken: token }) }),
    );
    return { items: answer.LaunchTemplates, next: answer.NextToken };
  });
  const names: string[] = [];
  for (const { LaunchTemplateName: name, LaunchTemplateId: id, Tags = [] } of templates) {
    // Promise 4: a filter that is not heeded must not cost anybody a template.
    const isOurs = Tags.some(({ Key, Value }) => Key === CLUSTER_TAG && Value === cluster);
    if (!isOurs || name === undefined || id === undefined) continue;
    await deleteTemplate(client, id);
    names.push(name);
  }
  return names;
}

async function deleteTemplate(client: EC2Client, LaunchTemplateId: string): Promise<void> {
  await translated(`delete launch template ${LaunchTemplateId}`, async () => {
    try {
      await client.send(new DeleteLaunchTemplateCommand({ LaunchTemplateId }));
    } catch (thrown) {
      if (!isTemplateMissing(nameOf(thrown))) throw thrown;
    }
  });
}

/** Whether an instance has the profile: without it, it would lose its credentials. */
export async function isProfileUsed(client: EC2Client, arn: string): Promise<boolean> {
  const Filters = [
    { Name: 'iam-instance-profile.arn', Values: [arn] },
    { Name: 'instance-state-name', Values: ['pending', 'running', 'stopping', 'stopped', 'shutting-down'] },
  ];
  const reservations = await allPages(`describe the instances of ${arn}`, async (token) => {
    const answer = await client.send(
      new DescribeInstancesCommand({ Filters, ...(token === undefined ? {} : { NextToken: token }) }),
    );
    return { items: answer.Reservations, next: answer.NextToken };
  });
  return reservations.some(({ Instances = [] }) => Instances.length > 0);
}
