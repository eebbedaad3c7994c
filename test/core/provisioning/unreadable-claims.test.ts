import { expect, test } from 'vitest';
import { withUnreadableClaims } from '../../../lib/core/provisioning/unreadable-claims.ts';
import { aNodePool } from '../../builders/node-pools.ts';

const limits = { cpu: '100' };
const view = (name: string, limited: boolean) => {
  const nodePool = aNodePool({ name, ...(limited && { limits }) });
  return { nodePool, instanceTypes: [] };
};
const blocked = (claim: string, ...views: readonly ReturnType<typeof view>[]) =>
  withUnreadableClaims(views, [{ name: claim, message: 'edited' }]).flatMap(({ nodePool, unusable }) =>
    unusable === undefined ? [] : [`${nodePool.metadata.name}: ${unusable.reason}`],
  );

test('a claim whose record cannot be read uses up the limits of its NodePool', () => {
  const views = [view('general', true), view('gpu', true)];
  expect(blocked('general-1', ...views)).toEqual(['general: RecordUnreadable']);
});

test('a claim whose name fits several NodePools uses up the limits of each', () => {
  expect(blocked('a-b-1', view('a', true), view('a-b', true), view('b', true))).toEqual([
    'a: RecordUnreadable',
    'a-b: RecordUnreadable',
  ]);
});

test('a claim whose name fits no NodePool uses up the limits of all', () => {
  expect(blocked('renamed', view('a', true), view('b', false), view('c', true))).toEqual([
    'a: RecordUnreadable',
    'c: RecordUnreadable',
  ]);
});

test('a NodePool without limits launches as before', () => {
  expect(blocked('general-1', view('general', false))).toEqual([]);
});
