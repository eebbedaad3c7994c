import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { RefusedError } from '../../../lib/ports/errors.ts';
import { around } from '../../../lib/simulator/faults.ts';
import { aDeployment, someManifests } from '../../builders/cluster-manifests.ts';
import { live, SMALL_CATALOGUE } from '../life.ts';

test('a release that the table refuses is repeated twelve times a minute by each invocation, and by each tick', async () => {
  const removedMs: number[] = [];
  let startMs = 0;
  await live({
    manifests: someManifests({ deployments: [aDeployment('web', 1)] }),
    scenario: {
      name: 'the table refuses updates',
      events: [{ kind: 'scale', atMs: 4 * MINUTE_MS, deployment: 'default/web', replicas: 0 }],
    },
    catalogue: SMALL_CATALOGUE,
    durationMs: 12 * MINUTE_MS,
    invocations: 3,
    faults: [
      {
        id: 0,
        kind: 'calls-fail',
        calls: ['store.updateNodeClaim'],
        error: 'throttled',
        where: 'before',
        percent: 100,
        fromMs: 4.5 * MINUTE_MS,
        forMs: 8 * MINUTE_MS,
      },
    ],
    wrapPorts: (ports) => {
      startMs = ports.clock.now();
      return around(ports, async ({ method }, go) => {
        if (method === 'cluster.removeNodeClaim') removedMs.push(ports.clock.now() - startMs);
        return go();
      });
    },
  });
  const last = removedMs.filter((ms) => ms >= 11 * MINUTE_MS);
  expect(last).toHaveLength(39);
});

test('a NodeClaim that can be neither launched nor deleted does not repeat the runs of lifecycle', async () => {
  const runsMs: number[] = [];
  let [startMs, isRefused] = [Number.NaN, false];
  await live({
    manifests: someManifests({ deployments: [aDeployment('web', 1)] }),
    scenario: { name: 'no capacity', events: [] },
    catalogue: SMALL_CATALOGUE,
    durationMs: 20 * MINUTE_MS,
    faults: [{ id: 0, kind: 'no-capacity', fromMs: 0, forMs: 20 * MINUTE_MS }],
    wrapPorts: (ports) => {
      if (Number.isNaN(startMs)) startMs = ports.clock.now();
      return around(ports, async ({ method }, go) => {
        if (method === 'cloud.launch') isRefused = true;
        if (method === 'store.listNodeClaims') runsMs.push(ports.clock.now() - startMs);
        if (isRefused && method === 'store.readNodeClaim') throw new RefusedError('the item is refused');
        return go();
      });
    },
  });
  const last = runsMs.filter((ms) => ms >= 10 * MINUTE_MS);
  expect(last.length, 'lists of NodeClaims in ten minutes').toBeLessThan(40);
});
