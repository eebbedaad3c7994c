import { describe, expect, test } from 'vitest';
import type { Deletion, NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { problemsOfClaims } from '../../../lib/core/problems/claim-problems.ts';
import { aClaim, launchedClaim } from '../../builders/node-claims.ts';
import { MINUTE, NOW_MS } from '../../builders/times.ts';

function found(records: readonly NodeClaimRecord[]): readonly string[] {
  return problemsOfClaims(records, NOW_MS).map(({ kind, message }) => `${kind}: ${message}`);
}

function ago(minutes: number): number {
  return NOW_MS - minutes * MINUTE;
}

function deleted(over: Partial<Deletion>, claim: Partial<NodeClaimRecord> = {}): NodeClaimRecord {
  const deletion: Deletion = { reason: 'empty', message: 'no pods', requestedAtMs: ago(5), ...over };
  return launchedClaim({ createdAtMs: ago(600), registeredAtMs: ago(599), ...claim, deletion });
}

describe('launches', () => {
  const refused = { kind: 'refused', attempt: 3, message: 'UnauthorizedOperation', atMs: ago(1) } as const;

  test('that EC2 refuses are a problem, with the cause of the first one by name and the number of all', () => {
    const claims = ['b', 'a', 'd', 'c'].map((name) => aClaim({ name, launch: { ...refused, retryAtMs: NOW_MS } }));
    const [problem] = problemsOfClaims(claims, NOW_MS);
    expect(problem).toMatchObject({ kind: 'LaunchesFailing', numbers: { nodeClaims: 4 } });
    expect(problem?.message).toMatch(/^NodeClaim a, b, c and 1 more: NodeClaim a .*UnauthorizedOperation/);
  });

  test('for which capacity is missing are not: they are tried again at once with other offerings', () => {
    expect(found([aClaim({ launch: refused })])).toEqual([]);
  });
});

describe('a NodeClaim is stuck', () => {
  test.each([
    ['not launched', aClaim({ createdAtMs: ago(36) }), 'not launched for 36 minutes'],
    ['not registered', launchedClaim({ createdAtMs: ago(11) }), 'launched and not registered for 11 minutes'],
    [
      'not initialized',
      launchedClaim({ createdAtMs: ago(60), registeredAtMs: ago(16) }),
      'registered and not initialized for 16 minutes',
    ],
  ])('if it is %s in time', (_, claim, why) => {
    expect(found([claim])).toEqual([`NodeClaimStuck: NodeClaim general-1: ${why}`]);
  });

  test.each([
    ['has just been planned', aClaim({ createdAtMs: ago(24) })],
    ['has just been launched', launchedClaim({ createdAtMs: ago(9) })],
    ['has just been registered', launchedClaim({ createdAtMs: ago(60), registeredAtMs: ago(14) })],
    ['is initialized', launchedClaim({ createdAtMs: ago(60), registeredAtMs: ago(59), initializedAtMs: ago(58) })],
  ])('but not if it %s', (_, claim) => {
    expect(found([claim])).toEqual([]);
  });
});

describe('a drain is stuck', () => {
  test.each([
    ['without a deadline for an hour', { requestedAtMs: ago(61) }, 'draining for 61 minutes'],
    [
      'after its deadline',
      { requestedAtMs: ago(90), deadlineMs: ago(11) },
      'past the deadline of its drain for 11 minutes',
    ],
    [
      'while its instance shuts down',
      { terminateRequestedAtMs: ago(21) },
      'its instance is shutting down for 21 minutes',
    ],
    [
      'while EC2 refuses to terminate its instance',
      { terminationRefused: { message: 'protected', sinceMs: ago(6), retryAtMs: NOW_MS } },
      'EC2 refuses to terminate its instance: protected; refused for 6 minutes',
    ],
    [
      'while its Node or NodeClaim cannot be released, although its instance has ended',
      { terminateRequestedAtMs: ago(53), releaseFailed: { message: '403', sinceMs: ago(52) } },
      'its instance has ended, but its Node or NodeClaim cannot be released for 52 minutes: 403',
    ],
  ])('%s', (_, deletion, why) => {
    expect(found([deleted(deletion)])).toEqual([`DrainStuck: NodeClaim general-1: ${why}`]);
  });

  test.each([
    ['it has just begun', { requestedAtMs: ago(59) }],
    ['its release failed a moment ago', { releaseFailed: { message: '403', sinceMs: ago(4) } }],
    ['its deadline is not over', { requestedAtMs: ago(600), deadlineMs: ago(-60) }],
  ])('but not if %s', (_, deletion) => {
    expect(found([deleted(deletion)])).toEqual([]);
  });

  test('and a NodeClaim that is released is over', () => {
    expect(found([deleted({ requestedAtMs: ago(600) }, { releasedAtMs: ago(300) })])).toEqual([]);
  });
});
