import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../lib/apis/kubernetes.ts';
import { UNREGISTERED_TAINT } from '../../../lib/apis/taints.ts';
import { ownNomination } from '../../../lib/core/cluster/nominated-node.ts';
import { kubeScheduler } from '../../../lib/simulator/kubernetes/scheduler/kube-scheduler.ts';
import { simulatedCluster } from '../../../lib/simulator/kubernetes/simulated-cluster.ts';
import { writeNode } from '../../../lib/simulator/kubernetes/state.ts';
import { aNode } from '../../builders/nodes.ts';
import { aPod } from '../../builders/pods.ts';
import { CLOCK, clusterWith, placesIn } from './cluster-with.ts';

const SMALL = { cpu: '1', memory: '8Gi', pods: '10' };
const HALF = { cpu: '500m' };

/** A pending pod that Kerf has nominated for a node. */
function nominated(name: string, node: string, spec: Partial<Pod['spec']> = {}): Pod {
  const pod = aPod({ name, requests: HALF, spec });
  const managedFields = [{ manager: 'kerf', subresource: 'status' }];
  return { ...pod, metadata: { ...pod.metadata, managedFields }, status: { nominatedNodeName: node } };
}

function nominationsIn(state: ReturnType<typeof clusterWith>) {
  return Object.fromEntries([...state.pods.values()].map((pod) => [pod.metadata.name, ownNomination(pod) ?? 'none']));
}

describe('the simulated scheduler follows nominations, as Kubernetes 1.35 does (B66)', () => {
  test('the nominated node is tried first, and the node that scores higher only then', () => {
    const nodes = [aNode({ name: 'node-1', allocatable: SMALL }), aNode({ name: 'node-2' })];
    const state = clusterWith({ nodes, pods: [nominated('web-1', 'node-1'), aPod({ name: 'web-2', requests: HALF })] });
    kubeScheduler(state, CLOCK).pass();
    expect(placesIn(state)).toEqual({ 'web-1': 'node-1', 'web-2': 'node-2' });
    expect(nominationsIn(state)).toEqual({ 'web-1': 'none', 'web-2': 'none' });
  });

  test('a node has room only for the pods that are nominated for it, also among equal pods', () => {
    const pods = [
      nominated('a-1', 'node-2'),
      nominated('a-2', 'node-2'),
      nominated('b-1', 'node-1'),
      nominated('b-2', 'node-1'),
    ];
    const state = clusterWith({ nodes: [], pods });
    writeNode(state, aNode({ name: 'node-1', allocatable: SMALL }));
    kubeScheduler(state, CLOCK).pass();
    expect(placesIn(state)).toEqual({ 'a-1': 'none', 'a-2': 'none', 'b-1': 'node-1', 'b-2': 'node-1' });
  });

  test('an attempt that fails and cannot preempt clears the nomination; a pod that never preempts keeps it', () => {
    const waits = nominated('waits', 'node-2', { preemptionPolicy: 'Never' });
    const pods = [nominated('web-1', 'node-2'), nominated('web-2', 'node-2'), waits];
    const state = clusterWith({ nodes: [aNode({ name: 'full', allocatable: { ...SMALL, cpu: '100m' } })], pods });
    const scheduler = kubeScheduler(state, CLOCK);
    scheduler.pass();
    expect(nominationsIn(state)).toEqual({ 'web-1': 'none', 'web-2': 'none', waits: 'node-2' });
  });

  test('a pod that is not tried again keeps a nomination that is written meanwhile', async () => {
    const pods = [aPod({ name: 'web-1', requests: HALF })];
    const state = clusterWith({ nodes: [aNode({ name: 'full', allocatable: { ...SMALL, cpu: '100m' } })], pods });
    const scheduler = kubeScheduler(state, CLOCK);
    scheduler.pass();
    const { uid = '' } = pods[0]?.metadata ?? {};
    const pod = { namespace: 'default', name: 'web-1', uid };
    await simulatedCluster(state, CLOCK).nominatePod({ pod, node: 'node-1' });
    scheduler.pass();
    expect(nominationsIn(state)).toEqual({ 'web-1': 'node-1' });
    writeNode(state, aNode({ name: 'node-1', allocatable: SMALL }));
    scheduler.pass();
    expect(placesIn(state)).toEqual({ 'web-1': 'node-1' });
  });

  test('a node that joins with a taint that the pod does not tolerate is not a reason to try it again', async () => {
    const starting = (name: string) => aNode({ name, allocatable: SMALL, taints: [UNREGISTERED_TAINT] });
    const state = clusterWith({ nodes: [starting('node-1')], pods: [aPod({ name: 'web-1', requests: HALF })] });
    const scheduler = kubeScheduler(state, CLOCK);
    scheduler.pass();
    const [pod] = [...state.pods.values()];
    const uid = pod?.metadata.uid ?? '';
    await simulatedCluster(state, CLOCK).nominatePod({
      pod: { namespace: 'default', name: 'web-1', uid },
      node: 'node-2',
    });
    writeNode(state, starting('node-2'));
    scheduler.pass();
    expect(nominationsIn(state)).toEqual({ 'web-1': 'node-2' });
    writeNode(state, aNode({ name: 'node-1', allocatable: { ...SMALL, cpu: '100m' } }));
    scheduler.pass();
    expect(nominationsIn(state)).toEqual({ 'web-1': 'none' });
  });
});
