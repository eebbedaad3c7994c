import {
  DescribeAvailabilityZonesCommand,
  DescribeInstanceTypeOfferingsCommand,
  DescribeInstanceTypesCommand,
  EC2Client,
  type InstanceTypeInfo,
} from '@aws-sdk/client-ec2';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test } from 'vitest';
import { UnreachableError } from '../../../../lib/ports/errors.ts';
import { describeCatalogue } from '../../../../lib/providers/aws/catalogue/describe-catalogue.ts';
import { factsOf } from '../../../builders/catalogue-facts.ts';
import { NOW_MS } from '../../../builders/times.ts';
import { awsError } from '../aws-error.ts';

const client = new EC2Client({ region: 'us-east-1', maxAttempts: 1 });
const ec2 = mockClient(client);
const sources = {
  region: 'us-east-1',
  nowMs: NOW_MS,
  branchInterfaces: new Map([['m5.large', 9]]),
};

/** The description of m5.large, with the fields that are read. */
const M5_LARGE: InstanceTypeInfo = {
  InstanceType: 'm5.large',
  SupportedUsageClasses: ['on-demand', 'spot'],
  BareMetal: false,
  Hypervisor: 'nitro',
  ProcessorInfo: { SupportedArchitectures: ['x86_64'], SustainedClockSpeedInGhz: 3.1, Manufacturer: 'Intel' },
  VCpuInfo: { DefaultVCpus: 2 },
  MemoryInfo: { SizeInMiB: 8192 },
  NitroEnclavesSupport: 'unsupported',
  EbsInfo: { EbsOptimizedSupport: 'default', EbsOptimizedInfo: { MaximumBandwidthInMbps: 4750 } },
  NetworkInfo: {
    MaximumNetworkInterfaces: 3,
    DefaultNetworkCardIndex: 0,
    NetworkCards: [{ NetworkCardIndex: 0, MaximumNetworkInterfaces: 3, BaselineBandwidthInGbps: 0.75 }],
    Ipv4AddressesPerInterface: 10,
    EncryptionInTransitSupported: false,
  },
};

beforeEach(() => {
  ec2.reset();
  ec2.on(DescribeInstanceTypesCommand).resolves({ InstanceTypes: [M5_LARGE] });
  ec2.on(DescribeAvailabilityZonesCommand).resolves({
    AvailabilityZones: [
      { ZoneName: 'us-east-1a', ZoneId: 'use1-az6' },
      { ZoneName: 'us-east-1b', ZoneId: 'use1-az1' },
    ],
  });
  ec2.on(DescribeInstanceTypeOfferingsCommand).resolves({
    InstanceTypeOfferings: [
      { InstanceType: 'm5.large', Location: 'us-east-1b' },
      { InstanceType: 'm5.large', Location: 'us-east-1a' },
      { InstanceType: 'mac1.metal', Location: 'us-east-1a' },
    ],
  });
});

test('unusual properties that decide whether a NodeClass supports a type are kept (C27)', async () => {
  const info: InstanceTypeInfo = {
    ...M5_LARGE,
    ProcessorInfo: { SupportedArchitectures: ['x86_64'], SupportedFeatures: ['nested-virtualization'] },
    PlacementGroupInfo: { SupportedStrategies: ['spread', 'partition'] },
    NetworkInfo: {
      DefaultNetworkCardIndex: 0,
      EfaSupported: true,
      EfaInfo: { MaximumEfaInterfaces: 1 },
      NetworkCards: [
        { NetworkCardIndex: 1, MaximumNetworkInterfaces: 4, InterfaceTypes: ['interface', 'efa', 'efa-only'] },
        { NetworkCardIndex: 0, MaximumNetworkInterfaces: 8, InterfaceTypes: ['interface'] },
      ],
    },
  };
  ec2.on(DescribeInstanceTypesCommand).resolves({ InstanceTypes: [info] });
  const { facts } = await describeCatalogue(client, sources);
  expect(facts).toMatchObject([
    {
      maxNetworkInterfaces: 8,
      efaInterfaces: 1,
      networkCards: [
        { interfaces: 8, efa: false },
        { interfaces: 4, efa: true },
      ],
      nestedVirtualization: true,
      placementStrategies: ['partition', 'spread'],
    },
  ]);
});

test('types contain only the facts that Kerf uses', async () => {
  const { facts } = await describeCatalogue(client, sources);
  expect(facts).toEqual([factsOf({ branchInterfaces: 9, baselineNetworkMbps: 750, ebsMbps: 4750 })]);
});

test('devices, disks and Neuron cores are distinguished', async () => {
  const InstanceTypes: InstanceTypeInfo[] = [
    {
      ...M5_LARGE,
      InstanceType: 'p5.48xlarge',
      InstanceStorageInfo: { TotalSizeInGB: 30400, NvmeSupport: 'required' },
      EbsInfo: { MaximumEbsAttachments: 64 },
      GpuInfo: { Gpus: [{ Name: 'H100', Manufacturer: 'NVIDIA', Count: 8, MemoryInfo: { SizeInMiB: 81920 } }] },
    },
    {
      ...M5_LARGE,
      InstanceType: 'inf2.xlarge',
      InstanceStorageInfo: { TotalSizeInGB: 100, NvmeSupport: 'unsupported' },
      NeuronInfo: { NeuronDevices: [{ Name: 'Inferentia2', Count: 1, CoreInfo: { Count: 2 } }] },
      InferenceAcceleratorInfo: { Accelerators: [{ Name: 'Inferentia2', Manufacturer: 'AWS', Count: 1 }] },
    },
  ];
  ec2.on(DescribeInstanceTypesCommand).resolves({ InstanceTypes });
  const [inf2, p5] = (await describeCatalogue(client, sources)).facts;
  expect(p5).toMatchObject({
    gpus: [{ name: 'H100', manufacturer: 'NVIDIA', count: 8, memoryMib: 81920 }],
    instanceStoreGb: 30400,
    localNvmeGb: 30400,
    ebsAttachments: 64,
  });
  expect(inf2).toMatchObject({ neuron: [{ name: 'Inferentia2', count: 1, coresPerDevice: 2 }], accelerators: [] });
  expect(inf2?.localNvmeGb).toBeUndefined();
});

test('a Xen type attaches at most 39 EBS volumes, as the EBS CSI driver counts (B44)', async () => {
  const info: InstanceTypeInfo = { ...M5_LARGE, Hypervisor: 'xen', EbsInfo: { MaximumEbsAttachments: 40 } };
  ec2.on(DescribeInstanceTypesCommand).resolves({ InstanceTypes: [info] });
  expect((await describeCatalogue(client, sources)).facts).toMatchObject([{ ebsAttachments: 39 }]);
});

test('an offering has its zone and no price', async () => {
  const catalogue = await describeCatalogue(client, sources);
  expect(catalogue).toMatchObject({ region: 'us-east-1', asOf: '2026-01-31T08:00:00Z' });
  expect(catalogue.offerings).toEqual([
    { type: 'm5.large', zone: 'us-east-1a', zoneId: 'use1-az6' },
    { type: 'm5.large', zone: 'us-east-1b', zoneId: 'use1-az1' },
  ]);
});

test('all pages are read', async () => {
  ec2
    .on(DescribeInstanceTypesCommand)
    .resolvesOnce({ InstanceTypes: [{ ...M5_LARGE, InstanceType: 'm5.xlarge' }], NextToken: '2' })
    .resolves({ InstanceTypes: [M5_LARGE], NextToken: '' });
  const { facts } = await describeCatalogue(client, sources);
  expect(facts.map(({ name }) => name)).toEqual(['m5.large', 'm5.xlarge']);
});

test('an unreadable list fails the whole catalogue, because a partial one would be used', async () => {
  ec2.on(DescribeInstanceTypeOfferingsCommand).rejects(awsError('RequestLimitExceeded', 503));
  await expect(describeCatalogue(client, sources)).rejects.toBeInstanceOf(UnreachableError);
});

test.each([
  ['types', DescribeInstanceTypesCommand],
  ['places', DescribeInstanceTypeOfferingsCommand],
  ['zones', DescribeAvailabilityZonesCommand],
])('an answer without a list of %s fails the read', async (_, command) => {
  ec2.on(command).resolves({});
  await expect(describeCatalogue(client, sources)).rejects.toBeInstanceOf(UnreachableError);
});

test('an empty list of zones fails the read: no region is without zones', async () => {
  ec2.on(DescribeAvailabilityZonesCommand).resolves({ AvailabilityZones: [] });
  await expect(describeCatalogue(client, sources)).rejects.toBeInstanceOf(UnreachableError);
});

test('an offering in a zone without a known ID has none', async () => {
  ec2.on(DescribeAvailabilityZonesCommand).resolves({
    AvailabilityZones: [{ ZoneName: 'us-east-1a', ZoneId: 'use1-az6' }, { ZoneName: 'us-east-1b' }],
  });
  const { offerings } = await describeCatalogue(client, sources);
  expect(offerings).toEqual([
    { type: 'm5.large', zone: 'us-east-1a', zoneId: 'use1-az6' },
    { type: 'm5.large', zone: 'us-east-1b' },
  ]);
  expect(offerings[1]).not.toHaveProperty('zoneId');
});
