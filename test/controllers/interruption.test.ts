import { describe, expect, test } from 'vitest';
import { formatTime } from '../../lib/apis/formats/time.ts';
import { handleInterruption, type InterruptionPorts } from '../../lib/controllers/interruption.ts';
import { EVENT_PLAN, eventPauseMs } from '../../lib/core/delivery/deliveries.ts';
import { eventLife } from '../../lib/core/interruption/event-life.ts';
import type { Decision } from '../../lib/core/model/decision.ts';
import type { NodeClaimRecord } from '../../lib/core/model/node-claim-record.ts';
import type { InstanceOwner } from '../../lib/ports/cloud-provider.ts';
import { RefusedError, StaleRecordError, UnreachableError } from '../../lib/ports/errors.ts';
import { memoryCatalogueStore } from '../../lib/simulator/memory-catalogue-store.ts';
import { memoryNodeClaimStore } from '../../lib/simulator/memory-node-claim-store.ts';
import { anInstanceEvent, anInterruptionEvent } from '../builders/interruptions.ts';
import { launchedClaim } from '../builders/node-claims.ts';
import { MINUTE, NOW_MS, SECOND } from '../builders/times.ts';

const IGNORED = { reports: [], failures: [] };
const SPOT = 'EC2 Spot Instance Interruption Warning';
const ours: InstanceOwner = { instanceId: 'i-9', cluster: 'demo', nodeClaim: 'general-9' };

interface Seen {
  readonly wakes: string[];
  readonly published: Decision[];
  readonly asked: string[];
}

async function aWorld(records: readonly NodeClaimRecord[] = [], owners: readonly InstanceOwner[] = []) {
  const seen: Seen = { wakes: [], published: [], asked: [] };
  const ports: InterruptionPorts = {
    store: memoryNodeClaimStore(),
    catalogue: memoryCatalogueStore(),
    messages: {
      wake: async (target, { reason, nodeClaim }) => void seen.wakes.push(`${target} ${reason} ${nodeClaim ?? 'all'}`),
      publish: async (decision) => void seen.published.push(decision),
    },
    clock: { now: () => NOW_MS },
    cloud: {
      instanceOwners: async (ids) => {
        seen.asked.push(...ids);
        return owners.filter(({ instanceId }) => ids.includes(instanceId));
      },
    },
    clusters: new Set(['demo']),
    shadows: new Set(),
  };
  for (const record of records) await ports.store.createNodeClaim(record);
  return { ports, seen };
}

const refused = async (): Promise<never> => await Promise.reject(new RefusedError('no permission'));

/** The first delivery of the event. */
async function handle(ports: InterruptionPorts, event: unknown) {
  return await handleInterruption(ports, event, 1);
}

describe('an interruption', () => {
  test('deletes the claim, and wakes termination and provisioning', async () => {
    const { ports, seen } = await aWorld([launchedClaim()]);
    await handle(ports, anInstanceEvent(SPOT));
    expect((await ports.store.readNodeClaim('demo', 'general-1'))?.deletion?.reason).toBe('spot_interrupted');
    expect(seen.wakes).toEqual(['termination spot_interrupted general-1', 'provisioning spot_interrupted all']);
    expect(await ports.catalogue.listUnavailable(NOW_MS)).toHaveLength(1);
  });

  test('in a cluster with another active autoscaler changes nothing, and is reported', async () => {
    const { ports, seen } = await aWorld([launchedClaim()]);
    await ports.store.setStandby('demo', NOW_MS + 1);
    const {
      reports: [report],
    } = await handle(ports, anInstanceEvent(SPOT));
    expect(report?.decisions.flatMap(({ blocked }) => blocked)).toMatchObject([
      { subject: { kind: 'NodeClaim', name: 'general-1' }, reason: 'StoodDown' },
    ]);
    expect((await ports.store.readNodeClaim('demo', 'general-1'))?.deletion).toBeUndefined();
    expect([...seen.wakes, ...seen.published]).toEqual([]);
    expect(await ports.catalogue.listUnavailable(NOW_MS)).toEqual([]);
  });

  test('of an instance of another autoscaler in a cluster in shadow does not wait for a launch', async () => {
    const { ports, seen } = await aWorld([], [ours]);
    const event = anInstanceEvent(SPOT, { 'instance-id': 'i-9' });
    expect((await handle(ports, event)).failures).toEqual([expect.any(StaleRecordError)]);
    const shadowed = { ...ports, shadows: new Set(['demo']) };
    seen.wakes.length = 0;
    expect(await handle(shadowed, event)).toEqual(IGNORED);
    expect(seen.wakes).toEqual([]);
  });

  test('of several instances deletes the claims of Kerf’s instances', async () => {
    const second = launchedClaim({ name: 'general-2' }, { id: 'i-2' });
    const { ports } = await aWorld([launchedClaim(), second]);
    const entities = ['i-1', 'i-7', 'i-2'].map((entityValue) => ({ entityValue }));
    const detail = { service: 'EC2', eventTypeCategory: 'scheduledChange', affectedEntities: entities };
    await handle(ports, anInterruptionEvent('AWS Health Event', detail, { source: 'aws.health' }));
    const reasons = (await ports.store.listNodeClaims('demo')).map(({ deletion }) => deletion?.reason);
    expect(reasons).toEqual(['scheduled_change', 'scheduled_change']);
  });

  test('deletes the claim even if the offering cannot be marked and the decision cannot be published', async () => {
    const { ports } = await aWorld([launchedClaim()]);
    const catalogue = { ...ports.catalogue, markUnavailable: refused };
    const messages = { ...ports.messages, publish: refused };
    const { reports, failures } = await handle({ ...ports, catalogue, messages }, anInstanceEvent(SPOT));
    expect((await ports.store.readNodeClaim('demo', 'general-1'))?.deletion?.reason).toBe('spot_interrupted');
    expect(reports.flatMap((report) => report.failures)).toHaveLength(2);
    expect(failures).toEqual([]);
  });

  test('deletes the claim even if the mark of standby cannot be read', async () => {
    const { ports, seen } = await aWorld([launchedClaim()]);
    const unread = { ...ports, store: { ...ports.store, isOnStandby: refused } };
    const { reports, failures } = await handle(unread, anInstanceEvent(SPOT));
    expect(seen.wakes).toContain('termination spot_interrupted general-1');
    expect(failures).toEqual([]);
    expect(reports[0]?.failures.map(({ message }) => message)).toEqual([
      'read whether Kerf is on standby: no permission',
    ]);
  });

  test('that cannot delete the claim marks the offering, and is delivered again', async () => {
    const { ports } = await aWorld([launchedClaim()]);
    const store = {
      ...ports.store,
      updateNodeClaim: async () => await Promise.reject(new UnreachableError('throttled')),
    };
    const { failures } = await handle({ ...ports, store }, anInstanceEvent(SPOT));
    expect(failures).toEqual([expect.any(UnreachableError)]);
    expect(await ports.catalogue.listUnavailable(NOW_MS)).toHaveLength(1);
  });

  test('wakes provisioning even if termination cannot be woken, and is delivered again', async () => {
    const { ports, seen } = await aWorld([launchedClaim()]);
    const wake: typeof ports.messages.wake = async (target, sent) =>
      target === 'termination'
        ? await Promise.reject(new UnreachableError('no answer'))
        : await ports.messages.wake(target, sent);
    const messages = { ...ports.messages, wake };
    const { failures } = await handle({ ...ports, messages }, anInstanceEvent(SPOT));
    expect(seen.wakes).toEqual(['provisioning spot_interrupted all']);
    expect(failures).toHaveLength(1);
  });

  test('of three instances, one of which fails, deletes the claims of the others', async () => {
    const names = ['general-1', 'general-2', 'general-3'];
    const { ports } = await aWorld(names.map((name, index) => launchedClaim({ name }, { id: `i-${index + 1}` })));
    const findNodeClaim: typeof ports.store.findNodeClaim = async (id, isServed) =>
      id === 'i-1'
        ? await Promise.reject(new RefusedError('unreadable'))
        : await ports.store.findNodeClaim(id, isServed);
    const entities = ['i-1', 'i-2', 'i-3'].map((entityValue) => ({ entityValue }));
    const detail = { service: 'EC2', eventTypeCategory: 'scheduledChange', affectedEntities: entities };
    const event = anInterruptionEvent('AWS Health Event', detail, { source: 'aws.health' });
    const { reports, failures } = await handle({ ...ports, store: { ...ports.store, findNodeClaim } }, event);
    const deleted = (await ports.store.listNodeClaims('demo')).filter(({ deletion }) => deletion !== undefined);
    expect(deleted.map(({ name }) => name)).toEqual(['general-2', 'general-3']);
    expect([reports.length, failures.length]).toEqual([2, 1]);
  });

  test('with an entity that has no value deletes the claims of the others, and reports the entity', async () => {
    const { ports } = await aWorld([launchedClaim()]);
    const entities = [{ entityValue: 'i-1' }, { value: 'i-2' }];
    const detail = { service: 'EC2', eventTypeCategory: 'scheduledChange', affectedEntities: entities };
    const event = anInterruptionEvent('AWS Health Event', detail, { source: 'aws.health' });
    const { reports, failures } = await handle(ports, event);
    expect(reports).toHaveLength(1);
    expect(failures).toEqual([new RefusedError('an affected entity has no entityValue: {"value":"i-2"}')]);
  });

  test('of a cluster that is not configured is ignored', async () => {
    const { ports, seen } = await aWorld([launchedClaim({ cluster: 'private' })]);
    await handle(ports, anInstanceEvent(SPOT));
    expect((await ports.store.readNodeClaim('private', 'general-1'))?.deletion).toBeUndefined();
    expect(seen).toEqual({ wakes: [], published: [], asked: [] });
  });

  test('of an unknown kind is refused, so that the message is moved to the dead-letter queue', async () => {
    const { ports } = await aWorld();
    await expect(handle(ports, anInstanceEvent('EC2 Something New'))).rejects.toBeInstanceOf(RefusedError);
  });

  test('that is a rebalance recommendation is published and changes nothing (C80)', async () => {
    const { ports, seen } = await aWorld([launchedClaim()]);
    await handle(ports, anInstanceEvent('EC2 Instance Rebalance Recommendation'));
    expect((await ports.store.readNodeClaim('demo', 'general-1'))?.version).toBe(1);
    expect(seen.published.map(({ blocked }) => blocked[0]?.reason)).toEqual(['RebalanceRecommended']);
    expect(seen.wakes).toEqual([]);
  });
});

describe('an instance without a record', () => {
  test('whose event is over wakes lifecycle and is reported, and the event is not delivered again', async () => {
    const { ports, seen } = await aWorld([], [ours]);
    const event = anInterruptionEvent(SPOT, { 'instance-id': 'i-9' }, { time: formatTime(NOW_MS - 5 * MINUTE) });
    const { reports, failures } = await handle(ports, event);
    expect(failures).toEqual([]);
    expect(reports.flatMap(({ decisions }) => decisions.flatMap(({ blocked }) => blocked))).toMatchObject([
      { subject: { name: 'general-9' }, reason: 'NoAction', numbers: { ageSeconds: 300 } },
    ]);
    expect(seen.wakes).toEqual(['lifecycle unrecorded-instance all']);
  });

  test('with Kerf’s tags: the event is retried, because the launch is about to be recorded', async () => {
    const { ports, seen } = await aWorld([], [ours]);
    const event = anInstanceEvent(SPOT, { 'instance-id': 'i-9' });
    expect((await handle(ports, event)).failures).toEqual([expect.any(StaleRecordError)]);
    expect(seen.wakes).toEqual(['lifecycle unrecorded-instance all']);
  });

  test.each<[string, readonly InstanceOwner[]]>([
    ['without Kerf’s tags', []],
    ['of a cluster that is not configured', [{ ...ours, cluster: 'other' }]],
  ])('%s is none of our business', async (_, owners) => {
    const { ports, seen } = await aWorld([], owners);
    expect(await handle(ports, anInstanceEvent(SPOT, { 'instance-id': 'i-9' }))).toEqual(IGNORED);
    expect(seen.asked).toEqual(['i-9']);
  });

  test('is not described after a state change, because the account may have very many of them', async () => {
    const { ports, seen } = await aWorld([], [ours]);
    const event = anInstanceEvent('EC2 Instance State-change Notification', {
      'instance-id': 'i-9',
      state: 'terminated',
    });
    expect(await handle(ports, event)).toEqual(IGNORED);
    expect(seen.asked).toEqual([]);
  });

  test('whose claim is released is ignored', async () => {
    const { ports, seen } = await aWorld([launchedClaim({ releasedAtMs: NOW_MS })], [{ ...ours, instanceId: 'i-1' }]);
    expect(await handle(ports, anInstanceEvent(SPOT))).toEqual(IGNORED);
    expect(seen).toEqual({ wakes: [], published: [], asked: [] });
  });

  const SCHEDULED = {
    service: 'EC2',
    eventTypeCategory: 'scheduledChange',
    affectedEntities: [{ entityValue: 'i-9' }],
  };
  const time = formatTime(NOW_MS);
  const WARNING = anInterruptionEvent(SPOT, { 'instance-id': 'i-9' }, { time });
  const CHANGE = anInterruptionEvent('AWS Health Event', SCHEDULED, { source: 'aws.health', time });

  /** What becomes of an event that is delivered until it succeeds or becomes a dead letter. @param recordedAtMs when its launch is recorded */
  async function delivered(event: unknown, recordedAtMs = Number.POSITIVE_INFINITY) {
    const { ports, seen } = await aWorld([], [ours]);
    let nowMs = NOW_MS;
    for (let receives = 1; receives <= EVENT_PLAN.deliveries; receives += 1) {
      const isRecorded = nowMs >= recordedAtMs && (await ports.store.readNodeClaim('demo', 'general-9')) === undefined;
      if (isRecorded) await ports.store.createNodeClaim(launchedClaim({ name: 'general-9' }, { id: 'i-9' }));
      const { reports, failures } = await handleInterruption(
        { ...ports, clock: { now: () => nowMs } },
        event,
        receives,
      );
      const deletion = (await ports.store.readNodeClaim('demo', 'general-9'))?.deletion?.reason;
      const afterSeconds = (nowMs - NOW_MS) / SECOND;
      if (failures.length === 0) return { receives, afterSeconds, reports, deletion, wakes: seen.wakes };
      nowMs += eventPauseMs(receives, eventLife(event));
    }
    return { isDeadLetter: true };
  }

  test.each([
    ['a warning', WARNING, 137],
    ['a scheduled change', CHANGE, 983],
  ])(
    'that lifecycle leaves alone: %s is dropped with a report at its last delivery, and does not become a dead letter',
    async (_, event, afterSeconds) => {
      const outcome = await delivered(event);
      expect(outcome).toMatchObject({ receives: 30, afterSeconds });
      expect(outcome.reports?.flatMap(({ decisions }) => decisions.flatMap(({ blocked }) => blocked))).toMatchObject([
        { subject: { name: 'general-9' }, reason: 'NoAction', numbers: { ageSeconds: afterSeconds } },
      ]);
      expect(outcome.wakes).toHaveLength(6);
    },
  );

  test.each([
    { event: WARNING, lastsMs: 2 * MINUTE, deletion: 'spot_interrupted' },
    { event: CHANGE, lastsMs: 15 * MINUTE, deletion: 'scheduled_change' },
  ])(
    'that is recorded just before the end of its event is drained: $deletion',
    async ({ event, lastsMs, deletion }) => {
      expect(await delivered(event, NOW_MS + lastsMs)).toMatchObject({ deletion });
    },
  );
});
