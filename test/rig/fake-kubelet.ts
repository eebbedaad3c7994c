/**
 * A kubelet without a machine: registers its node as `system:node:NAME`, reports Ready, renews its lease, runs what is bound
 * to its node and lets go of what is deleted. It has the rights of a node and no others: NodeRestriction looks at what it writes.
 */
import { setTimeout } from 'node:timers/promises';
import { type Answer, type Call, callApi } from '../cluster/support/api-client.ts';
import { at, listAt, textAt } from '../stack/json.ts';
import { type FakeNode, leaseOf, nodeManifest, readiness } from './node-objects.ts';
import { runningStatus } from './pod-status.ts';

export interface FakeKubelet {
  readonly node: string;
  /** What it was refused; an API server that is away or has no such object any more is not news to a kubelet. */
  readonly refusals: readonly string[];
  /** The machine is gone: it says nothing more, and nobody else is told. Returns when its last call has been answered. */
  readonly die: () => Promise<void>;
}

export interface Timing {
  /** From the start of the machine to its registration. @default 0 */
  readonly bootMs?: number;
  /** From its registration to Ready. @default 200 */
  readonly readyMs?: number;
  /** Between two looks at its pods. @default 300 */
  readonly lookEveryMs?: number;
}

export type Failure = 'never-joins' | 'never-ready';

export interface KubeletPlan extends FakeNode, Timing {
  /** @default none */
  readonly failure?: Failure;
}

/** The control plane takes a node for dead after 15 s. */
const LEASE_EVERY_MS = 2_000;
const STATUS_EVERY_MS = 10_000;

/** *Shape:* at once; what the node does is seen in the cluster. */
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
  // Rejects when the power goes, which ends the pause and is looked at by who called it.
  await setTimeout(ms, undefined, { signal: power }).catch(() => {});
}

/** *Shape:* does the work where it is due; it is due again after so long if it succeeded. */
function everyMs(periodMs: number, work: () => Promise<boolean>): () => Promise<void> {
  let dueMs = 0;
  return async () => {
    if (Date.now() >= dueMs && (await work())) dueMs = Date.now() + periodMs;
  };
}

async function register(machine: Machine): Promise<boolean> {
  const answer = await asNode(machine, { method: 'POST', path: '/api/v1/nodes', body: nodeManifest(machine.plan) });
  // It was here before, and started again.
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

/** *Shape:* undefined where nobody answered. */
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
