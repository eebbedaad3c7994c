import { expect, test } from 'vitest';
import { type Pod, podKey } from '../../../lib/apis/kubernetes.ts';
import { removeNode, removePod, writeNode, writePod } from '../../../lib/simulator/kubernetes/state.ts';
import { aNode } from '../../builders/nodes.ts';
import { aPod } from '../../builders/pods.ts';
import { clusterWith } from './cluster-with.ts';

function on(nodeName: string, name: string): Pod {
  return aPod({ name, ownerUid: 'set', spec: { nodeName } });
}

function unbound(name: string): Pod {
  return aPod({ name, ownerUid: 'set' });
}

const keys = (pods: readonly Pod[]): readonly string[] => pods.map(podKey);

test('pods are listed by node, in the order of their creation', () => {
  const state = clusterWith({ nodes: [], pods: [...['c', 'b'].map(unbound), on('other', 'a')] });
  writePod(state, on('node', 'b'));
  writePod(state, on('node', 'c'));
  expect(keys(state.podIndex.onNode('node'))).toEqual(['default/c', 'default/b']);
  expect(state.podIndex.unbound()).toEqual([]);
  expect(keys(state.podIndex.all())).toEqual([...state.pods.keys()]);
});

test('a removed pod is not listed, and those of a removed node are removed with it', () => {
  const state = clusterWith({
    nodes: [aNode({ name: 'node' })],
    pods: [on('node', 'a'), on('node', 'b'), on('other', 'c')],
  });
  removePod(state, on('node', 'a'));
  expect(keys(state.podIndex.onNode('node'))).toEqual(['default/b']);
  removeNode(state, 'node');
  expect(keys(state.podIndex.all())).toEqual(['default/c']);
});

test('a follower gets each pod that was written or whose node was written, once', () => {
  const state = clusterWith({ nodes: [aNode({ name: 'node' })], pods: [on('node', 'a'), on('other', 'b')] });
  const changes = state.podIndex.follow();
  expect(keys(changes().pods)).toEqual(['default/a', 'default/b']);
  expect(changes()).toEqual({ pods: [], removed: [] });
  writeNode(state, aNode({ name: 'node' }));
  writePod(state, on('other', 'c'));
  removePod(state, on('other', 'b'));
  expect(keys(changes().pods)).toEqual(['default/a', 'default/c']);
  writePod(state, on('other', 'b'));
  removePod(state, on('other', 'c'));
  const { pods, removed } = changes();
  expect([keys(pods), removed]).toEqual([['default/b'], ['default/c']]);
});
