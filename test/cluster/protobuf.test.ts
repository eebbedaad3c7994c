/** What is read of pods and nodes, as protobuf and as JSON. */

import { beforeAll, expect, test, vi } from 'vitest';
import type { ObjectMeta } from '../../lib/apis/kubernetes.ts';
import type { ApiClient } from '../../lib/providers/kubernetes/client/api-client.ts';
import { type Listing, listWithVersion } from '../../lib/providers/kubernetes/client/lists.ts';
import { nodeOf, podOf } from '../../lib/providers/kubernetes/project/project.ts';
import { NODE_LIST } from '../../lib/providers/kubernetes/protobuf/node.ts';
import { POD_LIST } from '../../lib/providers/kubernetes/protobuf/pod.ts';
import { streamList } from '../../lib/providers/kubernetes/protobuf/stream-list.ts';
import { textAt } from '../stack/json.ts';
import { adminClient, callApi, succeed } from './support/api-client.ts';
import { type Fields, type RandomPod, randomPods } from './support/random-objects.ts';

const NAMESPACE = 'protobuf';
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
const COUNT = 150;
const WAIT = { timeout: 30_000, interval: 100 };

async function create(path: string, body: Fields): Promise<void> {
  const { status, body: answer } = await callApi({ method: 'POST', path, body });
  if (status >= 300 && status !== 409) throw new Error(`${path}: ${status} ${textAt(answer, 'message')}`);
}

async function createPod({ metadata, spec, status, isDeleted }: RandomPod, index: number): Promise<void> {
  const name = `pod-${index}`;
  await create(PODS, { metadata: { ...metadata, name }, spec });
  const path = `${PODS}/${name}`;
  const headers = { 'content-type': 'application/merge-patch+json' };
  // A pod that has a node is nominated for none.
  const { nominatedNodeName: _, ...ofBound } = status;
  const body = { status: spec['nodeName'] === undefined ? status : ofBound };
  await succeed({ method: 'PATCH', path: `${path}/status`, headers, body });
  if (isDeleted) await succeed({ method: 'DELETE', path });
}

async function createNodes(): Promise<void> {
  const taints = [
    { key: 'a', effect: 'NoExecute', timeAdded: '2026-11-21T08:00:00Z' },
    { key: 'b', value: 'c', effect: 'NoSchedule', timeAdded: '0000-01-01T00:00:00+14:00' },
  ];
  const conditions = [
    { type: 'Ready', status: 'True', lastHeartbeatTime: '2026-11-21T08:00:00Z', reason: 'KubeletReady', message: 'ok' },
    { type: 'DiskPressure', status: 'Unknown', lastTransitionTime: '9999-12-31T23:59:59-14:00' },
  ];
  const capacity = { cpu: '3920m', memory: '16Gi', pods: '110', 'vpc.amazonaws.com/pod-eni': '0' };
  const nodes: readonly Fields[] = [
    { metadata: { name: 'protobuf-bare' } },
    {
      metadata: {
        name: 'protobuf-full',
        labels: { a: '' },
        annotations: { note: 'é' },
        finalizers: ['example.com/hold'],
      },
      spec: { providerID: 'aws:///eu-central-1a/i-0', unschedulable: true, taints },
      status: {
        capacity,
        allocatable: { ...capacity, cpu: '3.5' },
        conditions,
        images: [{ names: ['x'], sizeBytes: 1 }],
      },
    },
  ];
  for (const node of nodes) await create('/api/v1/nodes', node);
}

let client: ApiClient;

beforeAll(async () => {
  client = adminClient();
  await create('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  await create(`/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { metadata: { name: 'default' } });
  await create('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'below-zero' }, value: -10 });
  await create('/apis/node.k8s.io/v1/runtimeclasses', {
    metadata: { name: 'with-overhead' },
    handler: 'kata',
    overhead: { podFixed: { cpu: '250m', memory: '120Mi' } },
  });
  await createNodes();
  await Promise.all(randomPods(COUNT).map(createPod));
  return () => client.close();
});

interface Named {
  readonly metadata: ObjectMeta;
}

/** Once nothing is written in between. */
async function sameVersions<T extends Named>(
  one: () => Promise<Listing<T> | undefined>,
  other: () => Promise<Listing<T>>,
): Promise<readonly (readonly T[])[]> {
  return await vi.waitFor(async () => {
    const items = [(await one())?.items ?? [], (await other()).items];
    const [versions, others] = items.map((list) => list.map(({ metadata }) => metadata.resourceVersion));
    expect(versions).toEqual(others);
    return items;
  }, WAIT);
}

test(`${COUNT} random pods are the same read either way`, async () => {
  const [streamed = [], paged = []] = await sameVersions(
    () => streamList(client, { path: PODS, protobuf: POD_LIST }),
    () => listWithVersion(client, { path: PODS, project: podOf }),
  );
  // A pod without a node and without a finalizer is removed when it is deleted.
  expect(paged.length).toBeGreaterThan(COUNT / 2);
  expect(streamed).toStrictEqual(paged);
});

test('nodes are the same read either way', async () => {
  const [streamed = [], paged = []] = await sameVersions(
    () => streamList(client, { path: '/api/v1/nodes', protobuf: NODE_LIST }),
    () => listWithVersion(client, { path: '/api/v1/nodes', project: nodeOf }),
  );
  expect(paged.length).toBeGreaterThan(1);
  expect(streamed).toStrictEqual(paged);
});

test('both lists have their version', async () => {
  const { resourceVersion } = await listWithVersion(client, { path: PODS, project: podOf, protobuf: POD_LIST });
  expect(Number(resourceVersion)).toBeGreaterThan(0);
});
