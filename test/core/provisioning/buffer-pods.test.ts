import { describe, expect, test } from 'vitest';
import type { CapacityBuffer } from '../../../lib/apis/capacity-buffer.ts';
import type { NamedPodTemplate, PodTemplate, ScalableWorkload } from '../../../lib/apis/kubernetes.ts';
import { isBufferPod } from '../../../lib/core/cluster/buffer-pod.ts';
import { isProvisionable } from '../../../lib/core/cluster/pods.ts';
import { bufferPods } from '../../../lib/core/provisioning/buffer-pods.ts';
import type { BufferWorkloads, UnreadyBuffer } from '../../../lib/core/provisioning/buffer-template.ts';
import { pendingPod } from '../../builders/pods.ts';
import { NOW_MS } from '../../builders/times.ts';

type BufferSpec = Partial<CapacityBuffer['spec']>;

/** A buffer of three pods with the PodTemplate `small`. */
function aBuffer(
  spec: BufferSpec = { podTemplateRef: { name: 'small' }, replicas: 3 },
  name = 'spare',
): CapacityBuffer {
  return {
    apiVersion: 'autoscaling.x-k8s.io/v1beta1',
    kind: 'CapacityBuffer',
    metadata: { name, namespace: 'default', uid: `uid-${name}` },
    spec: { provisioningStrategy: 'buffer.x-k8s.io/active-capacity', ...spec },
  };
}

/** One container that requests 500m and 1Gi. */
function aTemplate(spec: Partial<PodTemplate['spec']> = {}): PodTemplate {
  return {
    metadata: { labels: { app: 'web' }, annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
    spec: { containers: [{ name: 'main', resources: { requests: { cpu: '500m', memory: '1Gi' } } }], ...spec },
  };
}

function named(template: PodTemplate = aTemplate(), name = 'small', namespace = 'default'): NamedPodTemplate {
  return { metadata: { name, namespace }, template };
}

function aWorkload(replicas?: number, template: PodTemplate = aTemplate()): ScalableWorkload {
  const scale = replicas === undefined ? {} : { replicas };
  return { metadata: { name: 'web', namespace: 'default' }, spec: { ...scale, selector: {}, template } };
}

function workloads(over: Partial<BufferWorkloads> = {}): BufferWorkloads {
  return { podTemplates: [named()], deployments: [], statefulSets: [], replicaSets: [], ...over };
}

function countOf(spec: BufferSpec, over: Partial<BufferWorkloads> = {}): number {
  const { pods, unready } = bufferPods([aBuffer(spec)], workloads(over), NOW_MS);
  expect(unready).toEqual([]);
  return pods.length;
}

const OF_TEMPLATE: BufferSpec = { podTemplateRef: { name: 'small' } };
const OF_DEPLOYMENT: BufferSpec = { scalableRef: { kind: 'Deployment', name: 'web' } };

describe('the pods of a buffer', () => {
  test('have its template, its name with a number, the lowest priority, and annotations with the buffer (A5.5)', () => {
    const { pods } = bufferPods([aBuffer({ ...OF_TEMPLATE, replicas: 2 })], workloads(), NOW_MS);
    expect(pods.map(({ metadata }) => [metadata.name, metadata.uid])).toEqual([
      ['capacity-buffer-spare-1', 'uid-spare-1'],
      ['capacity-buffer-spare-2', 'uid-spare-2'],
    ]);
    expect(pods[0]?.metadata).toMatchObject({
      namespace: 'default',
      labels: { app: 'web' },
      creationTimestamp: '2026-01-31T08:00:00Z',
    });
    expect(pods[0]?.metadata.annotations).toEqual({
      'karpenter.sh/capacity-buffer-fake-pod': 'true',
      'karpenter.sh/capacity-buffer-name': 'spare',
      'karpenter.sh/capacity-buffer-namespace': 'default',
    });
    expect(pods[0]?.spec).toEqual({ ...aTemplate().spec, priority: -2_147_483_648 });
  });

  test('are not bound, even if the template has a node name (A5.5)', () => {
    const podTemplates = [named(aTemplate({ nodeName: 'node-1' }))];
    const { pods } = bufferPods([aBuffer()], workloads({ podTemplates }), NOW_MS);
    expect(pods.map(isProvisionable)).toEqual([true, true, true]);
  });

  test('have no PersistentVolumeClaims and no mounts of them, and keep other volumes (A5.5)', () => {
    const mounts = ['data', 'scratch', 'config'].map((name) => ({ name, mountPath: `/${name}` }));
    const template = aTemplate({
      containers: [{ name: 'main', volumeMounts: mounts }],
      initContainers: [{ name: 'init', volumeMounts: mounts }, { name: 'bare' }],
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
        { name: 'scratch', ephemeral: {} },
        { name: 'config' },
      ],
    });
    const { pods } = bufferPods([aBuffer()], workloads({ podTemplates: [named(template)] }), NOW_MS);
    const [pod] = pods;
    expect(pod?.spec.volumes).toEqual([{ name: 'config' }]);
    expect(pod?.spec.containers[0]?.volumeMounts).toEqual([{ name: 'config', mountPath: '/config' }]);
    expect(pod?.spec.initContainers).toEqual([
      { name: 'init', volumeMounts: [{ name: 'config', mountPath: '/config' }] },
      { name: 'bare' },
    ]);
  });

  test('can be distinguished from real pods (B65)', () => {
    const { pods } = bufferPods([aBuffer()], workloads(), NOW_MS);
    expect([...pods, pendingPod()].map(isBufferPod)).toEqual([true, true, true, false]);
  });

  test('of two namespaces are different, even without UIDs (A5.5)', () => {
    const podTemplates = [named(), named(aTemplate(), 'small', 'shop')];
    const buffers = ['default', 'shop'].map((namespace) => ({ ...aBuffer(), metadata: { name: 'spare', namespace } }));
    const { pods } = bufferPods(buffers, workloads({ podTemplates }), NOW_MS);
    expect(new Set(pods.map(({ metadata }) => metadata.uid)).size).toBe(6);
  });
});

describe('the reference of a buffer to', () => {
  test('a PodTemplate of its own namespace (A5.2)', () => {
    const { pods, unready } = bufferPods(
      [aBuffer()],
      workloads({ podTemplates: [named(aTemplate(), 'small', 'shop')] }),
      NOW_MS,
    );
    expect(pods).toEqual([]);
    expect(unready).toEqual([
      {
        buffer: aBuffer(),
        reason: 'PodTemplateNotFound',
        message: 'PodTemplate "small" does not exist in namespace default: create it, or correct the reference',
      },
    ]);
  });

  test.each<[string, Partial<BufferWorkloads>]>([
    ['Deployment', { deployments: [aWorkload()] }],
    ['StatefulSet', { statefulSets: [aWorkload()] }],
    ['ReplicaSet', { replicaSets: [aWorkload()] }],
  ])('a %s: missing replicas count as one (A5.4)', (kind, over) => {
    const spec = { scalableRef: { apiGroup: 'apps', kind, name: 'web' }, percentage: 300 };
    expect(countOf(spec, over)).toBe(3);
  });

  test.each<[string, BufferSpec, Omit<UnreadyBuffer, 'buffer'>]>([
    [
      'a workload that does not exist',
      { ...OF_DEPLOYMENT, replicas: 1 },
      {
        reason: 'ScalableRefNotFound',
        message: 'Deployment "web" does not exist in namespace default: create it, or correct the reference',
      },
    ],
    [
      'another kind',
      { scalableRef: { kind: 'Job', name: 'web' }, replicas: 1 },
      {
        reason: 'ResolutionFailed',
        message:
          'the kind "Job" of spec.scalableRef is not supported: write one of Deployment, StatefulSet, ReplicaSet in API group apps',
      },
    ],
    [
      'a kind of another group',
      { scalableRef: { apiGroup: 'example.com', kind: 'Deployment', name: 'web' }, replicas: 1 },
      {
        reason: 'ResolutionFailed',
        message:
          'the kind "example.com/Deployment" of spec.scalableRef is not supported: write one of Deployment, StatefulSet, ReplicaSet in API group apps',
      },
    ],
    [
      'nothing',
      { replicas: 1 },
      {
        reason: 'ResolutionFailed',
        message: 'spec has neither podTemplateRef nor scalableRef: write one of them',
      },
    ],
    [
      'or limits that cannot be parsed',
      { ...OF_TEMPLATE, limits: { cpu: '1e' } },
      {
        reason: 'ResolutionFailed',
        message: 'spec.limits.cpu "1e" is not a quantity: write a quantity such as 500m, 2, 512Mi or 1e3',
      },
    ],
  ])('%s: the buffer has no pods, and the reason is reported (A5.4, A5.7)', (_, spec, why) => {
    const { pods, unready } = bufferPods([aBuffer(spec)], workloads(), NOW_MS);
    expect(pods).toEqual([]);
    expect(unready).toEqual([{ buffer: aBuffer(spec), ...why }]);
  });

  test('anything is ignored if its strategy is unknown (A5.2)', () => {
    const foreign = aBuffer({ provisioningStrategy: 'example.com/other', replicas: 1 });
    expect(bufferPods([foreign], workloads(), NOW_MS)).toEqual({ pods: [], unready: [] });
  });
});

/** The number of pods for a Deployment with these replicas, or else for a PodTemplate. */
interface Sizing {
  readonly spec: BufferSpec;
  readonly scale?: number;
}

describe('the number of pods', () => {
  test.each<[string, Sizing, number]>([
    ['replicas', { spec: { replicas: 4 } }, 4],
    ['0 replicas', { spec: { replicas: 0 } }, 0],
    ['a percentage, rounded up', { spec: { percentage: 25 }, scale: 10 }, 3],
    ['a percentage, at least one', { spec: { percentage: 1 }, scale: 3 }, 1],
    ['0 percent', { spec: { percentage: 0 }, scale: 10 }, 0],
    ['the larger of both', { spec: { replicas: 2, percentage: 50 }, scale: 10 }, 5],
    ['the larger of both, the other way round', { spec: { replicas: 7, percentage: 50 }, scale: 10 }, 7],
    ['a percentage of a workload with 0 replicas', { spec: { percentage: 50, limits: { cpu: 100 } }, scale: 0 }, 0],
    ['what fits into the tightest limit', { spec: { replicas: 9, limits: { cpu: '1.9', memory: '8Gi' } } }, 3],
    ['limits alone', { spec: { limits: { cpu: 2, memory: '3Gi' } } }, 3],
    ['limits of a resource that it does not request', { spec: { replicas: 2, limits: { 'example.com/gpu': 0 } } }, 2],
    ['limits alone, of a resource that it does not request', { spec: { limits: { 'example.com/gpu': 5 } } }, 0],
    ['a limit of pods', { spec: { replicas: 9, limits: { pods: 5 } } }, 5],
    ['negative limits', { spec: { replicas: 2, limits: { cpu: '-1' } } }, 0],
    ['neither', { spec: {}, scale: 4 }, 0],
  ])('%s (A5.3)', (_, { spec, scale }, count) => {
    const of = scale === undefined ? OF_TEMPLATE : OF_DEPLOYMENT;
    expect(countOf({ ...of, ...spec }, scale === undefined ? {} : { deployments: [aWorkload(scale)] })).toBe(count);
  });

  test('a percentage is ignored for a PodTemplate (A5.3)', () => {
    expect(countOf({ ...OF_TEMPLATE, percentage: 100, replicas: 1 })).toBe(1);
  });
});

describe('too many pods', () => {
  const huge = aBuffer({ ...OF_TEMPLATE, replicas: 10_000_000 }, 'huge');

  test('are limited, and this is reported (A5.3)', () => {
    const { pods, unready } = bufferPods([huge], workloads(), NOW_MS);
    expect(pods).toHaveLength(10_000);
    expect(unready).toEqual([
      {
        buffer: huge,
        reason: 'TooManyReplicas',
        message:
          'requests capacity for 10000000 pods and gets capacity for 10000: the limit for all buffers together is 10000; ' +
          'lower replicas or percentage, or set limits',
      },
    ]);
  });

  test('do not get more room from a buffer with negative limits (A5.3)', () => {
    const none = aBuffer({ ...OF_TEMPLATE, limits: { cpu: '-5' } }, 'none');
    expect(bufferPods([huge, none], workloads(), NOW_MS).pods).toHaveLength(10_000);
  });

  test('of one buffer do not reduce buffers that request no more than their share (A5.3)', () => {
    const { pods, unready } = bufferPods([huge, aBuffer(), aBuffer(huge.spec, 'vast')], workloads(), NOW_MS);
    const counts = Map.groupBy(pods, (pod) => pod.metadata.annotations?.['karpenter.sh/capacity-buffer-name']);
    expect([...counts].map(([name, of]) => [name, of.length])).toEqual([
      ['huge', 4_998],
      ['spare', 3],
      ['vast', 4_999],
    ]);
    expect(unready.map(({ buffer }) => buffer.metadata.name)).toEqual(['huge', 'vast']);
  });
});
