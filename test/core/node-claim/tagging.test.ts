import { expect, test } from 'vitest';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { tagged, tagsToGive } from '../../../lib/core/node-claim/tagging.ts';
import { aClaim, launchedClaim } from '../../builders/node-claims.ts';
import { aNodeClass } from '../../builders/node-pools.ts';
import { NOW_MS } from '../../builders/times.ts';

const JOINED = { nodeName: 'node-1', registeredAtMs: NOW_MS };

test('a registered claim’s instance gets the names of its node and of its claim (C84)', () => {
  expect(tagsToGive(launchedClaim(JOINED), aNodeClass())).toEqual({
    kind: 'tag-instance',
    nodeClaim: 'general-1',
    instanceId: 'i-1',
    tags: { Name: 'node-1', 'karpenter.sh/nodeclaim': 'general-1' },
  });
});

test('a Name of the NodeClass’s own is left alone (C84)', () => {
  const action = tagsToGive(launchedClaim(JOINED), aNodeClass({ tags: { Name: 'fleet' } }));
  expect(action?.tags).toEqual({ 'karpenter.sh/nodeclaim': 'general-1' });
});

test.each<[string, NodeClaimRecord]>([
  ['is not launched', aClaim(JOINED)],
  ['is not registered', launchedClaim({ nodeName: 'node-1' })],
  [
    'is on its way out',
    launchedClaim({ ...JOINED, deletion: { reason: 'empty', message: '', requestedAtMs: NOW_MS } }),
  ],
  ['has its tags', tagged(launchedClaim(JOINED))],
])('a claim that %s is told nothing', (_, record) => {
  expect(tagsToGive(record, aNodeClass())).toBeUndefined();
});

test('without the NodeClass nobody knows whose the name is', () => {
  expect(tagsToGive(launchedClaim(JOINED), undefined)).toBeUndefined();
});
