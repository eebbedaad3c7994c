/** Plays a plan on a control plane: the pods are pending, then the planned nodes join in random order. */
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { type Node, namespaceOf, type Pod, podKey, type Taint } from '../../lib/apis/kubernetes.ts';
import { INITIALIZED } from '../../lib/apis/labels.ts';
import { UNREGISTERED_TAINT } from '../../lib/apis/taints.ts';
import { nominatePods } from '../../lib/controllers/act/nominate-pods.ts';
import type { PodNomination } from '../../lib/core/cluster/nominated-node.ts';
import { isProvisionable } from '../../lib/core/cluster/pods.ts';
import { compareText } from '../../lib/core/compare-text.ts';
import { inParallel } from '../../lib/core/in-parallel.ts';
import { ApiClient } from '../../lib/providers/kubernetes/client/api-client.ts';
import { KubernetesCluster } from '../../lib/providers/kubernetes/kubernetes-cluster.ts';
import { randomFrom } from '../../lib/simulator/random.ts';
import type { ControlPlane } from '../../scripts/control-plane.ts';
import type { Plan } from './plans.ts';
import type { JoinedNode } from './provisioning.ts';

/** The time within which the nodes join, and the time from there to the registration by Kerf. */
const JOIN_WITHIN_MS = 8_000;
const REGISTERED_AFTER_MS = 1_000;
/** Lost nominations are written again in each invocation, also while wakes are collected for a decision. */
const RENOMINATE_EVERY_MS = 1_500;
const LOOK_EVERY_MS = 500;
const MARKED_WITHIN_MS = 300_000;
const AT_ONCE = 24;
/** As lifecycle does. */
const REGISTERED_AT_ONCE = 10;

export interface Playing {
  readonly seed: number;
  readonly nominates: boolean;
  /** The time without a change after which the scheduler has finished. */
  readonly quietMs: number;
  /** While pods are pending and nodes join, provisioning decides this often: `batchMaxDuration`. */
  readonly decideEveryMs: number;
  /** The shortest and the longest time from the join of a node to Ready. */
  readonly readyAfterMs: readonly [number, number];
  /** On a machine that is so many times too slow, everything but the scheduler takes longer by this factor. */
  readonly slowness: number;
}

export interface Played {
  readonly pods: number;
  readonly nodes: number;
  /** Pods that are not bound after all nodes have joined. */
  readonly secondRound: number;
  readonly emptyNodes: number;
  readonly asPlanned: number;
  /** Nodes that runs of provisioning have launched beside those of the plan, because pods had no place any more. */
  readonly furtherNodes: number;
  /** Nominations that were written before the first node joined, and afterwards. */
  readonly written: { readonly before: number; readonly after: number };
}

export async function play(controlPlane: ControlPlane, plan: Plan, playing: Playing): Promise<Played> {
  const client = clientOf(controlPlane);
  const clock = { now: () => Date.now() };
  const cluster = new KubernetesCluster({ client, clock });
  let [written, furtherNodes] = [0, 0];
  const counted = {
    nominatePod: async (nomination: Parameters<typeof cluster.nominatePod>[0]) => {
      const isWritten = await cluster.nominatePod(nomination);
      if (isWritten) written += 1;
      return isWritten;
    },
  };
  const write = async (nominations: readonly PodNomination[]): Promise<boolean> => {
    if (!playing.nominates) return false;
    const { failures, hasMore } = await nominatePods({ cluster: counted, clock }, 'bench', nominations);
    for (const failure of failures) throw failure;
    return hasMore;
  };
  const see = async () => ({ pods: await cluster.listPods(), nodes: await cluster.listNodes() });
  /** A decision, and further ones while there are more nominations than one writes. */
  const decide = async (): Promise<void> => {
    for (let hasMore = true; hasMore; ) {
      const decided = plan.provisioning?.decide(await see(), Date.now());
      furtherNodes += decided?.launched ?? 0;
      hasMore = await write(decided?.nominations ?? []);
    }
  };
  const renominate = async (): Promise<void> => {
    await write(plan.provisioning?.lost(await see()) ?? []);
  };
  try {
    const byName = plan.pods.toSorted((a, b) => compareText(podKey(a), podKey(b)));
    await inParallel(byName, AT_ONCE, async (pod) => createPod(client, pod));
    await marked(cluster, plan.pods.length);
    await decide();
    const before = written;
    await Promise.all([join(client, plan, playing), settled({ cluster, decide, renominate, plan, playing })]);
    const counts = countedIn(await cluster.listPods(), plan);
    return { ...counts, furtherNodes, written: { before, after: written - before } };
  } finally {
    client.close();
  }
}

function clientOf({ endpoint, certificateAuthority, token }: ControlPlane): ApiClient {
  const ca = readFileSync(certificateAuthority, 'utf8');
  return new ApiClient({ endpoint, certificateAuthority: ca, token: async () => token, timeoutMs: 60_000 });
}

/** Without owners: the garbage collector would delete pods whose owners do not exist. */
async function createPod(client: ApiClient, { metadata, spec }: Pod): Promise<void> {
  const { name, labels = {} } = metadata;
  const containers = spec.containers.map((container) => ({ ...container, image: 'pause' }));
  const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels }, spec: { ...spec, containers } };
  const path = `/api/v1/namespaces/${namespaceOf({ metadata })}/pods`;
  await client.expect({ method: 'POST', path, body });
}

/** Waits until the scheduler has tried every pod: Kerf plans only for these. */
async function marked(cluster: KubernetesCluster, count: number): Promise<void> {
  const deadline = Date.now() + MARKED_WITHIN_MS;
  for (;;) {
    const found = (await cluster.listUnboundPods()).filter(isProvisionable).length;
    if (found === count) return;
    if (Date.now() > deadline) throw new Error(`the scheduler has tried ${found} of ${count} pods; use fewer pods`);
    await setTimeout(LOOK_EVERY_MS);
  }
}

/**
 * Each node joins with the taints of a node that starts, and loses them one after the other. If the nodes of the plan wait for each other
 * (B67), none is registered before all are Ready.
 */
async function join(
  client: ApiClient,
  plan: Plan,
  { seed, nominates, slowness, readyAfterMs }: Playing,
): Promise<void> {
  const random = randomFrom(seed);
  const joined = new Map<string, JoinedNode & { readonly isReady: boolean }>();
  const beganMs = Date.now();
  /** As if the machine were not too slow. */
  const nowMs = (): number => (Date.now() - beganMs) / slowness;
  const show = async (name: string): Promise<void> => {
    const { isReady = false, registeredAtMs } = joined.get(name) ?? {};
    const isRegistered = registeredAtMs !== undefined;
    const taints = [...(isRegistered ? [] : [UNREGISTERED_TAINT]), ...(isReady ? [] : [NOT_READY])];
    const labels = isReady && isRegistered ? { [INITIALIZED]: 'true' } : {};
    await patchNode(client, name, { metadata: { labels }, spec: { taints } });
  };
  const register = async (): Promise<void> => {
    const seen = [...joined.values()].map((one) => (one.isReady ? one : { ...one, node: { ...one.node, status: {} } }));
    const awaited = nominates ? plan.provisioning?.awaitedStarts(seen) : undefined;
    const due = (plan.provisioning?.registrationOrder() ?? [...joined.keys()]).flatMap((name) => {
      const one = joined.get(name);
      if (one === undefined || one.registeredAtMs !== undefined) return [];
      const fromMs = awaited?.get(name) ?? timeOf(one.node) + REGISTERED_AFTER_MS;
      return nowMs() < fromMs ? [] : [{ name, one }];
    });
    await inParallel(due, REGISTERED_AT_ONCE, async ({ name, one }) => {
      joined.set(name, { ...one, registeredAtMs: nowMs() });
      await show(name);
    });
  };
  const steps = plan.nodes.flatMap((node) => {
    const joinsAtMs = random.between(0, JOIN_WITHIN_MS);
    const readyAtMs = joinsAtMs + random.between(...readyAfterMs);
    const { metadata } = node;
    const { name } = metadata;
    const dated = { ...node, metadata: { ...metadata, creationTimestamp: new Date(joinsAtMs).toISOString() } };
    return [
      {
        atMs: joinsAtMs,
        run: async () => {
          await createNode(client, node, [UNREGISTERED_TAINT, NOT_READY]);
          joined.set(name, { node: dated, isReady: false });
        },
      },
      { atMs: joinsAtMs + REGISTERED_AFTER_MS, run: register },
      {
        atMs: readyAtMs,
        run: async () => {
          joined.set(name, { node: dated, ...joined.get(name), isReady: true });
          await show(name);
          await register();
        },
      },
    ];
  });
  for (const { atMs, run } of steps.toSorted((one, other) => one.atMs - other.atMs)) {
    await setTimeout(Math.max(0, beganMs + slowness * atMs - Date.now()));
    await run();
  }
  while ([...joined.values()].some(({ registeredAtMs }) => registeredAtMs === undefined)) {
    await setTimeout(slowness * REGISTERED_AFTER_MS);
    await register();
  }
}

function timeOf({ metadata }: Node): number {
  return Date.parse(metadata.creationTimestamp ?? '');
}

/** Of a node that starts (A6.6). Not the taint of Kubernetes itself, which its own controller would remove. */
const NOT_READY: Taint = { key: 'readiness.k8s.io/bench', effect: 'NoSchedule' };

async function createNode(client: ApiClient, node: Node, taints: readonly Taint[]): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'Node', ...node, spec: { taints } };
  await client.expect({ method: 'POST', path: '/api/v1/nodes', body });
}

async function patchNode(client: ApiClient, node: string, body: object): Promise<void> {
  const contentType = 'application/merge-patch+json';
  await client.expect({ method: 'PATCH', path: `/api/v1/nodes/${node}`, body, contentType });
}

/** Waits until all pods are bound, or no pod was bound for a while. Provisioning runs meanwhile. */
async function settled(world: {
  readonly cluster: KubernetesCluster;
  readonly decide: () => Promise<void>;
  readonly renominate: () => Promise<void>;
  readonly plan: Plan;
  readonly playing: Playing;
}): Promise<void> {
  const { cluster, decide, renominate, plan, playing } = world;
  const { slowness } = playing;
  const allReadyMs = slowness * (JOIN_WITHIN_MS + playing.readyAfterMs[1]);
  const beganMs = Date.now();
  let [unbound, changedAtMs, decidedAtMs] = [plan.pods.length, beganMs, beganMs];
  while (unbound > 0 && Date.now() - Math.max(changedAtMs, beganMs + allReadyMs) < slowness * playing.quietMs) {
    await setTimeout(slowness * RENOMINATE_EVERY_MS);
    const isDue = Date.now() >= decidedAtMs + slowness * playing.decideEveryMs;
    await (isDue ? decide() : renominate());
    if (isDue) decidedAtMs = Date.now();
    const now = (await cluster.listUnboundPods()).length;
    if (now !== unbound) [unbound, changedAtMs] = [now, Date.now()];
  }
  // All pods may be bound before the last nodes join.
  await setTimeout(Math.max(0, beganMs + allReadyMs + LOOK_EVERY_MS - Date.now()));
}

function countedIn(pods: readonly Pod[], { nodes, planned }: Plan): Omit<Played, 'written' | 'furtherNodes'> {
  const bound = pods.filter(({ spec }) => spec.nodeName !== undefined);
  return {
    pods: pods.length,
    nodes: nodes.length,
    secondRound: pods.length - bound.length,
    emptyNodes: nodes.length - new Set(bound.map(({ spec }) => spec.nodeName)).size,
    asPlanned: bound.filter((pod) => planned.get(podKey(pod)) === pod.spec.nodeName).length,
  };
}
