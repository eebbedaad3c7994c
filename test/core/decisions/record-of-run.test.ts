import { describe, expect, test } from 'vitest';
import { MAX_NAMES } from '../../../lib/core/decisions/decision-record.ts';
import { type EndedRun, recordOfRun } from '../../../lib/core/decisions/record-of-run.ts';
import type { Action, Blocked } from '../../../lib/core/model/decision.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { aCommand, aDecision, aReplacingCommand, candidatesNamed } from '../../builders/decisions.ts';
import { aClaim, launchedClaim } from '../../builders/node-claims.ts';
import { NOW_MS } from '../../builders/times.ts';

function aRun(over: Partial<EndedRun> = {}): EndedRun {
  return {
    cluster: 'demo',
    controller: 'provisioning',
    wokenBy: 'webhook',
    decisions: [aDecision()],
    durationMs: 40,
    version: '1.2.3',
    ...over,
  };
}

function unschedulable(pod: string, message = 'no NodePool has 100 cpu'): Blocked {
  const subject = { kind: 'Pod', namespace: 'default', name: pod } as const;
  return { subject, nodePool: 'general', reason: 'InsufficientResources', message, numbers: { cpu: 100 } };
}

describe('the id of a record', () => {
  test('sorts by the time of the decision', () => {
    const at = (atMs: number) => recordOfRun(aRun({ decisions: [aDecision({ atMs })] }), []).id;
    const times = [NOW_MS, NOW_MS + 1, NOW_MS + 1_000, NOW_MS + 3_600_000, NOW_MS + 86_400_000 * 40];
    expect(times.map(at).toSorted()).toEqual(times.map(at));
    expect(at(NOW_MS)).toMatch(/^\d{8}T\d{6}\.\d{3}Z-provisioning-[a-z2-7]{6}$/);
  });

  test('differs for two runs of the same millisecond', () => {
    const [one, other] = ['lifecycle-a', 'lifecycle-b'].map(
      (id) => recordOfRun(aRun({ decisions: [aDecision({ id })] }), []).id,
    );
    expect(one).not.toBe(other);
  });
});

test('a new node is recorded with its cheapest option and its pods', () => {
  const nodeClaim = aClaim({ name: 'general-a', pods: ['default/web-1', 'default/web-2'] });
  const cheapest = Math.min(...nodeClaim.options.map(({ priceUsdPerHour }) => priceUsdPerHour));
  const actions = [{ kind: 'create-node-claim', nodeClaim } as const];
  const record = recordOfRun(aRun({ decisions: [aDecision({ actions })], snapshot: { nodeClaims: [] } }), []);
  expect(record.actions).toEqual([
    expect.objectContaining({
      kind: 'create-node-claim',
      nodeClaims: ['general-a'],
      usdPerHour: cheapest,
      pods: ['default/web-1', 'default/web-2'],
    }),
  ]);
  expect(record.price).toEqual({ beforeUsdPerHour: 0, afterUsdPerHour: Math.round(cheapest * 1e4) / 1e4 });
});

test('the price of the new nodes is recorded with its lower bound', () => {
  const price = { usdPerHour: 0.25, lowerBoundUsdPerHour: 0.2, gapPercent: 25 };
  const run = aRun({ decisions: [aDecision({ price })], snapshot: { nodeClaims: [] } });
  expect(recordOfRun(run, []).price).toMatchObject({ newUsdPerHour: 0.25, lowerBoundUsdPerHour: 0.2 });
});

test('a deleted node lowers the price', () => {
  const record = launchedClaim();
  const action: Action = { kind: 'delete-node-claim', nodeClaim: record.name, reason: 'empty', message: 'empty' };
  const run = aRun({ decisions: [aDecision({ actions: [action] })], snapshot: { nodeClaims: [record] } });
  const { price } = recordOfRun(run, []);
  expect(price?.beforeUsdPerHour).toBeGreaterThan(0);
  expect(price?.afterUsdPerHour).toBe(0);
});

test('the price counts each NodeClaim that is not launched by its cheapest option', () => {
  const prices = (nodeClaims: readonly NodeClaimRecord[], action: Action) =>
    recordOfRun(aRun({ decisions: [aDecision({ actions: [action] })], snapshot: { nodeClaims } }), []).price;
  const planned = aClaim({ name: 'general-1' });
  const created = prices([planned], { kind: 'create-node-claim', nodeClaim: aClaim({ name: 'general-2' }) });
  expect(created).toEqual({ beforeUsdPerHour: 0.1, afterUsdPerHour: 0.2 });
  const deletion = { kind: 'delete-node-claim', reason: 'launch_timeout', message: 'not launched' } as const;
  const deleted = prices([planned, launchedClaim({ name: 'general-2' })], { ...deletion, nodeClaim: 'general-1' });
  expect(deleted).toEqual({ beforeUsdPerHour: 0.2, afterUsdPerHour: 0.1 });
});

test('the price leaves out released NodeClaims', () => {
  const nodeClaims = [launchedClaim({ releasedAtMs: NOW_MS }), aClaim({ name: 'general-2', releasedAtMs: NOW_MS })];
  const { price } = recordOfRun(aRun({ snapshot: { nodeClaims } }), []);
  expect(price).toEqual({ beforeUsdPerHour: 0, afterUsdPerHour: 0 });
});

test('the evictions of a node are one action with at most 200 names', () => {
  const actions = Array.from({ length: MAX_NAMES + 5 }, (_, index): Action => {
    const pod = { namespace: 'default', name: `web-${index}`, uid: String(index) };
    return { kind: 'evict-pod', nodeClaim: 'general-a', pod };
  });
  const [eviction, ...more] = recordOfRun(aRun({ decisions: [aDecision({ actions })] }), []).actions;
  expect(more).toEqual([]);
  expect(eviction).toMatchObject({ kind: 'evict-pod', nodeClaims: ['general-a'], morePods: 5 });
  expect(eviction?.pods).toHaveLength(MAX_NAMES);
});

test('a run that continues a command names the decision that proposed it', () => {
  const command = aReplacingCommand({ id: 'disruption-7-abc' });
  const decisions = [aDecision({ actions: [{ kind: 'continue-disruption', command }] })];
  expect(recordOfRun(aRun({ decisions }), []).causes).toEqual(['disruption-7-abc']);
  const started = aCommand({ candidates: candidatesNamed('node-1') });
  const proposal = aRun({ decisions: [aDecision({ actions: [{ kind: 'start-disruption', command: started }] })] });
  expect(recordOfRun(proposal, []).causes).toBeUndefined();
});

describe('refusals', () => {
  test('with the same reason and message are one entry, with the names', () => {
    const blocked = [unschedulable('a'), unschedulable('b'), unschedulable('c', 'no NodePool has 7 cpu')];
    const { refusals, refused } = recordOfRun(aRun({ decisions: [aDecision({ blocked })] }), blocked);
    expect(refusals.map(({ names, count }) => [names, count])).toEqual([
      [['default/a', 'default/b'], 2],
      [['default/c'], 1],
    ]);
    expect(refused).toEqual({ InsufficientResources: 3 });
  });

  test('that an earlier record has are counted, and not named again', () => {
    const blocked = [unschedulable('a'), unschedulable('b')];
    const record = recordOfRun(aRun({ decisions: [aDecision({ blocked })] }), [unschedulable('b')]);
    expect(record.refused).toEqual({ InsufficientResources: 2 });
    expect(record.refusals.flatMap(({ names }) => names)).toEqual(['default/b']);
  });

  test('with many messages share an entry, so that the record is bounded', () => {
    const blocked = Array.from({ length: 500 }, (_, index) => unschedulable(`pod-${index}`, `message ${index}`));
    const { refusals } = recordOfRun(aRun({ decisions: [aDecision({ blocked })] }), blocked);
    expect(refusals).toHaveLength(101);
    expect(refusals.reduce((sum, { count }) => sum + count, 0)).toBe(500);
    expect(refusals.at(-1)).toMatchObject({ count: 400 });
    expect(refusals.at(-1)?.names).toHaveLength(MAX_NAMES);
  });
});
