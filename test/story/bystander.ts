/** An instance of another user in the same account: none of its tags has the cluster's name. */
import { DescribeImagesCommand, DescribeInstancesCommand, EC2Client, RunInstancesCommand } from '@aws-sdk/client-ec2';

const ec2 = new EC2Client({});

/** *Shape:* the id of the instance. */
export async function launchBystander(): Promise<string> {
  const { Images = [] } = await ec2.send(new DescribeImagesCommand({ Owners: ['amazon'] }));
  const one = { MinCount: 1, MaxCount: 1, InstanceType: 'm5.large' as const, ImageId: Images[0]?.ImageId };
  const { Instances = [] } = await ec2.send(new RunInstancesCommand(one));
  return Instances[0]?.InstanceId ?? '';
}

export async function stateOf(id: string): Promise<string | undefined> {
  const { Reservations = [] } = await ec2.send(new DescribeInstancesCommand({ InstanceIds: [id] }));
  return Reservations[0]?.Instances?.[0]?.State?.Name;
}
