import { expect, test } from 'vitest';
import {
  kubernetesState,
  removeNode,
  removePod,
  writeNode,
  writePod,
} from '../../../lib/simulator/kubernetes/state.ts';
import { someManifests } from '../../builders/cluster-manifests.ts';
import { aPod } from '../../builders/pods.ts';

function change(before: unknown, after: unknown): string {
  if (before === undefined) return 'added';
  return after === undefined ? 'removed' : 'changed';
}

test('a watcher gets each write and removal of a pod and a node, also of pods that go with their node', () => {
  const state = kubernetesState(someManifests());
  const seen: string[] = [];
  state.watchers.push({
    pod: (before, after) => seen.push(`pod ${(after ?? before)?.metadata.name} ${change(before, after)}`),
    node: (before, after) => seen.push(`node ${(after ?? before)?.metadata.name} ${change(before, after)}`),
  });
  const [a, b] = [aPod({ name: 'a' }), aPod({ name: 'b' })];
  writeNode(state, { metadata: { name: 'n' } });
  writePod(state, a);
  writePod(state, { ...a, spec: { ...a.spec, nodeName: 'n' } });
  writePod(state, b);
  removePod(state, b);
  removePod(state, b);
  removeNode(state, 'n');
  expect(seen).toEqual([
    'node n added',
    'pod a added',
    'pod a changed',
    'pod b added',
    'pod b removed',
    'node n removed',
    'pod a removed',
  ]);
});
