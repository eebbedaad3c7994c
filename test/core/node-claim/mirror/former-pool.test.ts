import { expect, test } from 'vitest';
import type { NodeClaim } from '../../../../lib/apis/node-claim.ts';
import type { NodePool } from '../../../../lib/apis/node-pool.ts';
import type { NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import { isOfFormerPool } from '../../../../lib/core/node-claim/mirror/former-pool.ts';
import { mirrorOf } from '../../../../lib/core/node-claim/mirror/mirror.ts';
import { type Observed, read } from '../../../../lib/core/observed.ts';
import { deletionOf, UNREAD, viewOf } from '../../../builders/claim-view.ts';
import { aClaim, launchedClaim } from '../../../builders/node-claims.ts';
import { aNodePool } from '../../../builders/node-pools.ts';
import { NOW_MS } from '../../../builders/times.ts';

const CLAIM = aClaim({ nodePoolUid: 'uid-pool' });

function pool(name: string, uid: string): NodePool {
  return { ...aNodePool(), metadata: { name, uid } };
}

const NONE = read<readonly NodeClaim[]>([]);
const OWN = pool('general', 'uid-pool');
const DELETING = { ...OWN, metadata: { ...OWN.metadata, deletionTimestamp: '2026-01-31T08:00:00Z' } };

test.each<[string, NodeClaimRecord, Observed<readonly NodePool[]>, Observed<readonly NodeClaim[]>, boolean]>([
  ['its NodePool was deleted', CLAIM, read([pool('other', 'uid-other')]), NONE, true],
  ['the last NodePool was deleted', CLAIM, read([]), NONE, true],
  ['its NodePool was created again', CLAIM, read([pool('general', 'uid-new')]), NONE, true],
  ['it is launched and not registered', launchedClaim({ nodePoolUid: 'uid-pool' }), read([]), NONE, true],
  ['its NodePool exists', CLAIM, read([OWN]), NONE, false],
  ['its NodePool is being deleted', CLAIM, read([DELETING]), NONE, false],
  ['it has an object, which Kubernetes deletes', CLAIM, read([]), read([mirrorOf(CLAIM)]), false],
  [
    'it is registered, as after a restore of the cluster',
    launchedClaim({ nodePoolUid: 'uid-pool', registeredAtMs: NOW_MS }),
    read([pool('general', 'uid-new')]),
    NONE,
    false,
  ],
  ['its record has no UID', aClaim(), read([]), NONE, false],
  ['the NodePools are unread', CLAIM, UNREAD, NONE, false],
  ['the NodeClaims are unread', CLAIM, read([]), UNREAD, false],
])('A1.29: whether a claim is of a former NodePool: %s', (...[, record, nodePools, mirrors, is]) => {
  expect(isOfFormerPool(record, { nodePools, mirrors })).toBe(is);
});

test.each([
  ['planned', CLAIM],
  ['launched', launchedClaim({ nodePoolUid: 'uid-pool' })],
])('A1.29: a %s claim of a former NodePool is deleted', (_, record) => {
  expect(deletionOf(viewOf(record, { isOfFormerPool: true }), NOW_MS)).toBe('deleted');
  expect(deletionOf(viewOf(record, { isOfFormerPool: false }), NOW_MS)).toBeUndefined();
});
