import { describe, expect, test } from 'vitest';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import { provision } from '../../../lib/core/provisioning/provision.ts';
import { someBufferPods } from '../../builders/capacity-buffers.ts';
import { aNode } from '../../builders/nodes.ts';
import { pendingPod } from '../../builders/pods.ts';
import { aSnapshot } from '../../builders/snapshots.ts';
import { MINUTE, NOW_MS, SECOND } from '../../builders/times.ts';

function verdictOf(over: Partial<ClusterSnapshot>) {
  return provision(aSnapshot(over), { decisionId: 'decision-1', nowMs: NOW_MS });
}

describe('the capacity of CapacityBuffers', () => {
  test('is launched if there is none, without pending pods; the claim records which of its pods are virtual (A5.6)', () => {
    const { actions } = verdictOf({ bufferPods: someBufferPods(1), pods: [pendingPod()] });
    expect(actions).toMatchObject([
      {
        kind: 'create-node-claim',
        nodeClaim: {
          pods: ['default/capacity-buffer-spare-1', 'default/web-1'],
          bufferPods: ['default/capacity-buffer-spare-1'],
        },
      },
    ]);
    expect(verdictOf({ bufferPods: someBufferPods(1) }).actions).toHaveLength(1);
  });

  test('is not among the pods of the decision that no existing node fits (B65)', () => {
    const bufferPods = someBufferPods(2, { cpu: '99' });
    const { onExistingNodes = [] } = verdictOf({
      nodes: [aNode()],
      bufferPods,
      pods: [pendingPod({ requests: { cpu: '99' } })],
    });
    expect(onExistingNodes.map(({ pods }) => pods)).toEqual([['default/web-1']]);
    expect(verdictOf({ nodes: [aNode()], bufferPods })).not.toHaveProperty('onExistingNodes');
  });

  test('exists on a node with enough free resources, which is not nominated (B65)', () => {
    expect(verdictOf({ nodes: [aNode()], bufferPods: someBufferPods(1) })).toMatchObject({
      actions: [],
      blocked: [],
      due: [],
      schedule: { existing: [{ stateNode: { name: 'node-1' } }], unplaced: [] },
    });
  });

  test('is not part of the nomination of a node for real pods (B65)', () => {
    const { actions } = verdictOf({ nodes: [aNode()], bufferPods: someBufferPods(1), pods: [pendingPod()] });
    expect(actions).toEqual([
      { kind: 'nominate-node', node: 'node-1', pods: ['default/web-1'], untilMs: NOW_MS + 2 * MINUTE },
    ]);
  });

  test('is used by real pods first, and launched again (A5.6)', () => {
    const requests = { cpu: '1500m' };
    const pods = [pendingPod({ requests, createdAtMs: NOW_MS - SECOND })];
    expect(verdictOf({ nodes: [aNode()], pods, bufferPods: someBufferPods(1, requests) }).actions).toMatchObject([
      { kind: 'create-node-claim', nodeClaim: { pods: ['default/capacity-buffer-spare-1'] } },
      { kind: 'nominate-node', pods: ['default/web-1'] },
    ]);
  });

  test('that cannot be launched is reported once for the buffer and not for its pods (B65)', () => {
    const { blocked } = verdictOf({ bufferPods: someBufferPods(5, { cpu: '900' }), pods: [] });
    expect(blocked).toMatchObject([
      { subject: { kind: 'CapacityBuffer', namespace: 'default', name: 'spare' }, nodePool: 'general' },
    ]);
  });
});

test('ignored objects are reported with decisions (A4.8, A5.7)', () => {
  const ignoredObjects = [
    { subject: { kind: 'NodeOverlay', name: 'a' }, reason: 'Conflict', message: 'also in b', numbers: {} },
  ] as const;
  expect(verdictOf({ ignoredObjects }).blocked).toEqual(ignoredObjects);
});
