import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { EC2NodeClass } from '../../../lib/apis/ec2-node-class.ts';
import { readFacts } from '../../../lib/core/instance-type/catalogue.ts';
import { instanceTypesFor } from '../../../lib/core/instance-type/resolve.ts';
import { formatResources } from '../../../lib/core/resources/resources.ts';
import { catalogueOf } from '../../builders/catalogue-facts.ts';
import { aNodeClass } from '../../builders/node-pools.ts';

const FACTS = readFacts(
  JSON.parse(readFileSync(join(import.meta.dirname, '../../../data/instance-types.json'), 'utf8')),
);

interface Golden {
  readonly rule: string;
  readonly type: string;
  readonly spec?: Partial<EC2NodeClass['spec']>;
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
}

const EFA_ON_TWO = [
  { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' },
  { networkCardIndex: 0, deviceIndex: 1, interfaceType: 'efa-only' },
  { networkCardIndex: 1, deviceIndex: 1, interfaceType: 'efa-only' },
] as const;

/** The first five are what Karpenter documents; the others follow from the rows by hand. */
test.each<Golden>([
  {
    rule: 'GPUs, EFA and branch interfaces (C8)',
    type: 'p5.48xlarge',
    capacity: {
      memory: '1939865Mi',
      pods: '100',
      'nvidia.com/gpu': '8',
      'vpc.amazonaws.com/efa': '32',
      'vpc.amazonaws.com/pod-eni': '120',
    },
    allocatable: { cpu: '191450m', memory: '1938410Mi', 'ephemeral-storage': '17Gi', 'nvidia.com/gpu': '8' },
  },
  {
    rule: 'Neuron devices and their cores (C8)',
    type: 'inf2.24xlarge',
    capacity: { pods: '737', 'aws.amazon.com/neuron': '6', 'aws.amazon.com/neuroncore': '12' },
    allocatable: { cpu: '95690m', memory: '355262Mi' },
  },
  {
    rule: 'Neuron with EFA on each of eight cards (C8)',
    type: 'trn1.32xlarge',
    capacity: { 'aws.amazon.com/neuroncore': '32', 'vpc.amazonaws.com/efa': '8' },
    allocatable: { cpu: '127610m', memory: '481894Mi' },
  },
  {
    rule: 'Graviton, of whose memory 64 Mi are never seen (C3)',
    type: 't4g.nano',
    capacity: { memory: '414Mi', pods: '4' },
    allocatable: { cpu: '1930m', memory: '15Mi' },
  },
  {
    rule: 'bare metal',
    type: 'm5.metal',
    capacity: { cpu: '96', memory: '363724Mi', pods: '737' },
    allocatable: { cpu: '95690m', memory: '355262Mi' },
  },
  {
    rule: 'declared EFA interfaces, one of them in the way of pods (A3.12, C7)',
    type: 'trn1.32xlarge',
    spec: { networkInterfaces: [...EFA_ON_TWO] },
    capacity: { pods: '198', 'vpc.amazonaws.com/efa': '2' },
    allocatable: { pods: '198', memory: '482433Mi' },
  },
  {
    rule: 'Windows: 110 pods, which count for its reservation, and addresses of the first interface (C6, C8, C9)',
    type: 'm5.large',
    spec: { amiFamily: 'Windows2022' },
    capacity: { pods: '110', 'ephemeral-storage': '50Gi', 'vpc.amazonaws.com/PrivateIPv4Address': '9' },
    allocatable: { cpu: '1930m', memory: '6012Mi', 'ephemeral-storage': '44Gi' },
  },
  {
    rule: 'Bottlerocket: reserves for the pods that it takes (C9)',
    type: 'm5.2xlarge',
    spec: { amiFamily: 'Bottlerocket', kubelet: { maxPods: 110 } },
    capacity: { memory: '30310Mi', pods: '110' },
    allocatable: { cpu: '7910m', memory: '28745Mi' },
  },
  {
    rule: 'Bottlerocket with prefix delegation: reserves for those pods too (C7, C9)',
    type: 'm5.2xlarge',
    spec: { amiFamily: 'Bottlerocket', ipPrefixCount: 1 },
    capacity: { pods: '110' },
    allocatable: { memory: '28745Mi' },
  },
  {
    rule: 'a custom image: its last volume (C5)',
    type: 'm5.2xlarge',
    spec: { amiFamily: 'Custom', blockDeviceMappings: [{ deviceName: '/dev/sda1', ebs: { volumeSize: '40Gi' } }] },
    capacity: { pods: '58', 'ephemeral-storage': '40Gi' },
    allocatable: { memory: '29317Mi', 'ephemeral-storage': '35Gi' },
  },
  {
    rule: 'RAID0: the disks of the instance (C5)',
    type: 'i4i.2xlarge',
    spec: { instanceStorePolicy: 'RAID0' },
    capacity: { 'ephemeral-storage': '1875000000000' },
    allocatable: { 'ephemeral-storage': '1686426258176' },
  },
])('$type, $rule', ({ type: name, spec, capacity, allocatable }) => {
  const catalogue = catalogueOf(FACTS.filter((one) => one.name === name));
  const [type] = instanceTypesFor(catalogue, aNodeClass(spec));
  expect(formatResources(type?.capacity ?? {})).toMatchObject(capacity);
  expect(formatResources(type?.allocatable ?? {})).toMatchObject(allocatable);
});
