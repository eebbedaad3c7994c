import { expect, test } from 'vitest';
import type { ClusterWork } from '../../../lib/controllers/instances/instance-work.ts';
import type { HasSettings, WritesStatus } from '../../../lib/controllers/run/ports.ts';
import { syncNodePoolStatus } from '../../../lib/controllers/status/sync-node-pool-status.ts';
import type { ClusterEvent } from '../../../lib/core/model/event.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { read } from '../../../lib/core/observed.ts';
import { RefusedError, UnreachableError } from '../../../lib/ports/errors.ts';
import { aNodePool } from '../../builders/node-pools.ts';
import { NOW_MS } from '../../builders/times.ts';
import { aRecord } from '../../contract/records.ts';

const OUTDATED = { 'karpenter.sh/nodepool-hash': '1', 'karpenter.sh/nodepool-hash-version': 'kerf-2' };

/** A NodePool without its class, with a claim whose hash is outdated and an annotation that is invalid. @param failing by call, or by the reason of the Event */
async function synced(failing: Readonly<Record<string, Error>>) {
  const done: string[] = [];
  const call = (what: string): void => {
    const error = failing[what];
    if (error !== undefined) throw error;
    done.push(what);
  };
  const ports = {
    store: {
      updateNodeClaim: async (record: NodeClaimRecord) => {
        call('hash');
        return record;
      },
    },
    cluster: {
      patchNodePool: async () => call('status'),
      publishEvent: async ({ reason }: ClusterEvent) => call(reason),
    },
    clock: { now: () => NOW_MS },
    settings: DEFAULT_SETTINGS,
  };
  const nodePool = aNodePool({ poolAnnotations: { 'kerf.dev/graceful-expiration': '1d' } });
  const world = { nodePools: read([nodePool]), nodeClasses: read([]), nodes: read([]) };
  const records = [aRecord({ nodePool: 'general', annotations: OUTDATED })];
  const work: ClusterWork<WritesStatus & HasSettings> = Object({ ports, cluster: 'demo', records, world, notes: {} });
  const failures = await syncNodePoolStatus(work);
  return { done: done.toSorted(), failures: failures.map(({ message }) => message) };
}

const REFUSED = new RefusedError('denied');

test.each([
  ['status', ['InvalidAnnotation', 'NodeClassNotReady', 'hash']],
  ['hash', ['InvalidAnnotation', 'NodeClassNotReady', 'status']],
  ['InvalidAnnotation', ['NodeClassNotReady', 'hash', 'status']],
  ['NodeClassNotReady', ['InvalidAnnotation', 'hash', 'status']],
])('promise 7: without %s, the rest of the NodePool is written', async (refused, rest) => {
  const { done, failures } = await synced({ [refused]: REFUSED });
  expect(done).toEqual(rest);
  expect(failures).toEqual([expect.stringContaining('denied')]);
});

test('the status waits for an Event that may be published later, because the next tick publishes it only without the status', async () => {
  const { done, failures } = await synced({ NodeClassNotReady: new UnreachableError('no answer') });
  expect(done).toEqual(['InvalidAnnotation', 'hash']);
  expect(failures).toEqual(['NodePool general: no answer']);
});
