import { expect, test } from 'vitest';
import { HUNG_PAUSE_MS, hungClusters } from '../../../lib/core/delivery/hung-clusters.ts';

test('promise 7: a process does not enter a cluster for a while after an abandoned run, and enters the others', () => {
  let nowMs = 0;
  const hung = hungClusters({ now: () => nowMs });
  hung.abandoned('silent');
  expect([hung.pauseMs('silent'), hung.pauseMs('other')]).toEqual([HUNG_PAUSE_MS, 0]);
  nowMs = HUNG_PAUSE_MS / 3;
  expect(hung.pauseMs('silent')).toBe((HUNG_PAUSE_MS * 2) / 3);
  nowMs = HUNG_PAUSE_MS;
  expect(hung.pauseMs('silent')).toBe(0);
});

test('a run that ends shows that the cluster does not hang any more', () => {
  const hung = hungClusters({ now: () => 0 });
  hung.abandoned('silent');
  hung.finished('silent');
  expect(hung.pauseMs('silent')).toBe(0);
});
