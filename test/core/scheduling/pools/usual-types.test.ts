import { describe, expect, test } from 'vitest';
import type { Offering } from '../../../../lib/core/model/instance-type.ts';
import { nodeClaimTemplate } from '../../../../lib/core/scheduling/pools/template.ts';
import { anInstanceType, anOffering } from '../../../builders/instance-types.ts';
import { aPoolView, asking } from '../../../builders/node-pools.ts';

const [A, B] = ['eu-west-3a', 'eu-west-3b'] as const;
const MISSING = { available: false, shortage: 'missing' } as const;
const REQUIREMENTS = [
  asking('karpenter.k8s.aws/instance-family', 'In', 'm5'),
  asking('topology.kubernetes.io/zone', 'In', A),
  asking('karpenter.sh/capacity-type', 'In', 'on-demand', 'reserved'),
];

/** Whether the template of a pool for m5 on demand in one zone has other types if no capacity were missing. */
function hasUsualTypes(name: string, ...offerings: readonly Offering[]): boolean {
  const types = [anInstanceType(), anInstanceType({ name, offerings: [anOffering(A, 'on-demand'), ...offerings] })];
  return nodeClaimTemplate(aPoolView({ types, requirements: REQUIREMENTS }), []).usual !== undefined;
}

describe('a NodePool has other types if no capacity were missing', () => {
  const reserved = { ...anOffering(A, 'reserved'), reservation: { id: 'cr-1', instances: 1 } };

  test.each<[string, Offering]>([
    ['missing', { ...anOffering(A, 'on-demand'), ...MISSING }],
    ['doubted', { ...anOffering(A, 'on-demand'), shortage: 'doubted' }],
    ['reserved', reserved],
  ])('if an offering that it allows is %s', (_, offering) => {
    expect(hasUsualTypes('m5.xlarge', offering)).toBe(true);
  });

  test('also if the type has no other offering', () => {
    const only = anInstanceType({ name: 'm5.xlarge', offerings: [{ ...anOffering(A, 'on-demand'), ...MISSING }] });
    const { usual } = nodeClaimTemplate(aPoolView({ types: [only], requirements: REQUIREMENTS }), []);
    expect(usual?.instanceTypes.map(({ name }) => name)).toEqual(['m5.xlarge']);
  });

  test.each<[string, string, Offering]>([
    ['of another type', 'x2iedn.32xlarge', { ...anOffering(A, 'on-demand'), ...MISSING }],
    ['in another zone', 'm5.xlarge', { ...anOffering(B, 'on-demand'), ...MISSING }],
    ['of another capacity type', 'm5.xlarge', { ...anOffering(A, 'spot'), ...MISSING }],
    ['reserved for another type', 'x2iedn.32xlarge', reserved],
  ])('not if an offering is missing %s', (_, name, offering) => {
    expect(hasUsualTypes(name, offering)).toBe(false);
  });
});
