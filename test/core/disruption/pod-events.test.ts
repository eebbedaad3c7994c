import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../lib/apis/kubernetes.ts';
import { stateNodes } from '../../../lib/core/cluster/state-node.ts';
import { recordsWithPodEvents } from '../../../lib/core/disruption/pod-events.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { runningPod } from '../../builders/pods.ts';
import { aSnapshot, initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { MINUTE, NOW_MS } from '../../builders/times.ts';

function look(record: NodeClaimRecord, pods: readonly Pod[], nowMs: number): NodeClaimRecord | undefined {
  const nodes = stateNodes(snapshotOf([{ node: initializedNode().node, nodeClaim: record }], { pods }));
  return recordsWithPodEvents(nodes, nowMs)[0];
}

const fresh = initializedNode().nodeClaim;
const seen = (pods: readonly Pod[]): NodeClaimRecord => look(fresh, pods, NOW_MS - MINUTE) ?? fresh;

describe('a pod that came or went is noted when it is seen (D12)', () => {
  test.each<[string, readonly Pod[], readonly Pod[], boolean]>([
    ['one came', [], [runningPod('node-1')], true],
    ['one went', [runningPod('node-1')], [], true],
    ['one was replaced', [runningPod('node-1', { name: 'a' })], [runningPod('node-1', { name: 'b' })], true],
    ['one began to end', [runningPod('node-1')], [runningPod('node-1', { deletionMs: NOW_MS })], true],
    ['one has ended', [runningPod('node-1')], [runningPod('node-1', { status: { phase: 'Succeeded' } })], true],
    ['nothing', [runningPod('node-1')], [runningPod('node-1')], false],
    ['a daemon came', [], [runningPod('node-1', { owner: 'DaemonSet' })], false],
    [
      'they are listed in another order',
      [runningPod('node-1', { name: 'a' }), runningPod('node-1', { name: 'b' })],
      [runningPod('node-1', { name: 'b' }), runningPod('node-1', { name: 'a' })],
      false,
    ],
  ])('%s', (...[, before, after, event]) => {
    const changed = look(seen(before), after, NOW_MS);
    expect(changed !== undefined).toBe(event);
    if (event) expect(changed?.lastPodEventAtMs).toBe(NOW_MS);
  });

  test('the first look at an empty node finds a beginning, no event', () => {
    const record = look(fresh, [], NOW_MS);
    expect(record?.podsSeen).toBeDefined();
    expect(record?.lastPodEventAtMs).toBeUndefined();
  });

  test('nodes that are starting or going are not looked at', () => {
    expect(recordsWithPodEvents(stateNodes(aSnapshot({ nodeClaims: [launchedClaim()] })), NOW_MS)).toEqual([]);
    const going = { ...fresh, deletion: { reason: 'empty', message: '', requestedAtMs: NOW_MS } } as const;
    expect(look(going, [runningPod('node-1')], NOW_MS)).toBeUndefined();
  });
});
