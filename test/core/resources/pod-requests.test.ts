import { describe, expect, test } from 'vitest';
import type { Container, ContainerStatus, Pod, PodSpec } from '../../../lib/apis/kubernetes.ts';
import { podRequests } from '../../../lib/core/resources/pod-requests.ts';
import { aPod } from '../../builders/pods.ts';

function container(cpu: string, over: Partial<Container> = {}): Container {
  return { name: `c-${cpu}`, resources: { requests: { cpu } }, ...over };
}

/** The status of a container during a resize. */
function had(name: string, allocated: string, actual = allocated): ContainerStatus {
  return { name, allocatedResources: { cpu: allocated }, resources: { requests: { cpu: actual } } };
}

const sidecar = (cpu: string): Container => container(cpu, { restartPolicy: 'Always' });

describe('what a pod asks of a node (B18)', () => {
  test.each<[string, Partial<PodSpec>, number]>([
    ['containers add up', { containers: [container('1'), container('500m')] }, 1_500],
    ['a larger init container counts alone', { containers: [container('1')], initContainers: [container('2')] }, 2_000],
    [
      'init containers run one after the other',
      { containers: [container('1')], initContainers: [container('2'), container('3')] },
      3_000,
    ],
    [
      'a smaller init container does not count',
      { containers: [container('1')], initContainers: [container('500m')] },
      1_000,
    ],
    [
      'a sidecar runs beside the containers',
      { containers: [container('1')], initContainers: [sidecar('500m')] },
      1_500,
    ],
    [
      'and beside the init containers after it',
      { containers: [container('1')], initContainers: [sidecar('500m'), container('2')] },
      2_500,
    ],
    [
      'but not beside those before it',
      { containers: [container('1')], initContainers: [container('2'), sidecar('500m')] },
      2_000,
    ],
    ['the overhead is added', { containers: [container('1')], overhead: { cpu: '250m' } }, 1_250],
    [
      'resources of the pod take the place of its containers’',
      { containers: [container('1')], resources: { requests: { cpu: '3' } } },
      3_000,
    ],
    [
      'and the overhead is added to them',
      { containers: [container('1')], resources: { requests: { cpu: '3' } }, overhead: { cpu: '1' } },
      4_000,
    ],
    ['a missing request is the limit', { containers: [{ name: 'a', resources: { limits: { cpu: '2' } } }] }, 2_000],
    [
      'a request counts before the limit',
      { containers: [{ name: 'a', resources: { limits: { cpu: '2' }, requests: { cpu: '1' } } }] },
      1_000,
    ],
  ])('%s', (_, spec, cpu) => {
    expect(podRequests(aPod({ spec }))).toEqual({ cpu, pods: 1 });
  });

  test('a pod takes a pod’s place even where it asks for nothing', () => {
    expect(podRequests(aPod({ containers: [{ name: 'main' }] }))).toEqual({ pods: 1 });
  });

  test('while it is resized in place, the larger of what it asks for and what it was given (B18)', () => {
    const pod = aPod({ spec: { containers: [container('1'), container('500m')] } });
    const given = (cpu: string) => ({
      ...pod,
      status: { ...pod.status, containerStatuses: [{ name: 'c-1', allocatedResources: { cpu } }] },
    });
    expect(podRequests(given('3'))['cpu']).toBe(3_500);
    expect(podRequests(given('250m'))['cpu']).toBe(1_500);
  });

  test.each<[string, Partial<Pod['status']>, number]>([
    [
      'a container that shrinks counts with what it has',
      { containerStatuses: [had('grows', '1'), had('shrinks', '3')] },
      5_500,
    ],
    [
      'a resize that the node can never satisfy does not count',
      {
        containerStatuses: [had('grows', '1'), had('shrinks', '1')],
        conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }],
      },
      2_500,
    ],
    [
      'one that has to wait counts',
      {
        containerStatuses: [had('grows', '1'), had('shrinks', '1')],
        conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Deferred' }],
      },
      3_500,
    ],
    ['a sidecar counts with what it has', { initContainerStatuses: [had('side', '4')] }, 7_000],
    ['what a container has counts beside what is allocated', { containerStatuses: [had('shrinks', '1', '2')] }, 4_500],
  ])('during an in-place resize, %s', (_, status, cpu) => {
    const named = (name: string, of: string): Container => ({ ...container(of), name });
    const spec = {
      containers: [named('grows', '2'), named('shrinks', '1')],
      initContainers: [{ ...named('side', '500m'), restartPolicy: 'Always' as const }],
    };
    const pod = aPod({ spec });
    expect(podRequests({ ...pod, status: { ...pod.status, ...status } })['cpu']).toBe(cpu);
  });

  test('each resource has its own peak', () => {
    const init: Container = { name: 'init', resources: { requests: { cpu: '2', memory: '1Gi' } } };
    const main: Container = { name: 'main', resources: { requests: { cpu: '1', memory: '2Gi' } } };
    expect(podRequests(aPod({ spec: { containers: [main], initContainers: [init] } }))).toEqual({
      cpu: 2_000,
      memory: 2 ** 31,
      pods: 1,
    });
  });

  test('the overhead of a runtime class is what admission wrote into the pod: no class is looked up (B62)', () => {
    const kata = { runtimeClassName: 'kata', containers: [container('1')] };
    expect(podRequests(aPod({ spec: kata }))).toEqual({ cpu: 1_000, pods: 1 });
    expect(podRequests(aPod({ spec: { ...kata, overhead: { cpu: '250m', memory: '1Gi' } } }))).toEqual({
      cpu: 1_250,
      memory: 2 ** 30,
      pods: 1,
    });
  });
});
