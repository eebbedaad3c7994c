import { DeleteLaunchTemplateCommand, DescribeLaunchTemplatesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test } from 'vitest';
import { RefusedError } from '../../../lib/ports/errors.ts';
import { Ec2CloudProvider } from '../../../lib/providers/aws/ec2-cloud-provider.ts';
import { withoutIam } from '../../../lib/providers/aws/iam/instance-profiles.ts';
import { aNodeClass } from '../../builders/node-pools.ts';
import { NOW_MS } from '../../builders/times.ts';
import { awsError } from './aws-error.ts';

const client = new EC2Client({ region: 'us-east-1', maxAttempts: 1 });
const ec2 = mockClient(client);
let released: string[];

beforeEach(() => {
  ec2.reset();
  released = [];
});

const unused = async () => await Promise.reject(new Error('not used here'));

async function release(): Promise<void> {
  const cloud = new Ec2CloudProvider({
    client,
    region: 'us-east-1',
    clock: { now: () => NOW_MS },
    onDemandUsdPerHour: new Map(),
    branchInterfaces: new Map(),
    describeCluster: unused,
    readParameters: unused,
    profiles: { ...withoutIam, release: async (_place, { metadata }) => void released.push(metadata.name) },
  });
  await cloud.releaseNodeClass('demo', aNodeClass());
}

const template = (id: string) => ({
  LaunchTemplateId: id,
  LaunchTemplateName: `kerf-${id}`,
  Tags: [{ Key: 'eks:eks-cluster-name', Value: 'demo' }],
});

test('A3.30: a template that may not be deleted keeps neither the others nor the instance profile, and is reported', async () => {
  ec2.on(DescribeLaunchTemplatesCommand).resolves({ LaunchTemplates: [template('lt-1'), template('lt-2')] });
  ec2
    .on(DeleteLaunchTemplateCommand, { LaunchTemplateId: 'lt-1' })
    .rejects(awsError('UnauthorizedOperation', 403))
    .on(DeleteLaunchTemplateCommand, { LaunchTemplateId: 'lt-2' })
    .resolves({});
  await expect(release()).rejects.toThrow(/^delete launch template lt-1: UnauthorizedOperation/);
  expect(ec2.commandCalls(DeleteLaunchTemplateCommand)).toHaveLength(2);
  expect(released).toEqual(['default']);
});

test('A3.30: templates that may not be listed do not keep the instance profile, and are reported', async () => {
  ec2.on(DescribeLaunchTemplatesCommand).rejects(awsError('UnauthorizedOperation', 403));
  await expect(release()).rejects.toBeInstanceOf(RefusedError);
  expect(released).toEqual(['default']);
});

test('A3.30: a failure that may pass ends the release, which the next run repeats', async () => {
  ec2.on(DescribeLaunchTemplatesCommand).resolves({ LaunchTemplates: [template('lt-1'), template('lt-2')] });
  ec2.on(DeleteLaunchTemplateCommand).rejects(awsError('RequestLimitExceeded', 503));
  await expect(release()).rejects.toThrow('delete launch template lt-1');
  expect(ec2.commandCalls(DeleteLaunchTemplateCommand)).toHaveLength(1);
  expect(released).toEqual([]);
});
