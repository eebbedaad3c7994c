import { expect, test } from 'vitest';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { aBudget } from '../../builders/nodes.ts';
import { play } from '../workloads/played.ts';

test('an eviction that a PodDisruptionBudget refuses does not count as an eviction', async () => {
  const pool = aPool();
  const template = { ...pool.spec.template, spec: { ...pool.spec.template.spec, expireAfter: '30m' } };
  const selector = { matchLabels: { app: 'web' } };
  const played = play({
    ...someManifests({ deployments: [aDeployment('web', 1)] }),
    nodePools: [{ ...pool, spec: { ...pool.spec, template } }],
    podDisruptionBudgets: [aBudget({ spec: { selector, minAvailable: 1 } })],
  });
  await played.to(60);
  const kinds = played.timeline.entries.map(({ kind }) => kind);
  expect(kinds).toContain('blocked');
  expect(kinds).not.toContain('evict-pod');
});
