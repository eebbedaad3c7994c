/** Kerf is removed from a cluster that Karpenter manages again, with records of its nodes in the table. */
import { expect, test } from 'vitest';
import { uninstall } from '../../../lib/controllers/install/uninstall.ts';
import { anInstance, launchedClaim } from '../../builders/node-claims.ts';
import { NOW_MS } from '../../builders/times.ts';
import { KARPENTER_TRACES } from '../../core/cluster/autoscaler-traces.ts';
import { aWorld, TARGET } from './uninstall-world.ts';

test.each([
  ['Karpenter is active, by its Deployment', { traces: KARPENTER_TRACES }],
  ['Kerf was only in shadow, with Karpenter scaled to zero', { claim: undefined }],
])('its nodes are not drained and keep the finalizers that its drains need: %s', async (_, options) => {
  const { world, store, ports } = aWorld(options);
  const launch = { kind: 'launched', attempt: 1, instance: anInstance({ id: 'i-2' }), atMs: 0 } as const;
  await store.createNodeClaim(launchedClaim({ name: 'general-2', launch }));
  expect(await uninstall(ports, [{ ...TARGET, drain: true }])).toEqual({ draining: [], failures: [] });
  expect(world.letGo).toEqual(['Node node-2, not the finalizer']);
  expect((await store.readNodeClaim('demo', 'general-2'))?.deletion).toBeUndefined();
  expect(world.nowMs).toBe(NOW_MS);
  expect(world.warnings).toEqual([expect.stringContaining('keep their finalizers')]);
});
