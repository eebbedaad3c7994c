import { describe, expect, test } from 'vitest';
import type { EC2NodeClass } from '../../../lib/apis/ec2-node-class.ts';
import { nodeClassProblems } from '../../../lib/core/validation/node-class.ts';
import { aNodeClass } from '../../builders/node-pools.ts';

type Spec = EC2NodeClass['spec'];

describe('A3.15 to A3.18: why Karpenter calls an EC2NodeClass not ready that the API server has accepted', () => {
  test.each<[string, Partial<Spec>, readonly (string | number)[], string, string]>([
    [
      'a kubelet field that does not exist',
      { kubelet: { maxPod: 10 } },
      ['spec', 'kubelet', 'maxPod'],
      'is not a field of KubeletConfiguration',
      'a field of KubeletConfiguration (kubelet.config.k8s.io/v1beta1), such as maxPods or kubeReserved',
    ],
    [
      'a value of another type',
      { kubelet: { cpuManagerPolicy: 1 } },
      ['spec', 'kubelet', 'cpuManagerPolicy'],
      'cannot be 1',
      'it in quotes: "1"',
    ],
    [
      'a list where text is asked for',
      { kubelet: { cpuManagerPolicy: ['static'] } },
      ['spec', 'kubelet', 'cpuManagerPolicy'],
      'cannot be ["static"]',
      'text',
    ],
    [
      'a second @ in an alias',
      { amiSelectorTerms: [{ alias: 'windows2022@latest@1' }] },
      ['spec', 'amiSelectorTerms', 0, 'alias'],
      '"windows2022@latest@1" is not family@version',
      'one @, as in al2023@latest',
    ],
    [
      'two DNS addresses on Bottlerocket',
      { amiSelectorTerms: [{ alias: 'bottlerocket@latest' }], kubelet: { clusterDNS: ['10.0.0.10', '10.0.0.11'] } },
      ['spec', 'kubelet', 'clusterDNS'],
      'has 2 addresses, but the AMI family Bottlerocket supports one',
      'a list of one address, or amiFamily AL2023',
    ],
  ])('%s', (...[, spec, path, message, allowed]) => {
    expect(nodeClassProblems(aNodeClass(spec))).toMatchObject([{ path, message, allowed }]);
  });

  test('the problem of an unsupported kubelet field lists the supported fields', () => {
    const spec: Partial<Spec> = {
      amiSelectorTerms: [{ alias: 'bottlerocket@latest' }],
      kubelet: { featureGates: { NodeSwap: true } },
    };
    const [problem, ...more] = nodeClassProblems(aNodeClass(spec));
    expect(more).toEqual([]);
    expect(problem).toMatchObject({
      path: ['spec', 'kubelet', 'featureGates'],
      message: 'is not supported by the AMI family Bottlerocket',
    });
    expect(problem?.allowed).toMatch(/^one of .*maxPods.*, or amiFamily AL2023$/);
  });

  test.each<[string, Partial<Spec>]>([
    ['no kubelet', {}],
    ['a kubelet of AL2023', { kubelet: { maxPods: 20, featureGates: { NodeSwap: true } } }],
    ['terms without an alias', { amiFamily: 'AL2023', amiSelectorTerms: [{ id: 'ami-1' }, { tags: { a: 'b' } }] }],
  ])('%s is fine', (_what, spec) => {
    expect(nodeClassProblems(aNodeClass(spec))).toEqual([]);
  });
});
