import { describe, expect, test } from 'vitest';
import type { EC2NodeClass } from '../../../lib/apis/ec2-node-class.ts';
import { capacityOf } from '../../../lib/core/instance-type/capacity.ts';
import type { InstanceTypeFacts } from '../../../lib/core/instance-type/facts.ts';
import { allocatableOf } from '../../../lib/core/instance-type/overhead.ts';
import { subtract } from '../../../lib/core/resources/resources.ts';
import { factsOf } from '../../builders/catalogue-facts.ts';
import { aNodeClass } from '../../builders/node-pools.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

function overheadOf(facts: Partial<InstanceTypeFacts>, spec: Partial<EC2NodeClass['spec']> = {}) {
  const nodeClass = aNodeClass(spec);
  const capacity = capacityOf(factsOf(facts), nodeClass);
  return subtract(capacity, allocatableOf(factsOf(facts), nodeClass, capacity));
}

describe('reserved cpu', () => {
  test.each([
    [1, 60],
    [2, 70],
    [4, 80],
    [5, 82],
    [8, 90],
    [96, 310],
  ])('of %i vCPUs is %i millicores (C10)', (vcpus, millicores) => {
    expect(overheadOf({ vcpus })['cpu']).toBe(millicores);
  });
});

describe('reserved memory', () => {
  const maxPods = { kubelet: { maxPods: 110 } };
  const few = (11 * 29 + 255 + 100) * MIB;
  const many = (11 * 110 + 255 + 100) * MIB;
  test.each([
    { rule: 'is 11Mi a pod, 255Mi and the eviction threshold (C9)', spec: {}, bytes: few },
    { rule: 'ignores maxPods on AL2023 (C9)', spec: maxPods, bytes: few },
    { rule: 'ignores maxPods on AL2 (C9)', spec: { ...maxPods, amiFamily: 'AL2' as const }, bytes: few },
    { rule: 'ignores maxPods on a custom AMI (C9)', spec: { ...maxPods, amiFamily: 'Custom' as const }, bytes: few },
    {
      rule: 'follows maxPods on Bottlerocket (C9)',
      spec: { ...maxPods, amiFamily: 'Bottlerocket' as const },
      bytes: many,
    },
    { rule: 'follows the 110 pods of Windows (C9)', spec: { amiFamily: 'Windows2022' as const }, bytes: many },
  ])('$rule', ({ spec, bytes }) => {
    expect(overheadOf({}, spec)['memory']).toBe(bytes);
  });
  test("where the user sets kubeReserved is the user's, key by key (C10)", () => {
    const overhead = overheadOf({}, { kubelet: { kubeReserved: { memory: '1Gi' } } });
    expect(overhead).toMatchObject({ cpu: 70, memory: GIB + 100 * MIB });
  });
  test('adds systemReserved (C11)', () => {
    const overhead = overheadOf({}, { kubelet: { systemReserved: { cpu: '100m', memory: '50Mi' } } });
    expect(overhead).toMatchObject({ cpu: 170, memory: few + 50 * MIB });
  });
  test('of process ids leaves no resource behind that the node lacks', () => {
    expect(overheadOf({}, { kubelet: { systemReserved: { pid: '100' } } })).not.toHaveProperty('pid');
  });
});

describe('the eviction threshold', () => {
  const kubeReserved = { memory: '0', 'ephemeral-storage': '0' };
  const threshold = (evictionHard: Record<string, string>, memoryMib = 8192) =>
    overheadOf({ memoryMib }, { kubelet: { kubeReserved, evictionHard } });

  test('of the node file system is 10 %, rounded up (C12)', () => {
    const spec = {
      kubelet: { kubeReserved },
      blockDeviceMappings: [{ rootVolume: true, ebs: { volumeSize: '21Gi' } }],
    };
    expect(overheadOf({}, spec)['ephemeral-storage']).toBe(Math.ceil((21 * GIB) / 10));
  });
  test('may be an amount (C12)', () => {
    expect(threshold({ 'memory.available': '500Mi', 'nodefs.available': '1Gi' })).toMatchObject({
      memory: 500 * MIB,
      'ephemeral-storage': GIB,
    });
  });
  test('may be a percentage of the capacity (C12)', () => {
    expect(threshold({ 'memory.available': '12.5%', 'nodefs.available': '5%' }, 4000)).toMatchObject({
      memory: 462.5 * MIB,
      'ephemeral-storage': GIB,
    });
  });
  test('of 100 % is off (C12)', () => {
    expect(threshold({ 'memory.available': '100%', 'nodefs.available': '100%' })).toMatchObject({
      memory: 0,
      'ephemeral-storage': 0,
    });
  });
});

test('a type that is too small for its own overhead ends below zero (B19)', () => {
  const facts = factsOf({ memoryMib: 512 });
  const capacity = capacityOf(facts, aNodeClass());
  expect(allocatableOf(facts, aNodeClass(), capacity)['memory']).toBeLessThan(0);
});
