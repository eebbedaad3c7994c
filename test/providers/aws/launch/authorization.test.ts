import { CreateFleetCommand, CreateLaunchTemplateCommand, EC2Client, RunInstancesCommand } from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../../lib/apis/formats/time.ts';
import { trialRequest } from '../../../../lib/core/node-claim/launch/trial-request.ts';
import { UnreachableError } from '../../../../lib/ports/errors.ts';
import { Authorization } from '../../../../lib/providers/aws/launch/authorization.ts';
import { LaunchTemplates, launchTemplateOf } from '../../../../lib/providers/aws/launch/launch-template.ts';
import { launchContext } from '../../../builders/launch-context.ts';
import { awsError } from '../aws-error.ts';

const client = new EC2Client({ region: 'us-east-1', maxAttempts: 1 });
const ec2 = mockClient(client);
const { nodeClass, resolved } = launchContext();

function trial(): NonNullable<ReturnType<typeof trialRequest>> {
  const request = trialRequest('demo', nodeClass, resolved);
  if (request === undefined) throw new Error('there is nothing to try');
  return request;
}

function authorization(now: () => number = () => 0): Authorization {
  return new Authorization({ client, clock: { now }, templates: new LaunchTemplates(client, { now }) });
}

function denied(message: string): Error {
  return Object.assign(awsError('UnauthorizedOperation', 403), { message });
}

beforeEach(() => {
  ec2.reset();
  ec2.onAnyCommand().rejects(awsError('DryRunOperation', 412));
  ec2.on(CreateLaunchTemplateCommand).resolves({});
});

describe('the permissions of a launch are checked (A3.29)', () => {
  test('by three calls that launch nothing; only the template is created, because a permission depends on its tags', async () => {
    expect(await authorization().whyNot('default', trial())).toBeUndefined();
    expect(ec2.calls().map(({ args }) => [args[0].constructor.name, 'DryRun' in args[0].input])).toEqual([
      ['CreateLaunchTemplateCommand', false],
      ['CreateFleetCommand', true],
      ['RunInstancesCommand', true],
    ]);
  });

  test('with the template of a real launch, because policies of an organization may depend on it', async () => {
    const request = trial();
    await authorization().whyNot('default', request);
    const [name] = request.templates.map((spec) => launchTemplateOf(request, spec).name);
    expect(ec2.commandCalls(CreateLaunchTemplateCommand)[0]?.args[0].input.LaunchTemplateName).toBe(name);
    const fleet = ec2.commandCalls(CreateFleetCommand)[0]?.args[0].input;
    expect(fleet?.LaunchTemplateConfigs).toMatchObject([
      { LaunchTemplateSpecification: { LaunchTemplateName: name, Version: '$Latest' } },
    ]);
    expect(fleet).not.toHaveProperty('ClientToken');
    expect(ec2.commandCalls(RunInstancesCommand)[0]?.args[0].input).toMatchObject({
      LaunchTemplate: { LaunchTemplateName: name, Version: '$Latest' },
      InstanceType: 'm5.large',
      ImageId: 'ami-amd64',
      NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: 'subnet-a', Groups: ['sg-1'] }],
    });
    expect(ec2.commandCalls(RunInstancesCommand)[0]?.args[0].input).not.toHaveProperty('SubnetId');
  });

  test('with parameters for policies of an organization, which do not evaluate templates', async () => {
    await authorization().whyNot('default', trial());
    expect(ec2.commandCalls(RunInstancesCommand)[0]?.args[0].input).toMatchObject({
      MetadataOptions: { HttpTokens: 'required', HttpPutResponseHopLimit: 1 },
      BlockDeviceMappings: [{ DeviceName: '/dev/xvda', Ebs: { Encrypted: true } }],
    });
  });

  test('with the tags that permissions depend on, for all resources', async () => {
    await authorization().whyNot('default', trial());
    const tag = { Key: 'eks:eks-cluster-name', Value: 'demo' };
    const specifications = [
      ...ec2.commandCalls(CreateLaunchTemplateCommand),
      ...ec2.commandCalls(CreateFleetCommand),
      ...ec2.commandCalls(RunInstancesCommand),
    ].flatMap(({ args }) => args[0].input.TagSpecifications ?? []);
    expect(specifications).toHaveLength(7);
    for (const one of specifications) expect(one).toMatchObject({ Tags: expect.arrayContaining([tag]) });
  });

  test('and an existing template is used', async () => {
    ec2.on(CreateLaunchTemplateCommand).rejects(awsError('InvalidLaunchTemplateName.AlreadyExistsException', 400));
    expect(await authorization().whyNot('default', trial())).toBeUndefined();
    expect(ec2.calls()).toHaveLength(3);
  });

  test('and without the template the other permissions are not reported, because they depend on its tags', async () => {
    ec2.on(CreateLaunchTemplateCommand).rejects(awsError('InvalidParameterValue', 400));
    ec2.on(CreateFleetCommand).rejects(denied('no such template'));
    expect(await authorization().whyNot('default', trial())).toBeUndefined();
    expect(ec2.calls()).toHaveLength(1);
  });

  test('and each call that is not allowed is reported separately', async () => {
    const message = 'You are not authorized';
    const answer = async () => authorization().whyNot('default', trial());
    ec2.on(RunInstancesCommand).rejects(denied(message));
    expect(await answer()).toEqual({ reason: 'RunInstancesAuthCheckFailed', message });
    ec2.on(CreateFleetCommand).rejects(denied(message));
    expect(await answer()).toEqual({ reason: 'CreateFleetAuthCheckFailed', message });
    ec2.on(CreateLaunchTemplateCommand).rejects(denied(message));
    expect(await answer()).toEqual({ reason: 'CreateLaunchTemplateAuthCheckFailed', message });
  });

  test('and the message of EC2 is reported without its encoded part, which differs each time', async () => {
    const message = 'You are not authorized to perform: ec2:CreateFleet. Encoded authorization failure message: x1Y2';
    ec2.on(CreateFleetCommand).rejects(denied(message));
    expect(await authorization().whyNot('default', trial())).toMatchObject({
      message: 'You are not authorized to perform: ec2:CreateFleet.',
    });
  });

  test('and other errors are not reported as missing permissions', async () => {
    ec2.on(RunInstancesCommand).rejects(awsError('InvalidParameterValue', 400));
    expect(await authorization().whyNot('default', trial())).toBeUndefined();
  });

  test('and a throttled call or a call without a response is an error', async () => {
    for (const code of ['RequestLimitExceeded', 'TimeoutError']) {
      ec2.on(CreateFleetCommand).rejects(awsError(code));
      await expect(authorization().whyNot('default', trial())).rejects.toBeInstanceOf(UnreachableError);
    }
  });

  test('once in 30 minutes for each subject while it is allowed, or else each time', async () => {
    let nowMs = 0;
    const checks = authorization(() => nowMs);
    await checks.whyNot('default/1', trial());
    nowMs = 29 * MINUTE_MS;
    await checks.whyNot('default/1', trial());
    expect(ec2.calls()).toHaveLength(3);
    await checks.whyNot('default/2', trial());
    expect(ec2.calls()).toHaveLength(6);
    nowMs = 30 * MINUTE_MS;
    ec2.on(CreateLaunchTemplateCommand).rejects(denied('no'));
    await checks.whyNot('default/1', trial());
    await checks.whyNot('default/1', trial());
    expect(ec2.calls()).toHaveLength(8);
  });
});
