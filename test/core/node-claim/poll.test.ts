import { describe, expect, test } from 'vitest';
import { pollAfter } from '../../../lib/core/model/decision.ts';
import type { Deletion } from '../../../lib/core/model/node-claim-record.ts';
import { nextDrainPoll, pollAfterWait, pollUntilEnded } from '../../../lib/core/node-claim/poll.ts';
import { examinesRefusals, withProgress } from '../../../lib/core/node-claim/refused-evictions.ts';
import { decideTermination } from '../../../lib/core/node-claim/termination.ts';
import { terminationView } from '../../builders/claim-view.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { aNode } from '../../builders/nodes.ts';
import { type PodOptions, runningPod } from '../../builders/pods.ts';
import { HOUR, MINUTE, NOW_MS, SECOND } from '../../builders/times.ts';

const BEGUN: Deletion = { reason: 'empty', message: '', requestedAtMs: NOW_MS, drainStartedAtMs: NOW_MS };

/** The times at which a drain is polled again, in seconds after now. */
function duesOf(over: Partial<Deletion>, nowMs: number, pod: PodOptions = {}): readonly number[] {
  const deletion = { ...BEGUN, ...over };
  const record = launchedClaim({ nodeName: 'node-1', registeredAtMs: NOW_MS - HOUR, deletion });
  const pods = [runningPod('node-1', { name: 'web', ...pod })];
  const { due } = decideTermination(terminationView({ record, node: aNode(), pods, instanceState: 'alive' }), nowMs);
  return due.map(({ atMs }) => (atMs - nowMs) / SECOND);
}

test('D23: a drain is polled after a quarter of the time that it has waited, at least 5 s and at most a minute', () => {
  const pauses = [0, 39, 40, 60, 80, 120, 240, 3_600].map((seconds) => {
    const nowMs = NOW_MS + HOUR;
    return (pollAfterWait(nowMs - seconds * SECOND, nowMs).atMs - nowMs) / SECOND;
  });
  expect(pauses).toEqual([5, 5, 10, 15, 20, 30, 60, 60]);
});

test('runs at any time are repeated at the same time, so that their wakes become one', () => {
  const dues = [0, 1, 1_700, 4_999].map((ms) => pollAfter(NOW_MS + ms).atMs - NOW_MS);
  expect(dues).toEqual([5_000, 5_000, 5_000, 5_000]);
});

test('all pauses end at the start of a minute, so that claims share their wakes and what is read once a minute', () => {
  for (const waited of [0, 40, 60, 80, 120, 240]) {
    const nowMs = NOW_MS + HOUR + 55 * SECOND;
    expect(pollAfterWait(nowMs - waited * SECOND, nowMs).atMs).toBe(NOW_MS + HOUR + MINUTE);
  }
});

test('D23: a drain whose evictions are refused is polled less often, and as usual while a pod ends', () => {
  const evictionsRefused = { sinceMs: NOW_MS };
  expect(duesOf({ evictionsRefused }, NOW_MS)).toEqual([5]);
  expect(duesOf({ evictionsRefused }, NOW_MS + HOUR)).toEqual([60]);
  expect(duesOf({ evictionsRefused }, NOW_MS + HOUR, { deletionMs: NOW_MS + HOUR })).toEqual([5]);
  expect(duesOf({}, NOW_MS + HOUR, { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })).toEqual([60]);
});

test.each([0, 2, 4.9, 5, 8, 19])(
  'budgets are read again in one poll of each minute, although every run is %i s late, and the pods wait for hours',
  (lateSeconds) => {
    const deletion = { ...BEGUN, evictionsRefused: { sinceMs: NOW_MS } };
    const examined: number[] = [];
    let nowMs = NOW_MS + 5 * MINUTE;
    while (nowMs < NOW_MS + 125 * MINUTE) {
      nowMs = pollAfterWait(NOW_MS, nowMs).atMs + lateSeconds * SECOND;
      if (examinesRefusals(deletion, [], nowMs)) examined.push(Math.floor(nowMs / MINUTE));
    }
    expect(examined.length).toBe(120);
    expect(new Set(examined).size).toBe(120);
  },
);

test('budgets are read in one poll of each minute while the drain is polled more and more often, and while a pod ends', () => {
  const deletion = { ...BEGUN, evictionsRefused: { sinceMs: NOW_MS } };
  const ending = runningPod('node-1', { name: 'web', deletionMs: NOW_MS + 3 * MINUTE, deletionGraceSeconds: 30 });
  const minutes: number[] = [];
  for (let nowMs = NOW_MS; nowMs < NOW_MS + 20 * MINUTE; ) {
    const pods = nowMs < NOW_MS + 2 * MINUTE ? [] : [ending];
    if (examinesRefusals(deletion, pods, nowMs)) minutes.push((nowMs - NOW_MS) / MINUTE);
    nowMs = nextDrainPoll(pods, deletion, nowMs).atMs;
  }
  expect(minutes).toEqual(Array.from({ length: 20 }, (_, minute) => minute));
});

test('D23: a drain whose evictions are refused is polled as often as a new one from the warning that EC2 ends the instance', () => {
  const warned = { evictionsRefused: { sinceMs: NOW_MS }, interruptedAtMs: NOW_MS + HOUR };
  expect(duesOf(warned, NOW_MS + HOUR)).toEqual([5]);
  expect(duesOf(warned, NOW_MS + HOUR + MINUTE)).toEqual([15]);
});

test('D24: a drain that deletes a pod before the deadline is polled soon, because a node that is not cordoned may get others', () => {
  const deadlineMs = NOW_MS + 3 * MINUTE;
  const web = { spec: { terminationGracePeriodSeconds: 30 } };
  expect(duesOf({ deadlineMs }, NOW_MS + 2 * MINUTE, web)).toEqual([30, 30]);
  expect(duesOf({ deadlineMs }, NOW_MS + 2.5 * MINUTE, web)).toEqual([5]);
});

describe('D23: a drain that waits for pods to end', () => {
  const ending = (graceMs: number, over: Partial<Deletion> = {}) => {
    const pod = { deletionMs: NOW_MS + graceMs, spec: { terminationGracePeriodSeconds: graceMs / SECOND } };
    return (afterMs: number): readonly number[] => duesOf(over, NOW_MS + afterMs, pod);
  };

  test('is polled every 5 s until the grace period of half a minute ends, and in the minute after it', () => {
    const pauses = Array.from({ length: 14 }, (_, index) => ending(30 * SECOND)(index * 5 * SECOND));
    expect(pauses).toEqual(pauses.map(() => [5]));
  });

  test('is polled less and less often while a long grace period lasts, and soon when it ends', () => {
    const graceMs = 24 * HOUR + 13 * SECOND;
    const day = ending(graceMs);
    expect([30 * SECOND, 2 * MINUTE, HOUR, 23 * HOUR].map(day)).toEqual([[5], [30], [60], [60]]);
    expect([-10, 2, 37, 47, 107].map((seconds) => day(graceMs + seconds * SECOND))).toEqual([
      [12],
      [5],
      [5],
      [10],
      [20],
    ]);
  });

  test('is polled often again when another pod begins to end', () => {
    const spec = { terminationGracePeriodSeconds: 86_400 };
    const pods = [0, 3 * HOUR].map((atMs) =>
      runningPod('node-1', { name: `web-${atMs}`, deletionMs: NOW_MS + atMs + 24 * HOUR, spec: { ...spec } }),
    );
    const record = launchedClaim({ nodeName: 'node-1', registeredAtMs: NOW_MS - HOUR, deletion: BEGUN });
    const view = terminationView({ record, node: aNode(), pods, instanceState: 'alive' });
    const pauseAt = (nowMs: number) => decideTermination(view, nowMs).due.map(({ atMs }) => (atMs - nowMs) / SECOND);
    expect([NOW_MS + 3 * HOUR, NOW_MS + 3 * HOUR + MINUTE].map(pauseAt)).toEqual([[5], [15]]);
  });

  test('is polled for a refused eviction as for one whose pods do not end', () => {
    const evictionsRefused = { sinceMs: NOW_MS + HOUR };
    expect(ending(24 * HOUR, { evictionsRefused })(HOUR + 30 * SECOND)).toEqual([5]);
    expect(ending(24 * HOUR, { evictionsRefused })(2 * HOUR)).toEqual([60]);
  });
});

test('D24: a drain that is polled less often is polled in time to delete its pods, and soon after that', () => {
  const evictionsRefused = { sinceMs: NOW_MS };
  const deadlineMs = NOW_MS + HOUR + 33 * SECOND;
  expect(duesOf({ evictionsRefused, deadlineMs }, NOW_MS + HOUR)).toEqual([33, 3]);
  expect(duesOf({ evictionsRefused, deadlineMs }, NOW_MS + HOUR + 20 * SECOND)).toEqual([5]);
  expect(duesOf({ evictionsRefused, deadlineMs }, NOW_MS + HOUR + 32 * SECOND)).toEqual([1]);
});

test('D23: after an accepted eviction, the polls begin again with the shortest pause, with one write after a wait', () => {
  const record = launchedClaim({ deletion: { ...BEGUN, evictionsRefused: { sinceMs: NOW_MS } } });
  expect(withProgress(record, NOW_MS + 39 * SECOND)).toBe(record);
  const again = withProgress(record, NOW_MS + 40 * SECOND);
  expect(again.deletion?.evictionsRefused).toEqual({ sinceMs: NOW_MS + 40 * SECOND });
  expect(withProgress(again, NOW_MS + 45 * SECOND)).toBe(again);
});

test('D26: an instance that EC2 ends is looked at after 5 to 15 s, at a time that all instances share', () => {
  const minuteMs = Math.floor(NOW_MS / MINUTE) * MINUTE;
  const next = [0, 4, 5, 9, 10, 11].map(
    (seconds) => (pollUntilEnded(minuteMs + seconds * SECOND).atMs - minuteMs) / SECOND,
  );
  expect(next).toEqual([10, 10, 20, 20, 20, 20]);
});
