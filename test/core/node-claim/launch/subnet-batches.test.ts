import { describe, expect, test } from 'vitest';
import type { LaunchRequest, NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import { type LaunchingClaim, launchGroups } from '../../../../lib/core/node-claim/launch/launch-groups.ts';
import { withSubnets } from '../../../../lib/core/node-claim/launch/subnet-batches.ts';
import { decideLifecycle } from '../../../../lib/core/node-claim/lifecycle.ts';
import { viewOf } from '../../../builders/claim-view.ts';
import { launchContext } from '../../../builders/launch-context.ts';
import { aClaim } from '../../../builders/node-claims.ts';
import { NOW_MS } from '../../../builders/times.ts';

const ZONES = ['eu-west-3a', 'eu-west-3b'] as const;
/** The addresses that a claim of m5.large may use. */
const OF_CLAIM = 29;

/** The claims that the subnets have addresses for, by zone. */
type Rooms = Readonly<Partial<Record<(typeof ZONES)[number], readonly number[]>>>;

function marketOf(rooms: Rooms) {
  const base = launchContext();
  const subnets = ZONES.flatMap((zone) =>
    (rooms[zone] ?? []).map((room, at) => ({
      id: `${zone}-${at}`,
      zone,
      zoneId: zone,
      freeAddresses: room * OF_CLAIM,
    })),
  );
  return { ...base, resolved: { ...base.resolved, subnets } };
}

function claimsOf(count: number, over: Partial<NodeClaimRecord> = {}): readonly NodeClaimRecord[] {
  const one = aClaim(over);
  const options = ZONES.flatMap((zone) => one.options.slice(0, 1).map((option) => ({ ...option, zone })));
  return Array.from({ length: count }, (_, at) => ({ ...one, name: `${one.nodePool}-${100 + at}`, options }));
}

function planned(records: readonly NodeClaimRecord[], rooms: Rooms, others: readonly NodeClaimRecord[] = []) {
  const context = marketOf(rooms);
  const claims = records.map((record) => ({
    record,
    verdict: decideLifecycle(viewOf(record, { launchContext: context }), NOW_MS),
  }));
  return withSubnets(claims, context, others);
}

function requestOf({ verdict }: LaunchingClaim): LaunchRequest | undefined {
  const { launch } = verdict.record;
  return launch.kind === 'requested' ? launch.request : undefined;
}

/** The subnets of consecutive claims, with the number of claims. */
function runsOf(claims: readonly LaunchingClaim[]): readonly string[] {
  const texts = claims.map(
    (claim) =>
      requestOf(claim)
        ?.overrides.map(({ subnetId }) => subnetId)
        .join(' ') ?? '',
  );
  return [...Map.groupBy(texts, (text) => text)].map(([text, { length }]) => `${length}: ${text}`);
}

describe('the subnets of claims with equal requests (C45)', () => {
  const EVEN: Rooms = { 'eu-west-3a': [120, 119, 118], 'eu-west-3b': [100, 110, 105] };

  test('are the same for all that one call can launch', () => {
    const claims = planned(claimsOf(100), EVEN);
    expect(launchGroups(claims).map(({ members }) => members.length)).toEqual([50, 50]);
  });

  test('are those with the most free addresses, after the batches before', () => {
    expect(runsOf(planned(claimsOf(120), EVEN))).toEqual([
      '50: eu-west-3a-0 eu-west-3b-1',
      '50: eu-west-3a-1 eu-west-3b-2',
      '20: eu-west-3a-2 eu-west-3b-0',
    ]);
  });

  test('change when one is full, while another one of its zone has room', () => {
    const rooms: Rooms = { 'eu-west-3a': [10, 4], 'eu-west-3b': [100] };
    expect(runsOf(planned(claimsOf(14), rooms))).toEqual([
      '10: eu-west-3a-0 eu-west-3b-0',
      '4: eu-west-3a-1 eu-west-3b-0',
    ]);
  });

  test('share the claims that are left when all of the zone are full', () => {
    const rooms: Rooms = { 'eu-west-3a': [10, 0], 'eu-west-3b': [1] };
    expect(runsOf(planned(claimsOf(14), rooms))).toEqual([
      '12: eu-west-3a-0 eu-west-3b-0',
      '2: eu-west-3a-1 eu-west-3b-0',
    ]);
  });

  test('do not change in a zone that has no other one', () => {
    expect(runsOf(planned(claimsOf(14), { 'eu-west-3a': [1], 'eu-west-3b': [0] }))).toEqual([
      '14: eu-west-3a-0 eu-west-3b-0',
    ]);
  });

  test('are equally full after the last claim, also if one is much smaller', () => {
    const rooms: Rooms = { 'eu-west-3a': [8.6, 2.1], 'eu-west-3b': [1] };
    expect(runsOf(planned(claimsOf(50), rooms))).toEqual([
      '28: eu-west-3a-0 eu-west-3b-0',
      '22: eu-west-3a-1 eu-west-3b-0',
    ]);
  });

  test('are not those that claims with other requests and other launches fill', () => {
    const rooms: Rooms = { 'eu-west-3a': [40, 30], 'eu-west-3b': [99] };
    const [other] = planned(claimsOf(1, { nodePool: 'earlier' }), rooms);
    const others = Array.from({ length: 11 }, () => other?.verdict.record ?? aClaim());
    expect(runsOf(planned(claimsOf(20), rooms, others))).toEqual(['20: eu-west-3a-1 eu-west-3b-0']);
    const both = [...claimsOf(11, { nodePool: 'earlier' }), ...claimsOf(20)];
    expect(runsOf(planned(both, rooms))).toEqual(['11: eu-west-3a-0 eu-west-3b-0', '20: eu-west-3a-1 eu-west-3b-0']);
  });

  test('are unchanged in a request that was sent before, which takes addresses too', () => {
    const [sent] = planned(claimsOf(1, { nodePool: 'earlier' }), { 'eu-west-3a': [40], 'eu-west-3b': [99] });
    const record = sent?.verdict.record ?? aClaim();
    const claims = planned([record, ...claimsOf(2)], { 'eu-west-3a': [40, 39.5], 'eu-west-3b': [99, 100] });
    expect(claims[0]?.verdict.record.launch).toEqual(record.launch);
    expect(runsOf(claims)).toEqual(['1: eu-west-3a-0 eu-west-3b-0', '2: eu-west-3a-1 eu-west-3b-1']);
  });

  test('are those of the templates and of the action too', () => {
    const [claim] = planned(claimsOf(1), EVEN);
    if (claim === undefined || claim.verdict.record.launch.kind !== 'requested') throw new Error('it is not launched');
    const { launch } = claim.verdict.record;
    const templates = launch.request.templates.map((one) => ({ ...one, subnetId: 'eu-west-3a-0' }));
    const request = { ...launch.request, templates };
    const verdict = { ...claim.verdict, record: { ...claim.verdict.record, launch: { ...launch, request } } };
    const [moved] = withSubnets([{ ...claim, verdict }], marketOf({ ...EVEN, 'eu-west-3a': [1, 2] }), []);
    expect(moved && requestOf(moved)?.templates.map(({ subnetId }) => subnetId)).toEqual(['eu-west-3a-1']);
    expect(moved?.verdict.actions).toMatchObject([{ kind: 'launch-instance', request: moved && requestOf(moved) }]);
  });
});
