/** Fills a new control plane with the objects of a cluster of the size. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parse } from 'yaml';
import { ApiClient } from '../../lib/providers/kubernetes/client/api-client.ts';
import type { ControlPlane } from '../../scripts/control-plane.ts';
import { putObjects } from './etcd.ts';
import { type ClusterSize, nodeName, otherObjects } from './others.ts';
import { aPod } from './pods.ts';

const DEFINITIONS = join(import.meta.dirname, '../../data/crds');
const SERVED = ['karpenter.sh/v1/nodepools', 'karpenter.k8s.aws/v1/ec2nodeclasses', 'karpenter.sh/v1/nodeclaims'];
const SERVED_WITHIN_MS = 30_000;
/** A list of the few pods without a node takes less time if the API server answers from its cache. */
const SETTLED_MS = 500;

export interface Filling extends ClusterSize {
  /** The number of the first pods, which are left out. */
  readonly unbound: number;
  readonly onProgress: (done: number) => void;
}

export async function fillCluster(to: ControlPlane, filling: Filling): Promise<void> {
  await applyDefinitions(to);
  const { etcd } = to;
  await putObjects(otherObjects(filling), { etcd });
  const { pods, nodes, unbound, onProgress } = filling;
  const bound = Array.from({ length: pods - unbound }, (_, at) => unbound + at);
  await putObjects(
    bound.map((index) => aPod({ index, node: nodeName(index % nodes) })),
    { etcd, onProgress },
  );
  await settle(to);
}

export async function putUnbound({ etcd }: ControlPlane, unbound: number): Promise<void> {
  const pods = Array.from({ length: unbound }, (_, index) => aPod({ index, node: undefined }));
  await putObjects(pods, { etcd });
}

/** Waits until the API server has cached all objects. Before, it answers from etcd, which takes ten times as long. */
export async function settle(to: ControlPlane): Promise<void> {
  const client = clientOf(to);
  const query = { fieldSelector: 'spec.nodeName=' };
  try {
    for (let tookMs = SETTLED_MS; tookMs >= SETTLED_MS; ) {
      const startedMs = performance.now();
      await client.expect({ method: 'GET', path: '/api/v1/pods', query });
      tookMs = performance.now() - startedMs;
    }
  } finally {
    client.close();
  }
}

/** Applied before their objects: stored objects of a kind that is not served yet are not read. */
export async function applyDefinitions(to: ControlPlane): Promise<void> {
  const client = clientOf(to);
  try {
    for (const file of readdirSync(DEFINITIONS).filter((name) => name.endsWith('.yaml'))) {
      const definition: { readonly metadata: { readonly name: string } } = parse(
        readFileSync(join(DEFINITIONS, file), 'utf8'),
      );
      await client.expect({
        method: 'PATCH',
        path: `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.metadata.name}`,
        query: { fieldManager: 'bench' },
        contentType: 'application/apply-patch+yaml',
        body: definition,
      });
    }
    for (const kind of SERVED) await served(client, `/apis/${kind}`);
  } finally {
    client.close();
  }
}

async function served(client: ApiClient, path: string): Promise<void> {
  const deadline = Date.now() + SERVED_WITHIN_MS;
  while ((await client.send({ method: 'GET', path, isFinal: ({ status }) => [503].includes(status) })).status !== 200) {
    if (Date.now() > deadline) throw new Error(`${path} is not served after ${SERVED_WITHIN_MS} ms`);
    await setTimeout(100);
  }
}

function clientOf({ endpoint, certificateAuthority, token }: ControlPlane): ApiClient {
  return new ApiClient({
    endpoint,
    certificateAuthority: readFileSync(certificateAuthority, 'utf8'),
    token: async () => token,
    timeoutMs: 120_000,
  });
}
