import { expect, test } from 'vitest';
import { has } from '../../../../lib/core/scheduling/pools/bitset.ts';
import { requirementSets } from '../../../../lib/core/scheduling/pools/requirement-sets.ts';
import { resourceSpace } from '../../../../lib/core/scheduling/pools/resource-space.ts';
import { nodeClaimTemplate } from '../../../../lib/core/scheduling/pools/template.ts';
import { typeIndex } from '../../../../lib/core/scheduling/pools/type-index.ts';
import { anInstanceType } from '../../../builders/instance-types.ts';
import { aPoolView } from '../../../builders/node-pools.ts';

const GIB = 2 ** 30;

/** Types of three shapes, whose order by price is neither that of their cpu nor that of their memory. */
const TYPES = [2, 4, 8, 16, 48].flatMap((cpu) => [
  anInstanceType({ name: `c5.${cpu}`, cpu, memoryGib: cpu * 2, price: cpu * 0.04 }),
  anInstanceType({ name: `r5.${cpu}`, cpu, memoryGib: cpu * 8, price: cpu * 0.06 }),
  anInstanceType({ name: `t3.${cpu}`, cpu, memoryGib: 3, pods: 4, price: cpu * 0.03 }),
]);

test.each([
  [0, 0, 0],
  [1_000, 1, 1],
  [2_000, 16, 1],
  [2_001, 1, 5],
  [9_000, 60, 1],
  [48_000, 384, 29],
  [48_000, 385, 1],
  [1, 1, 1_000],
])('for %i millicores, %i GiB and %i pods, no cheaper type before the first one fits', (cpu, gib, pods) => {
  const sets = requirementSets();
  const space = resourceSpace([]);
  const index = typeIndex(nodeClaimTemplate(aPoolView({ types: TYPES }), []), sets, {
    ...space,
    volumes: { roomFor: () => undefined },
  });
  const { market, types } = index.selectionFor(index.set);
  const requests = Float64Array.of(cpu, gib * GIB, pods);
  const first = index.firstFitting(market.byPrice, requests);
  const fitting = index.fitting(requests);
  const cheapest = market.byPrice.findIndex((type) => has(fitting, type) && has(types, type));
  expect(first).toBeLessThanOrEqual(cheapest === -1 ? market.byPrice.length : cheapest);
  // As close as one resource alone can tell.
  const each = [cpu, gib * GIB, pods].map((_, at) => {
    const one = index.fitting(requests.map((amount, resource) => (resource === at ? amount : 0)));
    return market.byPrice.findIndex((type) => has(one, type));
  });
  expect(first).toBe(Math.max(...each.map((at) => (at === -1 ? market.byPrice.length : at))));
});
