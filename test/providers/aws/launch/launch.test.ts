import { CreateFleetCommand, CreateLaunchTemplateCommand, EC2Client } from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import type { LaunchRequest, LaunchTemplateSpec } from '../../../../lib/core/model/node-claim-record.ts';
import { UnreachableError } from '../../../../lib/ports/errors.ts';
import { launch } from '../../../../lib/providers/aws/launch/launch.ts';
import { LaunchTemplates, launchTemplateOf } from '../../../../lib/providers/aws/launch/launch-template.ts';
import { aTemplate } from '../../../builders/launch-templates.ts';
import { NOW_MS } from '../../../builders/times.ts';
import { aLaunchOfTwoTypes } from '../../../contract/records.ts';
import { awsError } from '../aws-error.ts';

const client = new EC2Client({ region: 'us-east-1', maxAttempts: 1 });
const ec2 = mockClient(client);
const launchOnce = (request: LaunchRequest) =>
  launch({ client, templates: new LaunchTemplates(client, { now: () => NOW_MS }) }, request);
const [FIRST, SECOND] = aLaunchOfTwoTypes().overrides;
const FIRST_LINE = {
  instanceType: 'm5.large',
  zone: 'us-east-1a',
  priceUsdPerHour: 0.1,
  subnetId: 'subnet-a',
  imageId: 'ami-amd64',
};

const LAUNCHED = {
  Instances: [
    {
      InstanceIds: ['i-0abc'],
      InstanceType: 'm6g.large' as const,
      LaunchTemplateAndOverrides: { Overrides: { InstanceType: 'm6g.large' as const, SubnetId: 'subnet-b' } },
    },
  ],
};

const noCapacity = (type: 'm5.large' | 'm6g.large', zone: string, code = 'InsufficientInstanceCapacity') => ({
  ErrorCode: code,
  ErrorMessage: `no ${type} in ${zone}`,
  LaunchTemplateAndOverrides: { Overrides: { InstanceType: type, AvailabilityZone: zone } },
});

const denied = (secret: string) => ({
  ErrorCode: 'UnauthorizedOperation',
  ErrorMessage: `You are not authorized to perform: iam:PassRole. Encoded authorization failure message: ${secret}`,
});

beforeEach(() => {
  ec2.reset();
  ec2.on(CreateLaunchTemplateCommand).resolves({});
  ec2.on(CreateFleetCommand).resolves(LAUNCHED);
});

const fleetInput = () => ec2.commandCalls(CreateFleetCommand)[0]?.args[0].input;

describe('the request', () => {
  test('an instant fleet of one instance, with the token of the claim and tags at launch', async () => {
    await launchOnce(aLaunchOfTwoTypes());
    const input = fleetInput();
    expect(input).toMatchObject({
      Type: 'instant',
      ClientToken: 'token-1',
      TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'on-demand' },
      OnDemandOptions: { AllocationStrategy: 'lowest-price' },
    });
    expect(input?.TagSpecifications?.map(({ ResourceType }) => ResourceType)).toEqual(['fleet', 'instance', 'volume']);
    expect(input?.TagSpecifications?.[1]?.Tags).toEqual([
      { Key: 'eks:eks-cluster-name', Value: 'demo' },
      { Key: 'karpenter.k8s.aws/ec2nodeclass', Value: 'default' },
      { Key: 'karpenter.sh/nodeclaim', Value: 'general-a' },
      { Key: 'karpenter.sh/nodepool', Value: 'general' },
      { Key: 'kubernetes.io/cluster/demo', Value: 'owned' },
      { Key: 'team', Value: 'web' },
    ]);
  });

  test('each override is a type in a subnet with its image, and EC2 goes by its own prices', async () => {
    await launchOnce(aLaunchOfTwoTypes());
    expect(fleetInput()?.LaunchTemplateConfigs?.[0]?.Overrides).toEqual([
      {
        InstanceType: 'm5.large',
        SubnetId: 'subnet-a',
        AvailabilityZone: 'us-east-1a',
        ImageId: 'ami-amd64',
      },
      {
        InstanceType: 'm6g.large',
        SubnetId: 'subnet-b',
        AvailabilityZone: 'us-east-1b',
        ImageId: 'ami-arm64',
      },
    ]);
  });

  test('a spot request asks for spot by price and capacity', async () => {
    const outcome = await launchOnce(spotRequest());
    expect(fleetInput()).toMatchObject({
      TargetCapacitySpecification: { DefaultTargetCapacityType: 'spot' },
      SpotOptions: { AllocationStrategy: 'price-capacity-optimized' },
    });
    expect(outcome).toMatchObject({ kind: 'launched', instances: [{ capacityType: 'spot' }] });
  });

  test('where NodeOverlays set the prices, EC2 goes by the order of priorities and not by its own prices (C47)', async () => {
    await launchOnce(aLaunchOfTwoTypes({ prioritized: true }));
    expect(fleetInput()).toMatchObject({ OnDemandOptions: { AllocationStrategy: 'prioritized' } });
    ec2.resetHistory();
    await launchOnce({ ...spotRequest(), prioritized: true });
    expect(fleetInput()).toMatchObject({ SpotOptions: { AllocationStrategy: 'capacity-optimized-prioritized' } });
  });

  test('a replay sends the very same request', async () => {
    await launchOnce(aLaunchOfTwoTypes());
    await launchOnce(aLaunchOfTwoTypes());
    const [first, second] = ec2.commandCalls(CreateFleetCommand).map((call) => call.args[0].input);
    expect(second).toEqual(first);
  });
});

describe('the outcome', () => {
  test('the instance is the override that EC2 chose, with its image and price', async () => {
    expect(await launchOnce(aLaunchOfTwoTypes())).toEqual({
      kind: 'launched',
      instances: [
        {
          id: 'i-0abc',
          instanceType: 'm6g.large',
          zone: 'us-east-1b',
          capacityType: 'on-demand',
          imageId: 'ami-arm64',
          priceUsdPerHour: 0.077,
        },
      ],
      missing: [],
    });
  });

  test('C53: missing capacity is reported although an instance was launched', async () => {
    ec2.on(CreateFleetCommand).resolves({ ...LAUNCHED, Errors: [noCapacity('m5.large', 'us-east-1a')] });
    expect(await launchOnce(aLaunchOfTwoTypes())).toMatchObject({
      kind: 'launched',
      missing: [{ instanceType: 'm5.large', zone: 'us-east-1a', reason: 'InsufficientInstanceCapacity' }],
    });
  });

  test('only capacity errors and no instance: no capacity, by type and zone', async () => {
    ec2.on(CreateFleetCommand).resolves({
      Errors: [
        noCapacity('m5.large', 'us-east-1a'),
        noCapacity('m5.large', 'us-east-1a'),
        noCapacity('m6g.large', 'us-east-1b', 'UnfulfillableCapacity'),
      ],
    });
    const outcome = await launchOnce(aLaunchOfTwoTypes());
    expect(outcome.kind === 'refused' && outcome.message).toContain('no m5.large in us-east-1a');
    expect(outcome).toMatchObject({
      kind: 'refused',
      missing: [
        { instanceType: FIRST?.instanceType, zone: FIRST?.zone, reason: 'InsufficientInstanceCapacity' },
        { instanceType: SECOND?.instanceType, zone: SECOND?.zone, reason: 'UnfulfillableCapacity' },
      ],
    });
  });

  test.each([
    [
      'InvalidParameterValue',
      'Value (demo) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name',
    ],
    ['RequestLimitExceeded', 'Request limit exceeded.'],
  ])('%s marks only the offerings that EC2 tried', async (ErrorCode, ErrorMessage) => {
    const objection = { ...noCapacity('m5.large', 'us-east-1a', ErrorCode), ErrorMessage };
    ec2.on(CreateFleetCommand).resolves({
      Errors: [objection, noCapacity('m6g.large', 'us-east-1b', 'UnfulfillableCapacity')],
    });
    const outcome = await launchOnce(aLaunchOfTwoTypes());
    expect(outcome).toMatchObject({ kind: 'refused', missing: [] });
    expect(outcome.kind === 'refused' && outcome.message).toContain(ErrorMessage);
  });

  test('C33: an error without a zone marks all requested offerings', async () => {
    const code = 'MaxSpotInstanceCountExceeded';
    ec2.on(CreateFleetCommand).resolves({ Errors: [{ ErrorCode: code }] });
    const outcome = await launchOnce(spotRequest());
    expect(outcome.missing.map(({ capacityType, reason }) => [capacityType, reason])).toEqual([
      ['spot', code],
      ['spot', code],
    ]);
  });

  test('a thrown capacity error is reported as missing capacity', async () => {
    ec2.on(CreateFleetCommand).rejects(awsError('MaxSpotInstanceCountExceeded'));
    expect(await launchOnce(spotRequest())).toMatchObject({ kind: 'rejected', missing: [{}, {}] });
  });

  test('a subnet without free addresses is marked, not the type that was to start there (C32)', async () => {
    const error = noCapacity('m5.large', 'us-east-1a', 'InsufficientFreeAddressesInSubnet');
    ec2.on(CreateFleetCommand).resolves({ ...LAUNCHED, Errors: [error] });
    expect((await launchOnce(aLaunchOfTwoTypes())).missing).toEqual([
      {
        instanceType: '*',
        zone: 'us-east-1a',
        capacityType: 'on-demand',
        subnetId: 'subnet-a',
        reason: 'InsufficientFreeAddressesInSubnet',
      },
    ]);
  });

  test.each([
    { ErrorCode: 'AuthFailure.ServiceLinkedRoleCreationNotPermitted', ErrorMessage: 'x' },
    { ErrorCode: 'AuthFailure', ErrorMessage: 'may not create the service-linked role for EC2 Spot Instances' },
  ])('without the service-linked role there is no spot anywhere: $ErrorCode (C33)', async (error) => {
    ec2.on(CreateFleetCommand).resolves({ Errors: [error] });
    expect((await launchOnce(spotRequest())).missing).toMatchObject([
      { instanceType: '*', zone: '*', capacityType: 'spot' },
    ]);
  });

  test('a missing permission is reported once, without the encoded message, which is long and differs each time', async () => {
    ec2.on(CreateFleetCommand).resolves({ Errors: [denied('x1'), denied('y2')] });
    expect(await launchOnce(aLaunchOfTwoTypes())).toEqual({
      kind: 'refused',
      missing: [],
      message: 'UnauthorizedOperation: You are not authorized to perform: iam:PassRole.',
    });
    const thrown = Object.assign(awsError('UnauthorizedOperation', 403), { message: denied('z3').ErrorMessage });
    ec2.on(CreateFleetCommand).rejects(thrown);
    expect(await launchOnce(aLaunchOfTwoTypes())).toMatchObject({
      kind: 'rejected',
      message: expect.stringMatching(/iam:PassRole\.$/),
    });
  });

  test('another authorization failure is not reported as missing capacity', async () => {
    ec2.on(CreateFleetCommand).resolves({ Errors: [{ ErrorCode: 'AuthFailure', ErrorMessage: 'not accepted' }] });
    expect((await launchOnce(spotRequest())).missing).toEqual([]);
  });

  test('a type that the zone does not support, although EC2 lists it, is marked', async () => {
    const error = noCapacity('m5.large', 'us-east-1a', 'InvalidFleetConfiguration');
    const ErrorMessage =
      'Your requested instance type (m5.large) is not supported in your requested Availability Zone (us-east-1a).';
    ec2.on(CreateFleetCommand).resolves({ Errors: [{ ...error, ErrorMessage }] });
    expect((await launchOnce(aLaunchOfTwoTypes())).missing).toMatchObject([
      { instanceType: 'm5.large', zone: 'us-east-1a', reason: 'InvalidFleetConfiguration' },
    ]);
    ec2.on(CreateFleetCommand).resolves({ Errors: [{ ...error, ErrorMessage: 'the fleet is empty' }] });
    expect((await launchOnce(aLaunchOfTwoTypes())).missing).toEqual([]);
  });

  test('the zone of the instance comes from the response, also if the override has only a type', async () => {
    const request = aLaunchOfTwoTypes();
    const [line] = request.overrides;
    const overrides = ['us-east-1a', 'us-east-1b'].flatMap((zone) => (line === undefined ? [] : [{ ...line, zone }]));
    const InstanceType = 'm5.large' as const;
    const LaunchTemplateAndOverrides = { Overrides: { InstanceType } };
    const place = { InstanceType, AvailabilityZone: 'us-east-1b', LaunchTemplateAndOverrides };
    ec2.on(CreateFleetCommand).resolves({ Instances: [{ InstanceIds: ['i-0abc'], ...place }] });
    expect(await launchOnce({ ...request, overrides })).toMatchObject({ instances: [{ zone: 'us-east-1b' }] });
  });

  test.each([
    'InsufficientInstanceCapacity',
    'MaxSpotInstanceCountExceeded',
    'VcpuLimitExceeded',
    'UnfulfillableCapacity',
    'MaxFleetCountExceeded',
    'ReservationCapacityExceeded',
    'Server.InsufficientInstanceCapacity',
  ])('%s is of one offering, with a prefix or without (C33)', async (code) => {
    ec2.on(CreateFleetCommand).resolves({ Errors: [noCapacity('m5.large', 'us-east-1a', code)] });
    const reason = code.replace('Server.', '');
    const offering = { instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'on-demand' };
    expect((await launchOnce(aLaunchOfTwoTypes())).missing).toEqual([{ ...offering, reason }]);
  });

  test('Unsupported is of the type with the configuration of its NodeClass, and of no other launch (C33)', async () => {
    ec2.on(CreateFleetCommand).resolves({ Errors: [noCapacity('m5.large', 'us-east-1a', 'Unsupported')] });
    const { missing } = await launchOnce(aLaunchOfTwoTypes());
    expect(missing).toMatchObject([{ instanceType: 'm5.large', nodeClass: 'demo/default', reason: 'Unsupported' }]);
  });

  test.each<[string, Partial<LaunchTemplateSpec>, object]>([
    ['a placement group', { placementGroup: { id: 'pg-1', partition: 2 } }, { placementGroupId: 'pg-1' }],
    ['dedicated hardware', { dedicated: true }, { tenancy: 'dedicated' }],
  ])('in %s, only this placement is marked (C32)', async (_, template, placement) => {
    ec2.on(CreateFleetCommand).resolves({ Errors: [noCapacity('m5.large', 'us-east-1a')] });
    const { missing } = await launchOnce(aLaunchOfTwoTypes({ templates: [aTemplate(template)] }));
    expect(missing).toMatchObject([{ instanceType: 'm5.large', ...placement }]);
  });

  test('an error of the request ends the attempt, and missing capacity is still reported', async () => {
    const Errors = [noCapacity('m5.large', 'us-east-1a'), { ErrorCode: 'InvalidSubnetID.NotFound', ErrorMessage: 'x' }];
    ec2.on(CreateFleetCommand).resolves({ Errors });
    const outcome = await launchOnce(aLaunchOfTwoTypes());
    expect(outcome).toMatchObject({ kind: 'refused', missing: [{ instanceType: 'm5.large', zone: 'us-east-1a' }] });
    expect(outcome.kind === 'refused' && outcome.message).toContain('InvalidSubnetID.NotFound');
  });

  test('without an instance or an error, the outcome is unknown, and the same request is sent again', async () => {
    ec2.on(CreateFleetCommand).resolves({});
    await expect(launchOnce(aLaunchOfTwoTypes())).rejects.toBeInstanceOf(UnreachableError);
  });
});

describe('out of a reservation', () => {
  const one = (reservationId: string, template: number) =>
    ({ ...FIRST_LINE, capacityType: 'reserved', reservationId, template }) as const;
  const request = aLaunchOfTwoTypes({
    capacityType: 'reserved',
    overrides: [one('cr-1', 0), one('cr-2', 1)],
    templates: [
      aTemplate({ reservation: { id: 'cr-1', kind: 'default' } }),
      aTemplate({ reservation: { id: 'cr-2', kind: 'default' } }),
    ],
  });
  const of = (template: number) => ({
    LaunchTemplateSpecification: {
      LaunchTemplateName: request.templates.map((spec) => launchTemplateOf(request, spec).name)[template] ?? '',
    },
    Overrides: { InstanceType: 'm5.large' as const, AvailabilityZone: 'us-east-1a' },
  });

  test('the instance is of the reservation that its template names (C54)', async () => {
    ec2.on(CreateFleetCommand).resolves({ Instances: [{ InstanceIds: ['i-1'], LaunchTemplateAndOverrides: of(1) }] });
    expect(await launchOnce(request)).toMatchObject({
      instances: [{ capacityType: 'reserved', reservation: { id: 'cr-2', kind: 'default' } }],
    });
  });

  test('one that is used up is marked, and no other of the type and zone (C34)', async () => {
    const Errors = [{ ErrorCode: 'ReservationCapacityExceeded', LaunchTemplateAndOverrides: of(0) }];
    ec2.on(CreateFleetCommand).resolves({ Errors });
    expect((await launchOnce(request)).missing).toEqual([
      {
        instanceType: 'm5.large',
        zone: 'us-east-1a',
        capacityType: 'reserved',
        reservationId: 'cr-1',
        reason: 'ReservationCapacityExceeded',
      },
    ]);
  });
});

describe('failures', () => {
  test.each(['TimeoutError', 'Unavailable', 'InternalError'])(
    '%s: the outcome is unknown, and the same request may be sent again',
    async (code) => {
      ec2.on(CreateFleetCommand).rejects(awsError(code));
      await expect(launchOnce(aLaunchOfTwoTypes())).rejects.toBeInstanceOf(UnreachableError);
    },
  );

  test.each(['UnauthorizedOperation', 'InvalidParameterValue', 'CredentialsProviderError'])(
    '%s: nothing was launched, and the error is reported',
    async (code) => {
      ec2.on(CreateFleetCommand).rejects(awsError(code, 400));
      const outcome = await launchOnce(aLaunchOfTwoTypes());
      expect(outcome).toMatchObject({ kind: 'rejected', missing: [] });
      expect(outcome.kind === 'rejected' && outcome.message).toContain(code);
    },
  );

  test('an instance type that EC2 cannot have is rejected before anything is sent', async () => {
    const [first] = aLaunchOfTwoTypes().overrides;
    const overrides = first === undefined ? [] : [{ ...first, instanceType: 'anything' }];
    expect(await launchOnce(aLaunchOfTwoTypes({ overrides }))).toMatchObject({ kind: 'rejected' });
    expect(ec2.calls()).toHaveLength(0);
  });

  test('a token used with other parameters: an instance of that call may run (C51)', async () => {
    ec2.on(CreateFleetCommand).rejects(awsError('IdempotentParameterMismatch', 400));
    expect(await launchOnce(aLaunchOfTwoTypes())).toMatchObject({ kind: 'spent', missing: [] });
  });

  test('after a retry of the SDK, a rejection does not determine the outcome of the first try (C51)', async () => {
    const refusal = Object.assign(awsError('UnauthorizedOperation', 400), {
      $metadata: { httpStatusCode: 400, attempts: 2 },
    });
    ec2.on(CreateFleetCommand).rejects(refusal);
    expect(await launchOnce(aLaunchOfTwoTypes())).toMatchObject({ kind: 'spent' });
  });

  test('C52: one more template that is missing ends the attempt, and the next makes it again', async () => {
    ec2.on(CreateFleetCommand).resolves({ Errors: [{ ErrorCode: 'InvalidLaunchTemplateName.NotFoundException' }] });
    const tools = { client, templates: new LaunchTemplates(client, { now: () => NOW_MS }) };
    expect(await launch(tools, aLaunchOfTwoTypes())).toMatchObject({ kind: 'refused', missing: [] });
    await launch(tools, aLaunchOfTwoTypes({ clientToken: 'token-2' }));
    expect(ec2.commandCalls(CreateLaunchTemplateCommand)).toHaveLength(2);
  });
});

function spotRequest(): LaunchRequest {
  const { overrides, ...rest } = aLaunchOfTwoTypes({ capacityType: 'spot' });
  return { ...rest, overrides: overrides.map((each) => ({ ...each, capacityType: 'spot' })) };
}
