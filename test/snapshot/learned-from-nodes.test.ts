import { expect, test } from 'vitest';
import { imagesInStatus, learnedFromNodes } from '../../lib/snapshot/learned-from-nodes.ts';
import { aJoinedNode, aKarpenterClaim } from '../builders/adoption-world.ts';
import { aNodeClass } from '../builders/node-pools.ts';
import { NOW_MS } from '../builders/times.ts';

function joined(name: string, memory: string) {
  const node = aJoinedNode(name, `i-${name}`);
  const claim = aKarpenterClaim(name, `i-${name}`);
  return {
    node: { ...node, status: { ...node.status, capacity: { ...node.status?.capacity, memory } } },
    claim: { ...claim, status: { ...claim.status, imageID: 'ami-1' } },
  };
}

test('the memory of a type with an image is the smallest that its nodes report', () => {
  const all = [joined('a', '7800Mi'), joined('b', '7700Mi'), joined('c', 'much')];
  const learned = learnedFromNodes(
    { nodes: all.map(({ node }) => node), nodeClaims: all.map(({ claim }) => claim) },
    NOW_MS,
  );
  expect(learned).toEqual([
    { instanceType: 'm5.large', imageId: 'ami-1', memoryBytes: 7_700 * 2 ** 20, untilMs: NOW_MS },
  ]);
});

test('a node without a NodeClaim teaches nothing, because its image is not known', () => {
  const { node } = joined('a', '7800Mi');
  expect(learnedFromNodes({ nodes: [node], nodeClaims: [] }, NOW_MS)).toEqual([]);
});

test('the images are those of the status', () => {
  const requirements = [{ key: 'kubernetes.io/arch', operator: 'In' as const, values: ['amd64'] }];
  const nodeClass = { ...aNodeClass(), status: { amis: [{ id: 'ami-1', requirements }] } };
  expect(imagesInStatus(nodeClass)).toEqual([{ id: 'ami-1', name: '', deprecated: false, requirements }]);
  expect(imagesInStatus(aNodeClass())).toEqual([]);
});
