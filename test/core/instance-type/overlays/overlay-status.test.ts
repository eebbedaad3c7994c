import { expect, test } from 'vitest';
import type { NodeOverlay } from '../../../../lib/apis/node-overlay.ts';
import { decideOverlay } from '../../../../lib/core/instance-type/overlays/overlay-status.ts';
import { MINUTE, NOW_MS } from '../../../builders/times.ts';
import { AN_OVERLAY } from '../../../contract/cluster-objects.ts';

const OVERLAY: NodeOverlay = AN_OVERLAY.object;

function told(conflict?: 'Conflict' | 'RuntimeValidation'): NodeOverlay {
  const conflicts = conflict === undefined ? [] : [{ overlay: 'licences', reason: conflict, message: 'why' }];
  const { status } = decideOverlay(OVERLAY, conflicts, NOW_MS) ?? {};
  return { ...OVERLAY, ...(status !== undefined && { status }) };
}

test('an overlay that counts is Ready, and is written once (A4.1)', () => {
  const overlay = told();
  expect(overlay.status?.conditions).toMatchObject([
    { type: 'ValidationSucceeded', status: 'True' },
    { type: 'Ready', status: 'True' },
  ]);
  expect(decideOverlay(overlay, [], NOW_MS + MINUTE)).toBeUndefined();
});

test.each(['Conflict', 'RuntimeValidation'] as const)('one that does not count says why: %s (A4.1, A4.8)', (reason) => {
  expect(told(reason).status?.conditions).toMatchObject([
    { type: 'ValidationSucceeded', status: 'False', reason, message: 'why' },
    { type: 'Ready', status: 'False', reason },
  ]);
});
