import { describe, expect, test } from 'vitest';
import type { LaunchRequest, NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import { launched, refusedLaunch, spentLaunch } from '../../../../lib/core/node-claim/launch/launch.ts';
import { decideLifecycle, type NodeClaimView } from '../../../../lib/core/node-claim/lifecycle.ts';
import { decide, deletionOf, viewOf } from '../../../builders/claim-view.ts';
import { aReservation, launchContext } from '../../../builders/launch-context.ts';
import { aClaim, aFleet, aLaunchRequest, anInstance, claimSpec } from '../../../builders/node-claims.ts';
import { MINUTE, NOW_MS, SECOND } from '../../../builders/times.ts';

const OFFERING = { instanceType: 'm5.large', zone: 'eu-west-3a', priceUsdPerHour: 0.1 } as const;
const spotAndOnDemand = [
  { ...OFFERING, capacityType: 'spot', priceUsdPerHour: 0.04 },
  { ...OFFERING, capacityType: 'on-demand' },
  { ...OFFERING, capacityType: 'on-demand', zone: 'eu-west-3b' },
] as const;

/** The request that the verdict sends. */
function requestOf(view: NodeClaimView, nowMs = NOW_MS): LaunchRequest | undefined {
  const [action] = decide(view, nowMs).actions;
  return action?.kind === 'launch-instance' ? action.request : undefined;
}

describe('launch', () => {
  test('is prioritized by price if a NodeOverlay changed prices (C47)', () => {
    const overlaid = aClaim({ annotations: { 'karpenter.sh/price-overlay-applied': 'true' } });
    expect(requestOf(viewOf(overlaid))).toMatchObject({ prioritized: true });
    expect(requestOf(viewOf(aClaim()))).not.toHaveProperty('prioritized');
  });

  test('the request is recorded before it is sent (D36)', () => {
    const { record, actions } = decideLifecycle(viewOf(aClaim()), NOW_MS);
    const [action] = actions;
    expect(action).toMatchObject({ kind: 'launch-instance', nodeClaim: 'general-1', attempt: 1 });
    expect(record.launch).toMatchObject({ kind: 'requested', attempt: 1, atMs: NOW_MS });
    expect(record.launch.kind === 'requested' && record.launch.request).toBe(
      action?.kind === 'launch-instance' && action.request,
    );
  });

  test('after a refusal, the next attempt has a new token and excludes offerings without capacity', () => {
    const record = aClaim({ options: spotAndOnDemand });
    const first = requestOf(viewOf(record));
    const refused = refusedLaunch(decideLifecycle(viewOf(record), NOW_MS).record, {
      message: 'no capacity',
      nowMs: NOW_MS,
      learned: true,
    });
    const unavailable = [{ ...OFFERING, capacityType: 'spot' as const, untilMs: NOW_MS + MINUTE, reason: '' }];
    const second = requestOf(viewOf(refused, { launchContext: launchContext({ unavailable }) }));
    const atMs = NOW_MS;
    expect(refused.launch).toEqual({ kind: 'refused', attempt: 1, message: 'no capacity', atMs, firstAtMs: atMs });
    expect(first).toMatchObject({ capacityType: 'spot', overrides: [{ capacityType: 'spot' }] });
    expect(second).toMatchObject({
      capacityType: 'on-demand',
      overrides: [{ subnetId: 'subnet-a' }, { subnetId: 'subnet-b' }],
    });
    expect(second?.clientToken).not.toBe(first?.clientToken);
  });

  test('a subnet without free addresses is replaced by another of its zone (C32)', () => {
    const { resolved } = launchContext();
    const [first] = resolved.subnets;
    const other = { id: 'subnet-a2', zone: 'eu-west-3a', zoneId: 'euw3-az1', freeAddresses: 9 };
    const full = { instanceType: '*', zone: 'eu-west-3a', capacityType: 'spot', untilMs: NOW_MS, reason: '' } as const;
    const context = launchContext({
      resolved: { ...resolved, subnets: [...resolved.subnets, other] },
      unavailable: [{ ...full, subnetId: first?.id ?? '' }],
    });
    const request = requestOf(viewOf(aClaim(), { launchContext: context }));
    expect(request?.overrides.map(({ zone, subnetId }) => [zone, subnetId])).toContainEqual([
      'eu-west-3a',
      'subnet-a2',
    ]);
    expect(request?.overrides.map(({ subnetId }) => subnetId)).not.toContain(first?.id);
  });

  test('the token is derived from the claim and the attempt (C51)', () => {
    const token = (over: Partial<NodeClaimRecord>) => requestOf(viewOf(aClaim(over)))?.clientToken;
    expect(token({})).toBe(token({}));
    expect(token({})?.length).toBeLessThanOrEqual(64);
    expect(
      new Set([token({}), token({ name: 'general-2' }), token({ cluster: 'other' }), token({ createdAtMs: 1 })]).size,
    ).toBe(4);
  });

  test('the request records that its launch template names use SHA-256', () => {
    expect(requestOf(viewOf(aClaim()))).toMatchObject({ templateNames: 'sha-256' });
  });

  test('reserved capacity comes before spot, spot before on-demand (C43)', () => {
    const reserved = { ...OFFERING, capacityType: 'reserved', reservationId: 'cr-1' } as const;
    const resolved = { ...launchContext().resolved, capacityReservations: [aReservation()] };
    const view = viewOf(aClaim({ options: [...spotAndOnDemand, reserved] }), {
      launchContext: launchContext({ resolved }),
    });
    expect(requestOf(view)?.capacityType).toBe('reserved');
    expect(requestOf(viewOf(aClaim({ options: spotAndOnDemand })))?.capacityType).toBe('spot');
  });

  test('the instance has ownership tags from its launch (C50)', () => {
    expect(requestOf(viewOf(aClaim()))?.tags).toEqual({
      team: 'a',
      'kubernetes.io/cluster/demo': 'owned',
      'eks:eks-cluster-name': 'demo',
      'karpenter.sh/nodepool': 'general',
      'karpenter.k8s.aws/ec2nodeclass': 'default',
      'karpenter.sh/nodeclaim': 'general-1',
    });
  });

  test('the node starts with its taints and the unregistered one (A6.5)', () => {
    const spec = claimSpec({
      taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }],
      startupTaints: [{ key: 'cni', effect: 'NoExecute' }],
    });
    const userData = requestOf(viewOf(aClaim({ spec })))?.templates[0]?.userData ?? '';
    expect(userData).toContain('karpenter.sh/unregistered');
    expect(userData).toContain('team');
    expect(userData).toContain('cni');
  });

  test.each([
    [
      'no offering has capacity',
      { unavailable: [{ ...OFFERING, capacityType: 'on-demand', untilMs: NOW_MS, reason: '' }] },
    ],
    [
      'its capacity type is unavailable everywhere',
      { unavailable: [{ instanceType: '*', zone: '*', capacityType: 'on-demand', untilMs: NOW_MS, reason: '' }] },
    ],
    ['there is no subnet in its zone', { resolved: { ...launchContext().resolved, subnets: [] } }],
    ['there is no image for its architecture', { resolved: { ...launchContext().resolved, images: [] } }],
  ] as const)('if %s, the claim is deleted (D3)', (_, context) => {
    const record = aClaim({ pods: ['default/web'] });
    expect(deletionOf(viewOf(record, { launchContext: launchContext(context) }), NOW_MS)).toBe('insufficient_capacity');
  });

  test('a claim of a static NodePool that cannot be launched is deleted a minute after it was created (D31)', () => {
    const unavailable = [{ ...OFFERING, capacityType: 'on-demand' as const, untilMs: NOW_MS, reason: '' }];
    const withoutCapacity = { launchContext: launchContext({ unavailable }) };
    const record = aClaim({ createdAtMs: NOW_MS, pods: [] });
    expect(decideLifecycle(viewOf(record, withoutCapacity), NOW_MS + MINUTE - 1)).toMatchObject({
      actions: [],
      blocked: [{ reason: 'NoCapacity' }],
      due: [{ atMs: NOW_MS + MINUTE }],
    });
    expect(deletionOf(viewOf(record, withoutCapacity), NOW_MS + MINUTE)).toBe('insufficient_capacity');
    expect(requestOf(viewOf(record), NOW_MS + MINUTE - 1)).toBeDefined();
    // EC2 was asked, so that its offerings are marked for the next plan.
    const refused = refusedLaunch(record, { message: '', nowMs: NOW_MS, learned: true });
    const ofCommand = { ...record, command: 'disruption-1' };
    for (const one of [refused, ofCommand])
      expect(deletionOf(viewOf(one, withoutCapacity), NOW_MS)).toBe('insufficient_capacity');
  });

  test('while its NodeClass cannot be used, the claim waits and reports the reason', () => {
    const unready = { reason: 'NodeClassNotReady', message: 'no subnets', unreadySinceMs: 0 } as const;
    const view = viewOf(aClaim(), { launchContext: unready });
    expect(decideLifecycle(view, NOW_MS)).toMatchObject({
      actions: [],
      blocked: [
        { subject: { kind: 'NodeClaim', name: 'general-1' }, reason: 'NodeClassNotReady', message: 'no subnets' },
      ],
      due: [{ atMs: NOW_MS + MINUTE, kind: 'settling' }],
    });
    expect(decideLifecycle(view, NOW_MS + 4.5 * MINUTE).due).toEqual([{ atMs: NOW_MS + 5 * MINUTE, kind: 'settling' }]);
  });

  test('a claim that waited for its first request waits for its NodeClass until five minutes after this request', () => {
    const firstAtMs = NOW_MS + 10 * MINUTE;
    const record = aClaim({ launch: { kind: 'refused', attempt: 1, message: '', atMs: firstAtMs, firstAtMs } });
    const view = viewOf(record, { launchContext: { reason: 'NodeClassNotReady', message: 'no subnets' } });
    expect(decideLifecycle(view, firstAtMs + MINUTE).due).toEqual([{ atMs: firstAtMs + 2 * MINUTE, kind: 'settling' }]);
    expect(decideLifecycle(view, firstAtMs + 4.5 * MINUTE).due).toEqual([
      { atMs: firstAtMs + 5 * MINUTE, kind: 'settling' },
    ]);
  });

  test('after the launch, only the real capacity counts (promise 2)', () => {
    const record = aClaim({
      holds: { cpu: 64_000 },
      launch: { kind: 'requested', attempt: 2, request: aLaunchRequest(), atMs: 0 },
    });
    expect(launched(record, anInstance(), NOW_MS)).toMatchObject({
      holds: { cpu: 2_000 },
      launch: { kind: 'launched', attempt: 2, atMs: NOW_MS },
    });
    expect(launched(record, anInstance({ instanceType: 'unheard-of' }), NOW_MS).holds).toEqual({ cpu: 64_000 });
  });
});

/** Sent again half a minute after the first time. */
const again = (record: NodeClaimRecord): NodeClaimRecord =>
  record.launch.kind === 'requested'
    ? { ...record, launch: { ...record.launch, sentAgainAtMs: NOW_MS + 30 * SECOND } }
    : record;

describe('an attempt whose outcome is unknown (D36)', () => {
  const request = aLaunchRequest({ clientToken: 'first' });
  const sent = (over: Partial<NodeClaimRecord> = {}) =>
    aClaim({ launch: { kind: 'requested', attempt: 3, request, atMs: NOW_MS }, ...over });
  const deleted = { deletion: { reason: 'deleted', message: '', requestedAtMs: NOW_MS } } as const;

  test.each<[string, NodeClaimRecord, Parameters<typeof viewOf>[1]]>([
    ['before the timeout', sent(), {}],
    ['also if the claim is being deleted', sent(deleted), { deletionTimestamp: '2026-01-31T08:00:00Z' }],
    ['also if the NodeClass cannot be used', sent(), { launchContext: { reason: 'NodeClassNotReady', message: '' } }],
  ])('is sent again unchanged, %s, and recorded first', (_, record, over) => {
    const nowMs = NOW_MS + 59 * SECOND;
    const verdict = decide(viewOf(record, { instanceListed: false, ...over }), nowMs);
    expect(verdict.actions).toEqual([{ kind: 'launch-instance', nodeClaim: 'general-1', attempt: 3, request }]);
    expect(verdict.record).toEqual({ ...record, launch: { ...record.launch, sentAgainAtMs: nowMs } });
  });

  test('launched the instance with the claim’s name, at the price in the request', () => {
    const [line] = aFleet('reserved').overrides;
    const asked = sent({
      ...deleted,
      launch: { kind: 'requested', attempt: 3, request: aFleet('reserved'), atMs: NOW_MS },
    });
    const taggedInstance = anInstance({ id: 'i-9', priceUsdPerHour: 7 });
    expect(decide(viewOf(asked, { taggedInstance }), NOW_MS)).toMatchObject({
      actions: [],
      // Its node may have joined already.
      due: [{ atMs: NOW_MS }],
      record: {
        launch: {
          kind: 'launched',
          instance: {
            id: 'i-9',
            capacityType: 'reserved',
            priceUsdPerHour: line?.priceUsdPerHour,
            reservation: { id: 'cr-1', kind: 'default' },
          },
        },
      },
    });
  });

  test.each<[string, NodeClaimRecord['launch']]>([
    ['has no launch, as after a restore of the table', { kind: 'planned' }],
    ['was refused', { kind: 'refused', attempt: 2, message: '', atMs: NOW_MS }],
  ])('an instance with its name belongs to a claim that %s, and no other is launched', (_, launch) => {
    const options = [
      { instanceType: 'm5.large', zone: 'eu-west-3a', capacityType: 'on-demand', priceUsdPerHour: 0.1 },
      { instanceType: 'm5.large', zone: 'eu-west-3a', capacityType: 'spot', priceUsdPerHour: 0.03 },
    ] as const;
    const taggedInstance = anInstance({ id: 'i-9', capacityType: 'spot', priceUsdPerHour: 7 });
    const view = viewOf(aClaim({ options, launch }), { taggedInstance });
    for (const nowMs of [NOW_MS, NOW_MS + 5 * MINUTE]) {
      const { actions, record } = decide(view, nowMs);
      expect(actions).toEqual([]);
      const instance = { id: 'i-9', capacityType: 'spot', priceUsdPerHour: 0.03 };
      expect(record.launch).toMatchObject({ kind: 'launched', instance, atMs: nowMs });
    }
  });

  const late = sent({ createdAtMs: NOW_MS - 4 * MINUTE });
  test.each<[string, NodeClaimRecord, number]>([
    ['the claim is being deleted', sent(deleted), NOW_MS + 4 * MINUTE],
    ['the launch timeout has passed', late, NOW_MS + 4 * MINUTE],
    ['it was sent again', again(late), NOW_MS + 4.5 * MINUTE],
    ['EC2 rejects its token', spentLaunch(sent(), NOW_MS), NOW_MS + 4 * MINUTE],
  ])('has failed when %s and EC2 had enough time to list an instance', (_, record, overAtMs) => {
    const before = decide(viewOf(record), overAtMs - 1);
    expect(before).toMatchObject({ actions: [], due: [{ atMs: overAtMs, kind: 'settling' }] });
    expect(before.record).toBe(record);
    expect(decideLifecycle(viewOf(record, { listedAtMs: overAtMs - 1 }), overAtMs).record, 'an older list').toBe(
      record,
    );
    expect(decide(viewOf(record), overAtMs)).toMatchObject({ actions: [], record: { launch: { kind: 'refused' } } });
  });
});

test('after a refusal that marked no offering, the pause doubles, up to a minute', () => {
  expect([1, 2, 3, 4, 5, 6].map(pauseAfter)).toEqual([5, 10, 20, 40, 60, 60].map((seconds) => seconds * SECOND));
});

function pauseAfter(attempt: number): number | undefined {
  const record = aClaim({ launch: { kind: 'requested', attempt, request: aLaunchRequest(), atMs: NOW_MS } });
  const refused = refusedLaunch(record, { message: 'throttled', nowMs: NOW_MS });
  const { actions, blocked, due } = decideLifecycle(viewOf(refused), NOW_MS);
  expect(actions).toEqual([]);
  expect(blocked).toMatchObject([{ reason: 'LaunchFailed', message: 'throttled' }]);
  return due[0] && due[0].atMs - NOW_MS;
}
