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
  test('goes by the order of the prices where a NodeOverlay set them (C47)', () => {
    const overlaid = aClaim({ annotations: { 'karpenter.sh/price-overlay-applied': 'true' } });
    expect(requestOf(viewOf(overlaid))).toMatchObject({ prioritized: true });
    expect(requestOf(viewOf(aClaim()))).not.toHaveProperty('prioritized');
  });

  test('the request is frozen in the record before it is sent (D36)', () => {
    const { record, actions } = decideLifecycle(viewOf(aClaim()), NOW_MS);
    const [action] = actions;
    expect(action).toMatchObject({ kind: 'launch-instance', nodeClaim: 'general-1', attempt: 1 });
    expect(record.launch).toMatchObject({ kind: 'requested', attempt: 1, atMs: NOW_MS });
    expect(record.launch.kind === 'requested' && record.launch.request).toBe(
      action?.kind === 'launch-instance' && action.request,
    );
  });

  test('the next attempt follows a refusal, with a token of its own and without what has no capacity', () => {
    const record = aClaim({ options: spotAndOnDemand });
    const first = requestOf(viewOf(record));
    const refused = refusedLaunch(decideLifecycle(viewOf(record), NOW_MS).record, {
      message: 'no capacity',
      nowMs: NOW_MS,
      learned: true,
    });
    const unavailable = [{ ...OFFERING, capacityType: 'spot' as const, untilMs: NOW_MS + MINUTE, reason: '' }];
    const second = requestOf(viewOf(refused, { launchContext: launchContext({ unavailable }) }));
    expect(refused.launch).toEqual({ kind: 'refused', attempt: 1, message: 'no capacity', atMs: NOW_MS });
    expect(first).toMatchObject({ capacityType: 'spot', overrides: [{ capacityType: 'spot' }] });
    expect(second).toMatchObject({
      capacityType: 'on-demand',
      overrides: [{ subnetId: 'subnet-a' }, { subnetId: 'subnet-b' }],
    });
    expect(second?.clientToken).not.toBe(first?.clientToken);
  });

  test('a subnet without free addresses is left out, and another of its zone is taken (C32)', () => {
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

  test('the token follows from the claim and the attempt (C51)', () => {
    const token = (over: Partial<NodeClaimRecord>) => requestOf(viewOf(aClaim(over)))?.clientToken;
    expect(token({})).toBe(token({}));
    expect(token({})?.length).toBeLessThanOrEqual(64);
    expect(
      new Set([token({}), token({ name: 'general-2' }), token({ cluster: 'other' }), token({ createdAtMs: 1 })]).size,
    ).toBe(4);
  });

  test('the request says that its launch templates are named by SHA-256', () => {
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

  test('the instance carries the tags of its owner from the first moment on (C50)', () => {
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
      'its capacity type is to be had nowhere',
      { unavailable: [{ instanceType: '*', zone: '*', capacityType: 'on-demand', untilMs: NOW_MS, reason: '' }] },
    ],
    ['no subnet is in its zone', { resolved: { ...launchContext().resolved, subnets: [] } }],
    ['no image is of its architecture', { resolved: { ...launchContext().resolved, images: [] } }],
  ] as const)('where %s the claim is given up (D3)', (_, context) => {
    expect(deletionOf(viewOf(aClaim(), { launchContext: launchContext(context) }), NOW_MS)).toBe(
      'insufficient_capacity',
    );
  });

  test('while its NodeClass cannot be used the claim waits and says why', () => {
    const view = viewOf(aClaim(), { launchContext: { reason: 'NodeClassNotReady', message: 'no subnets' } });
    expect(decideLifecycle(view, NOW_MS)).toMatchObject({
      actions: [],
      blocked: [
        { subject: { kind: 'NodeClaim', name: 'general-1' }, reason: 'NodeClassNotReady', message: 'no subnets' },
      ],
      due: [{ atMs: NOW_MS + MINUTE, kind: 'settling' }],
    });
    expect(decideLifecycle(view, NOW_MS + 4.5 * MINUTE).due).toEqual([{ atMs: NOW_MS + 5 * MINUTE, kind: 'settling' }]);
  });

  test('launched, it holds its real capacity and no more (promise 2)', () => {
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
  const going = { deletion: { reason: 'deleted', message: '', requestedAtMs: NOW_MS } } as const;

  test.each<[string, NodeClaimRecord, Partial<NodeClaimView>]>([
    ['while there is time', sent(), {}],
    ['even when the claim must go', sent(going), { deleteRequested: true }],
    ['even when the NodeClass cannot be used', sent(), { launchContext: { reason: 'NodeClassNotReady', message: '' } }],
  ])('is sent again word for word, %s, and the record says so first', (_, record, over) => {
    const nowMs = NOW_MS + 59 * SECOND;
    const verdict = decide(viewOf(record, { instanceListed: false, ...over }), nowMs);
    expect(verdict.actions).toEqual([{ kind: 'launch-instance', nodeClaim: 'general-1', attempt: 3, request }]);
    expect(verdict.record).toEqual({ ...record, launch: { ...record.launch, sentAgainAtMs: nowMs } });
  });

  test('has made the instance that carries the claim’s name, at the price that it was asked for', () => {
    const [line] = aFleet('reserved').overrides;
    const asked = sent({
      ...going,
      launch: { kind: 'requested', attempt: 3, request: aFleet('reserved'), atMs: NOW_MS },
    });
    const taggedInstance = anInstance({ id: 'i-9', priceUsdPerHour: 7 });
    expect(decide(viewOf(asked, { taggedInstance }), NOW_MS)).toMatchObject({
      actions: [],
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
    ['is not launched yet, as after a restore of the table', { kind: 'planned' }],
    ['was refused', { kind: 'refused', attempt: 2, message: '', atMs: NOW_MS }],
  ])('an instance with its name is what a claim has that %s: none is launched beside it', (_, launch) => {
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
    ['the claim must go', sent(going), NOW_MS + 2 * MINUTE],
    ['the time for a launch is over', late, NOW_MS + 2 * MINUTE],
    ['it was sent again since', again(late), NOW_MS + 2.5 * MINUTE],
    ['EC2 takes its token no more, at once', spentLaunch(sent(), NOW_MS), NOW_MS + 2 * MINUTE],
  ])('is over when %s and EC2 had time to list what there is', (_, record, overAtMs) => {
    const before = decide(viewOf(record), overAtMs - 1);
    expect(before).toMatchObject({ actions: [], due: [{ atMs: overAtMs, kind: 'settling' }] });
    expect(before.record).toBe(record);
    expect(decideLifecycle(viewOf(record, { listedAtMs: overAtMs - 1 }), overAtMs).record, 'an older list').toBe(
      record,
    );
    expect(decide(viewOf(record), overAtMs)).toMatchObject({ actions: [], record: { launch: { kind: 'refused' } } });
  });
});

test('a refusal that taught nothing is followed by a pause that doubles, up to a minute', () => {
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
