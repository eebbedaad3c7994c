import { describe, expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../lib/apis/formats/time.ts';
import type { Deployment } from '../../lib/apis/kubernetes.ts';
import type { ControllerPorts } from '../../lib/controllers/run/ports.ts';
import { RefusedError, UnreachableError } from '../../lib/ports/errors.ts';
import { withFaults } from '../../lib/simulator/faults.ts';
import type { SimulationResult } from '../../lib/simulator/result.ts';
import type { SimulationInput } from '../../lib/simulator/simulation.ts';
import { aDeployment, aPool, someManifests } from '../builders/cluster-manifests.ts';
import { live } from './life.ts';

const PLAIN = aDeployment('database', 1);

/** A Deployment whose pod has a PersistentVolumeClaim. */
const WITH_VOLUME: Deployment = {
  ...PLAIN,
  spec: {
    ...PLAIN.spec,
    template: {
      ...PLAIN.spec.template,
      spec: {
        ...PLAIN.spec.template.spec,
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      },
    },
  },
};

/** A cluster with one pod, whose node is deleted after five minutes. */
async function afterDeletedNode(
  deployment: Deployment,
  over: Partial<SimulationInput> = {},
): Promise<SimulationResult & { readonly waitSeconds: number }> {
  const result = await live({
    manifests: someManifests({ deployments: [deployment] }),
    scenario: { name: 'volumes', events: [{ kind: 'deleteNode', atMs: 5 * MINUTE_MS, node: { kind: 'any' } }] },
    durationMs: 15 * MINUTE_MS,
    ...over,
  });
  const at = (kind: 'pod-ended' | 'terminate-instance'): number =>
    result.timeline.find((entry) => entry.kind === kind && entry.at > 300)?.at ?? Number.NaN;
  return { ...result, waitSeconds: at('terminate-instance') - at('pod-ended') };
}

async function refusing(): Promise<never> {
  return await Promise.reject(new RefusedError('list volumeattachments: forbidden'));
}

/** Counts the lists of VolumeAttachments from a time of the simulation on. */
function counted(fromMs = 0): {
  readonly counts: { lists: number };
  readonly wrapPorts: (ports: ControllerPorts) => ControllerPorts;
} {
  const counts = { lists: 0 };
  let startMs: number | undefined;
  const wrapPorts = (ports: ControllerPorts): ControllerPorts => {
    startMs ??= ports.clock.now();
    const countedFromMs = startMs + fromMs;
    return withFaults(ports, ({ method }) => {
      const isCounted = method === 'cluster.listVolumeAttachments' && ports.clock.now() >= countedFromMs;
      if (isCounted) counts.lists += 1;
      return undefined;
    });
  };
  return { counts, wrapPorts };
}

describe('D25: after a drain, the instance waits until the volumes of its pods are detached', () => {
  // The simulated cluster detaches a volume 12 s after the end of its pod.
  test('it is terminated at the first poll after that, and the pod runs on another node', async () => {
    const result = await afterDeletedNode(WITH_VOLUME);
    expect(result.waitSeconds).toBeGreaterThanOrEqual(12);
    expect(result.waitSeconds).toBeLessThan(12 + 6);
    expect(result).toMatchObject({ podsPending: [], podsRunning: 1, nodesAtEnd: 1 });
  });

  test('without volumes it does not wait, and nothing is read', async () => {
    const { counts, wrapPorts } = counted();
    const result = await afterDeletedNode(PLAIN, { wrapPorts });
    expect(result.waitSeconds).toBeLessThan(6);
    expect(counts.lists).toBe(0);
  });

  test('VolumeAttachments are listed once a poll', async () => {
    // Provisioning lists them too while a pod with a volume is pending: before the deletion, and if a pod took the place of the evicted one.
    const { counts, wrapPorts } = counted(5 * MINUTE_MS);
    const scale = {
      kind: 'scale',
      atMs: 5 * MINUTE_MS + SECOND_MS,
      deployment: 'default/database',
      replicas: 0,
    } as const;
    const deletion = { kind: 'deleteNode', atMs: 5 * MINUTE_MS, node: { kind: 'any' } } as const;
    await afterDeletedNode(WITH_VOLUME, { wrapPorts, scenario: { name: 'volumes', events: [scale, deletion] } });
    expect(counts.lists).toBeGreaterThanOrEqual(2);
    expect(counts.lists).toBeLessThanOrEqual(4);
  });

  test('also if the run that has evicted the pods could not write its record', async () => {
    let lost = 0;
    const result = await afterDeletedNode(WITH_VOLUME, {
      wrapPorts: (ports) =>
        withFaults(ports, ({ method, args: [record] }) => {
          const isOfDrain = method === 'store.updateNodeClaim' && JSON.stringify(record).includes('drainStartedAtMs');
          if (!isOfDrain || lost > 0) return undefined;
          lost += 1;
          return 'before';
        }),
    });
    expect(lost).toBe(1);
    expect(result.waitSeconds).toBeGreaterThanOrEqual(12);
  });

  test('also if the run has read the record before another run has recorded volumes', async () => {
    let stale = 0;
    const result = await afterDeletedNode(WITH_VOLUME, {
      wrapPorts: (ports) => {
        let lateMs = 0;
        const { store, cluster, clock } = ports;
        return {
          ...ports,
          clock: { now: () => clock.now() + lateMs },
          cluster: {
            ...cluster,
            listNodes: async () => {
              lateMs += 2_000;
              return cluster.listNodes();
            },
          },
          store: {
            ...store,
            listNodeClaims: async (name) => {
              return (await store.listNodeClaims(name)).map((record) => {
                if (record.deletion?.volumes !== true) return record;
                stale += 1;
                const { volumes: _, ...deletion } = record.deletion;
                return { ...record, version: record.version - 1, deletion };
              });
            },
          },
        };
      },
    });
    expect(stale).toBeGreaterThan(0);
    expect(result.waitSeconds).toBeGreaterThanOrEqual(12);
  });

  test('at most until the deadline', async () => {
    const { spec } = aPool();
    const template = { ...spec.template, spec: { ...spec.template.spec, terminationGracePeriod: '8s' } };
    const nodePools = [aPool({ template })];
    const result = await afterDeletedNode(WITH_VOLUME, {
      manifests: someManifests({ nodePools, deployments: [WITH_VOLUME] }),
    });
    expect(result.waitSeconds).toBeLessThan(8);
    expect(result).toMatchObject({ podsPending: [], nodesAtEnd: 1 });
  });

  test('at most six minutes while they cannot be read, and this is reported once', async () => {
    const reported: string[] = [];
    const result = await afterDeletedNode(WITH_VOLUME, {
      wrapPorts: (ports) => ({
        ...ports,
        cluster: {
          ...ports.cluster,
          listVolumeAttachments: async () => await Promise.reject(new UnreachableError('500 etcd: corrupt object')),
          publishEvent: async ({ reason }) => void reported.push(reason),
        },
      }),
    });
    expect(result.waitSeconds).toBeGreaterThanOrEqual(6 * 60);
    expect(result.waitSeconds).toBeLessThan(7 * 60 + 6);
    expect(result).toMatchObject({ podsPending: [], nodesAtEnd: 1 });
    expect(reported.filter((reason) => reason === 'NotRead')).toHaveLength(1);
    expect(reported.filter((reason) => reason === 'VolumesUnknown')).toHaveLength(1);
  });

  test('not if the API server refuses to list them', async () => {
    const result = await afterDeletedNode(WITH_VOLUME, {
      wrapPorts: (ports) => ({ ...ports, cluster: { ...ports.cluster, listVolumeAttachments: refusing } }),
    });
    expect(result.waitSeconds).toBeLessThan(6);
    expect(result).toMatchObject({ podsPending: [], nodesAtEnd: 1 });
  });
});
