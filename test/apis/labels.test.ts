import { describe, expect, test } from 'vitest';
import { currentLabelName, regionOfZone, WELL_KNOWN_LABELS } from '../../lib/apis/labels.ts';

describe('labels', () => {
  test.each([
    ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
    ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
    ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
    ['beta.kubernetes.io/os', 'kubernetes.io/os'],
    ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
    ['topology.ebs.csi.aws.com/zone', 'topology.kubernetes.io/zone'],
    ['team', 'team'],
    ['constructor', 'constructor'],
    ['toString', 'toString'],
  ])('%s is read as %s (A0.6)', (name, current) => {
    expect(currentLabelName(name)).toBe(current);
  });

  test.each([
    'karpenter.sh/nodepool',
    'topology.kubernetes.io/zone',
    'topology.k8s.aws/zone-id',
    'karpenter.sh/capacity-type',
    'karpenter.k8s.aws/instance-gpu-count',
    'node.kubernetes.io/windows-build',
  ])('%s is well-known (A6.2)', (name) => {
    expect(WELL_KNOWN_LABELS.has(name)).toBe(true);
  });

  test('custom labels and the hostname are not well-known', () => {
    expect(WELL_KNOWN_LABELS.has('team')).toBe(false);
    expect(WELL_KNOWN_LABELS.has('kubernetes.io/hostname')).toBe(false);
  });

  test.each([
    ['eu-west-3a', 'eu-west-3'],
    ['us-gov-west-1b', 'us-gov-west-1'],
    ['eu-west-3', undefined],
    ['us-west-2-lax-1a', undefined],
    ['nowhere', undefined],
  ])('zone %s is in region %s', (zone, region) => {
    expect(regionOfZone(zone)).toBe(region);
  });
});
