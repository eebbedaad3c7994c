import { expect, test } from 'vitest';
import { runSimulation } from '../../../lib/simulator/simulation.ts';
import { CATALOGUE } from '../../builders/catalogues.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { avoiding } from '../../builders/pods.ts';
import { MINUTE } from '../../builders/times.ts';

test('pods whose anti-affinity excludes other tenants (mismatchLabelKeys) share zones with their own tenant', async () => {
  const deployment = aDeployment('web', 5);
  const { template } = deployment.spec;
  const affinity = avoiding({
    topologyKey: 'topology.kubernetes.io/zone',
    labelSelector: { matchExpressions: [{ key: 'tenant', operator: 'Exists' }] },
    mismatchLabelKeys: ['tenant'],
  });
  const labels = { ...template.metadata?.labels, tenant: 'one' };
  const spec = { ...deployment.spec, template: { metadata: { labels }, spec: { ...template.spec, affinity } } };
  const { podsPending, podsRunning } = await runSimulation({
    manifests: someManifests({ nodePools: [aPool()], deployments: [{ ...deployment, spec }] }),
    catalogue: CATALOGUE,
    seed: 1,
    durationMs: 10 * MINUTE,
  });
  expect([podsPending, podsRunning]).toEqual([[], 5]);
});
