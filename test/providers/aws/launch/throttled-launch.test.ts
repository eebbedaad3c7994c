import { CreateFleetCommand, CreateLaunchTemplateCommand, EC2Client } from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import type { LaunchRequest } from '../../../../lib/core/model/node-claim-record.ts';
import { launch } from '../../../../lib/providers/aws/launch/launch.ts';
import { LaunchTemplates } from '../../../../lib/providers/aws/launch/launch-template.ts';
import { NOW_MS } from '../../../builders/times.ts';
import { aLaunchOfTwoTypes } from '../../../contract/records.ts';
import { awsError } from '../aws-error.ts';

const client = new EC2Client({ region: 'us-east-1', maxAttempts: 1 });
const ec2 = mockClient(client);
const launchOnce = (request: LaunchRequest) =>
  launch({ client, templates: new LaunchTemplates(client, { now: () => NOW_MS }) }, request);
const LAUNCHED = { Instances: [{ InstanceIds: ['i-0abc'], InstanceType: 'm6g.large' as const }] };
const THROTTLED = { ErrorCode: 'RequestLimitExceeded', ErrorMessage: 'Request limit exceeded.' };

beforeEach(() => {
  ec2.reset();
  ec2.on(CreateLaunchTemplateCommand).resolves({});
});

describe('the account launches too much at once', () => {
  test('a throttled fleet spends its token: the attempt is over, and nothing is marked', async () => {
    ec2.on(CreateFleetCommand).resolves({ Errors: [THROTTLED] });
    expect(await launchOnce(aLaunchOfTwoTypes())).toMatchObject({ kind: 'refused', missing: [], throttled: true });
  });

  test('a fleet that EC2 throttles after some instances says so, and one without such an error does not', async () => {
    ec2
      .on(CreateFleetCommand)
      .resolvesOnce({ ...LAUNCHED, Errors: [THROTTLED] })
      .resolvesOnce(LAUNCHED);
    expect(await launchOnce(aLaunchOfTwoTypes())).toMatchObject({ kind: 'launched', throttled: true });
    expect(await launchOnce(aLaunchOfTwoTypes())).not.toHaveProperty('throttled');
  });

  test('a call that EC2 throttles is rejected and launched nothing', async () => {
    ec2.on(CreateFleetCommand).rejects(awsError('RequestLimitExceeded', 503));
    expect(await launchOnce(aLaunchOfTwoTypes())).toMatchObject({ kind: 'rejected', missing: [], throttled: true });
  });
});
