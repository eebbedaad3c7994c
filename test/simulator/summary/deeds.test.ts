import { expect, test } from 'vitest';
import type { EndDisruption, NodeToDelete } from '../../../lib/core/model/decision.ts';
import type { DisruptionCommand } from '../../../lib/core/model/disruption-command.ts';
import { deedMeter } from '../../../lib/simulator/summary/deeds.ts';
import type { Happening } from '../../../lib/simulator/timeline.ts';
import { aCommand, candidatesNamed } from '../../builders/decisions.ts';

function counted(...happenings: readonly Happening[]) {
  const meter = deedMeter();
  for (const [at, happening] of happenings.entries()) meter.note({ at, ...happening });
  return meter.report();
}

const by = { controller: 'termination', decision: 'd' } as const;

function deleted(nodeClaim: string, reason: 'empty' | 'expired'): Happening {
  return { ...by, kind: 'delete-node-claim', nodeClaim, reason, message: '' };
}

function evicted(nodeClaim: string, name: string, workload: string): Happening {
  const pod = { namespace: 'default', name, uid: name };
  return { ...by, kind: 'evict-pod', nodeClaim, pod, workload };
}

function started(command: Parameters<typeof aCommand>[0]): Happening {
  return { ...by, kind: 'start-disruption', command: aCommand(command) };
}

function ended(command: string, of: Partial<EndDisruption> = {}): Happening {
  return { ...by, kind: 'end-disruption', command, outcome: 'executed', why: '', ...of };
}

function deletesOf(...nodes: readonly string[]): readonly NodeToDelete[] {
  return nodes.map((node) => ({ nodeClaim: `claim-${node}`, node, priceUsdPerHour: 0.3, evicted: {} }));
}

/** Candidates that cost this much. */
function costing(...prices: readonly number[]): DisruptionCommand['candidates'] {
  return candidatesNamed('a').flatMap((one) => prices.map((priceUsdPerHour) => ({ ...one, priceUsdPerHour })));
}

const replacements = [{ nodePool: 'general', instanceTypes: ['m5.large'], priceUsdPerHour: 0.1 }];

test('removals and evictions have the reason of the deletion; pods of DaemonSets do not count', () => {
  const report = counted(
    deleted('a', 'expired'),
    evicted('a', 'web-1', 'Deployment default/web'),
    evicted('a', 'agent-1', 'DaemonSet kube-system/agent'),
    deleted('b', 'empty'),
    evicted('b', 'agent-2', 'DaemonSet kube-system/agent'),
  );
  expect(report.removedByReason).toEqual({ empty: 1, expired: 1 });
  expect(report.evictedByReason).toEqual({ expired: 1 });
  expect(report.actions).toEqual({
    'delete-node-claim (empty)': 1,
    'delete-node-claim (expired)': 1,
    'evict-pod': 3,
  });
});

test('a NodeClaim that is deleted by two decisions is removed once', () => {
  expect(counted(deleted('a', 'empty'), deleted('a', 'expired')).removedByReason).toEqual({ empty: 1 });
});

test('launches without capacity are counted', () => {
  const refused = { kind: 'launch-refused', nodeClaim: 'a', message: '' } as const;
  expect(counted(refused, refused).launchesRefused).toBe(2);
});

test('executed commands have the nodes that they have replaced, and what they have saved; others are only counted', () => {
  const report = counted(
    started({ id: 'a', candidates: costing(0.1, 0.2) }),
    started({ id: 'b', candidates: costing(0.3, 0.3), replacements }),
    started({ id: 'c', candidates: costing(9) }),
    started({ id: 'd', candidates: costing(9) }),
    ended('a', { savingUsdPerHour: 0.3, deletes: deletesOf('a', 'b') }),
    // The deletion of the other node was refused.
    ended('b', { savingUsdPerHour: 0.2, deletes: deletesOf('c') }),
    ended('c', { outcome: 'rejected' }),
  );
  expect(report.disruption).toEqual({
    commandsExecuted: 2,
    commandsRejected: 1,
    nodesReplaced: 1,
    replacements: 1,
    savedUsdPerHour: 0.5,
  });
});
