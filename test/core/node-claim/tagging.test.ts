import { expect, test } from 'vitest';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { tagged, tagsToGive } from '../../../lib/core/node-claim/tagging.ts';
import { aClaim, launchedClaim } from '../../builders/node-claims.ts';
import { aNodeClass } from '../../builders/node-pools.ts';
import { NOW_MS } from '../../builders/times.ts';

const JOINED = { nodeName: 'node-1', registeredAtMs: NOW_MS };

test('the instance of a registered claim gets tags with the names of node and claim (C84)', () => {
  expect(tagsToGive(launchedClaim(JOINED), aNodeClass())).toEqual({
    kind: 'tag-instance',
    nodeClaim: 'general-1',
    instanceId: 'i-1',
    tags: { Name: 'node-1', 'karpenter.sh/nodeclaim': 'general-1' },
  });
});

test('a Name tag of the NodeClass is kept (C84)', () => {
  const action = tagsToGive(launchedClaim(JOINED), aNodeClass({ tags: { Name: 'fleet' } }));
  expect(action?.tags).toEqual({ 'karpenter.sh/nodeclaim': 'general-1' });
});

test.each<[string, NodeClaimRecord]>([
  ['is not launched', aClaim(JOINED)],
  ['is not registered', launchedClaim({ nodeName: 'node-1' })],
  ['is being deleted', launchedClaim({ ...JOINED, deletion: { reason: 'empty', message: '', requestedAtMs: NOW_MS } })],
  ['has its tags', tagged(launchedClaim(JOINED))],
])('a claim that %s gets no tags', (_, record) => {
  expect(tagsToGive(record, aNodeClass())).toBeUndefined();
});

test('without the NodeClass the Name tag is not changed', () => {
  expect(tagsToGive(launchedClaim(JOINED), undefined)).toBeUndefined();
});
