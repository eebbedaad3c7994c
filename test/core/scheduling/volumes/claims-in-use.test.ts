import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../../lib/apis/kubernetes.ts';
import { stateNodes } from '../../../../lib/core/cluster/state-node.ts';
import type { ClusterSnapshot } from '../../../../lib/core/model/cluster-snapshot.ts';
import { clusterProblem } from '../../../../lib/core/provisioning/schedule-pods.ts';
import { indexForMany } from '../../../../lib/core/scheduling/cluster-index.ts';
import { whatIfOn } from '../../../../lib/core/scheduling/solve.ts';
import { aNode } from '../../../builders/nodes.ts';
import { pendingPod, runningPod } from '../../../builders/pods.ts';
import { aSnapshot } from '../../../builders/snapshots.ts';
import { aVolumeClaim, someStorage } from '../../../builders/storage.ts';
import { NOW_MS } from '../../../builders/times.ts';
import { place, podsOfClaims, refusalsOf } from '../problems.ts';
import { DELETED, mounting } from './volume-answers.ts';

const storage = someStorage({ persistentVolumeClaims: [aVolumeClaim({ accessModes: ['ReadWriteOncePod'] })] });
const { spec } = mounting('data');
const volumes = spec.volumes ?? [];
const waiting = (name: string, createdAtMs = NOW_MS): Pod => pendingPod({ name, createdAtMs, spec: { volumes } });
const user = (over: Partial<Pod['metadata']> & Pick<Pod, 'status'> = {}): Pod => {
  const pod = runningPod('n1', { name: 'old', spec: { volumes } });
  const { status, ...metadata } = over;
  return { ...pod, metadata: { ...pod.metadata, ...metadata }, ...(status === undefined ? {} : { status }) };
};
const nodes = [aNode({ name: 'n1' })];

describe('a claim with ReadWriteOncePod is for one pod at a time', () => {
  test('a pod whose claim a running pod uses gets no node; Karpenter launches one that stays empty', () => {
    const { newClaims, unplaced } = place([waiting('new')], { nodes, pods: [user()], storage });
    expect(newClaims).toEqual([]);
    expect(unplaced[0]?.refusals).toMatchObject([
      {
        refusal: {
          reason: 'PersistentVolumeClaimInUse',
          message: expect.stringMatching(/^pod default\/old uses PersistentVolumeClaim default\/data /),
        },
      },
    ]);
  });

  test('of several pending pods, the oldest gets a node', () => {
    const schedule = place([waiting('b'), waiting('c', NOW_MS - 1), waiting('a')], { storage });
    expect(podsOfClaims(schedule)).toEqual([['c']]);
    expect(refusalsOf(schedule)).toEqual([['PersistentVolumeClaimInUse'], ['PersistentVolumeClaimInUse']]);
  });

  test('a pod that cannot be placed keeps the claim from no other pod, as a corrected one of its Deployment', () => {
    const onRiscv = { 'kubernetes.io/arch': 'riscv' };
    const old = ['a', 'b'].map((name, at) =>
      pendingPod({ name, createdAtMs: NOW_MS - 9 + at, spec: { volumes, nodeSelector: onRiscv } }),
    );
    const schedule = place([...old, waiting('fixed')], { storage });
    expect(podsOfClaims(schedule)).toEqual([['fixed']]);
    expect(schedule.unplaced).toHaveLength(2);
  });

  test.each([
    ['is terminating', user({ deletionTimestamp: DELETED }), storage],
    ['has succeeded', user({ status: { phase: 'Succeeded' } }), storage],
    ['is in another namespace', user({ namespace: 'other' }), storage],
    ['has a claim for several pods', user(), someStorage({ persistentVolumeClaims: [aVolumeClaim()] })],
  ])('another pod does not prevent this if it %s', (_, pod, ofCase) => {
    const { unplaced } = place([waiting('new')], { nodes, pods: [pod], storage: ofCase });
    expect(unplaced).toEqual([]);
  });

  test('the pod of a node that is removed moves, and a pod that waits for it still waits', () => {
    const over: Partial<ClusterSnapshot> = { nodes, pods: [user()], storage };
    const snapshot = aSnapshot(over);
    const pending = waiting('new', 0);
    const problem = { ...clusterProblem(snapshot, stateNodes(snapshot), NOW_MS), pods: [pending] };
    const ask = whatIfOn(indexForMany(problem));
    const moved = ask({ pods: [pending, ...snapshot.pods], removed: new Set(['n1']) });
    expect(podsOfClaims(moved)).toEqual([['old']]);
    expect(refusalsOf(moved)).toEqual([['PersistentVolumeClaimInUse']]);
    expect(ask({ pods: [pending], removed: new Set() }).newClaims).toEqual([]);
  });
});
