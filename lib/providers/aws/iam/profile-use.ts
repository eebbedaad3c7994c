import type { EC2Client } from '@aws-sdk/client-ec2';
import { listInstances, STATES } from '../instances/instances.ts';

/** Whether an instance uses the profile. Without the profile it would lose its credentials. */
export async function isProfileUsed(client: EC2Client, arn: string): Promise<boolean> {
  const filters = [
    { Name: 'iam-instance-profile.arn', Values: [arn] },
    { Name: 'instance-state-name', Values: [...STATES] },
  ];
  return (await listInstances({ client }, `describe the instances of ${arn}`, filters)).length > 0;
}
