import { describe, expect, test } from 'vitest';
import type { EC2NodeClass } from '../../../lib/apis/ec2-node-class.ts';
import type { InstanceTypeFacts } from '../../../lib/core/instance-type/facts.ts';
import { instanceTypesFor } from '../../../lib/core/instance-type/resolve.ts';
import {
  kubeletExpressionProblem,
  kubeletWorker,
  withTypeKubelet,
} from '../../../lib/core/instance-type/type-kubelet.ts';
import { catalogueOf, factsOf } from '../../builders/catalogue-facts.ts';
import { aNodeClass } from '../../builders/node-pools.ts';

const MIB = 2 ** 20;

function toldOf(spec: Partial<EC2NodeClass['spec']>, facts: Partial<InstanceTypeFacts> = {}) {
  return kubeletWorker(aNodeClass(spec))(factsOf(facts)).kubelet;
}

function efaOnly(networkCardIndex: number) {
  return { networkCardIndex, deviceIndex: 1, interfaceType: 'efa-only' as const };
}

describe('A3.17: the values computed for a type are passed to its kubelet', () => {
  test.each<{ rule: string; spec: Partial<EC2NodeClass['spec']>; told: object | undefined }>([
    { rule: 'nothing where all is written plainly', spec: { kubelet: { maxPods: 20 } }, told: undefined },
    {
      rule: 'maxPods, of which max_pods is what the network has room for',
      spec: { kubelet: { maxPods: 'max_pods - 9' } },
      told: { maxPods: 20 },
    },
    {
      rule: 'cpu in millicores, up to the next ten',
      spec: { kubelet: { kubeReserved: { cpu: 'vcpus * 31' } } },
      told: { kubeReserved: { cpu: '70m' } },
    },
    {
      rule: 'memory in Mi, up to the next sixteen',
      spec: { kubelet: { systemReserved: { memory: 'memory_mib / 100' } } },
      told: { systemReserved: { memory: '96Mi' } },
    },
    {
      rule: 'storage in Gi and process ids as they are, beside what is written',
      spec: { kubelet: { kubeReserved: { 'ephemeral-storage': 'vcpus', pid: '100 * vcpus + 1', memory: '1Gi' } } },
      told: { kubeReserved: { 'ephemeral-storage': '2Gi', pid: '201' } },
    },
    {
      rule: 'reservations by the pods that it has, not those that it could have',
      spec: { kubelet: { maxPods: 'vcpus * 8', podsPerCore: 7, kubeReserved: { memory: 'max_pods * 16' } } },
      told: { maxPods: 16, kubeReserved: { memory: '224Mi' } },
    },
    { rule: 'the pods of prefix delegation', spec: { ipPrefixCount: 1 }, told: { maxPods: 110 } },
    {
      rule: 'a written maxPods before the pods of prefix delegation',
      spec: { ipPrefixCount: 1, kubelet: { maxPods: 58 } },
      told: undefined,
    },
    {
      rule: 'an expression before the pods of prefix delegation, which it is told of',
      spec: { ipPrefixCount: 1, kubelet: { maxPods: 'max_pods - 10' } },
      told: { maxPods: 100 },
    },
  ])('$rule', ({ spec, told }) => {
    expect(toldOf(spec)).toEqual(told);
  });
  test.each<{ rule: string; spec?: Partial<EC2NodeClass['spec']>; reservedEnis?: number; told: object | undefined }>([
    { rule: 'the pods of the interfaces that are not reserved', reservedEnis: 1, told: { maxPods: 20 } },
    {
      rule: 'the pods of the interfaces that are not for EFA alone',
      spec: { networkInterfaces: [efaOnly(0)] },
      told: { maxPods: 20 },
    },
    { rule: 'the pods of the type on Bottlerocket (C56)', spec: { amiFamily: 'Bottlerocket' }, told: { maxPods: 29 } },
    {
      rule: 'the pods of the type where the user data may have another number (C56)',
      spec: { userData: '#!/bin/bash' },
      told: { maxPods: 29 },
    },
    {
      rule: 'nothing to Windows, which has 110 for each type',
      spec: { amiFamily: 'Windows2022', userData: '#' },
      told: undefined,
    },
    { rule: 'nothing of EFA on other cards', spec: { networkInterfaces: [efaOnly(1)] }, told: undefined },
    {
      rule: 'a written maxPods before those of the interfaces',
      spec: { kubelet: { maxPods: 25 } },
      reservedEnis: 1,
      told: undefined,
    },
    {
      rule: 'nothing to a custom image, which has no kubelet configuration of Kerf (C73)',
      spec: { amiFamily: 'Custom' },
      reservedEnis: 1,
      told: undefined,
    },
  ])('$rule (C7)', ({ spec, reservedEnis = 0, told }) => {
    expect(kubeletWorker(aNodeClass(spec), { reservedEnis })(factsOf()).kubelet).toEqual(told);
  });
  test('a type without Nitro has the pods of its interfaces also with prefix delegation', () => {
    expect(toldOf({ ipPrefixCount: 1 }, { hypervisor: 'xen' })).toEqual({ maxPods: 29 });
  });
});

describe('A3.17: an expression that gives nothing for a type', () => {
  const kubelet = {
    maxPods: '10 / (vcpus - 2)',
    kubeReserved: { cpu: '0 - vcpus', memory: 'vcpus * 256' },
    systemReserved: { cpu: 'nonsense' },
  };
  test('leaves the default there, and the others in force', () => {
    const [type] = instanceTypesFor(catalogueOf([factsOf()]), aNodeClass({ kubelet }));
    expect(type?.launch?.kubelet).toEqual({ kubeReserved: { memory: '512Mi' } });
    expect(type?.capacity['pods']).toBe(29);
    expect(type?.allocatable['cpu']).toBe(1930);
  });
  test('is a problem of the NodeClass, the first one told with its type and its value (A3.29)', () => {
    const failing = aNodeClass({ kubelet: { maxPods: '10 / (vcpus - 2)' } });
    const facts = [factsOf({ name: 'm5.xlarge', vcpus: 4 }), factsOf()];
    expect(kubeletExpressionProblem(failing, facts)).toEqual({
      reason: 'KubeletExpressionEvaluationFailed',
      message:
        'EC2NodeClass default: spec.kubelet.maxPods: the expression "10 / (vcpus - 2)" fails for m5.large: ' +
        'division by zero: the result must be a number from 0 to 2147483647',
    });
    expect(kubeletExpressionProblem(failing, facts.slice(0, 1))).toBeUndefined();
  });
  test.each(['2147483648', '0 - 1'])('a number of pods out of range is rejected: %s', (maxPods) => {
    expect(kubeletExpressionProblem(aNodeClass({ kubelet: { maxPods } }), [factsOf()])).toMatchObject({
      reason: 'KubeletExpressionEvaluationFailed',
    });
  });
  test('is told without any type where it is none (A3.29)', () => {
    expect(kubeletExpressionProblem(aNodeClass({ kubelet }), [])).toEqual({
      reason: 'KubeletExpressionInvalid',
      message:
        'EC2NodeClass default: spec.kubelet.systemReserved.cpu: the expression "nonsense" does not compile: ' +
        'Unknown variable: nonsense: write CEL over vcpus, memory_mib, default_enis, ips_per_eni, max_pods and ' +
        'instance_type, for example min(max_pods, vcpus * 8)',
    });
  });
});

test('the kubelet of a type has what is worked out over what is written, and no expression is left', () => {
  const kubelet = {
    maxPods: 'vcpus',
    podsPerCore: 4,
    kubeReserved: { cpu: 'vcpus', memory: '1Gi' },
    systemReserved: { memory: 'oops(' },
  };
  const told = { maxPods: 2, kubeReserved: { cpu: '10m' } };
  expect(withTypeKubelet(aNodeClass({ kubelet }), told).spec.kubelet).toEqual({
    maxPods: 2,
    podsPerCore: 4,
    kubeReserved: { cpu: '10m', memory: '1Gi' },
    systemReserved: {},
  });
});

test('the capacity of a node follows the configuration of its kubelet (A3.17)', () => {
  const kubelet = { maxPods: 'vcpus * 10', kubeReserved: { cpu: 'vcpus * 100', memory: 'memory_mib / 8' } };
  const [type] = instanceTypesFor(catalogueOf([factsOf()]), aNodeClass({ kubelet }));
  expect(type?.launch?.kubelet).toEqual({ maxPods: 20, kubeReserved: { cpu: '200m', memory: '1024Mi' } });
  expect(type?.allocatable).toMatchObject({ pods: 20, cpu: 1_800, memory: (8192 - 615 - 1024 - 100) * MIB });
});

describe('what only a launch needs to know of a type', () => {
  const gpu = { name: 'L4', manufacturer: 'NVIDIA', count: 4, memoryMib: 24_576 };
  test('a plain type has nothing of it', () => {
    expect(instanceTypesFor(catalogueOf([factsOf()]), aNodeClass())[0]?.launch).toEqual({});
  });
  test('its accelerators choose its image (C65)', () => {
    const [type] = instanceTypesFor(catalogueOf([factsOf({ gpus: [gpu] })]), aNodeClass());
    expect(type?.launch?.imageLabels).toEqual({
      'kubernetes.io/arch': 'amd64',
      'karpenter.k8s.aws/instance-gpu-name': 'l4',
      'karpenter.k8s.aws/instance-gpu-manufacturer': 'nvidia',
      'karpenter.k8s.aws/instance-gpu-count': '4',
    });
  });
  test('each card that takes EFA has one such interface, as far as the type has any (C59)', () => {
    const cards = [false, true, true, true].map((efa) => ({ interfaces: 4, efa }));
    const facts = factsOf({ efaInterfaces: 2, networkCards: cards });
    expect(instanceTypesFor(catalogueOf([facts]), aNodeClass())[0]?.launch).toEqual({
      efaInterfacesByCard: [0, 1, 1, 0],
    });
  });
});
