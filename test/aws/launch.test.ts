/** The result of a launch, read from EC2. */
import { inspect } from 'node:util';
import { CreateCapacityReservationCommand, DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { IAMClient } from '@aws-sdk/client-iam';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LaunchRequest } from '../../lib/core/model/node-claim-record.ts';
import type { Ec2CloudProvider } from '../../lib/providers/aws/ec2-cloud-provider.ts';
import { aTemplate } from '../builders/launch-templates.ts';
import { cloudOf } from './cloud.ts';
import { variable } from './deployment.ts';
import { type Ec2World, ec2World } from './ec2-world.ts';
import { MotoControl } from './moto-control.ts';

const ec2 = new EC2Client({});
const iam = new IAMClient({});
const moto = new MotoControl(variable('KERF_MOTO'));
let world: Ec2World;
let cloud: Ec2CloudProvider;
beforeAll(async () => {
  world = await ec2World(ec2, iam);
  cloud = cloudOf({ ec2, iam }, world);
});
afterAll(() => {
  ec2.destroy();
  iam.destroy();
});

async function launched(request: LaunchRequest) {
  const outcome = await cloud.launch(request);
  if (outcome.kind !== 'launched') throw new Error(outcome.message);
  return outcome;
}

async function instanceOf(id: string) {
  const { Reservations } = await ec2.send(new DescribeInstancesCommand({ InstanceIds: [id] }));
  return Reservations?.[0]?.Instances?.[0];
}

test('C58: an instance has the settings of its launch template', async () => {
  const request = world.request();
  const {
    instances: [instance],
  } = await launched(request);
  const [template] = request.templates;
  const found = await instanceOf(instance.id);
  expect(found).toMatchObject({
    InstanceType: instance.instanceType,
    ImageId: instance.imageId,
    Placement: { AvailabilityZone: instance.zone },
    MetadataOptions: { HttpTokens: 'required', HttpPutResponseHopLimit: 1, InstanceMetadataTags: 'disabled' },
  });
  expect(found?.SecurityGroups?.map(({ GroupId }) => GroupId)).toEqual(template?.securityGroupIds);
  expect(found?.IamInstanceProfile?.Arn).toContain(`/${template?.instanceProfile}`);
  const tags = Object.fromEntries((found?.Tags ?? []).map(({ Key = '', Value }) => [Key, Value]));
  expect(tags).toMatchObject({
    [`kubernetes.io/cluster/${world.cluster}`]: 'owned',
    'karpenter.sh/nodepool': request.nodePool,
    'karpenter.sh/nodeclaim': request.nodeClaim,
  });
});

test('C47: without price overlays, the cheapest type is launched, in any order of the request', async () => {
  const { overrides, ...request } = world.request();
  const {
    instances: [instance],
  } = await launched({ ...request, overrides: overrides.toReversed() });
  // t3.large is $0.0832 an hour, m5.large $0.096.
  expect(instance.instanceType).toBe('t3.large');
});

test("C47: with price overlays, the first type in Kerf's order is launched", async () => {
  const {
    instances: [instance],
  } = await launched({ ...world.request(), prioritized: true });
  expect(instance.instanceType).toBe('m5.large');
});

test('C53: offerings without capacity are reported beside the launched instance', async () => {
  const request = world.request();
  const allow = await moto.rule({ kind: 'missing-capacity', instanceType: 't3.large', containing: world.cluster });
  const {
    instances: [instance],
    missing,
  } = await launched(request);
  await allow();
  expect(instance.instanceType).toBe('m5.large');
  expect(missing).toMatchObject([
    { instanceType: 't3.large', zone: 'us-east-1b', capacityType: 'on-demand', reason: 'InsufficientInstanceCapacity' },
  ]);
});

test('a client token with another request launches nothing', async () => {
  const request = world.request();
  await launched(request);
  const before = await world.countInstances();
  const [outcome] = await Promise.allSettled([cloud.launch({ ...request, overrides: request.overrides.slice(0, 1) })]);
  expect(inspect(outcome)).toContain('IdempotentParameterMismatch');
  expect(await world.countInstances()).toBe(before);
});

test.each([
  { what: 'image', override: { imageId: 'ami-00000000000000000' }, code: 'InvalidAMIID.NotFound' },
  { what: 'instance profile', template: { instanceProfile: 'missing' }, code: 'InvalidParameterValue' },
  { what: 'security group', template: { securityGroupIds: ['sg-00000000000000000'] }, code: 'InvalidGroup.NotFound' },
])(
  'a launch whose $what is missing fails with that reason, and leaves no resources',
  async ({ override, template, code }) => {
    const request = world.request();
    const [spec = aTemplate()] = request.templates;
    const before = await world.countInstances();
    const outcome = await cloud.launch({
      ...request,
      templates: [{ ...spec, ...template }],
      overrides: request.overrides.map((each) => ({ ...each, ...override })),
    });
    expect(outcome).toMatchObject({ kind: 'refused', missing: [] });
    expect(outcome.kind === 'refused' && outcome.message).toContain(code);
    expect(await world.countInstances()).toBe(before);
  },
);

test('C60: an instance of reserved capacity uses its reservation, until that is full', async () => {
  const { CapacityReservation } = await ec2.send(
    new CreateCapacityReservationCommand({
      InstanceType: 'm5.large',
      InstancePlatform: 'Linux/UNIX',
      AvailabilityZone: 'us-east-1a',
      InstanceCount: 1,
      InstanceMatchCriteria: 'targeted',
    }),
  );
  const reservationId = CapacityReservation?.CapacityReservationId ?? '';
  const reserved = (): LaunchRequest => {
    const { overrides, templates, ...request } = world.request();
    return {
      ...request,
      capacityType: 'reserved',
      templates: templates.map((each) => ({ ...each, reservation: { id: reservationId, kind: 'default' } })),
      overrides: overrides.slice(0, 1).map((each) => ({ ...each, capacityType: 'reserved', reservationId })),
    };
  };
  const {
    instances: [instance],
  } = await launched(reserved());
  expect(instance).toMatchObject({ capacityType: 'reserved', reservation: { id: reservationId } });
  expect((await instanceOf(instance.id))?.CapacityReservationId).toBe(reservationId);
  const described = await cloud.describeInstances(world.cluster, [instance.id]);
  expect(described).toMatchObject([{ capacityType: 'reserved', reservation: { id: reservationId } }]);
  const second = await cloud.launch(reserved());
  expect(second).toMatchObject({
    kind: 'refused',
    missing: [{ reservationId, reason: 'ReservationCapacityExceeded' }],
  });
});
