import { CreateFleetCommand, CreateLaunchTemplateCommand, EC2Client } from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import { launch } from '../../../../lib/providers/aws/launch/launch.ts';
import { LaunchTemplates } from '../../../../lib/providers/aws/launch/launch-template.ts';
import { NOW_MS } from '../../../builders/times.ts';
import { aLaunchOfTwoTypes } from '../../../contract/records.ts';

const client = new EC2Client({ region: 'us-east-1', maxAttempts: 1 });
const ec2 = mockClient(client);
const GROUP = aLaunchOfTwoTypes({ nodeClaim: 'group/abc', members: ['a', 'b', 'c'] });
const launchGroup = async () =>
  launch({ client, templates: new LaunchTemplates(client, { now: () => NOW_MS }) }, GROUP);

/** Instances of one override. */
const of = (InstanceType: 'm5.large' | 'm6g.large', InstanceIds: string[]) => ({
  InstanceIds,
  InstanceType,
  LaunchTemplateAndOverrides: { Overrides: { InstanceType } },
});

const NO_CAPACITY = {
  ErrorCode: 'InsufficientInstanceCapacity',
  ErrorMessage: 'no m5.large',
  LaunchTemplateAndOverrides: { Overrides: { InstanceType: 'm5.large' as const, AvailabilityZone: 'us-east-1a' } },
};

beforeEach(() => {
  ec2.reset();
  ec2.on(CreateLaunchTemplateCommand).resolves({});
});

describe('a fleet for several claims', () => {
  test('asks for an instance for each claim, with the name of the group in the tag', async () => {
    ec2.on(CreateFleetCommand).resolves({ Instances: [of('m5.large', ['i-1', 'i-2', 'i-3'])] });
    await launchGroup();
    const input = ec2.commandCalls(CreateFleetCommand)[0]?.args[0].input;
    expect(input?.TargetCapacitySpecification?.TotalTargetCapacity).toBe(3);
    const tags = input?.TagSpecifications?.find(({ ResourceType }) => ResourceType === 'instance')?.Tags;
    expect(tags).toContainEqual({ Key: 'karpenter.sh/nodeclaim', Value: 'group/abc' });
  });

  test('returns the instances of all overrides by id, each with its own type and price', async () => {
    ec2
      .on(CreateFleetCommand)
      .resolves({ Instances: [of('m6g.large', ['i-9', 'i-1']), of('m5.large', ['i-5'])], Errors: [] });
    const outcome = await launchGroup();
    if (outcome.kind !== 'launched') throw new Error(outcome.message);
    expect(outcome.instances.map(({ id, instanceType }) => `${id} ${instanceType}`)).toEqual([
      'i-1 m6g.large',
      'i-5 m5.large',
      'i-9 m6g.large',
    ]);
    expect(outcome.message).toBeUndefined();
  });

  test('that is launched in part reports the missing capacity, and why it launched no more', async () => {
    ec2.on(CreateFleetCommand).resolves({ Instances: [of('m6g.large', ['i-1'])], Errors: [NO_CAPACITY] });
    const outcome = await launchGroup();
    expect(outcome).toMatchObject({
      kind: 'launched',
      instances: [{ id: 'i-1' }],
      message: 'InsufficientInstanceCapacity: no m5.large',
      missing: [{ instanceType: 'm5.large', zone: 'us-east-1a' }],
    });
  });
});
