import { expect, test } from 'vitest';
import { HOUR_MS } from '../../lib/apis/formats/time.ts';
import { openSimulation } from '../../lib/simulator/simulation.ts';
import { aDeployment, someManifests } from '../builders/cluster-manifests.ts';
import { SMALL_CATALOGUE } from '../controllers/life.ts';

test('entries of the timeline that were taken are not kept, and the summary counts them', async () => {
  const simulation = openSimulation({
    manifests: someManifests({ deployments: [aDeployment('web', 3)] }),
    catalogue: SMALL_CATALOGUE,
    seed: 1,
    durationMs: HOUR_MS,
  });
  let taken = 0;
  let ended = await simulation.step();
  for (; ended === undefined; ended = await simulation.step()) {
    taken += simulation.timeline.take().length;
    expect(simulation.timeline.entries).toHaveLength(0);
  }
  expect(taken).toBe(simulation.timeline.count());
  expect(simulation.summary(ended).pendingToRunningSeconds).toMatchObject({ pods: 3 });
});

test('a refusal that is repeated in every run is noted once, also over hours', async () => {
  const simulation = openSimulation({
    manifests: someManifests({ deployments: [aDeployment('huge', 1, '900')] }),
    catalogue: SMALL_CATALOGUE,
    seed: 1,
    durationMs: 7 * HOUR_MS,
    goesOn: true,
  });
  while ((await simulation.step()) === undefined);
  expect(simulation.timeline.entries.filter(({ kind }) => kind === 'blocked')).toHaveLength(1);
});
