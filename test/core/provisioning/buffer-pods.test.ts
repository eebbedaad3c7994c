import { describe, expect, test } from 'vitest';
import type { CapacityBuffer } from '../../../lib/apis/capacity-buffer.ts';
import type { NamedPodTemplate, PodTemplate, ScalableWorkload } from '../../../lib/apis/kubernetes.ts';
import { isProvisionable } from '../../../lib/core/cluster/pods.ts';
import { bufferPods, isBufferPod } from '../../../lib/core/provisioning/buffer-pods.ts';
import type { BufferWorkloads, UnreadyBuffer } from '../../../lib/core/provisioning/buffer-template.ts';
import { pendingPod } from '../../builders/pods.ts';
import { NOW_MS } from '../../builders/times.ts';

type BufferSpec = Partial<CapacityBuffer['spec']>;

/** A buffer of three pods of the PodTemplate `small`. */
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

/** One container that asks for 500m and 1Gi. */
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
  test('are of its template, named and numbered after it, worth less than any pod, and say whose they are (A5.5)', () => {
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

  test('wait for a node, wherever the template is bound to (A5.5)', () => {
    const podTemplates = [named(aTemplate({ nodeName: 'node-1' }))];
    const { pods } = bufferPods([aBuffer()], workloads({ podTemplates }), NOW_MS);
    expect(pods.map(isProvisionable)).toEqual([true, true, true]);
  });

  test('have neither claims nor their mounts, and keep their other volumes (A5.5)', () => {
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

  test('are told from others (B65)', () => {
    const { pods } = bufferPods([aBuffer()], workloads(), NOW_MS);
    expect([...pods, pendingPod()].map(isBufferPod)).toEqual([true, true, true, false]);
  });

  test('of two namespaces are never the same, without uids too (A5.5)', () => {
    const podTemplates = [named(), named(aTemplate(), 'small', 'shop')];
    const buffers = ['default', 'shop'].map((namespace) => ({ ...aBuffer(), metadata: { name: 'spare', namespace } }));
    const { pods } = bufferPods(buffers, workloads({ podTemplates }), NOW_MS);
    expect(new Set(pods.map(({ metadata }) => metadata.uid)).size).toBe(6);
  });
});

describe('what a buffer refers to', () => {
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
        message: 'PodTemplate "small" does not exist in namespace default: create it, or refer to another',
      },
    ]);
  });

  test.each<[string, Partial<BufferWorkloads>]>([
    ['Deployment', { deployments: [aWorkload()] }],
    ['StatefulSet', { statefulSets: [aWorkload()] }],
    ['ReplicaSet', { replicaSets: [aWorkload()] }],
  ])('a %s, whose missing replicas are one (A5.4)', (kind, over) => {
    const spec = { scalableRef: { apiGroup: 'apps', kind, name: 'web' }, percentage: 300 };
    expect(countOf(spec, over)).toBe(3);
  });

  test.each<[string, BufferSpec, Omit<UnreadyBuffer, 'buffer'>]>([
    [
      'a workload that is not there',
      { ...OF_DEPLOYMENT, replicas: 1 },
      {
        reason: 'ScalableRefNotFound',
        message: 'Deployment "web" does not exist in namespace default: create it, or refer to another',
      },
    ],
    [
      'another kind',
      { scalableRef: { kind: 'Job', name: 'web' }, replicas: 1 },
      {
        reason: 'ResolutionFailed',
        message: 'spec.scalableRef is of kind "Job": write one of Deployment, StatefulSet, ReplicaSet of apps',
      },
    ],
    [
      'a kind of another group',
      { scalableRef: { apiGroup: 'example.com', kind: 'Deployment', name: 'web' }, replicas: 1 },
      {
        reason: 'ResolutionFailed',
        message:
          'spec.scalableRef is of kind "example.com/Deployment": write one of Deployment, StatefulSet, ReplicaSet of apps',
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
      'limits that nobody can read',
      { ...OF_TEMPLATE, limits: { cpu: '1e' } },
      {
        reason: 'ResolutionFailed',
        message: 'spec.limits.cpu "1e" is not a quantity: write a quantity such as 500m, 2, 512Mi or 1e3',
      },
    ],
  ])('%s leaves it without pods, and says why (A5.4, A5.7)', (_, spec, why) => {
    const { pods, unready } = bufferPods([aBuffer(spec)], workloads(), NOW_MS);
    expect(pods).toEqual([]);
    expect(unready).toEqual([{ buffer: aBuffer(spec), ...why }]);
  });

  test('a strategy that is not ours is left alone (A5.2)', () => {
    const foreign = aBuffer({ provisioningStrategy: 'example.com/other', replicas: 1 });
    expect(bufferPods([foreign], workloads(), NOW_MS)).toEqual({ pods: [], unready: [] });
  });
});

/** Of a Deployment of that many replicas, else of a PodTemplate. */
interface Sizing {
  readonly spec: BufferSpec;
  readonly scale?: number;
}

describe('how many pods', () => {
  test.each<[string, Sizing, number]>([
    ['replicas', { spec: { replicas: 4 } }, 4],
    ['no replicas at all', { spec: { replicas: 0 } }, 0],
    ['a percentage, rounded up', { spec: { percentage: 25 }, scale: 10 }, 3],
    ['a percentage, at least one', { spec: { percentage: 1 }, scale: 3 }, 1],
    ['no percentage', { spec: { percentage: 0 }, scale: 10 }, 0],
    ['the larger of both', { spec: { replicas: 2, percentage: 50 }, scale: 10 }, 5],
    ['the larger of both, the other way round', { spec: { replicas: 7, percentage: 50 }, scale: 10 }, 7],
    ['a percentage of a workload without pods', { spec: { percentage: 50, limits: { cpu: 100 } }, scale: 0 }, 0],
    ['what fits into the tightest limit', { spec: { replicas: 9, limits: { cpu: '1.9', memory: '8Gi' } } }, 3],
    ['limits alone', { spec: { limits: { cpu: 2, memory: '3Gi' } } }, 3],
    ['limits of what it does not ask for', { spec: { replicas: 2, limits: { 'example.com/gpu': 0 } } }, 2],
    ['limits alone, of what it does not ask for', { spec: { limits: { 'example.com/gpu': 5 } } }, 0],
    ['limits of the pods themselves', { spec: { replicas: 9, limits: { pods: 5 } } }, 5],
    ['limits below nought', { spec: { replicas: 2, limits: { cpu: '-1' } } }, 0],
    ['neither', { spec: {}, scale: 4 }, 0],
  ])('%s (A5.3)', (_, { spec, scale }, count) => {
    const of = scale === undefined ? OF_TEMPLATE : OF_DEPLOYMENT;
    expect(countOf({ ...of, ...spec }, scale === undefined ? {} : { deployments: [aWorkload(scale)] })).toBe(count);
  });

  test('a percentage says nothing of a PodTemplate (A5.3)', () => {
    expect(countOf({ ...OF_TEMPLATE, percentage: 100, replicas: 1 })).toBe(1);
  });
});

describe('too many pods', () => {
  const huge = aBuffer({ ...OF_TEMPLATE, replicas: 10_000_000 }, 'huge');

  test('are cut, with a word (A5.3)', () => {
    const { pods, unready } = bufferPods([huge], workloads(), NOW_MS);
    expect(pods).toHaveLength(10_000);
    expect(unready).toEqual([
      {
        buffer: huge,
        reason: 'TooManyReplicas',
        message:
          'asks for room for 10000000 pods and is given room for 10000: all buffers together get 10000; ' +
          'lower replicas or percentage, or set limits',
      },
    ]);
  });

  test('are not made room for by a buffer whose limits are below nought (A5.3)', () => {
    const none = aBuffer({ ...OF_TEMPLATE, limits: { cpu: '-5' } }, 'none');
    expect(bufferPods([huge, none], workloads(), NOW_MS).pods).toHaveLength(10_000);
  });

  test('of one buffer take nothing from those that ask for their share and less (A5.3)', () => {
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
