import {
  DescribeImagesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  EC2Client,
  type Image,
} from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import type { EC2NodeClass } from '../../../lib/apis/ec2-node-class.ts';
import type { NodeClassResolution } from '../../../lib/ports/cloud-provider.ts';
import type { ResolveTools } from '../../../lib/providers/aws/node-class/resolution.ts';
import { resolutionAnswers } from '../../../lib/providers/aws/node-class/resolution-answers.ts';
import { resolveNodeClass } from '../../../lib/providers/aws/node-class/resolve-node-class.ts';
import { aNodeClass } from '../../builders/node-pools.ts';
import { NOW_MS } from '../../builders/times.ts';

const AL2023 = '/aws/service/eks/optimized-ami/1.33/amazon-linux-2023';

/** An account of one region as EC2 and SSM show it: two subnets, two groups, and the images of AL2023 for amd64. */
export function scriptedAccount() {
  const client = new EC2Client({ region: 'us-east-1', maxAttempts: 1 });
  const ec2 = mockClient(client);
  ec2.on(DescribeSubnetsCommand).resolves({
    Subnets: [
      {
        SubnetId: 'subnet-a',
        AvailabilityZone: 'us-east-1a',
        AvailabilityZoneId: 'use1-az1',
        AvailableIpAddressCount: 10,
      },
      {
        SubnetId: 'subnet-b',
        AvailabilityZone: 'us-east-1b',
        AvailabilityZoneId: 'use1-az2',
        AvailableIpAddressCount: 200,
      },
    ],
  });
  ec2.on(DescribeSecurityGroupsCommand).resolves({
    SecurityGroups: [
      { GroupId: 'sg-2', GroupName: 'two' },
      { GroupId: 'sg-1', GroupName: 'one' },
    ],
  });
  ec2.on(DescribeImagesCommand).resolves({ Images: [image('ami-x')] });
  const parameters = new Map([[`${AL2023}/x86_64/standard/recommended/image_id`, 'ami-x']]);
  const parametersRead: (readonly string[])[] = [];
  const clock = { nowMs: NOW_MS, now: () => clock.nowMs };
  const tools: ResolveTools = {
    client,
    region: 'us-east-1',
    clock,
    answers: resolutionAnswers(clock),
    readParameters: async (names) => {
      parametersRead.push(names);
      return new Map([...parameters].filter(([name]) => names.includes(name)));
    },
    cluster: {
      bootstrap: {
        clusterName: 'demo',
        endpoint: 'https://x',
        certificateAuthority: 'Q0E=',
        serviceCidr: '10.0.0.0/16',
      },
      kubernetesVersion: '1.33',
    },
  };
  const resolve = (spec: Partial<EC2NodeClass['spec']> = {}) => resolveNodeClass(tools, aNodeClass(spec));
  return { ec2, tools, clock, parameters, parametersRead, resolve };
}

export function image(id: string, over: Partial<Image> = {}): Image {
  return { ImageId: id, Architecture: 'x86_64', Name: id, CreationDate: '2026-01-01T00:00:00.000Z', ...over };
}

export function resolvedOf(resolution: NodeClassResolution) {
  if (resolution.kind === 'unresolved') throw new Error(resolution.message);
  return resolution.nodeClass;
}

export function problemsOf(resolution: NodeClassResolution): readonly string[] {
  return resolution.kind === 'unresolved' ? resolution.problems.map(({ reason }) => reason) : [];
}
