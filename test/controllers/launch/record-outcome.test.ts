import { expect, test } from 'vitest';
import { type LaunchReply, recordOutcome } from '../../../lib/controllers/launch/launch-instance.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { aClaim, aLaunchRequest, anInstance, launchedClaim } from '../../builders/node-claims.ts';
import { NOW_MS } from '../../builders/times.ts';

const request = aLaunchRequest({ nodeClaim: 'a' });
const requested = { kind: 'requested', attempt: 1, request, atMs: NOW_MS, firstAtMs: NOW_MS } as const;
const reply: LaunchReply = {
  request,
  outcome: { kind: 'launched', instances: [anInstance({ id: 'i-1' })], missing: [] },
  nowMs: NOW_MS,
  learned: false,
  unmarked: undefined,
};

async function storeWith(...records: readonly NodeClaimRecord[]) {
  const store = memoryNodeClaimStore();
  for (const record of records) await store.createNodeClaim(record);
  return store;
}

test('promise 1: an instance that another claim has is not recorded: the list of instances decides about the claim', async () => {
  const claim = aClaim({ name: 'a', launch: requested });
  const store = await storeWith(launchedClaim({ name: 'b' }, { id: 'i-1' }), claim);
  const { record } = await recordOutcome({ store }, claim, reply);
  expect(record?.launch).toMatchObject({ kind: 'requested', spent: true });
  expect(await store.findNodeClaim('i-1', () => true)).toMatchObject({ name: 'b' });
});

test('promise 1: the rejection of a request that was sent before decides nothing, so the request is sent again', async () => {
  const claim = aClaim({ name: 'a', launch: { ...requested, sentAgainAtMs: NOW_MS } });
  const store = await storeWith(claim);
  const rejected: LaunchReply = { ...reply, outcome: { kind: 'rejected', missing: [], message: 'VcpuLimitExceeded' } };
  await expect(recordOutcome({ store }, claim, rejected)).rejects.toThrow(
    'EC2 rejected a request that was sent before, with an unknown outcome: VcpuLimitExceeded',
  );
  expect((await store.readNodeClaim(claim.cluster, 'a'))?.launch).toEqual(claim.launch);
});

test('the outcome is recorded in the current record, for example if the claim was deleted meanwhile', async () => {
  const claim = aClaim({ name: 'a', launch: requested });
  const store = await storeWith(claim);
  const deletion = { reason: 'deleted', message: '', requestedAtMs: NOW_MS } as const;
  await store.updateNodeClaim({ ...claim, deletion });
  const { record } = await recordOutcome({ store }, claim, reply);
  expect(record).toMatchObject({ deletion, launch: { kind: 'launched', instance: { id: 'i-1' } } });
});
