import { expect, test } from 'vitest';
import type { ClusterWork } from '../../../lib/controllers/instances/instance-work.ts';
import { tagInstances } from '../../../lib/controllers/instances/tag-instances.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { read } from '../../../lib/core/observed.ts';
import { aFoundInstance, launchedClaim } from '../../builders/node-claims.ts';
import { aNodeClass } from '../../builders/node-pools.ts';
import { NOW_MS } from '../../builders/times.ts';

const JOINED = launchedClaim({ nodeName: 'node-1', registeredAtMs: NOW_MS });

/** *Shape:* the instances that were tagged. */
async function tagged(records: readonly NodeClaimRecord[], isTick: boolean): Promise<readonly string[]> {
  const ids: string[] = [];
  const store = {
    readNodeClaim: async (_cluster: string, name: string) =>
      await Promise.resolve(records.find((record) => record.name === name)),
    updateNodeClaim: async (record: NodeClaimRecord) => await Promise.resolve(record),
  };
  const cloud = {
    tagInstance: async (_cluster: string, id: string) => void (await Promise.resolve(ids.push(id))),
    nameInstances: async () => await Promise.reject(new TypeError('a bug')),
  };
  const work: ClusterWork = Object({
    ports: { clock: { now: () => NOW_MS }, store, cloud, messages: { publish: async () => await Promise.resolve() } },
    cluster: 'demo',
    controller: 'lifecycle',
    notes: { decisions: [], due: [], failures: [], instances: new Map() },
    records,
    world: {
      instances: read([{ ...aFoundInstance({ id: 'i-2' }), nodeClaim: 'group/1', state: 'running' }]),
      nodeClasses: read([aNodeClass()]),
      shifted: read(new Set()),
    },
    isTick,
  });
  await tagInstances(work);
  return ids;
}

test('C84: instances are tagged by a run for a tick, and not by runs that may follow every few seconds', async () => {
  expect(await tagged([JOINED], true)).toEqual(['i-1']);
  expect(await tagged([JOINED], false)).toEqual([]);
});

test('C84: an unexpected error of the names of a group does not stop the tags of other instances', async () => {
  expect(await tagged([JOINED, launchedClaim({ name: 'general-2' }, { id: 'i-2' })], true)).toEqual(['i-1']);
});
