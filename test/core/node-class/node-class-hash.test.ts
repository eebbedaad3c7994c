import { describe, expect, test } from 'vitest';
import type { EC2NodeClass } from '../../../lib/apis/ec2-node-class.ts';
import { nodeClassHash } from '../../../lib/core/node-class/node-class-hash.ts';
import { aNodeClass } from '../../builders/node-pools.ts';

const SPEC: Partial<EC2NodeClass['spec']> = {
  amiFamily: 'AL2023',
  tags: { team: 'a', cost: 'b' },
  kubelet: { maxPods: 110, clusterDNS: ['10.0.0.10', '10.0.0.11'] },
  blockDeviceMappings: [{ deviceName: '/dev/xvda' }, { deviceName: '/dev/xvdb' }],
};

function hashOf(over: Partial<EC2NodeClass['spec']> = {}, certificateAuthority = 'Q0E='): string {
  return JSON.stringify(nodeClassHash(aNodeClass({ ...SPEC, ...over }), certificateAuthority));
}

describe('the hash of a NodeClass (A3.26)', () => {
  test.each<[string, Partial<EC2NodeClass['spec']>]>([
    ['the subnets it selects', { subnetSelectorTerms: [{ id: 'subnet-1' }] }],
    ['the security groups it selects', { securityGroupSelectorTerms: [{ id: 'sg-1' }] }],
    ['the reservations it selects', { capacityReservationSelectorTerms: [{ id: 'cr-1' }] }],
    ['the release of the images it selects', { amiSelectorTerms: [{ alias: 'al2023@v20260101' }] }],
    ['the number of prefixes', { ipPrefixCount: 3 }],
    ['the order of keys', { tags: { cost: 'b', team: 'a' } }],
    ['the order of a list', { blockDeviceMappings: [{ deviceName: '/dev/xvdb' }, { deviceName: '/dev/xvda' }] }],
  ])('stays the same whatever %s', (_name, over) => {
    expect(hashOf(over)).toBe(hashOf());
  });

  test('stays the same where the family is named that the alias means anyway (A3.7)', () => {
    const { amiFamily: _, ...unnamed } = aNodeClass(SPEC).spec;
    const without = nodeClassHash({ ...aNodeClass(), spec: unnamed }, 'Q0E=');
    expect(JSON.stringify(without)).toBe(hashOf());
  });

  test.each<[string, Partial<EC2NodeClass['spec']>]>([
    ['another family', { amiFamily: 'Custom' }],
    ['another role', { role: 'other' }],
    ['other tags', { tags: { team: 'b', cost: 'b' } }],
    ['other user data', { userData: 'echo' }],
    ['another kubelet configuration', { kubelet: { maxPods: 111, clusterDNS: ['10.0.0.10', '10.0.0.11'] } }],
    ['another order of the kubelet', { kubelet: { maxPods: 110, clusterDNS: ['10.0.0.11', '10.0.0.10'] } }],
    ['another volume', { blockDeviceMappings: [{ deviceName: '/dev/xvda' }] }],
    ['another placement group', { placementGroupSelector: { name: 'together' } }],
  ])('changes with %s', (_name, over) => {
    expect(hashOf(over)).not.toBe(hashOf());
  });

  test('changes with the certificate authority of the cluster, which nodes are started with', () => {
    expect(hashOf({}, 'T1RIRVI=')).not.toBe(hashOf());
  });

  test('has the version of Kerf’s hash function, so it is not compared with values of Karpenter', () => {
    expect(nodeClassHash(aNodeClass(), 'Q0E=')).toMatchObject({
      'karpenter.k8s.aws/ec2nodeclass-hash': expect.stringMatching(/^[a-z2-7]{26}$/),
      'karpenter.k8s.aws/ec2nodeclass-hash-version': 'kerf-6',
    });
  });
});
