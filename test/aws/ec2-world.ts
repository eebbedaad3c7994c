/** An account in moto with everything that a node needs. Each test file has its own, identified by its cluster's name. */
import { randomUUID } from 'node:crypto';
import {
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateVpcCommand,
  DeleteTagsCommand,
  DescribeInstancesCommand,
  type EC2Client,
  RegisterImageCommand,
  RunInstancesCommand,
} from '@aws-sdk/client-ec2';
import {
  AddRoleToInstanceProfileCommand,
  CreateInstanceProfileCommand,
  CreateRoleCommand,
  type IAMClient,
} from '@aws-sdk/client-iam';
import type { EC2NodeClass } from '../../lib/apis/ec2-node-class.ts';
import type { LaunchRequest } from '../../lib/core/model/node-claim-record.ts';
import { METADATA_DEFAULTS } from '../../lib/core/node-class/plain-node-class.ts';
import { aTemplate } from '../builders/launch-templates.ts';
import { aLaunchOfTwoTypes } from '../contract/records.ts';

export interface Ec2World {
  readonly cluster: string;
  readonly nodeClass: EC2NodeClass;
  readonly otherRole: string;
  /** An instance profile that the user created. */
  readonly node: { readonly instanceProfile: string };
  readonly request: (over?: Partial<LaunchRequest>) => LaunchRequest;
  readonly launchForeign: () => Promise<string>;
  /** Removes all tags of an instance. */
  readonly removeTags: (instanceId: string) => Promise<void>;
  /** Instances of any state but terminated whose tags name the cluster, counted by moto. */
  readonly countInstances: () => Promise<number>;
}

const ZONES = ['us-east-1a', 'us-east-1b'] as const;

export async function ec2World(ec2: EC2Client, iam: IAMClient): Promise<Ec2World> {
  const cluster = `demo-${randomUUID().slice(0, 8)}`;
  const network = await makeNetwork(ec2, cluster);
  const { ImageId: image = '' } = await ec2.send(
    new RegisterImageCommand({ Name: `node-${cluster}`, Architecture: 'x86_64', RootDeviceName: '/dev/xvda' }),
  );
  const [role, otherRole] = [`node-${cluster}`, `other-${cluster}`];
  await Promise.all([role, otherRole].map((name) => makeRole(iam, name)));
  const selector = [{ tags: { 'karpenter.sh/discovery': cluster } }];
  return {
    cluster,
    otherRole,
    node: { instanceProfile: role },
    nodeClass: {
      apiVersion: 'karpenter.k8s.aws/v1',
      kind: 'EC2NodeClass',
      metadata: { name: 'default', uid: randomUUID() },
      spec: {
        amiFamily: 'AL2023',
        amiSelectorTerms: [{ id: image }],
        subnetSelectorTerms: selector,
        securityGroupSelectorTerms: selector,
        role,
        metadataOptions: METADATA_DEFAULTS,
      },
    },
    request: (over = {}) => ({
      ...aLaunchOfTwoTypes(),
      clientToken: randomUUID(),
      nodeClaim: `general-${randomUUID().slice(0, 8)}`,
      cluster,
      templates: [aTemplate({ securityGroupIds: [network.securityGroup], instanceProfile: role })],
      overrides: ['m5.large', 't3.large'].map((instanceType, index) => ({
        instanceType,
        zone: ZONES[index] ?? '',
        capacityType: 'on-demand',
        priceUsdPerHour: 0.08 + index / 100,
        subnetId: network.subnets[index] ?? '',
        imageId: image,
        template: 0,
      })),
      ...over,
    }),
    launchForeign: async () => {
      const one = { MinCount: 1, MaxCount: 1, SubnetId: network.subnets[0] };
      const { Instances } = await ec2.send(
        new RunInstancesCommand({ ...one, ImageId: image, InstanceType: 'm5.large' }),
      );
      return Instances?.[0]?.InstanceId ?? '';
    },
    removeTags: async (instanceId) => {
      const { Reservations } = await ec2.send(new DescribeInstancesCommand({ InstanceIds: [instanceId] }));
      const Tags = Reservations?.[0]?.Instances?.[0]?.Tags?.map(({ Key }) => ({ Key }));
      // EC2 deletes all tags if the call names none; moto deletes only those that it names.
      await ec2.send(new DeleteTagsCommand({ Resources: [instanceId], Tags }));
    },
    countInstances: async () => await countInstances(ec2, cluster),
  };
}

async function makeNetwork(ec2: EC2Client, cluster: string) {
  const Tags = [{ Key: 'karpenter.sh/discovery', Value: cluster }];
  const { Vpc } = await ec2.send(new CreateVpcCommand({ CidrBlock: '10.0.0.0/16' }));
  const VpcId = Vpc?.VpcId;
  const subnets = await Promise.all(
    ZONES.map(async (AvailabilityZone, index) => {
      const TagSpecifications = [{ ResourceType: 'subnet' as const, Tags }];
      const where = { VpcId, CidrBlock: `10.0.${index + 1}.0/24`, AvailabilityZone };
      const { Subnet } = await ec2.send(new CreateSubnetCommand({ ...where, TagSpecifications }));
      return Subnet?.SubnetId ?? '';
    }),
  );
  const { GroupId: securityGroup = '' } = await ec2.send(
    new CreateSecurityGroupCommand({
      GroupName: `nodes-${cluster}`,
      Description: 'nodes',
      VpcId,
      TagSpecifications: [{ ResourceType: 'security-group', Tags }],
    }),
  );
  return { subnets, securityGroup };
}

/** Creates a role with the profile of the same name that IAM's console creates for an EC2 role. */
export async function makeRole(iam: IAMClient, RoleName: string): Promise<void> {
  await iam.send(
    new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument: '{"Version":"2012-10-17","Statement":[]}' }),
  );
  await iam.send(new CreateInstanceProfileCommand({ InstanceProfileName: RoleName }));
  await iam.send(new AddRoleToInstanceProfileCommand({ InstanceProfileName: RoleName, RoleName }));
}

async function countInstances(ec2: EC2Client, cluster: string): Promise<number> {
  const Filters = [
    { Name: 'tag-key', Values: [`kubernetes.io/cluster/${cluster}`] },
    { Name: 'instance-state-name', Values: ['pending', 'running', 'stopping', 'stopped', 'shutting-down'] },
  ];
  let count = 0;
  let NextToken: string | undefined;
  do {
    const page = await ec2.send(new DescribeInstancesCommand({ Filters, MaxResults: 1_000, NextToken }));
    for (const { Instances = [] } of page.Reservations ?? []) count += Instances.length;
    NextToken = page.NextToken;
  } while (NextToken !== undefined && NextToken !== '');
  return count;
}
