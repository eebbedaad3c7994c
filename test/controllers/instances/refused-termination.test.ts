import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { ScenarioEvent } from '../../../lib/apis/scenario/scenario.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import { RefusedError } from '../../../lib/ports/errors.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { expectAllGone, live, SMALL_CATALOGUE } from '../life.ts';

const MANIFESTS = someManifests({
  nodePools: [
    aPool({ disruption: { budgets: [{ nodes: '1' }], consolidateAfter: '0s', consolidationPolicy: 'WhenEmpty' } }),
  ],
  deployments: [aDeployment('web', 4, '20')],
});
const EVENTS: readonly ScenarioEvent[] = [
  { kind: 'scale', atMs: 5 * MINUTE_MS, deployment: 'default/web', replicas: 0 },
];

const PROTECTED = new RefusedError('OperationNotPermitted: disableApiTermination is set');

/** Every termination fails for some time. EC2 refuses them, as with termination protection, unless another error is given. */
function refusing(forMs: number, seen: { requests: number; events: number }, error: Error = PROTECTED) {
  return (ports: ControllerPorts): ControllerPorts => {
    const untilMs = ports.clock.now() + forMs;
    return {
      ...ports,
      cluster: {
        ...ports.cluster,
        publishEvent: async ({ regarding, reason }) => {
          if (regarding.kind === 'NodeClaim' && reason === 'ActionRefused') seen.events += 1;
        },
      },
      cloud: {
        ...ports.cloud,
        terminate: async (cluster, id) => {
          if (ports.clock.now() >= untilMs) return ports.cloud.terminate(cluster, id);
          seen.requests += 1;
          throw error;
        },
      },
    };
  };
}

test.each([
  ['EC2 refuses to terminate an instance', PROTECTED],
  ['an answer to the termination cannot be read', new TypeError('x is not a function')],
])('while %s, its node counts in the budget, and the request is repeated rarely (E7, D26)', async (_title, error) => {
  const seen = { requests: 0, events: 0 };
  const refused = await live({
    manifests: MANIFESTS,
    scenario: { name: 'refused', events: EVENTS },
    catalogue: SMALL_CATALOGUE,
    durationMs: 60 * MINUTE_MS,
    wrapPorts: refusing(Infinity, seen, error),
  });
  expect(refused.nodesAtEnd).toBe(4);
  const cordoned = refused.timeline.filter((entry) => entry.kind === 'delete-node-claim');
  expect(cordoned, 'one node of the budget').toHaveLength(1);
  expect(seen.requests).toBeGreaterThan(8);
  expect(seen.requests).toBeLessThan(25);
  expect(seen.events, 'an event on the claim').toBeGreaterThan(0);
  expect(seen.events).toBeLessThanOrEqual(seen.requests);
});

test('a termination that EC2 no longer refuses succeeds at the next request', async () => {
  const seen = { requests: 0, events: 0 };
  const result = await live({
    manifests: MANIFESTS,
    scenario: { name: 'refused for a time', events: EVENTS },
    catalogue: SMALL_CATALOGUE,
    wrapPorts: refusing(20 * MINUTE_MS, seen),
  });
  expect(seen.requests).toBeGreaterThan(0);
  expectAllGone(result);
});
