import { describe, expect, test } from 'vitest';
import type { ClusterManifests } from '../../../lib/apis/cluster-manifests.ts';
import { observeBuffers } from '../../../lib/controllers/observe/observe-buffers.ts';
import { observePlaces } from '../../../lib/controllers/observe/observe-places.ts';
import { readings } from '../../../lib/controllers/observe/readings.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import type { Cluster } from '../../../lib/ports/cluster.ts';
import { simulatedCluster } from '../../../lib/simulator/kubernetes/simulated-cluster.ts';
import { kubernetesState } from '../../../lib/simulator/kubernetes/state.ts';
import { aCapacityBuffer, aPodTemplate } from '../../builders/capacity-buffers.ts';
import { someManifests } from '../../builders/cluster-manifests.ts';
import { pendingPod, runningPod } from '../../builders/pods.ts';
import { NOW_MS } from '../../builders/times.ts';

/** A simulated cluster that records which lists were read. */
function clusterWith(manifests: Partial<ClusterManifests> = {}): {
  readonly cluster: Cluster;
  readonly read: string[];
} {
  const cluster = simulatedCluster(kubernetesState(someManifests(manifests)), { now: () => NOW_MS });
  const read: string[] = [];
  const noting = <Answer>(name: string, answer: Answer): Answer => {
    read.push(name);
    return answer;
  };
  return {
    read,
    cluster: {
      ...cluster,
      listPodTemplates: () => noting('PodTemplate', cluster.listPodTemplates()),
      listScalableWorkloads: (kind) => noting(kind, cluster.listScalableWorkloads(kind)),
      readStorage: () => noting('storage', cluster.readStorage()),
      listVolumeAttachments: () => noting('VolumeAttachments', cluster.listVolumeAttachments()),
    },
  };
}

const OTHER = { provisioningStrategy: 'example.com/other' };
const { podTemplateRef: _, ...bare } = aCapacityBuffer().spec;
const ofDeployment = {
  ...aCapacityBuffer({}, 'web'),
  spec: { ...bare, scalableRef: { kind: 'Deployment', name: 'web' } },
};

describe('observing CapacityBuffers reads only the kinds that they refer to (A5.2, A5.4)', () => {
  test.each([
    ['none', [], []],
    ['one of another strategy', [aCapacityBuffer(OTHER)], []],
    ['one of a PodTemplate', [aCapacityBuffer()], ['PodTemplate']],
    ['one of a Deployment', [ofDeployment], ['Deployment']],
    ['both', [aCapacityBuffer(), ofDeployment], ['PodTemplate', 'Deployment']],
  ])('%s', async (_name, capacityBuffers, expected) => {
    const { cluster, read } = clusterWith({ capacityBuffers, podTemplates: [aPodTemplate()] });
    const { pods, unready } = await observeBuffers({ cluster, settings: DEFAULT_SETTINGS }, NOW_MS);
    expect(read).toEqual(expected);
    expect(pods).toHaveLength(3 * expected.length);
    expect(unready).toEqual([]);
  });
});

describe('storage', () => {
  const data = { name: 'data', persistentVolumeClaim: { claimName: 'data' } };

  test.each([
    ['is read if a pod has a claim', [pendingPod({ spec: { volumes: [data] } })], ['storage', 'VolumeAttachments']],
    [
      'is read if a pod has an ephemeral volume',
      [pendingPod({ spec: { volumes: [{ name: 'data', ephemeral: {} }] } })],
      ['storage', 'VolumeAttachments'],
    ],
    [
      'is read without VolumeAttachments if no pod with a claim is pending',
      [runningPod('node-1', { spec: { volumes: [data] } }), pendingPod()],
      ['storage'],
    ],
    ['is not read if no pod has a claim', [pendingPod({ spec: { volumes: [{ name: 'config' }] } })], []],
  ])('%s', async (_name, all, expected) => {
    const { cluster, read } = clusterWith();
    const pods = Promise.resolve(all);
    const places = await observePlaces(cluster, { pods, isPlacing: Promise.resolve(true) }, readings());
    expect(read).toEqual(expected);
    expect(places.storage === undefined).toBe(expected.length === 0);
    expect(places.storage?.volumeAttachments !== undefined).toBe(expected.includes('VolumeAttachments'));
  });
});

describe('objects of a disabled feature are not read (F18)', () => {
  const off = { ...DEFAULT_SETTINGS.featureGates, nodeOverlay: false, capacityBuffer: false, reservedCapacity: false };

  test('CapacityBuffers are not read', async () => {
    const { cluster } = clusterWith({ capacityBuffers: [aCapacityBuffer()], podTemplates: [aPodTemplate()] });
    const settings = { ...DEFAULT_SETTINGS, featureGates: off };
    expect(await observeBuffers({ cluster, settings }, NOW_MS)).toEqual({ pods: [], unready: [] });
  });
});
