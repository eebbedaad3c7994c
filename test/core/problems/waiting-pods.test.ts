import { expect, test } from 'vitest';
import { formatTime } from '../../../lib/apis/formats/time.ts';
import type { Pod } from '../../../lib/apis/kubernetes.ts';
import { waitingPods } from '../../../lib/core/problems/waiting-pods.ts';
import { provision } from '../../../lib/core/provisioning/provision.ts';
import { pendingPod } from '../../builders/pods.ts';
import { aSnapshot } from '../../builders/snapshots.ts';
import { MINUTE, NOW_MS } from '../../builders/times.ts';

function waiting(pods: readonly Pod[]) {
  const { schedule } = provision(aSnapshot({ pods }), { decisionId: 'decision-1', nowMs: NOW_MS });
  return waitingPods(pods, schedule, NOW_MS);
}

function createdAgo(minutes: number, name = 'web-1'): Pod {
  return pendingPod({ name, createdAtMs: NOW_MS - minutes * MINUTE });
}

test('pods that wait for more than five minutes for a node that Kerf has for them are a problem, the oldest first', () => {
  expect(waiting([createdAgo(6, 'young'), createdAgo(9, 'old'), createdAgo(4, 'new')])).toEqual([
    {
      kind: 'WaitingPods',
      message: 'default/old, default/young: pending for 9 minutes, although Kerf has a node for them',
      numbers: { pods: 2, oldestSeconds: 540 },
    },
  ]);
});

test('a pod waits since the scheduler found no node for it', () => {
  const conditions = createdAgo(60).status?.conditions?.map((condition) => ({
    ...condition,
    lastTransitionTime: formatTime(NOW_MS - MINUTE),
  }));
  expect(waiting([{ ...createdAgo(60), status: { phase: 'Pending', conditions: conditions ?? [] } }])).toEqual([]);
});

test('a pod that fits no node is not waiting for Kerf: its refusal says what to change', () => {
  const impossible = { ...createdAgo(60), spec: { ...createdAgo(60).spec, nodeSelector: { shape: 'round' } } };
  expect(waiting([impossible])).toEqual([]);
});
