import { expect, test } from 'vitest';
import { openSimulation } from '../../../lib/simulator/simulation.ts';
import { CATALOGUE } from '../../builders/catalogues.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { MINUTE } from '../../builders/times.ts';
import { playToEnd } from '../play-to-end.ts';

test('new pods have the default requests of the LimitRange of their namespace, and nodes are sized for them', async () => {
  const deployment = aDeployment('web', 2);
  const { spec } = deployment;
  const bare = {
    ...deployment,
    spec: { ...spec, template: { ...spec.template, spec: { containers: [{ name: 'main' }] } } },
  };
  const limitRanges = [
    {
      metadata: { name: 'defaults', namespace: 'default' },
      spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '3' } }] },
    },
  ];
  const simulation = openSimulation({
    manifests: someManifests({ nodePools: [aPool()], deployments: [bare], limitRanges }),
    catalogue: CATALOGUE,
    seed: 1,
    durationMs: 10 * MINUTE,
  });
  const ended = await playToEnd(simulation);
  const requests = [...simulation.state.pods.values()].map(
    ({ spec: { containers } }) => containers[0]?.resources?.requests,
  );
  expect(requests).toEqual([{ cpu: '3' }, { cpu: '3' }]);
  const { podsPending, podsRunning } = simulation.summary(ended);
  expect([podsPending, podsRunning]).toEqual([[], 2]);
});
