import { randomUUID } from 'node:crypto';
import {
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateVpcCommand,
  DescribeImagesCommand,
  EC2Client,
  RegisterImageCommand,
  RunInstancesCommand,
} from '@aws-sdk/client-ec2';
import { Ec2CloudProvider } from '../../lib/providers/aws/ec2-cloud-provider.ts';
import { METADATA_DEFAULTS } from '../builders/metadata-options.ts';
import { cloudProviderContract } from '../contract/cloud-provider.ts';
import { aLaunchRequest, aTemplate } from '../contract/records.ts';

const LACKS = {
  catalogue: 'ministack 1.5.33 knows no DescribeInstanceTypeOfferings and no DescribeSpotPriceHistory',
  clientToken: "ministack 1.5.33 ignores CreateFleet's ClientToken",
  spot: 'ministack 1.5.33 gives no instance a lifecycle',
  missingCapacity: 'ministack 1.5.33 never fills Errors[]',
  instanceProfiles: 'the roles are not seeded there',
} as const;

cloudProviderContract(
  'EC2',
  async () => {
    const client = new EC2Client({});
    const cluster = `demo-${randomUUID().slice(0, 8)}`;
    const world = await makeWorld(client, cluster);
    const cloud = new Ec2CloudProvider({
      client,
      region: 'us-east-1',
      clock: { now: () => Date.now() },
      onDemandUsdPerHour: new Map([['m5.large', 0.096]]),
      branchInterfaces: new Map(),
      describeCluster: async () => ({
        bootstrap: {
          clusterName: cluster,
          endpoint: 'https://demo.example',
          certificateAuthority: 'Q0E=',
          serviceCidr: '10.100.0.0/16',
        },
        kubernetesVersion: '1.33',
      }),
    });
    return {
      cloud,
      cluster,
      nodeClass: {
        apiVersion: 'karpenter.k8s.aws/v1',
        kind: 'EC2NodeClass',
        metadata: { name: 'default' },
        spec: {
          amiFamily: 'AL2023',
          amiSelectorTerms: [{ id: world.image }],
          subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': cluster } }],
          securityGroupSelectorTerms: [{ tags: { 'karpenter.sh/discovery': cluster } }],
          role: 'node',
          metadataOptions: METADATA_DEFAULTS,
        },
      },
      otherRole: 'other-node',
      request: (over = {}) => ({
        ...aLaunchRequest(),
        clientToken: randomUUID(),
        nodeClaim: `general-${randomUUID().slice(0, 8)}`,
        cluster,
        templates: [aTemplate({ securityGroupIds: [world.securityGroup] })],
        overrides: ['m5.large', 't3.large'].map((instanceType, index) => ({
          instanceType,
          zone: 'us-east-1a',
          capacityType: 'on-demand',
          priceUsdPerHour: 0.08 + index / 100,
          subnetId: world.subnet,
          imageId: world.image,
          template: 0,
        })),
        ...over,
      }),
      launchForeign: async () => {
        const { Images } = await client.send(new DescribeImagesCommand({ Owners: ['amazon'] }));
        const { Instances } = await client.send(
          new RunInstancesCommand({
            ImageId: Images?.[0]?.ImageId,
            InstanceType: 'm5.large',
            MinCount: 1,
            MaxCount: 1,
          }),
        );
        return Instances?.[0]?.InstanceId ?? '';
      },
      close: async () => {
        client.destroy();
      },
    };
  },
  LACKS,
);

interface World {
  readonly subnet: string;
  readonly securityGroup: string;
  readonly image: string;
}

async function makeWorld(client: EC2Client, cluster: string): Promise<World> {
  const Tags = [{ Key: 'karpenter.sh/discovery', Value: cluster }];
  const { Vpc } = await client.send(new CreateVpcCommand({ CidrBlock: '10.0.0.0/16' }));
  const { Subnet } = await client.send(
    new CreateSubnetCommand({
      VpcId: Vpc?.VpcId,
      CidrBlock: '10.0.1.0/24',
      AvailabilityZone: 'us-east-1a',
      TagSpecifications: [{ ResourceType: 'subnet', Tags }],
    }),
  );
  const { GroupId } = await client.send(
    new CreateSecurityGroupCommand({
      GroupName: `nodes-${cluster}`,
      Description: 'nodes',
      VpcId: Vpc?.VpcId,
      TagSpecifications: [{ ResourceType: 'security-group', Tags }],
    }),
  );
  const { ImageId } = await client.send(
    new RegisterImageCommand({ Name: `node-${cluster}`, Architecture: 'x86_64', RootDeviceName: '/dev/xvda' }),
  );
  return { subnet: Subnet?.SubnetId ?? '', securityGroup: GroupId ?? '', image: ImageId ?? '' };
}
