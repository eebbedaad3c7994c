import { expect, test } from 'vitest';
import type { Node, Pod } from '../../../lib/apis/kubernetes.ts';
import { utilisationMeter } from '../../../lib/simulator/summary/utilisation.ts';
import { aPod, type PodOptions } from '../../builders/pods.ts';

function aNode(cpu: string, memory: string, devices: Readonly<Record<string, string>> = {}): Node {
  return { metadata: { name: 'n' }, status: { allocatable: { cpu, memory, pods: '20', ...devices } } };
}

function onNode(options: PodOptions = {}): Pod {
  return aPod({ ...options, spec: { nodeName: 'n' }, status: { phase: 'Running' } });
}

function aMeter() {
  const clock = { nowMs: 0, now: () => clock.nowMs };
  return { clock, meter: utilisationMeter(clock) };
}

test('the share of a resource is what pods on nodes requested of what nodes had, weighted by time; DaemonSets apart', () => {
  const { clock, meter } = aMeter();
  clock.nowMs = 100;
  meter.node(undefined, aNode('4', '8Gi'));
  const daemon = onNode({ name: 'agent', owner: 'DaemonSet', requests: { cpu: '1', memory: '1Gi' } });
  meter.pod(undefined, daemon);
  clock.nowMs = 200;
  const web = onNode({ name: 'web', requests: { cpu: '2', memory: '4Gi' } });
  meter.pod(undefined, web);
  clock.nowMs = 300;
  meter.pod(web, undefined);
  clock.nowMs = 500;
  // The node had 4 cpu for 400 ms; the DaemonSet used 1 cpu for 400 ms, the other pod 2 cpu for 100 ms.
  expect(meter.report()).toEqual([
    { resource: 'cpu', workloadsShare: 0.125, daemonSetsShare: 0.25 },
    { resource: 'memory', workloadsShare: 0.125, daemonSetsShare: 0.125 },
  ]);
});

test('a pod counts from its binding until it is complete or gone, and a node until it is deleted', () => {
  const { clock, meter } = aMeter();
  const node = aNode('2', '4Gi');
  meter.node(undefined, node);
  const waiting = aPod({ name: 'a', requests: { cpu: '1' } });
  meter.pod(undefined, waiting);
  clock.nowMs = 100;
  const bound = { ...waiting, spec: { ...waiting.spec, nodeName: 'n' } };
  meter.pod(waiting, bound);
  clock.nowMs = 200;
  const complete: Pod = { ...bound, status: { phase: 'Succeeded' } };
  meter.pod(bound, complete);
  clock.nowMs = 300;
  meter.pod(complete, undefined);
  clock.nowMs = 400;
  meter.node(node, undefined);
  clock.nowMs = 1_000;
  // 1 of 2 cpu for 100 of 400 ms.
  expect(meter.report()[0]).toEqual({ resource: 'cpu', workloadsShare: 0.125, daemonSetsShare: 0 });
});

test('GPUs have a share of their own; network resources have none', () => {
  const { clock, meter } = aMeter();
  meter.node(undefined, aNode('4', '16Gi', { 'nvidia.com/gpu': '4', 'vpc.amazonaws.com/efa': '1' }));
  meter.pod(undefined, onNode({ requests: { 'nvidia.com/gpu': '1' } }));
  clock.nowMs = 100;
  expect(meter.report().map(({ resource, workloadsShare }) => [resource, workloadsShare])).toEqual([
    ['cpu', 0],
    ['memory', 0],
    ['nvidia.com/gpu', 0.25],
  ]);
});

test('counts pods that run and that are pending', () => {
  const { meter } = aMeter();
  meter.pod(undefined, onNode({ name: 'a' }));
  meter.pod(undefined, onNode({ name: 'agent', owner: 'DaemonSet' }));
  meter.pod(undefined, aPod({ name: 'b', status: { phase: 'Pending' } }));
  expect(meter.pods()).toEqual({ podsRunning: 2, podsPending: 1, daemonSetPodsRunning: 1, podsUnreachable: 0 });
});

test('without nodes there is no share', () => {
  expect(aMeter().meter.report()).toEqual([]);
});
