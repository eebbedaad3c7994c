import { expect, test } from 'vitest';
import { formatTime } from '../../../lib/apis/formats/time.ts';
import type { Deletion } from '../../../lib/core/model/node-claim-record.ts';
import { decideTermination } from '../../../lib/core/node-claim/termination.ts';
import { terminationView } from '../../builders/claim-view.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { aNode, CORDONED } from '../../builders/nodes.ts';
import { type PodOptions, runningPod } from '../../builders/pods.ts';
import { HOUR, MINUTE, NOW_MS, SECOND } from '../../builders/times.ts';

/** The drain of a pod with a grace period of a minute. */
function drained(over: PodOptions, ended: Partial<Deletion>) {
  const deletion = { reason: 'empty', message: '', requestedAtMs: NOW_MS, ...ended } as const;
  const record = launchedClaim({ nodeName: 'node-1', registeredAtMs: NOW_MS - HOUR, deletion });
  const pods = [runningPod('node-1', { spec: { nodeName: 'node-1', terminationGracePeriodSeconds: 60 }, ...over })];
  const view = terminationView({ record, node: aNode(CORDONED), pods, instanceState: 'alive' });
  return decideTermination(view, NOW_MS);
}

function forced(over: PodOptions) {
  const { actions } = drained(over, { deadlineMs: NOW_MS + 10 * SECOND });
  return actions.map((action) => action.kind === 'evict-pod' && action.force);
}

test('D24: a pod that is deleted later than was decided ends by the deadline too', () => {
  expect(forced({})).toEqual([{ graceSeconds: 10, endsByMs: NOW_MS + 10 * SECOND }]);
});

test('D24: the time of a pod that already ends counts from its first deletion, whenever it is deleted again', () => {
  expect(forced({ deletionMs: NOW_MS + 50 * SECOND, deletionGraceSeconds: 60 })).toEqual([{ graceSeconds: 20 }]);
});

const WARNED = { interruptedAtMs: NOW_MS + SECOND };
const BY_EC2 = ', at the latest when EC2 ends the instance at about';

test.each<[string, string, Partial<Deletion>, string]>([
  ['true', 'no deadline', {}, ''],
  ['10m', 'no deadline', {}, ' or until 2026-01-31T08:10:00Z'],
  ['true', 'a deadline in 30m', { deadlineMs: NOW_MS + 30 * MINUTE }, ' or until 2026-01-31T08:29:00Z'],
  ['10m', 'a deadline in 30m', { deadlineMs: NOW_MS + 30 * MINUTE }, ' or until 2026-01-31T08:10:00Z'],
  ['40m', 'a deadline in 30m', { deadlineMs: NOW_MS + 30 * MINUTE }, ' or until 2026-01-31T08:29:00Z'],
  ['true', 'a spot warning', { reason: 'spot_interrupted' }, `${BY_EC2} 2026-01-31T08:02:00Z`],
  ['true', 'a warning during the drain', WARNED, `${BY_EC2} 2026-01-31T08:02:01Z`],
  [
    '1m',
    'a spot warning',
    { reason: 'spot_interrupted' },
    ` or until 2026-01-31T08:01:00Z${BY_EC2} 2026-01-31T08:02:00Z`,
  ],
])('D23: with do-not-disrupt %s and %s, the refusal says until when the pod stays', (...[value, , deadline, until]) => {
  const status = { phase: 'Running', startTime: formatTime(NOW_MS) } as const;
  const { blocked } = drained({ status, annotations: { 'karpenter.sh/do-not-disrupt': value } }, deadline);
  const why = 'it has the annotation karpenter.sh/do-not-disrupt: node node-1 is not terminated until it completes';
  expect(blocked.map(({ message }) => message)).toEqual([`${why}${until}`]);
});
