import { describe, expect, test } from 'vitest';
import type { ClusterManifests } from '../../../lib/apis/cluster-manifests.ts';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { SimulationResult } from '../../../lib/simulator/result.ts';
import { aDeployment, someManifests } from '../../builders/cluster-manifests.ts';
import { aNodePool, asking, type NodePoolOptions } from '../../builders/node-pools.ts';
import { entriesOf, played, saidOf } from './played.ts';

const RELEASE = { kind: 'releaseImages', atMs: 10 * MINUTE_MS, version: 'v20260115' } as const;
const REPLICAS = 3;

/** Three nodes with one pod each, which are replaced only if they drift. */
function cluster(nodePool: NodePoolOptions, alias = 'al2023@latest'): ClusterManifests {
  const manifests = someManifests({
    nodePools: [
      aNodePool({ requirements: [asking('node.kubernetes.io/instance-type', 'In', 'c7g.large')], ...nodePool }),
    ],
    deployments: [aDeployment('web', REPLICAS, '1500m')],
  });
  const nodeClasses = manifests.nodeClasses.map((one) => ({
    ...one,
    spec: { ...one.spec, amiSelectorTerms: [{ alias }] },
  }));
  return { ...manifests, nodeClasses };
}

const ONE = { budgets: [{ nodes: '1' }], consolidateAfter: 'Never', consolidationPolicy: 'WhenEmpty' } as const;

/** How often nodes were replaced at one time. */
function startedAt(result: SimulationResult): readonly number[] {
  const starts = entriesOf(result, 'continue-disruption').filter(({ command }) => command.method === 'drift');
  return [...Map.groupBy(starts, ({ at }) => at).values()].map((some) => some.length);
}

describe('new images', () => {
  test('replace every node, one after the other if the budget allows one (E14, D34)', async () => {
    const result = await played([RELEASE], { manifests: cluster({ disruption: ONE }) });
    expect(saidOf(result)).toEqual(['600 AWS publishes the images v20260115, which aliases with @latest select']);
    expect(startedAt(result)).toEqual([1, 1, 1]);
    expect(entriesOf(result, 'instance-terminated')).toHaveLength(REPLICAS);
    expect(result).toMatchObject({ podsRunning: REPLICAS, podsPending: [], nodesAtEnd: REPLICAS });
  });

  test('wait for no tick: the next node is replaced as soon as the one before it is gone (E6)', async () => {
    const late: number[] = [];
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const result = await played([RELEASE], { manifests: cluster({ disruption: ONE }), seed });
      const gone = entriesOf(result, 'release-node-claim').map(({ at }) => at);
      const started = entriesOf(result, 'start-disruption').map(({ at }) => at);
      late.push(...started.slice(1).map((at, index) => at - (gone[index] ?? 0)));
    }
    expect(late).toHaveLength(6 * (REPLICAS - 1));
    expect(Math.max(...late)).toBeLessThan(5);
  });

  test('replace no node whose class pins a version', async () => {
    const result = await played([RELEASE], { manifests: cluster({ disruption: ONE }, 'al2023@v20260101') });
    expect(entriesOf(result, 'instance-terminated')).toEqual([]);
  });
});
