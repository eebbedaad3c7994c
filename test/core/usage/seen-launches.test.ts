import { expect, test } from 'vitest';
import { launchesIn, mergedLaunches } from '../../../lib/core/usage/seen-launches.ts';
import { runningPod } from '../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { MINUTE, NOW_MS } from '../../builders/times.ts';

const NODE = initializedNode({ name: 'node-1' }, { createdAtMs: NOW_MS });
const before = (name: string, over = {}) => runningPod('node-1', { name, createdAtMs: NOW_MS - MINUTE, ...over });

test('the pods of a launch waited when its NodeClaim was created, and belong to no DaemonSet', () => {
  const later = runningPod('node-1', { name: 'later', createdAtMs: NOW_MS + MINUTE });
  const snapshot = snapshotOf([NODE], {
    pods: [before('web-2'), before('web-1'), later, before('agent', { owner: 'DaemonSet' })],
  });
  expect(launchesIn(snapshot, NOW_MS)).toEqual([
    expect.objectContaining({
      nodeClaim: NODE.nodeClaim.name,
      createdAtMs: NOW_MS,
      pods: ['default/web-1', 'default/web-2'],
    }),
  ]);
  expect(launchesIn(snapshot, NOW_MS + 1)).toEqual([]);
});

test('a pod that has ended since a look still belongs to the launch', () => {
  const [first, second] = [before('job-1'), before('web-1')].map((pod) =>
    launchesIn(snapshotOf([NODE], { pods: [pod] }), 0),
  );
  const merged = mergedLaunches(first ?? [], second ?? []);
  expect(merged.map(({ pods }) => pods)).toEqual([['default/job-1', 'default/web-1']]);
});
