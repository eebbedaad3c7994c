import { DescribeInstancesCommand, type EC2Client } from '@aws-sdk/client-ec2';
import { allPages } from './pages.ts';

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
