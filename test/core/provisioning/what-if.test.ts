import { describe, expect, test } from 'vitest';
import { schedulePods } from '../../../lib/core/provisioning/schedule-pods.ts';
import { simulationOf, whatIfOf } from '../../../lib/core/provisioning/what-if.ts';
import { anInstanceType, anOffering } from '../../builders/instance-types.ts';
import { aPoolView } from '../../builders/node-pools.ts';
import { pendingPod, runningPod } from '../../builders/pods.ts';
import { aSnapshot, initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { NOW_MS } from '../../builders/times.ts';

const GPU = 'nvidia.com/gpu';
const TYPES = [
  anInstanceType({ name: 'm5.xlarge', cpu: 4, memoryGib: 16 }),
  anInstanceType({ name: 'g5.xlarge', cpu: 4, memoryGib: 16, price: 1, extended: { [GPU]: 1 } }),
];

describe('what if nodes were removed (E20)', () => {
  test('their pods move to other nodes, and to new ones if these are full', () => {
    const nodes = ['a', 'b', 'c'].map((name) =>
      initializedNode({ name, allocatable: { cpu: '2', memory: '8Gi', pods: '9' } }),
    );
    const pods = ['a', 'b'].map((node) => runningPod(node, { name: `on-${node}`, requests: { cpu: '1500m' } }));
    const whatIf = whatIfOf(snapshotOf(nodes, { nodePools: [aPoolView({ types: TYPES })], pods }), NOW_MS);
    expect(placesOf(whatIf(['a']))).toEqual({ existing: { c: ['on-a'] }, opened: 0 });
    expect(placesOf(whatIf(['a', 'c']))).toEqual({ existing: {}, opened: 1 });
    expect(placesOf(whatIf(['b']))).toEqual({ existing: { c: ['on-b'] }, opened: 0 });
    expect(placesOf(whatIf([]))).toEqual({ existing: {}, opened: 0 });
  });

  test('a resource that only the pods of one question request counts only in that question', () => {
    const nodes = [
      initializedNode({ name: 'plain', allocatable: { cpu: '4', memory: '16Gi', pods: '9' } }),
      initializedNode({ name: 'gpu', allocatable: { cpu: '4', memory: '16Gi', pods: '9', [GPU]: '1' } }),
    ];
    const pods = [
      runningPod('plain', { name: 'web', requests: { cpu: '3' } }),
      runningPod('gpu', { name: 'train', requests: { cpu: '3', [GPU]: '1' } }),
    ];
    const whatIf = whatIfOf(snapshotOf(nodes, { nodePools: [aPoolView({ types: TYPES })], pods }), NOW_MS);
    const typeFor = (node: string) => whatIf([node]).newClaims.map(({ cheapest }) => cheapest.type.name);
    expect([typeFor('plain'), typeFor('gpu'), typeFor('plain')]).toEqual([['m5.xlarge'], ['g5.xlarge'], ['m5.xlarge']]);
  });

  test('the cluster is not read before the first question', () => {
    const unread = new Proxy(aSnapshot({}), {
      get: () => {
        throw new Error('it is read');
      },
    });
    const whatIf = whatIfOf(unread, NOW_MS, []);
    expect(() => whatIf([])).toThrow('it is read');
  });

  test('pending pods are placed in every question', () => {
    const snapshot = aSnapshot({ nodePools: [aPoolView({ types: TYPES })], pods: [pendingPod({ name: 'new' })] });
    const whatIf = whatIfOf(snapshot, NOW_MS);
    expect([placesOf(whatIf([])), placesOf(whatIf([]))]).toEqual([placed(snapshot), placed(snapshot)]);
    expect(placed(snapshot)).toEqual({ existing: {}, opened: 1 });
  });

  test('the order in which the nodes are named does not change the answer', () => {
    const nodes = ['a', 'b', 'c'].map((name) =>
      initializedNode({ name, allocatable: { cpu: '2', memory: '8Gi', pods: '9' } }),
    );
    const pods = ['a', 'b'].map((node) => runningPod(node, { name: `on-${node}`, requests: { cpu: '900m' } }));
    const whatIf = whatIfOf(snapshotOf(nodes, { nodePools: [aPoolView({ types: TYPES })], pods }), NOW_MS);
    expect(placesOf(whatIf(['b', 'a', 'b']))).toEqual(placesOf(whatIf(['a', 'b'])));
    expect(placesOf(whatIf(['b', 'a', 'b']))).toEqual({ existing: { c: ['on-a', 'on-b'] }, opened: 0 });
  });

  test('a closed node keeps its pods and accepts no others', () => {
    const nodes = ['a', 'b', 'c'].map((name) =>
      initializedNode({ name, allocatable: { cpu: '2', memory: '8Gi', pods: '9' } }),
    );
    const pods = ['a', 'b'].map((node) => runningPod(node, { name: `on-${node}`, requests: { cpu: '900m' } }));
    const whatIf = whatIfOf(snapshotOf(nodes, { nodePools: [aPoolView({ types: TYPES })], pods }), NOW_MS);
    expect(placesOf(whatIf(['a']))).toEqual({ existing: { b: ['on-a'] }, opened: 0 });
    expect(placesOf(whatIf(['a'], { protectedNodes: new Set(['b']) }))).toEqual({
      existing: { c: ['on-a'] },
      opened: 0,
    });
    expect(placesOf(whatIf(['a'], { protectedNodes: new Set(['b', 'c']) }))).toEqual({ existing: {}, opened: 1 });
    expect(placesOf(whatIf(['a']))).toEqual({ existing: { b: ['on-a'] }, opened: 0 });
  });

  test('other capacity is used where a reservation has no free instance (B59, E20)', () => {
    const reserved = { ...anOffering('eu-west-3a', 'reserved', 0.01), reservation: { id: 'cr-1', instances: 1 } };
    const offerings = [reserved, anOffering('eu-west-3a', 'on-demand', 0.2)];
    const types = [anInstanceType({ cpu: 2, offerings })];
    const nodes = ['a', 'b'].map((name) =>
      initializedNode({ name, allocatable: { cpu: '2', memory: '8Gi', pods: '9' } }),
    );
    const pods = ['a', 'b'].map((node) => runningPod(node, { name: `on-${node}`, requests: { cpu: '1500m' } }));
    const snapshot = snapshotOf(nodes, { nodePools: [aPoolView({ types })], pods });
    expect(placesOf(whatIfOf(snapshot, NOW_MS)(['a', 'b']))).toEqual({ existing: {}, opened: 2 });
  });

  test('one NodeClaim for the pods that fit on no other node costs at least the cheapest type that holds them', () => {
    const types = [
      anInstanceType({ name: 'small', cpu: 2, offerings: [anOffering('eu-west-3a', 'on-demand', 0.1)] }),
      anInstanceType({ name: 'large', cpu: 4, offerings: [anOffering('eu-west-3a', 'on-demand', 0.3)] }),
    ];
    const nodes = ['a', 'b', 'c'].map((name) =>
      initializedNode({ name, allocatable: { cpu: '2', memory: '8Gi', pods: '9' } }),
    );
    const pods = [
      runningPod('a', { name: 'a-1', requests: { cpu: '1500m' } }),
      runningPod('b', { name: 'b-1', requests: { cpu: '1500m' } }),
      runningPod('b', { name: 'b-2', requests: { cpu: '300m' } }),
      runningPod('c', { name: 'c-1', requests: { cpu: '1600m' } }),
    ];
    const { bounds } = simulationOf(snapshotOf(nodes, { nodePools: [aPoolView({ types })], pods }), NOW_MS);
    expect(bounds.priceOfOneClaim(['a'])).toBe(0.1);
    expect(bounds.priceOfOneClaim(['a', 'b'])).toBe(0.3);
    expect(bounds.priceOfOneClaim(['a', 'b', 'c'])).toBe(Number.POSITIVE_INFINITY);
    expect(bounds.priceOfOneClaim([])).toBe(0);
    // b-2 fits on a and on c.
    expect(bounds.priceOfHomeless('b')).toBeCloseTo(0.1 * (1500 / 2000));
    expect(bounds.worthOf('b')).toBeCloseTo(0.1 * (1800 / 2000));
  });

  test('an unknown node is an error', () => {
    expect(() => whatIfOf(aSnapshot({}), NOW_MS)(['no-such-node'])).toThrow('node no-such-node is not in the snapshot');
  });
});

function placed(snapshot: Parameters<typeof schedulePods>[0]): ReturnType<typeof placesOf> {
  return placesOf(schedulePods(snapshot, NOW_MS));
}

function placesOf({ existing, newClaims }: ReturnType<typeof schedulePods>): {
  readonly existing: Readonly<Record<string, readonly string[]>>;
  readonly opened: number;
} {
  const names = existing.map(
    ({ stateNode, pods }) => [stateNode.name, pods.map(({ metadata }) => metadata.name)] as const,
  );
  return { existing: Object.fromEntries(names), opened: newClaims.length };
}
