import { describe, expect, test } from 'vitest';
import { stateNodes } from '../../../lib/core/cluster/state-node.ts';
import { nodePrice } from '../../../lib/core/disruption/node-price.ts';
import type { Offering } from '../../../lib/core/model/instance-type.ts';
import { anInstanceType, anOffering } from '../../builders/instance-types.ts';
import { aPoolView } from '../../builders/node-pools.ts';
import { aNode } from '../../builders/nodes.ts';
import { aSnapshot, initializedNode, snapshotOf } from '../../builders/snapshots.ts';

const CAPACITY_TYPE = 'karpenter.sh/capacity-type';

/** The price of an m5.large in eu-west-3a that was launched for 0.1. */
function priceOf(labels: Readonly<Record<string, string>>, offerings: readonly Offering[]): number | undefined {
  const nodePools = [aPoolView({ types: [anInstanceType({ offerings })] })];
  const [node] = stateNodes(snapshotOf([initializedNode({ labels })]));
  return node && nodePrice(node, nodePools);
}

describe('the price of a node (E18)', () => {
  const offerings = [
    anOffering('eu-west-3a', 'on-demand', 0.2),
    anOffering('eu-west-3a', 'spot', 0.2),
    anOffering('eu-west-3b', 'on-demand', 0.3),
  ];

  test('E18: is that of the offering with its instance type, zone and capacity type', () => {
    expect(priceOf({}, offerings)).toBe(0.2);
    expect(priceOf({ [CAPACITY_TYPE]: 'spot' }, offerings)).toBeCloseTo(0.08);
  });

  test('E18: also if the offering has no capacity now', () => {
    expect(
      priceOf(
        {},
        offerings.map((one) => ({ ...one, available: false })),
      ),
    ).toBe(0.2);
  });

  test('E18: of its own reservation', () => {
    const [one, other] = ['cr-1', 'cr-2'].map(
      (id, at): Offering => ({
        ...anOffering('eu-west-3a', 'reserved'),
        priceUsdPerHour: at + 1,
        reservation: { id, instances: 0 },
      }),
    );
    const labels = { [CAPACITY_TYPE]: 'reserved', 'karpenter.k8s.aws/capacity-reservation-id': 'cr-2' };
    expect(priceOf(labels, one && other ? [one, other] : [])).toBe(2);
  });

  test('E18: is that of its launch if there is no such offering', () => {
    expect(priceOf({ 'topology.kubernetes.io/zone': 'eu-west-3z' }, offerings)).toBe(0.1);
    expect(priceOf({ 'node.kubernetes.io/instance-type': 'm4.large' }, offerings)).toBe(0.1);
  });

  test('E18: is 0 for a node of others whose offering is unknown', () => {
    const [node] = stateNodes(aSnapshot({ nodes: [aNode()] }));
    expect(node && nodePrice(node, [aPoolView()])).toBe(0);
  });
});
