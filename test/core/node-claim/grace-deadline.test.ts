import { describe, expect, test } from 'vitest';
import { formatTime } from '../../../lib/apis/formats/time.ts';
import { decideLifecycle } from '../../../lib/core/node-claim/lifecycle.ts';
import { viewOf } from '../../builders/claim-view.ts';
import { claimSpec, launchedClaim } from '../../builders/node-claims.ts';
import { aNode } from '../../builders/nodes.ts';
import { MINUTE, NOW_MS } from '../../builders/times.ts';

describe('the deadline of an object that a user deletes (D18)', () => {
  const spec = claimSpec({ terminationGracePeriod: '30m' });
  const deletionTimestamp = formatTime(NOW_MS);
  const deadline = { kind: 'delete-node-claim', reason: 'deleted', deadlineMs: NOW_MS + 30 * MINUTE };
  const lateMs = NOW_MS + 10 * MINUTE;

  test('counts from the deletionTimestamp of the NodeClaim, however late it is noticed', () => {
    const view = viewOf(launchedClaim({ spec }), { deletionTimestamp });
    expect(decideLifecycle(view, lateMs).actions).toMatchObject([deadline]);
  });

  test('counts from the deletionTimestamp of the Node', () => {
    const { metadata, ...node } = aNode();
    const view = viewOf(launchedClaim({ spec }), { node: { ...node, metadata: { ...metadata, deletionTimestamp } } });
    expect(decideLifecycle(view, lateMs).actions).toMatchObject([deadline]);
  });

  test('does not exist without a terminationGracePeriod', () => {
    const [action] = decideLifecycle(viewOf(launchedClaim(), { deletionTimestamp }), lateMs).actions;
    expect(action).not.toHaveProperty('deadlineMs');
  });
});
