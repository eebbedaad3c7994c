import { expect, test } from 'vitest';
import { decideTermination } from '../../../lib/core/node-claim/termination.ts';
import { terminationView } from '../../builders/claim-view.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { aNode, CORDONED } from '../../builders/nodes.ts';
import { type PodOptions, runningPod } from '../../builders/pods.ts';
import { HOUR, NOW_MS, SECOND } from '../../builders/times.ts';

function forced(over: PodOptions) {
  const deletion = { reason: 'empty', message: '', requestedAtMs: NOW_MS, deadlineMs: NOW_MS + 10 * SECOND } as const;
  const record = launchedClaim({ nodeName: 'node-1', registeredAtMs: NOW_MS - HOUR, deletion });
  const pods = [runningPod('node-1', { spec: { nodeName: 'node-1', terminationGracePeriodSeconds: 60 }, ...over })];
  const view = terminationView({ record, node: aNode(CORDONED), pods, instanceState: 'alive' });
  return decideTermination(view, NOW_MS).actions.map((action) => action.kind === 'evict-pod' && action.force);
}

test('D24: a pod that is deleted later than was decided ends by the deadline too', () => {
  expect(forced({})).toEqual([{ graceSeconds: 10, endsByMs: NOW_MS + 10 * SECOND }]);
});

test('D24: the time of a pod that already ends counts from its first deletion, whenever it is deleted again', () => {
  expect(forced({ deletionMs: NOW_MS + 50 * SECOND, deletionGraceSeconds: 60 })).toEqual([{ graceSeconds: 20 }]);
});
