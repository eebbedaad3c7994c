import { expect, test } from 'vitest';
import { showRecord } from '../../../lib/controllers/status/show-record.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { mirrorOf } from '../../../lib/core/node-claim/mirror/mirror.ts';
import { read } from '../../../lib/core/observed.ts';
import { ConflictError } from '../../../lib/ports/errors.ts';
import { simulatedCluster } from '../../../lib/simulator/kubernetes/simulated-cluster.ts';
import { kubernetesState } from '../../../lib/simulator/kubernetes/state.ts';
import { someManifests } from '../../builders/cluster-manifests.ts';
import { aClaim, launchedClaim } from '../../builders/node-claims.ts';
import { NOW_MS } from '../../builders/times.ts';

const CLAIM = launchedClaim();
const DELETION = { requestedAtMs: NOW_MS, reason: 'expired', message: 'expired' } as const;
const clock = { now: () => NOW_MS };

/** A cluster, the record that the table has now, and how often it was read. */
function stage(stored: NodeClaimRecord | undefined) {
  const state = kubernetesState(someManifests());
  const cluster = simulatedCluster(state, clock);
  let reads = 0;
  const store = {
    readNodeClaim: async () => {
      reads += 1;
      return stored;
    },
  };
  const ports: Parameters<typeof showRecord>[0] = Object({ cluster, store, clock });
  return { state, cluster, reads: () => reads, ports };
}

async function seenIn({ cluster }: ReturnType<typeof stage>): Promise<Parameters<typeof showRecord>[2]['world']> {
  const [mirrors, nodePools, nodes] = [await cluster.listNodeClaims(), [], []];
  return Object({ mirrors: read(mirrors), nodePools: read(nodePools), nodes: read(nodes) });
}

test('the object of a claim that was released after the run had read its record is not created again', async () => {
  for (const stored of [{ ...CLAIM, releasedAtMs: NOW_MS }, { ...CLAIM, deletion: DELETION }, undefined]) {
    const under = stage(stored);
    await showRecord(under.ports, CLAIM, { world: await seenIn(under), isFresh: false });
    expect([...under.state.nodeClaims.keys()]).toEqual([]);
  }
});

test('an object that was removed after the run had listed it is not created again', async () => {
  const under = stage({ ...CLAIM, releasedAtMs: NOW_MS });
  await under.cluster.applyNodeClaim(mirrorOf(aClaim()));
  const world = await seenIn(under);
  await under.cluster.removeNodeClaim(CLAIM.name);
  await expect(showRecord(under.ports, CLAIM, { world, isFresh: false })).rejects.toBeInstanceOf(ConflictError);
  expect([...under.state.nodeClaims.keys()]).toEqual([]);
  // A claim that is being deleted is shown with its deletion.
  const deleted = showRecord(under.ports, { ...CLAIM, deletion: DELETION }, { world, isFresh: true });
  await expect(deleted).rejects.toBeInstanceOf(ConflictError);
  expect([...under.state.nodeClaims.keys()]).toEqual([]);
});

test('the object of a claim that exists is created from its current record', async () => {
  const under = stage({ ...CLAIM, nodeName: 'node-1' });
  await showRecord(under.ports, CLAIM, { world: await seenIn(under), isFresh: false });
  expect(under.state.nodeClaims.get(CLAIM.name)?.status?.nodeName).toBe('node-1');
  expect(under.reads()).toBe(1);
});

test('a record that the run has just written, and an object that exists, need no read', async () => {
  const under = stage(CLAIM);
  await showRecord(under.ports, aClaim(), { world: await seenIn(under), isFresh: true });
  await showRecord(under.ports, CLAIM, { world: await seenIn(under), isFresh: false });
  expect(under.state.nodeClaims.get(CLAIM.name)?.status?.providerID).toBeDefined();
  expect(under.reads()).toBe(0);
});

test('an object that shows an instance which its record lacks, as after a restore of the table, keeps it', async () => {
  const under = stage(undefined);
  await under.cluster.applyNodeClaim(mirrorOf(CLAIM));
  await showRecord(under.ports, { ...aClaim(), deletion: DELETION }, { world: await seenIn(under), isFresh: true });
  const { metadata, status } = under.state.nodeClaims.get(CLAIM.name) ?? {};
  expect(status?.providerID).toBe(mirrorOf(CLAIM).status?.providerID);
  expect(metadata?.deletionTimestamp).toBeDefined();
});

test('A1.29: a claim whose NodePool was deleted before it had an object gets none', async () => {
  const under = stage(CLAIM);
  const ofFormer = { ...CLAIM, nodePoolUid: 'uid-former' };
  await showRecord(under.ports, ofFormer, { world: await seenIn(under), isFresh: true });
  expect([...under.state.nodeClaims.keys()]).toEqual([]);
});
