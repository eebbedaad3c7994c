import { EC2Client } from '@aws-sdk/client-ec2';
import { IAMClient } from '@aws-sdk/client-iam';
import { expect, test } from 'vitest';
import { cloudOf } from './cloud.ts';
import { variable } from './deployment.ts';
import { ec2World } from './ec2-world.ts';
import { MotoControl } from './moto-control.ts';

test('C82: an impaired instance, or one with a scheduled event, is reported with its check, its time and its event', async () => {
  const [ec2, iam, moto] = [new EC2Client({}), new IAMClient({}), new MotoControl(variable('KERF_MOTO'))];
  const world = await ec2World(ec2, iam);
  const cloud = cloudOf({ ec2, iam }, world);
  const outcome = await cloud.launch(world.request());
  if (outcome.kind !== 'launched') throw new Error(outcome.message);
  const { id } = outcome.instances[0];
  const since = '2026-01-31T08:00:00Z';
  await moto.rule({ kind: 'impaired', instanceId: id, part: 'system', since });
  await moto.rule({ kind: 'event', instanceId: id, code: 'instance-retirement' });
  const [health] = await cloud.describeInstanceHealth([id]);
  expect(health).toMatchObject({ id, systemImpairedSinceMs: Date.parse(since) });
  expect(health?.instanceImpairedSinceMs).toBeUndefined();
  expect(health?.events.map(({ code }) => code)).toEqual(['instance-retirement']);
  ec2.destroy();
  iam.destroy();
});
