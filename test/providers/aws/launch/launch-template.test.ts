import {
  CreateFleetCommand,
  CreateLaunchTemplateCommand,
  EC2Client,
  type RequestLaunchTemplateData,
} from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import { digest } from '../../../../lib/core/identity.ts';
import type { LaunchRequest, LaunchTemplateSpec } from '../../../../lib/core/model/node-claim-record.ts';
import { METADATA_DEFAULTS } from '../../../../lib/core/node-class/plain-node-class.ts';
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

const LAUNCHED = {
  Instances: [{ InstanceIds: ['i-0abc'], InstanceType: 'm6g.large' as const, AvailabilityZone: 'us-east-1b' }],
};

beforeEach(() => {
  ec2.reset();
  ec2.on(CreateLaunchTemplateCommand).resolves({});
  ec2.on(CreateFleetCommand).resolves(LAUNCHED);
});

describe('the launch template', () => {
  test('is created once for any number of concurrent launches', async () => {
    const templates = new LaunchTemplates(client, { now: () => NOW_MS });
    const names = Array.from({ length: 10 }, (_, at) => `general-${at}`);
    await Promise.all(
      names.map((nodeClaim) => launch({ client, templates }, aLaunchOfTwoTypes({ nodeClaim, clientToken: nodeClaim }))),
    );
    expect(ec2.commandCalls(CreateLaunchTemplateCommand)).toHaveLength(1);
    expect(ec2.commandCalls(CreateFleetCommand)).toHaveLength(10);
  });

  test('is created by the next launch if its creation failed', async () => {
    const templates = new LaunchTemplates(client, { now: () => NOW_MS });
    ec2.on(CreateLaunchTemplateCommand).rejectsOnce(awsError('InternalError', 503)).resolves({});
    const both = [1, 2].map(() => launch({ client, templates }, aLaunchOfTwoTypes()));
    for (const one of await Promise.allSettled(both)) expect(one.status).toBe('rejected');
    await launch({ client, templates }, aLaunchOfTwoTypes());
    expect(ec2.commandCalls(CreateLaunchTemplateCommand)).toHaveLength(2);
  });

  test('has a name derived only from its content, so that similar claims share it', () => {
    const base = nameOf();
    expect(nameOf({ nodeClaim: 'general-b', clientToken: 'x', overrides: [] })).toBe(base);
    expect(nameOf({ tags: { team: 'web', 'karpenter.sh/nodeclaim': 'b' } })).toBe(base);
    for (const other of [{ userData: 'x' }, { securityGroupIds: ['sg-2'] }, { instanceProfile: 'p' }]) {
      expect(nameOf({}, other)).not.toBe(base);
    }
    expect(nameOf({ cluster: 'c' })).not.toBe(base);
    expect(base).toMatch(/^kerf-[a-z2-7]{26}$/);
  });

  test('a request that an earlier version froze is replayed with the token and the template of that version', async () => {
    await launchOnce(aLaunchOfTwoTypes({ clientToken: 'kerf-of-earlier-version' }));
    const [sent] = ec2.commandCalls(CreateFleetCommand);
    expect(sent?.args[0].input.ClientToken).toBe('kerf-of-earlier-version');
    expect(sent?.args[0].input.LaunchTemplateConfigs?.[0]?.LaunchTemplateSpecification).toEqual({
      LaunchTemplateName: 'kerf-jjne2solsg7pc5au2kzkztr57s',
      Version: '$Latest',
    });
  });

  test('a request of this version names its template by SHA-256 of the content', () => {
    const name = nameOf({ templateNames: 'sha-256' });
    const content = JSON.stringify(['demo', dataOf()]);
    expect(name).toMatch(/^kerf-[a-z2-7]{26}$/);
    expect(name).toBe(`kerf-${digest(content)}`);
    expect(name).not.toBe(nameOf());
  });

  test('A3.23, C76: metadata needs a token and ends at the node; the volume is small, fast and encrypted', () => {
    expect(launchTemplateOf(aLaunchOfTwoTypes(), aTemplate()).data).toMatchObject({
      MetadataOptions: {
        HttpTokens: 'required',
        HttpPutResponseHopLimit: 1,
        HttpEndpoint: 'enabled',
        InstanceMetadataTags: 'disabled',
      },
      BlockDeviceMappings: [{ DeviceName: '/dev/xvda', Ebs: { VolumeSize: 20, VolumeType: 'gp3', Encrypted: true } }],
      IamInstanceProfile: { Name: 'node' },
      NetworkInterfaces: [{ Groups: ['sg-1'] }],
      UserData: Buffer.from('#!/bin/bash\ntrue\n').toString('base64'),
    });
  });

  test('the volumes and metadata options of the NodeClass are used', () => {
    const { data } = launchTemplateOf(aLaunchOfTwoTypes(), {
      ...aTemplate(),
      blockDeviceMappings: [
        {
          deviceName: '/dev/sda1',
          ebs: { volumeSize: '1.5Ti', volumeType: 'io2', iops: 3000, kmsKeyID: 'k', deleteOnTermination: false },
        },
      ],
      metadataOptions: { ...METADATA_DEFAULTS, httpPutResponseHopLimit: 2, httpTokens: 'optional' },
    });
    expect(data.BlockDeviceMappings).toMatchObject([
      {
        DeviceName: '/dev/sda1',
        Ebs: {
          VolumeSize: 1536,
          VolumeType: 'io2',
          Iops: 3000,
          KmsKeyId: 'k',
          DeleteOnTermination: false,
        },
      },
    ]);
    expect(data.MetadataOptions).toMatchObject({ HttpPutResponseHopLimit: 2, HttpTokens: 'optional' });
  });

  test('C60: it does not use reservations that the NodeClass does not select', () => {
    expect(dataOf().CapacityReservationSpecification).toEqual({ CapacityReservationPreference: 'none' });
    expect(dataOf().InstanceMarketOptions).toBeUndefined();
  });

  test('C60: with open reservations, EC2 chooses as it does without a specification', () => {
    expect(dataOf({ openReservations: true })).not.toHaveProperty('CapacityReservationSpecification');
    const reservation = { id: 'cr-1', kind: 'default' } as const;
    expect(dataOf({ openReservations: true, reservation })).toEqual(dataOf({ reservation }));
  });

  test.each([
    ['default', undefined],
    ['capacity-block', { MarketType: 'capacity-block' }],
    ['interruptible', { MarketType: 'interruptible-capacity-reservation' }],
  ] as const)('C60: from a reservation that is %s it uses only this reservation', (kind, market) => {
    const data = dataOf({ reservation: { id: 'cr-1', kind } });
    expect(data.CapacityReservationSpecification).toEqual({
      CapacityReservationPreference: 'capacity-reservations-only',
      CapacityReservationTarget: { CapacityReservationId: 'cr-1' },
    });
    expect(data.InstanceMarketOptions).toEqual(market);
  });

  test('C59: each interface has the security groups, and only what it is told beside', () => {
    const connectionTracking = { udpTimeout: 45, tcpEstablishedTimeout: 600 };
    const networkInterfaces = [
      { networkCard: 0, device: 0, kind: 'efa', publicAddress: false, prefixes: 2, connectionTracking },
      { networkCard: 1, device: 1, kind: 'efa-only' },
    ] as const;
    expect(
      dataOf({ networkInterfaces, subnetId: 'subnet-a', securityGroupIds: ['sg-1', 'sg-2'] }).NetworkInterfaces,
    ).toEqual([
      {
        NetworkCardIndex: 0,
        DeviceIndex: 0,
        InterfaceType: 'efa',
        Groups: ['sg-1', 'sg-2'],
        DeleteOnTermination: true,
        SubnetId: 'subnet-a',
        AssociatePublicIpAddress: false,
        Ipv4PrefixCount: 2,
        ConnectionTrackingSpecification: { UdpTimeout: 45, TcpEstablishedTimeout: 600 },
      },
      {
        NetworkCardIndex: 1,
        DeviceIndex: 1,
        InterfaceType: 'efa-only',
        Groups: ['sg-1', 'sg-2'],
        DeleteOnTermination: true,
        SubnetId: 'subnet-a',
      },
    ]);
  });

  test('C59: in an IPv6 cluster its address and its prefixes are IPv6', () => {
    const data = dataOf({
      networkInterfaces: [{ networkCard: 0, device: 0, kind: 'interface', prefixes: 1, ipv6: true }],
    });
    expect(data.NetworkInterfaces).toMatchObject([{ PrimaryIpv6: true, Ipv6AddressCount: 1, Ipv6PrefixCount: 1 }]);
    expect(data.NetworkInterfaces?.[0]).not.toHaveProperty('Ipv4PrefixCount');
    expect(dataOf().NetworkInterfaces?.[0]).not.toHaveProperty('Ipv6AddressCount');
  });

  test.each<[string, Partial<LaunchTemplateSpec>, object]>([
    ['detailed monitoring (A3.21)', { detailedMonitoring: true }, { Monitoring: { Enabled: true } }],
    [
      'nested virtualization (A3.25)',
      { nestedVirtualization: 'disabled' },
      { CpuOptions: { NestedVirtualization: 'disabled' } },
    ],
    ['enclaves (C58)', { enclaves: true }, { EnclaveOptions: { Enabled: true } }],
    ['dedicated hardware (C43)', { dedicated: true }, { Placement: { Tenancy: 'dedicated' } }],
    [
      'a partition of a placement group (C58)',
      { placementGroup: { id: 'pg-1', partition: 3 } },
      { Placement: { GroupId: 'pg-1', PartitionNumber: 3 } },
    ],
  ])('%s is set only if it is required', (_, over, told) => {
    expect(dataOf(over)).toMatchObject(told);
    for (const key of Object.keys(told)) expect(dataOf()).not.toHaveProperty(key);
  });

  test('C49: it tags what the fleet cannot: interfaces, and of spot the request', () => {
    expect(tagged({})).toEqual(['network-interface']);
    expect(tagged({ capacityType: 'spot' })).toEqual(['network-interface', 'spot-instances-request']);
  });

  test('an existing template is used, and created once for each process', async () => {
    ec2.on(CreateLaunchTemplateCommand).rejects(awsError('InvalidLaunchTemplateName.AlreadyExistsException', 400));
    const tools = { client, templates: new LaunchTemplates(client, { now: () => NOW_MS }) };
    await launch(tools, aLaunchOfTwoTypes());
    await launch(tools, aLaunchOfTwoTypes({ clientToken: 'token-2' }));
    expect(ec2.commandCalls(CreateLaunchTemplateCommand)).toHaveLength(1);
  });

  test('C52: a deleted template is created again, once', async () => {
    const gone = awsError('InvalidLaunchTemplateName.NotFoundException', 400);
    ec2.on(CreateFleetCommand).rejectsOnce(gone).resolves(LAUNCHED);
    expect(await launchOnce(aLaunchOfTwoTypes())).toMatchObject({ kind: 'launched' });
    expect(ec2.commandCalls(CreateLaunchTemplateCommand)).toHaveLength(2);
    ec2.on(CreateFleetCommand).rejects(gone);
    expect(await launchOnce(aLaunchOfTwoTypes())).toMatchObject({ kind: 'rejected' });
  });
});

function nameOf(over: Partial<LaunchRequest> = {}, template: Partial<LaunchTemplateSpec> = {}): string {
  return launchTemplateOf(aLaunchOfTwoTypes(over), aTemplate(template)).name;
}

function dataOf(template: Partial<LaunchTemplateSpec> = {}): RequestLaunchTemplateData {
  return launchTemplateOf(aLaunchOfTwoTypes(), aTemplate(template)).data;
}

function tagged(over: Partial<LaunchRequest>) {
  return launchTemplateOf(aLaunchOfTwoTypes(over), aTemplate()).data.TagSpecifications?.map((one) => one.ResourceType);
}
