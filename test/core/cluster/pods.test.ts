import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../lib/apis/kubernetes.ts';
import { isDrainable, isKeptInPlace, isProvisionable, isReschedulable } from '../../../lib/core/cluster/pods.ts';
import { isDrained } from '../../../lib/core/node-claim/pods-to-drain.ts';
import { asking } from '../../builders/node-pools.ts';
import { aPod, pendingPod, runningPod } from '../../builders/pods.ts';
import { NOW_MS, SECOND } from '../../builders/times.ts';

const unschedulable = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' } as const;

function requiring(...keys: readonly string[]): Pod {
  const nodeSelectorTerms = keys.map((key) => ({ matchExpressions: [asking(key, 'DoesNotExist')] }));
  return pendingPod({
    spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } },
  });
}

describe('a pod needs a node of Kerf (B6)', () => {
  test.each<[string, Pod, boolean]>([
    ['when the scheduler found no place for it', pendingPod(), true],
    ['not before the scheduler has tried', aPod(), false],
    [
      'not while it is gated',
      aPod({ status: { conditions: [{ ...unschedulable, reason: 'SchedulingGated' }] } }),
      false,
    ],
    [
      'not while it makes room by preemption',
      aPod({ status: { conditions: [unschedulable], nominatedNodeName: 'n' } }),
      false,
    ],
    ['not when it is bound', pendingPod({ spec: { nodeName: 'node-1' } }), false],
    ['not when it is ending', pendingPod({ deletionMs: NOW_MS }), false],
    ['not when it has ended', aPod({ status: { phase: 'Failed', conditions: [unschedulable] } }), false],
    ['not when a DaemonSet made it', pendingPod({ owner: 'DaemonSet' }), false],
    ['not when its node made it', pendingPod({ owner: 'Node' }), false],
    ['not when it refuses every node of ours (B8)', requiring('karpenter.sh/nodepool'), false],
    ['but when one of its alternatives does not (B8)', requiring('karpenter.sh/nodepool', 'other'), true],
  ])('%s', (_, pod, expected) => {
    expect(isProvisionable(pod)).toBe(expected);
  });
});

describe('a pod needs another node when its node is removed (B7)', () => {
  test.each<[string, Pod, boolean]>([
    ['when it runs', runningPod('n'), true],
    ['not when it is ending', runningPod('n', { deletionMs: NOW_MS }), false],
    ['even when it is ending, of a StatefulSet', runningPod('n', { deletionMs: NOW_MS, owner: 'StatefulSet' }), true],
    ['not when it has ended', runningPod('n', { status: { phase: 'Succeeded' } }), false],
    ['not when a DaemonSet made it', runningPod('n', { owner: 'DaemonSet' }), false],
    ['not when its node made it', runningPod('n', { owner: 'Node' }), false],
  ])('%s', (_, pod, expected) => {
    expect(isReschedulable(pod)).toBe(expected);
  });
});

describe('a drain waits for a pod (D21)', () => {
  test.each<[string, Pod, boolean]>([
    ['that runs', runningPod('n'), true],
    ['of a DaemonSet', runningPod('n', { owner: 'DaemonSet' }), true],
    ['that is ending', runningPod('n', { deletionMs: NOW_MS }), true],
    ['not that has ended', runningPod('n', { status: { phase: 'Failed' } }), false],
    ['not that its node made', runningPod('n', { owner: 'Node' }), false],
    ['not that tolerates every taint', runningPod('n', { spec: { tolerations: [{ operator: 'Exists' }] } }), false],
    [
      'not that tolerates the disrupted taint',
      runningPod('n', { spec: { tolerations: [{ key: 'karpenter.sh/disrupted', operator: 'Exists' }] } }),
      false,
    ],
  ])('%s', (_, pod, expected) => {
    expect(isDrainable(pod)).toBe(expected);
  });

  test.each([0, 95, 120])('in its grace period, also if the clock is %i s ahead', (aheadSeconds) => {
    const ending = runningPod('n', { deletionMs: NOW_MS + 24 * SECOND });
    expect(isDrained(ending, NOW_MS + aheadSeconds * SECOND)).toBe(true);
  });
});

function podWith(value: string, startTime?: string): Pod {
  return {
    metadata: { name: 'web', annotations: { 'karpenter.sh/do-not-disrupt': value } },
    spec: { containers: [] },
    ...(startTime === undefined ? {} : { status: { startTime } }),
  };
}

describe('a pod that must not be moved (A6.3)', () => {
  const midnightMs = Date.UTC(2026, 0, 1);
  test.each([
    ['true', undefined, true],
    ['false', undefined, false],
    ['soon', undefined, false],
    ['2h', '2025-12-31T22:30:00Z', true],
    ['2h', '2025-12-31T22:00:00Z', false],
    ['2h', undefined, true],
    ['2h', '10000-01-01T13:59:59Z', true],
    ['0s', undefined, false],
  ])('do-not-disrupt: %s, started %s: %s', (value, startTime, kept) => {
    expect(isKeptInPlace(podWith(value, startTime), midnightMs)).toBe(kept);
  });
});
