import { describe, expect, test } from 'vitest';
import type { EC2NodeClass } from '../../../lib/apis/ec2-node-class.ts';
import type { Labels } from '../../../lib/apis/kubernetes.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { nodeClassHash, withCurrentClassHash } from '../../../lib/core/node-class/node-class-hash.ts';
import { aClaim, launchedClaim } from '../../builders/node-claims.ts';
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

function hashed(annotations: Labels): EC2NodeClass {
  return { ...aNodeClass(), metadata: { name: 'default', annotations } };
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

describe('a claim with a hash of another version, or without one (A1.28, A3.26)', () => {
  const current = nodeClassHash(aNodeClass(), 'Q0E=');
  const theirs = { 'karpenter.k8s.aws/ec2nodeclass-hash': '1', 'karpenter.k8s.aws/ec2nodeclass-hash-version': 'v4' };

  test.each<[string, Labels]>([
    ['of Karpenter', theirs],
    ['that a launch did not record', {}],
  ])('gets that of its class: %s', (_, annotations) => {
    const updated = withCurrentClassHash(
      launchedClaim({ annotations: { ...annotations, team: 'a' } }),
      hashed(current),
    );
    expect(updated.annotations).toEqual({ ...current, team: 'a' });
    expect(withCurrentClassHash(updated, hashed({ ...current, 'karpenter.k8s.aws/ec2nodeclass-hash': 'edited' }))).toBe(
      updated,
    );
  });

  test('keeps its hash if it has drifted from its class', () => {
    const drift = { reason: 'NodeClassDrift', message: '', sinceMs: 0 } as const;
    const updated = withCurrentClassHash(launchedClaim({ annotations: theirs, drift }), hashed(current));
    expect(updated.annotations).toEqual({ ...current, 'karpenter.k8s.aws/ec2nodeclass-hash': '1' });
  });

  test.each<[string, Partial<NodeClaimRecord>, Labels]>([
    ['its class has none of this version', {}, theirs],
    ['it is not launched', { launch: aClaim().launch }, current],
    ['it is being deleted', { deletion: { reason: 'deleted', message: '', requestedAtMs: 0 } }, current],
  ])('stays as it is if %s', (_, over, annotations) => {
    const record = launchedClaim({ annotations: theirs, ...over });
    expect(withCurrentClassHash(record, hashed(annotations))).toBe(record);
  });
});
