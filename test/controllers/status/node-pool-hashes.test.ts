/** A1.28: the hashes of NodeClaims after an upgrade of Kerf that computes them in another way. */
import { expect, test } from 'vitest';
import type { ClusterWork } from '../../../lib/controllers/instances/instance-work.ts';
import type { HasSettings, WritesStatus } from '../../../lib/controllers/run/ports.ts';
import { syncNodePoolStatus } from '../../../lib/controllers/status/sync-node-pool-status.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { read } from '../../../lib/core/observed.ts';
import { RefusedError, StaleRecordError } from '../../../lib/ports/errors.ts';
import { aNodePool } from '../../builders/node-pools.ts';
import { NOW_MS, SECOND } from '../../builders/times.ts';
import { aRecord } from '../../contract/records.ts';

const OF_EARLIER = { 'karpenter.sh/nodepool-hash': '1', 'karpenter.sh/nodepool-hash-version': 'kerf-2' };
const NAMES = Array.from({ length: 60 }, (_, index) => `general-${index}`);

/** @param update returns the time of the write */
async function synced(update: (name: string) => Promise<number>) {
  const updated: string[] = [];
  let nowMs = NOW_MS;
  const ports = {
    store: {
      updateNodeClaim: async (record: NodeClaimRecord) => {
        const tookMs = await update(record.name);
        nowMs += tookMs;
        updated.push(record.name);
        return record;
      },
    },
    cluster: { patchNodePool: async () => undefined, publishEvent: async () => {} },
    clock: { now: () => nowMs },
    settings: DEFAULT_SETTINGS,
  };
  const nodePool = aNodePool({ name: 'general' });
  const world = { nodePools: read([nodePool]), nodeClasses: read([]), nodes: read([]) };
  const records = NAMES.map((name) => aRecord({ name, nodePool: 'general', annotations: OF_EARLIER }));
  const work: ClusterWork<WritesStatus & HasSettings> = Object({ ports, cluster: 'demo', records, world, notes: {} });
  const failures = await syncNodePoolStatus(work);
  return { updated, failures: failures.map(({ message }) => message) };
}

test('promise 7: a record that cannot be written does not keep others from their hash, and is named', async () => {
  const { updated, failures } = await synced(async (name) => {
    await Promise.resolve();
    if (name === 'general-0') throw new RefusedError('denied');
    if (name === 'general-1') throw new StaleRecordError('changed');
    return 0;
  });
  expect(updated.toSorted()).toEqual(NAMES.slice(2).toSorted());
  expect(failures).toEqual(['NodeClaim general-0: denied']);
});

test('slow writes do not use up the time of the run', async () => {
  const { updated } = await synced(async () => Promise.resolve(SECOND));
  expect(updated.length).toBeGreaterThan(10);
  expect(updated.length).toBeLessThan(NAMES.length);
});
