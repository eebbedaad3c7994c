import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { SimulationInput } from '../../../lib/simulator/simulation.ts';
import { aDeployment, someManifests } from '../../builders/cluster-manifests.ts';
import { live } from '../../controllers/life.ts';

async function onePod(under: Partial<SimulationInput>) {
  const manifests = someManifests({ deployments: [aDeployment('web', 1)] });
  const { podsPending, timeline } = await live({ manifests, scenario: { name: 'none', events: [] }, ...under });
  const created = timeline.flatMap((entry) => (entry.kind === 'create-node-claim' ? entry.nodeClaim : []));
  return { reasons: podsPending.map(({ reason }) => reason), created };
}

test.each([
  [1, 'of a new pod'],
  [10, 'of a pod that waits'],
])('the failure of the last run of provisioning is the reason, after %i minutes: %s', async (minutes) => {
  const calls = { calls: ['cluster.listNodeClasses'], error: 403, where: 'before', percent: 100 } as const;
  const faults = [{ kind: 'calls-fail', ...calls, id: 1, fromMs: 0, forMs: 60 * MINUTE_MS }] as const;
  const { reasons } = await onePod({ faults, durationMs: minutes * MINUTE_MS });
  expect(reasons).toEqual(['the last run of provisioning failed: cluster.listNodeClasses: simulated fault: 403']);
});

test('the NodeClaim of a node that does not register is the reason', async () => {
  const scenario = { name: 'boots', events: [{ kind: 'boots', atMs: 0, failPercent: 100 }] } as const;
  const { reasons, created } = await onePod({ scenario, durationMs: 10 * MINUTE_MS });
  expect(reasons).toEqual([`NodeClaim ${created[0]}, which was created for it 9m59s ago, has not registered`]);
});

test('a failure that has passed is not the reason', async () => {
  const calls = { calls: ['cluster.listNodeClasses'], error: 403, where: 'before', percent: 100 } as const;
  const faults = [
    { kind: 'calls-fail', ...calls, id: 1, fromMs: 0, forMs: 3 * MINUTE_MS },
    { kind: 'scheduler-down', id: 2, fromMs: 0, forMs: 60 * MINUTE_MS },
  ] as const;
  const { reasons } = await onePod({ faults, durationMs: 20 * MINUTE_MS });
  expect(reasons).not.toEqual([expect.stringContaining('failed')]);
});
