import { describe, expect, test } from 'vitest';
import { handleInterruption, type InterruptionPorts } from '../../lib/controllers/interruption.ts';
import type { Decision } from '../../lib/core/model/decision.ts';
import type { NodeClaimRecord } from '../../lib/core/model/node-claim-record.ts';
import type { InstanceOwner } from '../../lib/ports/cloud-provider.ts';
import { RefusedError, StaleRecordError } from '../../lib/ports/errors.ts';
import { memoryCatalogueStore } from '../../lib/simulator/memory-catalogue-store.ts';
import { memoryNodeClaimStore } from '../../lib/simulator/memory-node-claim-store.ts';
import { anInstanceEvent, anInterruptionEvent } from '../builders/interruptions.ts';
import { launchedClaim } from '../builders/node-claims.ts';
import { NOW_MS } from '../builders/times.ts';

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

describe('an interruption', () => {
  test('deletes the claim, and wakes termination and provisioning', async () => {
    const { ports, seen } = await aWorld([launchedClaim()]);
    await handleInterruption(ports, anInstanceEvent(SPOT));
    expect((await ports.store.readNodeClaim('demo', 'general-1'))?.deletion?.reason).toBe('spot_interrupted');
    expect(seen.wakes).toEqual(['termination spot_interrupted general-1', 'provisioning spot_interrupted all']);
    expect(await ports.catalogue.listUnavailable(NOW_MS)).toHaveLength(1);
  });

  test('in a cluster with another active autoscaler changes nothing, and is reported', async () => {
    const { ports, seen } = await aWorld([launchedClaim()]);
    await ports.store.setStandby('demo', NOW_MS + 1);
    const [report] = await handleInterruption(ports, anInstanceEvent(SPOT));
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
    await expect(handleInterruption(ports, event)).rejects.toBeInstanceOf(StaleRecordError);
    const shadowed = { ...ports, shadows: new Set(['demo']) };
    seen.wakes.length = 0;
    expect(await handleInterruption(shadowed, event)).toEqual([]);
    expect(seen.wakes).toEqual([]);
  });

  test('of several instances deletes the claims of Kerf’s instances', async () => {
    const second = launchedClaim({ name: 'general-2' }, { id: 'i-2' });
    const { ports } = await aWorld([launchedClaim(), second]);
    const entities = ['i-1', 'i-7', 'i-2'].map((entityValue) => ({ entityValue }));
    const detail = { service: 'EC2', eventTypeCategory: 'scheduledChange', affectedEntities: entities };
    await handleInterruption(ports, anInterruptionEvent('AWS Health Event', detail, { source: 'aws.health' }));
    const reasons = (await ports.store.listNodeClaims('demo')).map(({ deletion }) => deletion?.reason);
    expect(reasons).toEqual(['scheduled_change', 'scheduled_change']);
  });

  test('of a cluster that is not configured is ignored', async () => {
    const { ports, seen } = await aWorld([launchedClaim({ cluster: 'private' })]);
    await handleInterruption(ports, anInstanceEvent(SPOT));
    expect((await ports.store.readNodeClaim('private', 'general-1'))?.deletion).toBeUndefined();
    expect(seen).toEqual({ wakes: [], published: [], asked: [] });
  });

  test('of an unknown kind is refused, so that the message is moved to the dead-letter queue', async () => {
    const { ports } = await aWorld();
    await expect(handleInterruption(ports, anInstanceEvent('EC2 Something New'))).rejects.toBeInstanceOf(RefusedError);
  });

  test('that is a rebalance recommendation is published and changes nothing (C80)', async () => {
    const { ports, seen } = await aWorld([launchedClaim()]);
    await handleInterruption(ports, anInstanceEvent('EC2 Instance Rebalance Recommendation'));
    expect((await ports.store.readNodeClaim('demo', 'general-1'))?.version).toBe(1);
    expect(seen.published.map(({ blocked }) => blocked[0]?.reason)).toEqual(['RebalanceRecommended']);
    expect(seen.wakes).toEqual([]);
  });
});

describe('an instance without a record', () => {
  test('with Kerf’s tags: the event is retried, because the launch is about to be recorded', async () => {
    const { ports, seen } = await aWorld([], [ours]);
    const event = anInstanceEvent(SPOT, { 'instance-id': 'i-9' });
    await expect(handleInterruption(ports, event)).rejects.toBeInstanceOf(StaleRecordError);
    expect(seen.wakes).toEqual(['lifecycle unrecorded-instance all']);
  });

  test.each<[string, readonly InstanceOwner[]]>([
    ['without Kerf’s tags', []],
    ['of a cluster that is not configured', [{ ...ours, cluster: 'other' }]],
  ])('%s is none of our business', async (_, owners) => {
    const { ports, seen } = await aWorld([], owners);
    expect(await handleInterruption(ports, anInstanceEvent(SPOT, { 'instance-id': 'i-9' }))).toEqual([]);
    expect(seen.asked).toEqual(['i-9']);
  });

  test('is not described after a state change, because the account may have very many of them', async () => {
    const { ports, seen } = await aWorld([], [ours]);
    const event = anInstanceEvent('EC2 Instance State-change Notification', {
      'instance-id': 'i-9',
      state: 'terminated',
    });
    expect(await handleInterruption(ports, event)).toEqual([]);
    expect(seen.asked).toEqual([]);
  });

  test('whose claim is released is ignored', async () => {
    const { ports, seen } = await aWorld([launchedClaim({ releasedAtMs: NOW_MS })], [{ ...ours, instanceId: 'i-1' }]);
    expect(await handleInterruption(ports, anInstanceEvent(SPOT))).toEqual([]);
    expect(seen).toEqual({ wakes: [], published: [], asked: [] });
  });
});
