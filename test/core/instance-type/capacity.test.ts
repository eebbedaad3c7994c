import { describe, expect, test } from 'vitest';
import { capacityOf } from '../../../lib/core/instance-type/capacity.ts';
import { factsOf } from '../../builders/catalogue-facts.ts';
import { aNodeClass } from '../../builders/node-pools.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

describe('memory', () => {
  test('is what EC2 states less 7.5 %, rounded up to whole Mi (C3)', () => {
    expect(capacityOf(factsOf({ memoryMib: 8192 }), aNodeClass())['memory']).toBe((8192 - 615) * MIB);
  });
  test('counts 64 Mi less on arm64 before that (C3)', () => {
    const facts = factsOf({ architecture: 'arm64', memoryMib: 2048 });
    expect(capacityOf(facts, aNodeClass())['memory']).toBe((1984 - 149) * MIB);
  });
  test('where 7.5 % is whole loses no more than that (C3)', () => {
    expect(capacityOf(factsOf({ memoryMib: 4000 }), aNodeClass())['memory']).toBe(3700 * MIB);
  });
});

describe('settings of a cluster (F20)', () => {
  test('another part of the memory may be kept (C3)', () => {
    expect(capacityOf(factsOf({ memoryMib: 4000 }), aNodeClass(), { memoryOverhead: 0.01 })['memory']).toBe(3960 * MIB);
  });
  test('memory that was seen stands in place of the estimate (C4)', () => {
    const learnedMemoryBytes = 7_000 * MIB;
    expect(capacityOf(factsOf(), aNodeClass(), { learnedMemoryBytes })['memory']).toBe(learnedMemoryBytes);
  });
  test.each([
    [0, 29],
    [1, 20],
    [3, 0],
    [9, 0],
  ])('with %i interfaces kept from pods an m5.large has room for %i pods (C7)', (reservedEnis, pods) => {
    expect(capacityOf(factsOf(), aNodeClass(), { reservedEnis })['pods']).toBe(pods);
  });
});

function on(networkCardIndex: number, deviceIndex: number, interfaceType: 'interface' | 'efa-only') {
  return { networkCardIndex, deviceIndex, interfaceType };
}

describe('declared network interfaces (A3.12)', () => {
  const facts = factsOf({ maxNetworkInterfaces: 8, ipv4PerInterface: 50, efaInterfaces: 4 });
  test('that are for EFA on the default card leave fewer for pods (C7)', () => {
    const networkInterfaces = [on(0, 0, 'interface'), on(0, 1, 'efa-only'), on(1, 1, 'efa-only')];
    expect(capacityOf(facts, aNodeClass({ networkInterfaces }))).toMatchObject({
      pods: 7 * 49 + 2,
      'vpc.amazonaws.com/efa': 2,
    });
  });
  test('without one for EFA leave the node without EFA (C8)', () => {
    const capacity = capacityOf(facts, aNodeClass({ networkInterfaces: [on(0, 0, 'interface')] }));
    expect(capacity).not.toHaveProperty('vpc.amazonaws.com/efa');
    expect(capacity['pods']).toBe(8 * 49 + 2);
  });
});

describe('prefix delegation, which Karpenter does not model (C7)', () => {
  const large = { maxNetworkInterfaces: 8, ipv4PerInterface: 30, vcpus: 32 };
  test.each([
    { rule: 'gives sixteen addresses for one', facts: { maxNetworkInterfaces: 2, ipv4PerInterface: 4 }, pods: 98 },
    { rule: 'stops at 110 pods up to 30 vCPUs', facts: {}, pods: 110 },
    { rule: 'stops at 250 pods above that', facts: large, pods: 250 },
    { rule: 'is counted without reserved interfaces', facts: {}, settings: { reservedEnis: 3 }, pods: 0 },
    { rule: 'needs Nitro', facts: { hypervisor: 'xen' }, pods: 29 },
    { rule: 'is there on bare metal', facts: { hypervisor: '', bareMetal: true }, pods: 110 },
    { rule: 'leaves a written maxPods in force', facts: {}, spec: { kubelet: { maxPods: 58 } }, pods: 58 },
    { rule: 'is nothing that Windows has', facts: {}, spec: { amiFamily: 'Windows2022' as const }, pods: 110 },
    {
      rule: 'is ignored if the kubelet cannot be configured (C73)',
      facts: {},
      spec: { amiFamily: 'Custom' as const },
      pods: 29,
    },
  ])('$rule', ({ facts, spec = {}, settings = {}, pods }) => {
    const nodeClass = aNodeClass({ ipPrefixCount: 1, ...spec });
    expect(capacityOf(factsOf(facts), nodeClass, settings)['pods']).toBe(pods);
  });
  test('is not meant by an ipPrefixCount of 0', () => {
    expect(capacityOf(factsOf(), aNodeClass({ ipPrefixCount: 0 }))['pods']).toBe(29);
  });
});

describe('pods', () => {
  test.each([
    { rule: 'are limited by the addresses of the interfaces (C7)', facts: {}, spec: {}, pods: 29 },
    {
      rule: 'are none where no interface is left for them (C7)',
      facts: { maxNetworkInterfaces: 0 },
      spec: {},
      pods: 0,
    },
    {
      rule: 'are maxPods where it is set, even above that (C6)',
      facts: {},
      spec: { kubelet: { maxPods: 110 } },
      pods: 110,
    },
    {
      rule: 'ignore a maxPods that is not worked out (A3.17)',
      facts: {},
      spec: { kubelet: { maxPods: 'vcpus*8' } },
      pods: 29,
    },
    { rule: 'are at most podsPerCore × vCPUs (C6)', facts: {}, spec: { kubelet: { podsPerCore: 4 } }, pods: 8 },
    { rule: 'are not limited by podsPerCore 0', facts: {}, spec: { kubelet: { podsPerCore: 0 } }, pods: 29 },
    { rule: 'are 110 on Windows (C6)', facts: {}, spec: { amiFamily: 'Windows2022' as const }, pods: 110 },
    {
      rule: 'ignore podsPerCore on Bottlerocket (C6)',
      facts: {},
      spec: { amiFamily: 'Bottlerocket' as const, kubelet: { podsPerCore: 4 } },
      pods: 29,
    },
  ])('$rule', ({ facts, spec, pods }) => {
    expect(capacityOf(factsOf(facts), aNodeClass(spec))['pods']).toBe(pods);
  });
});

describe('ephemeral storage', () => {
  const xvda = { deviceName: '/dev/xvda', ebs: { volumeSize: '100Gi' } };
  const xvdb = { deviceName: '/dev/xvdb', ebs: { volumeSize: '200Gi' } };
  const root = { deviceName: '/dev/sdz', rootVolume: true, ebs: { volumeSize: '1T' } };
  const custom = [{ tags: { ami: 'own' } }];
  const disks = factsOf({ instanceStoreGb: 475 });
  test.each([
    { rule: 'is 20Gi by default', spec: {}, bytes: 20 * GIB },
    { rule: 'is 50Gi by default on Windows', spec: { amiFamily: 'Windows2019' as const }, bytes: 50 * GIB },
    { rule: 'is the root volume where one is marked', spec: { blockDeviceMappings: [xvda, root] }, bytes: 1e12 },
    { rule: 'is xvda on Amazon Linux', spec: { blockDeviceMappings: [xvdb, xvda] }, bytes: 100 * GIB },
    {
      rule: 'is xvdb on Bottlerocket',
      spec: { amiFamily: 'Bottlerocket' as const, blockDeviceMappings: [xvda, xvdb] },
      bytes: 200 * GIB,
    },
    { rule: 'is 20Gi where no mapping is of that device', spec: { blockDeviceMappings: [xvdb] }, bytes: 20 * GIB },
    {
      rule: 'is the last mapping of a custom AMI',
      spec: { amiSelectorTerms: custom, blockDeviceMappings: [xvda, xvdb] },
      bytes: 200 * GIB,
    },
    { rule: 'leaves instance-store disks alone without a policy', facts: disks, spec: {}, bytes: 20 * GIB },
    {
      rule: 'is all instance-store disks in decimal GB under RAID0',
      facts: disks,
      spec: { instanceStorePolicy: 'RAID0' as const, blockDeviceMappings: [root] },
      bytes: 475e9,
    },
    {
      rule: 'is the volume under RAID0 where the type has no disks',
      spec: { instanceStorePolicy: 'RAID0' as const, blockDeviceMappings: [xvda] },
      bytes: 100 * GIB,
    },
  ])('$rule (C5)', ({ facts = factsOf(), spec, bytes }) => {
    expect(capacityOf(facts, aNodeClass(spec))['ephemeral-storage']).toBe(bytes);
  });
});

describe('devices', () => {
  test('are named only where there are some (C8)', () => {
    expect(Object.keys(capacityOf(factsOf(), aNodeClass()))).toEqual(['cpu', 'memory', 'ephemeral-storage', 'pods']);
  });
  test('are counted by their maker (C8)', () => {
    const facts = factsOf({
      efaInterfaces: 4,
      branchInterfaces: 62,
      gpus: [
        { name: 'A100', manufacturer: 'NVIDIA', count: 8, memoryMib: 40960 },
        { name: 'V520', manufacturer: 'AMD', count: 1, memoryMib: 8192 },
        { name: 'Gaudi', manufacturer: 'Habana', count: 2, memoryMib: 32768 },
      ],
      neuron: [{ name: 'Inferentia2', count: 6, coresPerDevice: 2 }],
    });
    expect(capacityOf(facts, aNodeClass())).toMatchObject({
      'nvidia.com/gpu': 8,
      'amd.com/gpu': 1,
      'habana.ai/gaudi': 2,
      'aws.amazon.com/neuron': 6,
      'aws.amazon.com/neuroncore': 12,
      'vpc.amazonaws.com/efa': 4,
      'vpc.amazonaws.com/pod-eni': 62,
    });
  });
  test('leave out a fraction of a GPU, which EC2 counts as 0', () => {
    const gpus = [{ name: 'L4', manufacturer: 'NVIDIA', count: 0, memoryMib: 2861 }];
    expect(capacityOf(factsOf({ gpus }), aNodeClass())).not.toHaveProperty('nvidia.com/gpu');
  });
  test('include addresses on Windows (C8)', () => {
    const capacity = capacityOf(factsOf(), aNodeClass({ amiFamily: 'Windows2022' }));
    expect(capacity['vpc.amazonaws.com/PrivateIPv4Address']).toBe(9);
  });
});
