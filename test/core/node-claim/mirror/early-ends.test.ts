/** Drained and VolumesDetached say what ended a drain that was not complete (A2.6). */
import { describe, expect, test } from 'vitest';
import type { Deletion, NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import { conditionsOf } from '../../../../lib/core/node-claim/mirror/mirror-conditions.ts';
import { refusedTermination } from '../../../../lib/core/node-claim/terminate.ts';
import { decideTermination, type TerminationView } from '../../../../lib/core/node-claim/termination.ts';
import { terminationView, UNREAD } from '../../../builders/claim-view.ts';
import { launchedClaim } from '../../../builders/node-claims.ts';
import { aNode } from '../../../builders/nodes.ts';
import { runningPod } from '../../../builders/pods.ts';
import { HOUR, MINUTE, NOW_MS } from '../../../builders/times.ts';

const POD = runningPod('node-1', { name: 'db' });

function draining(deletion: Partial<Deletion>): NodeClaimRecord {
  return launchedClaim({
    nodeName: 'node-1',
    registeredAtMs: NOW_MS - HOUR,
    initializedAtMs: NOW_MS - HOUR,
    deletion: {
      reason: 'expired',
      message: '',
      requestedAtMs: NOW_MS - 20 * MINUTE,
      drainStartedAtMs: NOW_MS - 20 * MINUTE,
      ...deletion,
    },
  });
}

/** The conditions after the decision was carried out, as `type=status reason`. */
function shownAfter(deletion: Partial<Deletion>, seen: Partial<Omit<TerminationView, 'pods'>>, pods = [POD]) {
  const view = { ...terminationView({ record: draining(deletion), node: aNode(), pods }), ...seen };
  const { record, whenDone = record } = decideTermination(view, NOW_MS);
  return shown(whenDone);
}

function shown(record: NodeClaimRecord): readonly string[] {
  return conditionsOf(record, {})
    .filter(({ type }) => type === 'Drained' || type === 'VolumesDetached')
    .map(({ type, status, reason }) => `${type}=${status} ${reason}`);
}

const WAITS = { volumes: true, volumesAwaitedSinceMs: NOW_MS - 10 * MINUTE } as const;

describe('the drain', () => {
  test('was ended by EC2', () => {
    expect(shownAfter({}, { instanceState: 'shutting-down' })).toEqual(['Drained=False InstanceEnded']);
  });

  test('was ended by its deadline', () => {
    const after = shownAfter({ deadlineMs: NOW_MS }, { instanceState: 'alive' });
    expect(after).toEqual(['Drained=False TerminationGracePeriodElapsed']);
  });

  test('was ended by its deadline, and EC2 refused the termination at first', () => {
    const record = draining({ deadlineMs: NOW_MS });
    const refused = refusedTermination(record, { instanceId: 'i-1', message: 'protected' }, NOW_MS) ?? record;
    const view = terminationView({ record: refused, node: aNode(), pods: [POD], instanceState: 'alive' });
    const later = decideTermination(view, NOW_MS + 1);
    expect(shown(later.record)).toEqual(['Drained=False TerminationGracePeriodElapsed']);
  });

  test('was complete at its deadline', () => {
    expect(shownAfter({ deadlineMs: NOW_MS }, { instanceState: 'alive' }, [])).toEqual(['Drained=True Drained']);
  });

  test('was complete before EC2 was found to shut down the instance that Kerf terminated', () => {
    const over = { drainOverAtMs: NOW_MS - MINUTE, terminateRequestedAtMs: NOW_MS - MINUTE };
    expect(shownAfter(over, { instanceState: 'shutting-down' }, [])).toEqual(['Drained=True Drained']);
  });

  test('was complete on a node whose volumes may not be listed', () => {
    const seen = { instanceState: 'alive', volumes: { kind: 'unknown', message: 'forbidden' } } as const;
    expect(shownAfter({ volumes: true }, seen, [])).toEqual(['Drained=True Drained']);
  });
});

describe('the wait for volumes', () => {
  test('was ended by EC2', () => {
    const after = shownAfter(WAITS, { instanceState: 'shutting-down' }, []);
    expect(after).toEqual(['Drained=True Drained', 'VolumesDetached=False InstanceEnded']);
  });

  test('was given up, because the volumes could not be read for six minutes', () => {
    const unread = { ...WAITS, volumesUnreadSinceMs: NOW_MS - 6 * MINUTE };
    const after = shownAfter(unread, { instanceState: 'alive', volumes: UNREAD }, []);
    expect(after).toEqual(['Drained=True Drained', 'VolumesDetached=Unknown VolumesUnknown']);
  });

  test('was complete', () => {
    const seen = { instanceState: 'alive', volumes: { kind: 'known', attached: [] } } as const;
    expect(shownAfter(WAITS, seen, [])).toEqual(['Drained=True Drained', 'VolumesDetached=True VolumesDetached']);
  });
});
