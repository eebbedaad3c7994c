/**
 * A kubelet without a machine: registers its node as `system:node:NAME`, reports Ready, renews its lease, runs the pods that are
 * bound to its node, and ends deleted ones. It has only the rights of a node: NodeRestriction checks its writes.
 */
import { setTimeout } from 'node:timers/promises';
import { type Answer, type Call, callApi } from '../cluster/support/api-client.ts';
import { at, listAt, textAt } from '../stack/json.ts';
import { type FakeNode, leaseOf, nodeManifest, readiness } from './node-objects.ts';
import { runningStatus } from './pod-status.ts';

export interface FakeKubelet {
  readonly node: string;
  /** Its refused requests, without those that failed because the API server was down or the object did not exist. */
  readonly refusals: readonly string[];
  /** Stops the machine without a notice to the API server. Returns after the response to its last call. */
  readonly die: () => Promise<void>;
}

export interface Timing {
  /** The time from the start of the machine to its registration. @default 0 */
  readonly bootMs?: number;
  /** The time from its registration to Ready. @default 200 */
  readonly readyMs?: number;
  /** The time between two reads of its pods. @default 300 */
  readonly lookEveryMs?: number;
}

export type Failure = 'never-joins' | 'never-ready';

export interface KubeletPlan extends FakeNode, Timing {
  /** @default none */
  readonly failure?: Failure;
}

/** The control plane marks a silent node as NotReady after 15 s. */
const LEASE_EVERY_MS = 2_000;
const STATUS_EVERY_MS = 10_000;

/** *Shape:* returns at once; the node's actions are visible in the cluster. */
export function startFakeKubelet(plan: KubeletPlan): FakeKubelet {
  const power = new AbortController();
  const refusals: string[] = [];
  const life = live({ plan, power: power.signal, refusals });
  return {
    node: plan.name,
    refusals,
    die: async () => {
      power.abort();
      await life;
    },
  };
}

interface Machine {
  readonly plan: KubeletPlan;
  readonly power: AbortSignal;
  readonly refusals: string[];
}

async function live(machine: Machine): Promise<void> {
  const { plan, power } = machine;
  if (plan.failure === 'never-joins') return;
  await pause(plan.bootMs ?? 0, power);
  while (!power.aborted && !(await register(machine))) await pause(500, power);
  const readyAtMs = Date.now() + (plan.readyMs ?? 200);
  const lease = everyMs(LEASE_EVERY_MS, async () => await renewLease(machine));
  const status = everyMs(STATUS_EVERY_MS, async () => await reportReady(machine));
  while (!power.aborted) {
    await lease();
    if (Date.now() >= readyAtMs && plan.failure !== 'never-ready') await status();
    await playPods(machine);
    await pause(plan.lookEveryMs ?? 300, power);
  }
}

async function pause(ms: number, power: AbortSignal): Promise<void> {
  // Rejects when the machine stops, which ends the pause; the caller handles it.
  await setTimeout(ms, undefined, { signal: power }).catch(() => {});
}

/** *Shape:* does the work if it is due. After a success it is due again after the interval. */
function everyMs(periodMs: number, work: () => Promise<boolean>): () => Promise<void> {
  let dueMs = 0;
  return async () => {
    if (Date.now() >= dueMs && (await work())) dueMs = Date.now() + periodMs;
  };
}

async function register(machine: Machine): Promise<boolean> {
  const answer = await asNode(machine, { method: 'POST', path: '/api/v1/nodes', body: nodeManifest(machine.plan) });
  // The node exists: the machine was restarted.
  return answer !== undefined && (answer.status < 300 || answer.status === 409);
}

async function renewLease(machine: Machine): Promise<boolean> {
  const { name } = machine.plan;
  const answer = await asNode(machine, {
    method: 'PATCH',
    path: `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${name}`,
    query: { fieldManager: 'kubelet', force: 'true' },
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: leaseOf(name, new Date()),
  });
  return answer !== undefined && answer.status < 300;
}

async function reportReady(machine: Machine): Promise<boolean> {
  const { name } = machine.plan;
  const answer = await asNode(machine, {
    method: 'PATCH',
    path: `/api/v1/nodes/${name}/status`,
    headers: { 'content-type': 'application/strategic-merge-patch+json' },
    body: { status: { conditions: [readiness(true, new Date())] } },
  });
  return answer !== undefined && answer.status < 300;
}

async function playPods(machine: Machine): Promise<void> {
  const query = { fieldSelector: `spec.nodeName=${machine.plan.name}` };
  const answer = await asNode(machine, { method: 'GET', path: '/api/v1/pods', query });
  if (answer === undefined || answer.status >= 300) return;
  for (const pod of listAt(answer.body, 'items')) {
    const path = `/api/v1/namespaces/${textAt(pod, 'metadata', 'namespace')}/pods/${textAt(pod, 'metadata', 'name')}`;
    const preconditions = { uid: textAt(pod, 'metadata', 'uid') };
    if (at(pod, 'metadata', 'deletionTimestamp') !== undefined)
      await asNode(machine, { method: 'DELETE', path, body: { gracePeriodSeconds: 0, preconditions } });
    else if (at(pod, 'status', 'phase') === 'Pending') {
      const headers = { 'content-type': 'application/strategic-merge-patch+json' };
      await asNode(machine, {
        method: 'PATCH',
        path: `${path}/status`,
        headers,
        body: { metadata: preconditions, status: runningStatus(pod, new Date()) },
      });
    }
  }
}

/** *Shape:* undefined if the API server did not answer. */
async function asNode({ plan, power, refusals }: Machine, call: Call): Promise<Answer | undefined> {
  if (power.aborted) return undefined;
  const headers = {
    ...call.headers,
    'impersonate-user': `system:node:${plan.name}`,
    'impersonate-group': 'system:nodes',
  };
  try {
    const answer = await callApi({ ...call, headers });
    if (answer.status >= 400 && answer.status < 500 && ![404, 409, 429].includes(answer.status))
      refusals.push(`${call.method} ${call.path}: ${answer.status} ${String(at(answer.body, 'message'))}`);
    return answer;
  } catch {
    return undefined;
  }
}
