import { describe, expect, test } from 'vitest';
import type { NodeOverlay } from '../../../../lib/apis/node-overlay.ts';
import type { Catalogue } from '../../../../lib/core/instance-type/facts.ts';
import { withOverlayPrices } from '../../../../lib/core/instance-type/offerings/unpriced-types.ts';
import { instanceTypesFor } from '../../../../lib/core/instance-type/resolve.ts';
import { catalogueOf, factsOf } from '../../../builders/catalogue-facts.ts';
import { anOverlay } from '../../../builders/node-overlays.ts';
import { aNodeClass, asking } from '../../../builders/node-pools.ts';

/** An m5.large whose price on demand only is known, and a new type of which none is. */
const CATALOGUE: Catalogue = catalogueOf(
  [factsOf(), factsOf({ name: 'm99.large' })],
  [
    { type: 'm5.large', zone: 'eu-west-3a', zoneId: 'euw3-az1', onDemandUsdPerHour: 0.1 },
    { type: 'm99.large', zone: 'eu-west-3a', zoneId: 'euw3-az1' },
  ],
);

const BY_NAME = asking('node.kubernetes.io/instance-type', 'In', 'm99.large');

function launchable(...overlays: readonly NodeOverlay[]): readonly string[] {
  return instanceTypesFor(withOverlayPrices(CATALOGUE, overlays), aNodeClass()).flatMap(({ name, offerings }) =>
    offerings.map((one) => `${name} ${one.capacityType} ${one.priceUsdPerHour}`),
  );
}

describe('types without a known price', () => {
  test('an overlay that names the type and a price makes it launchable (A4.12)', () => {
    expect(launchable()).toEqual(['m5.large on-demand 0.1']);
    expect(launchable(anOverlay({ requirements: [BY_NAME], price: '0.5' }))).toEqual([
      'm5.large on-demand 0.1',
      'm99.large on-demand 0.5',
      'm99.large spot 0.5',
    ]);
  });

  test('a price that is known stays, one that is not is filled in (A4.12)', () => {
    const requirements = [asking('node.kubernetes.io/instance-type', 'In', 'm5.large')];
    expect(launchable(anOverlay({ requirements, price: '0.5' }))).toEqual([
      'm5.large on-demand 0.1',
      'm5.large spot 0.5',
    ]);
  });

  test.each<[string, Partial<NodeOverlay['spec']>]>([
    ['another requirement beside', { requirements: [BY_NAME, asking('karpenter.sh/nodepool', 'Exists')], price: '1' }],
    ['no requirement', { price: '1' }],
    ['another label', { requirements: [asking('karpenter.k8s.aws/instance-family', 'In', 'm99')], price: '1' }],
    ['another operator', { requirements: [{ ...BY_NAME, operator: 'NotIn' }], price: '1' }],
    ['an adjustment of a price that is not known', { requirements: [BY_NAME], priceAdjustment: '+1' }],
    ['a capacity that is refused', { requirements: [BY_NAME], price: '1', capacity: { cpu: 1 } }],
    ['a price that no number holds', { requirements: [BY_NAME], price: '9'.repeat(400) }],
  ])('%s leaves the catalogue as it is (A4.12)', (_, spec) => {
    expect(withOverlayPrices(CATALOGUE, [anOverlay(spec)])).toBe(CATALOGUE);
  });
});
