import { expect, test } from 'vitest';
import type { EC2NodeClass } from '../../../lib/apis/ec2-node-class.ts';
import { instanceProfileNameOf, managedProfilePath } from '../../../lib/core/node-class/instance-profile-name.ts';
import { aNodeClass } from '../../builders/node-pools.ts';

const place = { cluster: 'demo', region: 'eu-west-1' };

function named(uid: string, spec: Partial<EC2NodeClass['spec']> = {}): string | undefined {
  const nodeClass = aNodeClass(spec);
  return instanceProfileNameOf(place, { ...nodeClass, metadata: { ...nodeClass.metadata, uid } });
}

test('A3.10: an instance profile of one’s own is used by its name', () => {
  expect(named('u-1', { instanceProfile: 'own' })).toBe('own');
});

test('C67: the same class and role have the same profile, which begins with the cluster', () => {
  expect(named('u-1')).toBe(named('u-1'));
  expect(named('u-1')).toMatch(/^demo_[a-z2-7]{26}$/);
});

test('C67: another role, another class of the same name and another region have another profile', () => {
  const names = [
    named('u-1'),
    named('u-1', { role: 'other' }),
    named('u-2'),
    instanceProfileNameOf({ ...place, region: 'eu-west-2' }, aNodeClass()),
  ];
  expect(new Set(names).size).toBe(names.length);
});

test('a profile of the longest cluster name is within what IAM takes', () => {
  const longest = { cluster: 'c'.repeat(100), region: 'ap-southeast-4' };
  expect(instanceProfileNameOf(longest, aNodeClass())?.length).toBeLessThanOrEqual(128);
});

test('a class with neither role nor profile has none', () => {
  const { role: _role, ...neither } = aNodeClass().spec;
  expect(instanceProfileNameOf(place, { ...aNodeClass(), spec: neither })).toBeUndefined();
});

test('C67: the profiles of a class lie below those of its cluster', () => {
  expect(managedProfilePath(place)).toBe('/karpenter/eu-west-1/demo/');
  expect(managedProfilePath(place, 'u-1')).toBe('/karpenter/eu-west-1/demo/u-1/');
});
