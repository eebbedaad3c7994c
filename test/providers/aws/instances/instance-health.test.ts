import { DescribeInstanceStatusCommand, EC2Client } from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../../lib/apis/formats/time.ts';
import { UnreachableError } from '../../../../lib/ports/errors.ts';
import { describeInstanceHealth, lastInstanceHealth } from '../../../../lib/providers/aws/instances/instance-health.ts';
import { NOW_MS } from '../../../builders/times.ts';
import { awsError } from '../aws-error.ts';

const client = new EC2Client({ region: 'us-east-1', maxAttempts: 1 });
const ec2 = mockClient(client);
const SINCE = new Date('2026-01-31T08:00:00Z');
const FAILED = { Status: 'impaired' as const, Details: [{ Name: 'reachability' as const, ImpairedSince: SINCE }] };

beforeEach(() => ec2.reset());

test('a healthy fleet of any size costs three calls with empty responses (C82)', async () => {
  ec2.on(DescribeInstanceStatusCommand).resolves({ InstanceStatuses: [] });
  expect(await describeInstanceHealth(client)).toEqual([]);
  const filters = ec2.commandCalls(DescribeInstanceStatusCommand).flatMap(({ args }) => args[0].input.Filters ?? []);
  expect(filters.map(({ Name }) => Name)).toEqual(['instance-status.status', 'system-status.status', 'event.code']);
});

test('an instance in several responses and pages is reported once, with all problems', async () => {
  const one = {
    InstanceId: 'i-2',
    SystemStatus: FAILED,
    Events: [{ Code: 'system-reboot' as const, Description: 'soon' }],
  };
  ec2
    .on(DescribeInstanceStatusCommand)
    .callsFake(({ NextToken }: { NextToken?: string }) =>
      NextToken === undefined
        ? { InstanceStatuses: [one], NextToken: 'more' }
        : { InstanceStatuses: [{ InstanceId: 'i-1', InstanceStatus: FAILED }] },
    );
  expect(await describeInstanceHealth(client)).toEqual([
    { id: 'i-1', instanceImpairedSinceMs: SINCE.getTime(), events: [] },
    { id: 'i-2', systemImpairedSinceMs: SINCE.getTime(), events: [{ code: 'system-reboot', description: 'soon' }] },
  ]);
});

test('checks that are not impaired and the status of volumes are ignored', async () => {
  const fine = { Status: 'ok' as const, Details: [{ ImpairedSince: SINCE }] };
  ec2.on(DescribeInstanceStatusCommand).resolves({
    InstanceStatuses: [{ InstanceId: 'i-1', InstanceStatus: fine, AttachedEbsStatus: { Status: 'impaired' } }],
  });
  expect(await describeInstanceHealth(client)).toEqual([{ id: 'i-1', events: [] }]);
});

test('a service that does not respond is unreachable', async () => {
  ec2.on(DescribeInstanceStatusCommand).rejects(awsError('RequestLimitExceeded', 503));
  await expect(describeInstanceHealth(client)).rejects.toBeInstanceOf(UnreachableError);
});

test('the clusters of a process share an answer for five minutes', async () => {
  ec2.on(DescribeInstanceStatusCommand).resolves({ InstanceStatuses: [] });
  let nowMs = NOW_MS;
  const clock = { now: () => nowMs };
  const calls = (): number => ec2.commandCalls(DescribeInstanceStatusCommand).length;
  await lastInstanceHealth(client, clock);
  nowMs += 5 * MINUTE_MS - 1;
  await lastInstanceHealth(client, clock);
  expect(calls()).toBe(3);
  nowMs += 1;
  await lastInstanceHealth(client, clock);
  expect(calls()).toBe(6);
});

test('an answer with a check that has not failed for two minutes yet is not kept, because it may recover (C82)', async () => {
  const failing = { Status: 'impaired' as const, Details: [{ ImpairedSince: new Date(NOW_MS - 20_000) }] };
  ec2.on(DescribeInstanceStatusCommand).resolves({ InstanceStatuses: [{ InstanceId: 'i-1', SystemStatus: failing }] });
  let nowMs = NOW_MS;
  const clock = { now: () => nowMs };
  expect(await lastInstanceHealth(client, clock)).toHaveLength(1);
  ec2.reset();
  ec2.on(DescribeInstanceStatusCommand).resolves({ InstanceStatuses: [] });
  nowMs += 2 * MINUTE_MS;
  expect(await lastInstanceHealth(client, clock)).toEqual([]);
});

test('an answer with a check that has failed for longer is kept', async () => {
  ec2.on(DescribeInstanceStatusCommand).resolves({ InstanceStatuses: [{ InstanceId: 'i-1', SystemStatus: FAILED }] });
  const clock = { now: () => SINCE.getTime() + 2 * MINUTE_MS };
  await lastInstanceHealth(client, clock);
  await lastInstanceHealth(client, clock);
  expect(ec2.commandCalls(DescribeInstanceStatusCommand)).toHaveLength(3);
});
