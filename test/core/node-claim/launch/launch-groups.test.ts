import { describe, expect, test } from 'vitest';
import type { LaunchRequest, NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import { launched, spentLaunch } from '../../../../lib/core/node-claim/launch/launch.ts';
import {
  instanceForMember,
  isGroupName,
  type LaunchGroup,
  launchGroups,
  listedMembers,
  MAX_MEMBERS,
} from '../../../../lib/core/node-claim/launch/launch-groups.ts';
import { decideLifecycle } from '../../../../lib/core/node-claim/lifecycle.ts';
import { decide, viewOf } from '../../../builders/claim-view.ts';
import { aClaim, anInstance } from '../../../builders/node-claims.ts';
import { MINUTE, NOW_MS, SECOND } from '../../../builders/times.ts';

const named = (name: string, over: Partial<NodeClaimRecord> = {}): NodeClaimRecord => aClaim({ name, ...over });

function groupsOf(records: readonly NodeClaimRecord[], nowMs = NOW_MS): readonly LaunchGroup[] {
  return launchGroups(records.map((record) => ({ record, verdict: decideLifecycle(viewOf(record), nowMs) })));
}

/** The records of a group that is launched. */
function requested(records: readonly NodeClaimRecord[]): readonly NodeClaimRecord[] {
  return groupsOf(records).flatMap(({ members }) => members.map(({ verdict }) => verdict.record));
}

function requestOf({ launch }: NodeClaimRecord): LaunchRequest | undefined {
  return launch.kind === 'requested' ? launch.request : undefined;
}

const tagged = (id: string, nodeClaim: string) => ({ ...anInstance({ id }), nodeClaim });

const names = (groups: readonly LaunchGroup[]): readonly (readonly string[])[] =>
  groups.map(({ members }) => members.map(({ record }) => record.name));

describe('a group', () => {
  test('has the claims whose requests are equal, by name, whatever their order', () => {
    const records = [named('c'), named('a'), named('b')];
    const [group] = groupsOf(records);
    expect(names(groupsOf(records))).toEqual([['a', 'b', 'c']]);
    expect(group?.request.members).toEqual(['a', 'b', 'c']);
    expect(groupsOf(records.toReversed())).toEqual(groupsOf(records));
  });

  test.each<[string, Partial<NodeClaimRecord>]>([
    [
      'options',
      { options: [{ instanceType: 'm5.large', zone: 'eu-west-3b', capacityType: 'spot', priceUsdPerHour: 1 }] },
    ],
    ['labels in the user data', { labels: { team: 'web' } }],
    ['NodePool', { nodePool: 'other' }],
    [
      'NodeClass',
      {
        spec: {
          ...aClaim().spec,
          requirements: [{ key: 'karpenter.k8s.aws/instance-tenancy', operator: 'In', values: ['dedicated'] }],
        },
      },
    ],
  ])('has no claim with other %s', (_, over) => {
    expect(names(groupsOf([named('a'), named('b'), named('c', over)]))).toEqual([['a', 'b']]);
  });

  test('a claim without an equal is launched alone, with its own name and token', () => {
    expect(groupsOf([named('a'), named('b', { nodePool: 'other' })])).toEqual([]);
  });

  test('has no claim whose own request was sent before: it is repeated alone and unchanged (promise 1)', () => {
    const sent = decide(viewOf(named('a')), NOW_MS).record;
    const token = requestOf(sent)?.clientToken;
    expect(names(groupsOf([sent, named('b'), named('c')], NOW_MS + MINUTE))).toEqual([['b', 'c']]);
    expect(decide(viewOf(sent), NOW_MS + MINUTE).actions).toMatchObject([{ request: { clientToken: token } }]);
  });

  test('has at most fifty claims, because its records are written in one transaction', () => {
    const records = Array.from({ length: MAX_MEMBERS * 2 + 1 }, (_, index) => named(`c-${1_000 + index}`));
    expect(groupsOf(records).map(({ members }) => members.length)).toEqual([MAX_MEMBERS, MAX_MEMBERS]);
  });

  test('every record has the same request, with the name of the group in the tag', () => {
    const [first, second] = requested([named('a'), named('b')]).map(requestOf);
    expect(first).toEqual(second);
    expect(isGroupName(first?.nodeClaim ?? '')).toBe(true);
    expect(first?.tags['karpenter.sh/nodeclaim']).toBe(first?.nodeClaim);
    expect(first?.clientToken.length).toBeLessThanOrEqual(64);
  });

  test('the token is that of the claims and their attempts (C51)', () => {
    const token = (...records: NodeClaimRecord[]): string | undefined => groupsOf(records)[0]?.request.clientToken;
    expect(token(named('a'), named('b'))).toBe(token(named('a'), named('b')));
    expect(token(named('a'), named('b'))).not.toBe(token(named('a'), named('c')));
    const tried = named('b', { launch: { kind: 'refused', attempt: 1, message: '', atMs: NOW_MS } });
    expect(token(named('a'), named('b'))).not.toBe(token(named('a'), tried));
  });

  test('a request that is sent again keeps its claims, also if some of them have their outcome', () => {
    const [a, b] = requested([named('a'), named('b'), named('c')]);
    if (a === undefined || b === undefined) throw new Error('not grouped');
    const again = groupsOf([b, named('d'), a], NOW_MS + MINUTE);
    expect(names(again)).toEqual([['a', 'b']]);
    expect(again[0]?.request).toEqual(requestOf(a));
    expect(groupsOf([b], NOW_MS + MINUTE)[0]?.request).toEqual(requestOf(b));
  });

  test('has no claim that waits for the outcome of its request', () => {
    const [a, b] = requested([named('a'), named('b')]);
    if (a === undefined || b === undefined) throw new Error('not grouped');
    expect(groupsOf([a, b], NOW_MS + SECOND)).toEqual([]);
    expect(groupsOf([spentLaunch(a, NOW_MS), spentLaunch(b, NOW_MS)], NOW_MS + MINUTE)).toEqual([]);
  });

  test('is not sent again while another run may be sending it', () => {
    const [a] = requested([named('a'), named('b')]);
    if (a === undefined) throw new Error('not grouped');
    expect(decide(viewOf(a), NOW_MS + 4 * SECOND)).toMatchObject({
      actions: [],
      due: [{ atMs: NOW_MS + 10 * SECOND }],
    });
    expect(decide(viewOf(a), NOW_MS + 5 * SECOND).actions).toMatchObject([{ kind: 'launch-instance' }]);
  });
});

describe('the instances of a group', () => {
  const [a, b, c] = requested([named('a'), named('b'), named('c')]);
  if (a === undefined || b === undefined || c === undefined) throw new Error('not grouped');
  const request = requestOf(a);
  const group = request?.nodeClaim ?? '';

  test('are assigned in order; the last claims get none if EC2 launched fewer', () => {
    const instances = [anInstance({ id: 'i-1' }), anInstance({ id: 'i-2' })];
    const got = ['a', 'b', 'c'].map((name) => request && instanceForMember(request, name, instances)?.id);
    expect(got).toEqual(['i-1', 'i-2', undefined]);
    expect(request && instanceForMember(request, 'other', instances)).toBeUndefined();
  });

  test('that no claim has are assigned by name once the request is not sent again', () => {
    const held = launched(a, anInstance({ id: 'i-2' }), NOW_MS);
    const listed = [tagged('i-3', group), tagged('i-2', group), tagged('i-1', group), tagged('i-0', 'other')];
    const found = listedMembers([c, held, b], listed);
    expect([...found].map(([name, { id }]) => [name, id])).toEqual([
      ['b', 'i-1'],
      ['c', 'i-3'],
    ]);
  });

  test('are found by the list when EC2 had time to list them, and not before', () => {
    const spent = spentLaunch(a, NOW_MS);
    const at = (atMs: number) => {
      const listed = { atMs, contains: { kind: 'read', value: false }, ofGroup: anInstance({ id: 'i-7' }) } as const;
      return decide(viewOf(spent, { listed: { kind: 'read', value: listed } }), atMs).record.launch;
    };
    expect(at(NOW_MS + 3 * MINUTE)).toMatchObject({ kind: 'requested' });
    expect(at(NOW_MS + 4 * MINUTE)).toMatchObject({ kind: 'launched', instance: { id: 'i-7' } });
  });
});
