import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { withDelays } from '../../../lib/simulator/faults.ts';
import { randomFrom } from '../../../lib/simulator/random.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { samplesOf } from '../../samples.ts';
import { launchedFor, live } from '../life.ts';
import { withoutLeases } from '../without-leases.ts';

test.each(samplesOf([1, 2], 1))(
  'three concurrent runs without a lease never exceed the limits of their pool (promise 2), interleaved by seed %i',
  async (seed) => {
    const random = randomFrom(seed);
    let most = 0;
    const result = await live({
      manifests: someManifests({
        nodePools: [aPool({ limits: { nodes: '3' } })],
        deployments: [aDeployment('web', 8, '30')],
      }),
      scenario: { name: 'limits', events: [] },
      durationMs: 4 * MINUTE_MS,
      invocations: 3,
      wrapPorts: (ports) => {
        const slow = withDelays(withoutLeases(ports), async ({ method }) => {
          if (method.startsWith('store.')) {
            const claims = await ports.store.listNodeClaims('simulated');
            most = Math.max(most, claims.length);
          }
          for (let turns = random.between(0, 20); turns > 0; turns -= 1) await Promise.resolve();
        });
        return { ...slow, clock: { now: () => ports.clock.now() + random.between(0, 40) } };
      },
    });
    expect(launchedFor(result).length).toBeGreaterThan(0);
    expect(most).toBe(3);
  },
);
