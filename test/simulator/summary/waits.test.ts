import { expect, test } from 'vitest';
import { waitMeter } from '../../../lib/simulator/summary/waits.ts';
import { aPod } from '../../builders/pods.ts';

const WEB = 'Deployment default/web';

function aMeter() {
  const meter = waitMeter();
  const pending = (at: number, pod: string, workload = WEB): void =>
    meter.note({ at, kind: 'pod-pending', pod, workload });
  const running = (at: number, pod: string, workload = WEB): void =>
    meter.note({ at, kind: 'pod-running', pod, workload, node: 'n' });
  return { meter, pending, running };
}

test('the waits of pods have a median, a 95th percentile and a maximum, by workload, the longest wait first', () => {
  const { meter, pending, running } = aMeter();
  for (let index = 1; index <= 20; index += 1) {
    pending(10, `default/web-${index}`);
    running(10 + index, `default/web-${index}`);
  }
  pending(0, 'default/one', 'Pod default/one');
  running(100, 'default/one', 'Pod default/one');
  expect(meter.report()).toEqual({
    pods: 21,
    median: 11,
    p95: 20,
    max: 100,
    byWorkload: [
      { workload: 'Pod default/one', pods: 1, median: 100, p95: 100, max: 100 },
      { workload: WEB, pods: 20, median: 10, p95: 19, max: 20 },
    ],
  });
});

test('pods of DaemonSets do not count', () => {
  const { meter, pending, running } = aMeter();
  pending(0, 'kube-system/agent-1', 'DaemonSet kube-system/agent');
  running(2, 'kube-system/agent-1', 'DaemonSet kube-system/agent');
  expect(meter.report()).toEqual({ pods: 0, median: 0, p95: 0, max: 0, byWorkload: [] });
});

test('a pod that was deleted before it started is forgotten, and a later pod of its name counts from its own start', () => {
  const { meter, pending, running } = aMeter();
  pending(0, 'default/db-0');
  expect(meter.pendingSince('default/db-0')).toBe(0);
  meter.forget(aPod({ name: 'db-0' }));
  expect(meter.pendingSince('default/db-0')).toBeUndefined();
  pending(50, 'default/db-0');
  running(60, 'default/db-0');
  expect(meter.report()).toMatchObject({ pods: 1, max: 10 });
});
