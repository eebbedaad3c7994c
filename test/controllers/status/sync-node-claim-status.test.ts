import { describe, expect, test } from 'vitest';
import { formatTime } from '../../../lib/apis/formats/time.ts';
import type { NodeClaim } from '../../../lib/apis/node-claim.ts';
import type { ClusterWork } from '../../../lib/controllers/instances/instance-work.ts';
import type { WritesStatus } from '../../../lib/controllers/run/ports.ts';
import { syncNodeClaimStatus } from '../../../lib/controllers/status/sync-node-claim-status.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { type Observed, read } from '../../../lib/core/observed.ts';
import type { DescribedInstance } from '../../../lib/ports/cloud-provider.ts';
import { UnreachableError, UnreadableError } from '../../../lib/ports/errors.ts';
import { aClaim } from '../../builders/node-claims.ts';
import { HOUR, MINUTE, NOW_MS } from '../../builders/times.ts';
import { A_NODE_CLAIM } from '../../contract/cluster-objects.ts';

/** An object that Kerf created 20 minutes ago, and that got no instance. */
const unlaunched = (name: string): NodeClaim => ({
  ...A_NODE_CLAIM,
  metadata: {
    name,
    annotations: { 'karpenter.sh/nodepool-hash-version': 'kerf-3' },
    creationTimestamp: new Date(NOW_MS - 20 * MINUTE).toISOString(),
  },
});

async function readNodeClaim(_: string, name: string): Promise<NodeClaimRecord | undefined> {
  if (name === 'damaged') throw new UnreadableError('its body is not JSON');
  return name === 'held' ? aClaim({ name, releasedAtMs: NOW_MS }) : undefined;
}

async function synced(
  instances: Observed<readonly DescribedInstance[]>,
  { nodeClaims = ['damaged', 'lost'].map(unlaunched), nowMs = NOW_MS } = {},
) {
  const removed: string[] = [];
  const ports = {
    store: { readNodeClaim },
    cluster: { removeNodeClaim: async (name: string) => void removed.push(name), patchNodeClaim: async () => {} },
    clock: { now: () => nowMs },
  };
  const world = { mirrors: read(nodeClaims), instances };
  const work: ClusterWork<WritesStatus> = Object({ ports, cluster: 'demo', records: [], world });
  const failures = await syncNodeClaimStatus(work);
  return { removed, failures: failures.map(({ message }) => message) };
}

test('the object of a lost record is removed, and that of a record that cannot be read is kept', async () => {
  // The store reports what cannot be read.
  expect(await synced(read([]))).toEqual({ removed: ['lost'], failures: [] });
});

test('no object is removed while the instances are not known', async () => {
  const unread = { kind: 'unread', failure: new UnreachableError('EC2 did not answer') } as const;
  expect((await synced(unread)).removed).toEqual([]);
});

describe('the object of a released claim that another program holds with its finalizer', () => {
  const deletionTimestamp = formatTime(NOW_MS);
  const held = unlaunched('held');

  test.each([
    ['is left alone', ['example.com/backup'], MINUTE, [], []],
    [
      'is reported after ten minutes',
      ['example.com/backup'],
      10 * MINUTE,
      [],
      [
        `NodeClaim held: it has no instance and was deleted at ${deletionTimestamp}; it stays until other programs remove their finalizers: example.com/backup`,
      ],
    ],
    ['loses that of Kerf', ['example.com/backup', 'karpenter.sh/termination'], HOUR, ['held'], []],
  ])('%s', async (...[, finalizers, afterMs, removed, failures]) => {
    const nodeClaim = { ...held, metadata: { ...held.metadata, finalizers, deletionTimestamp } };
    expect(await synced(read([]), { nodeClaims: [nodeClaim], nowMs: NOW_MS + afterMs })).toEqual({ removed, failures });
  });
});
