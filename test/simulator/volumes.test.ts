import { expect, test } from 'vitest';
import { runSimulation } from '../../lib/simulator/simulation.ts';
import { CATALOGUE } from '../builders/catalogues.ts';
import { aDeployment, someManifests } from '../builders/cluster-manifests.ts';
import { MINUTE } from '../builders/times.ts';

test('volumes are not simulated: pods with PersistentVolumeClaims run on any node', async () => {
  const web = aDeployment('web', 2);
  const volumes = [
    { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
    { name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: { storageClassName: 'fast' } } } },
    { name: 'cache', ephemeral: { volumeClaimTemplate: { spec: {} } } },
  ];
  const { template } = web.spec;
  const withVolumes = { ...web, spec: { ...web.spec, template: { ...template, spec: { ...template.spec, volumes } } } };
  const result = await runSimulation({
    manifests: someManifests({ deployments: [withVolumes] }),
    catalogue: CATALOGUE,
    seed: 1,
    durationMs: 10 * MINUTE,
  });
  expect(result).toMatchObject({ podsRunning: 2, podsPending: [] });
});
