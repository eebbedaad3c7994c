import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { RefusedError } from '../../../lib/ports/errors.ts';
import { around } from '../../../lib/simulator/faults.ts';
import type { SimulationInput } from '../../../lib/simulator/simulation.ts';
import { runSimulation } from '../../../lib/simulator/simulation.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { asking } from '../../builders/node-pools.ts';
import { SMALL_CATALOGUE } from '../../controllers/life.ts';

/** Three nodes with two pods each, one of which ends. Ten minutes later a small pod comes, which fits on each. */
async function played(over: Partial<SimulationInput> = {}) {
  const pool = aPool({
    disruption: { consolidateAfter: '1m', consolidationPolicy: 'WhenEmptyOrUnderutilized', budgets: [{ nodes: '0' }] },
  });
  const { spec } = pool.spec.template;
  const requirements = [...spec.requirements, asking('karpenter.k8s.aws/instance-cpu', 'Lt', '3')];
  const template = { ...pool.spec.template, spec: { ...spec, requirements } };
  const { timeline } = await runSimulation({
    manifests: someManifests({
      nodePools: [{ ...pool, spec: { ...pool.spec, template } }],
      deployments: [aDeployment('web', 6, '800m'), aDeployment('late', 0, '100m')],
    }),
    scenario: {
      name: 'one pod ends',
      events: [
        { kind: 'scale', atMs: 10 * MINUTE_MS, deployment: 'default/web', replicas: 5 },
        { kind: 'scale', atMs: 20 * MINUTE_MS, deployment: 'default/late', replicas: 1 },
      ],
    },
    catalogue: SMALL_CATALOGUE,
    seed: 1,
    durationMs: 30 * MINUTE_MS,
    goesOn: true,
    ...over,
  });
  const nodeOf = (kind: 'pod-running' | 'pod-ended', name: string) =>
    timeline.flatMap((entry) => (entry.kind === kind && entry.workload.endsWith(name) ? [entry.node] : []));
  const [ended] = nodeOf('pod-ended', 'web');
  const [late] = nodeOf('pod-running', 'late');
  const failures = timeline.flatMap((entry) => (entry.kind === 'function-failed' ? [entry.message] : []));
  return { isOnEmptiest: late === ended, nodes: new Set(nodeOf('pod-running', 'web')).size, failures };
}

describe('a new pod that fits on three nodes (E38)', () => {
  test('is bound to a node that is used more', async () => {
    expect(await played()).toEqual({ isOnEmptiest: false, nodes: 3, failures: [] });
  });

  test('is bound to the emptiest node with softTaints: false', async () => {
    const settings = { ...DEFAULT_SETTINGS, softTaints: false };
    expect(await played({ settings })).toEqual({ isOnEmptiest: true, nodes: 3, failures: [] });
  });

  test('is bound to the emptiest node if the taint is refused, which is reported once', async () => {
    const refused = await played({
      wrapPorts: (ports) => ({
        ...ports,
        cluster: {
          ...ports.cluster,
          patchNode: async (node, patch) => {
            if (patch.taints?.some(({ key }) => key === 'kerf.dev/underutilized') === true)
              throw new RefusedError('denied');
            return ports.cluster.patchNode(node, patch);
          },
        },
      }),
    });
    expect(refused).toMatchObject({ isOnEmptiest: true, nodes: 3 });
    expect(refused.failures).toEqual(['taints of nodes: denied']);
  });

  test('gets its taints after the run has armed its next one, which is not lost if the function is cut off', async () => {
    const calls: string[] = [];
    await played({
      wrapPorts: (ports) =>
        around(ports, async ({ method, args: [first, second] }, go) => {
          const isTaint = method === 'cluster.patchNode' && JSON.stringify(second).includes('kerf.dev/underutilized');
          if (isTaint) calls.push('taint');
          if (method === 'messages.wake' && first === 'disruption') calls.push('wake');
          if (method === 'leases.release') calls.push('end');
          return go();
        }),
    });
    const runs = calls
      .join(' ')
      .split('end')
      .filter((run) => run.includes('taint'));
    expect(runs.length).toBeGreaterThan(0);
    expect(runs.filter((run) => /taint.*wake/.test(run))).toEqual([]);
  });
});
