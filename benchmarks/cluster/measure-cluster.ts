/**
 * Reads a cluster like the provisioning function, in a separate process: `measure-cluster.ts early|whole`. Each line of input
 * requests one read, and one line of JSON is its result.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { isProvisionable } from '../../lib/core/cluster/pods.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import { ApiClient } from '../../lib/providers/kubernetes/client/api-client.ts';
import { KubernetesCluster } from '../../lib/providers/kubernetes/kubernetes-cluster.ts';
import { CHANGED_NODES } from './changes.ts';
import { countRequests, type Found, measured } from './look.ts';

countRequests();
const token = process.env['KERF_CLUSTER_TOKEN'] ?? '';
const client = new ApiClient({
  endpoint: process.env['KERF_CLUSTER_ENDPOINT'] ?? '',
  certificateAuthority: readFileSync(process.env['KERF_CLUSTER_CA'] ?? '', 'utf8'),
  token: async () => token,
});
const cluster = new KubernetesCluster({
  client,
  clock: { now: () => Date.now() },
  tell: (message, fields) => process.stderr.write(`${message}: ${JSON.stringify(fields)}\n`),
});
const look = process.argv[2] === 'early' ? firstLook : wholeLook;

console.log(JSON.stringify({ ready: true }));
for await (const _ of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await measured(async () => await look(cluster))));
}
client.close();

/** The early read: whether there is anything to do. */
async function firstLook(api: Cluster): Promise<Found> {
  const [unbound] = await Promise.all([api.listUnboundPods(), api.listCapacityBuffers()]);
  return { pods: 0, unbound: unbound.filter(isProvisionable).length, nodes: 0, changed: 0 };
}

/** The early read, and then everything that `observeCluster` and `observePlaces` read if a pod has a volume. */
async function wholeLook(api: Cluster): Promise<Found> {
  const { unbound } = await firstLook(api);
  const [nodes, pods] = await Promise.all([
    api.listNodes(),
    api.listPods(),
    api.listDaemonSets(),
    api.listPodDisruptionBudgets(),
    api.listNodePools(),
    api.listCapacityBuffers(),
  ]);
  await Promise.all([api.listNamespaces(), api.readStorage(), api.listNodeClasses(), api.listNodeOverlays()]);
  const changed = pods.filter(({ spec }) => spec.nodeName !== undefined && CHANGED_NODES.includes(spec.nodeName));
  return { pods: pods.length, unbound, nodes: nodes.length, changed: changed.length };
}
