import type { EC2Client } from '@aws-sdk/client-ec2';
import { listInstances, STATES } from '../instances/instances.ts';

/** Whether an instance uses the profile. Without the profile it would lose its credentials. */
export async function isProfileUsed(client: EC2Client, arn: string): Promise<boolean> {
  const filters = [
    { Name: 'iam-instance-profile.arn', Values: [arn] },
    { Name: 'instance-state-name', Values: [...STATES] },
  ];
  const doing = `describe the instances of ${arn}`;
  const ids = await listInstances({ client }, { doing, filters, project: ({ InstanceId }) => InstanceId });
  return ids.length > 0;
}
