import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { ALL_METHODS } from '../../../lib/core/disruption/methods/all-methods.ts';
import { ofKind, play, threeNodes } from './replacing.ts';

/** Three nodes of a NodePool whose budget allows no disruption, and that may live for ten minutes. */
function closed() {
  const manifests = threeNodes({ budgets: [{ nodes: '0' }] });
  return {
    ...manifests,
    nodePools: manifests.nodePools.map((pool) => {
      const { template } = pool.spec;
      const spec = { ...template.spec, expireAfter: '10m' };
      return { ...pool, spec: { ...pool.spec, template: { ...template, spec } } };
    }),
  };
}

describe('what budgets do not bound (E9)', () => {
  test('E9, E32: nodes expire although the budget allows no disruption, and no method removes them', async () => {
    const played = await play({ manifests: closed() });
    expect(new Set(ofKind(played, 'delete-node-claim').map(({ reason }) => reason))).toEqual(new Set(['expired']));
    expect(ofKind(played, 'delete-node-claim').length).toBeGreaterThanOrEqual(3);
    expect(ofKind(played, 'start-disruption')).toEqual([]);
    expect(played.podsRunning).toBe(3);
  });

  test('E9, E32: an interrupted spot instance is drained, too', async () => {
    const events = [{ kind: 'interruptSpot', atMs: 5 * MINUTE_MS, count: 1 }] as const;
    const played = await play({ manifests: threeNodes({ budgets: [{ nodes: '0' }] }), events });
    expect(ofKind(played, 'delete-node-claim').map(({ reason }) => reason)).toContain('spot_interrupted');
    expect(ofKind(played, 'start-disruption')).toEqual([]);
  });

  test('E32: the methods are those of voluntary disruption', () => {
    expect(new Set(ALL_METHODS.map(({ reason }) => reason))).toEqual(new Set(['Empty', 'Drifted', 'Underutilized']));
  });
});
