import { describe, expect, test } from 'vitest';
import { podKey } from '../../../lib/apis/kubernetes.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import { provision } from '../../../lib/core/provisioning/provision.ts';
import { someBufferPods } from '../../builders/capacity-buffers.ts';
import { anInstanceType } from '../../builders/instance-types.ts';
import { aPoolView } from '../../builders/node-pools.ts';
import { aNode } from '../../builders/nodes.ts';
import { affinityTerm, avoiding, joining, pendingPod, spread } from '../../builders/pods.ts';
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
          pods: ['default/web-1', 'default/capacity-buffer-spare-1'],
          bufferPods: ['default/capacity-buffer-spare-1'],
        },
      },
    ]);
    expect(verdictOf({ bufferPods: someBufferPods(1) }).actions).toHaveLength(1);
  });

  describe('takes nothing from real pods (B65)', () => {
    const real = pendingPod({ requests: { cpu: '1' } });

    test('no share of a limit', () => {
      const large = anInstanceType({ name: 'm5.xlarge', cpu: 4, memoryGib: 16 });
      const small = anInstanceType({ name: 'm6g.large', cpu: 2, memoryGib: 8, arch: 'arm64' });
      const nodePools = [aPoolView({ types: [large, small], limits: { cpu: '4' } })];
      const onArm = { 'kubernetes.io/arch': 'arm64' };
      const pods = [pendingPod({ requests: { cpu: '1' }, spec: { nodeSelector: onArm } })];
      const { schedule } = verdictOf({ nodePools, pods, bufferPods: someBufferPods(1, { cpu: '3' }) });
      expect(schedule.unplaced.map(({ pod }) => podKey(pod))).toEqual(['default/capacity-buffer-spare-1']);
    });

    test('no room of a node, although virtual pods are larger', () => {
      const { schedule } = verdictOf({
        nodes: [aNode()],
        nodePools: [],
        pods: [real],
        bufferPods: someBufferPods(20, { cpu: '1500m' }),
      });
      expect(schedule.existing[0]?.pods[0]).toBe(real);
    });

    test('no domain: real pods do not see their labels, affinity or anti-affinity', () => {
      const [virtual] = someBufferPods(1, { cpu: '3' });
      if (virtual === undefined) throw new Error('there is one');
      const affinity = avoiding(affinityTerm({ labelSelector: { matchLabels: { app: 'web' } } }));
      const zones = spread({ labelSelector: { matchExpressions: [{ key: 'other', operator: 'DoesNotExist' }] } });
      const bufferPods = ['a', 'b', 'c'].map((name) => ({
        ...virtual,
        metadata: { ...virtual.metadata, name, uid: name },
        spec: { ...virtual.spec, affinity, topologySpreadConstraints: [zones] },
      }));
      const web = pendingPod({ labels: { app: 'web' }, requests: { cpu: '1' } });
      const { schedule } = verdictOf({ pods: [web], bufferPods });
      expect(schedule.newClaims.flatMap(({ pods }) => pods.map(podKey))).toContain('default/web-1');
      const beside = pendingPod({ requests: { cpu: '1' }, spec: { affinity: joining(affinityTerm()) } });
      const alike = { ...virtual, metadata: { ...virtual.metadata, labels: { app: 'web' } } };
      expect(verdictOf({ pods: [beside], bufferPods: [alike] }).schedule.unplaced.map(({ pod }) => pod)).toEqual([
        beside,
      ]);
    });
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
