/** Ports whose calls to EC2, EKS, Kubernetes and the queues are counted and take the assumed time. */
import { ownField } from '../../lib/apis/record.ts';
import type { ControllerPorts } from '../../lib/controllers/run/ports.ts';
import type { Decision } from '../../lib/core/model/decision.ts';
import { WITHOUT_LAUNCHES_MS } from '../../lib/operator/options/cluster-settings.ts';
import type { CallBudget } from '../../lib/ports/call-budget.ts';
import { waitForCall } from '../../lib/providers/aws/client/call-budget.ts';
import { decisionDetail } from '../../lib/providers/aws/messages/decision-detail.ts';
import { around, type PortCall } from '../../lib/simulator/faults.ts';
import type { Timetable } from '../../lib/simulator/timetable.ts';
import { CPU_MS, EVENT_ENVELOPE_BYTES, LATENCY_MS } from './assumptions.ts';
import type { MutableUse } from './ledger.ts';
import type { Meter, Running } from './meter.ts';

export interface CountedCalls {
  readonly meter: Meter;
  readonly timetable: Timetable;
  /** *Shape:* undefined before the count begins. */
  readonly budgetOf: (name: string) => CallBudget | undefined;
  /** When a process has last asked for what it keeps, by function and question. */
  readonly asked: Map<string, number>;
}

const MINUTE_MS = 60_000;
const EVENT_BYTES = 64 * 1_024;
/** Answers that a process keeps, and how long. *Source:* `resolution-answers.ts`, `eks-access.ts`, `launch-template.ts`. */
const KEPT: Readonly<Record<string, readonly (readonly [string, number])[]>> = {
  resolveNodeClass: [
    ['DescribeSubnets', MINUTE_MS],
    ['DescribeSecurityGroups', MINUTE_MS],
    ['DescribeImages', 5 * MINUTE_MS],
    ['GetParameters', 5 * MINUTE_MS],
  ],
  autoMode: [['DescribeCluster', 5 * MINUTE_MS]],
  describeInstanceHealth: [['DescribeInstanceStatus', 5 * MINUTE_MS]],
  ensureInstanceProfile: [['GetInstanceProfile', 60 * MINUTE_MS]],
  launch: [['CreateLaunchTemplate', 24 * 60 * MINUTE_MS]],
};
/** Calls of each use of a port. */
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  launch: ['CreateFleet'],
  terminate: ['TerminateInstances'],
  tagInstance: ['CreateTags'],
  describeInstances: ['DescribeInstances'],
  instanceOwners: ['DescribeInstances'],
};
/** Not calls of EC2, so without its budget. */
const OTHER_SERVICES = new Set(['DescribeCluster', 'GetParameters', 'GetInstanceProfile']);

export function countedPorts(ports: ControllerPorts, running: Running, calls: CountedCalls): ControllerPorts {
  const { meter } = calls;
  meter.enter(running);
  return around(ports, async (call, go) => {
    const answer = await meter.current.run(running, async () => {
      const use = meter.of(running.function);
      await delay(call, use, { running, calls });
      // The stores are the real ones, so their CPU time counts.
      if (isOfStores(call)) meter.enter(running);
      const answered = await go();
      countAnswer(call, use, answered);
      return answered;
    });
    meter.enter(running);
    return answer;
  });
}

function isOfStores({ method }: PortCall): boolean {
  return /^(?:store|leases|catalogue)\./.test(method);
}

async function delay(
  call: PortCall,
  use: MutableUse,
  { running, calls }: { readonly running: Running; readonly calls: CountedCalls },
): Promise<void> {
  const { meter, timetable } = calls;
  const [port, method = ''] = call.method.split('.');
  // Without ids, the status of instances is not asked.
  if (call.method === 'cloud.describeInstanceHealth' && Array.isArray(call.args[0]) && call.args[0].length === 0)
    return undefined;
  if (port === 'cloud') return cloudCalls(method, use, { running, calls });
  if (port === 'cluster') {
    meter.count(use, call.method, CPU_MS.kubernetesCall);
    return timetable.wait(/^(?:list|read|find)/.test(method) ? LATENCY_MS.kubernetesRead : LATENCY_MS.kubernetesWrite);
  }
  if (port !== 'messages') return undefined;
  meter.count(use, call.method, CPU_MS.sdkCall);
  if (method === 'publish') {
    countEvents(use, call.args[0]);
    return timetable.wait(LATENCY_MS.eventBus);
  }
  return timetable.wait(LATENCY_MS.queue);
}

async function cloudCalls(
  method: string,
  use: MutableUse,
  { running, calls }: { readonly running: Running; readonly calls: CountedCalls },
): Promise<void> {
  const { meter, timetable, budgetOf, asked } = calls;
  if (method === 'describeCatalogue') return timetable.wait(LATENCY_MS.describeCatalogue);
  const name = running.function;
  const isLaunching = name === 'provisioning' || name === 'lifecycle';
  const due = (KEPT[method] ?? []).flatMap(([action, ownMs]) => {
    const keptMs = isLaunching || method !== 'resolveNodeClass' ? ownMs : Math.max(ownMs, WITHOUT_LAUNCHES_MS);
    const key = `${name} ${action}`;
    if (timetable.now() - (asked.get(key) ?? Number.NEGATIVE_INFINITY) < keptMs) return [];
    asked.set(key, timetable.now());
    return action === 'DescribeInstanceStatus' ? [action, action, action] : [action];
  });
  await Promise.all(
    [...due, ...(ACTIONS[method] ?? [])].map(async (action) => {
      meter.count(use, `aws.${action}`, CPU_MS.ec2Call);
      if (!OTHER_SERVICES.has(action)) {
        const budget = budgetOf(name);
        const sleep = async (ms: number): Promise<void> => timetable.wait(ms);
        if (budget !== undefined) await waitForCall({ budget, clock: timetable, sleep }, action);
      }
      await timetable.wait(latencyOf(action));
    }),
  );
}

/** A published decision is billed as events of 64 KB, and its archive by bytes. */
function countEvents(use: MutableUse, decision: unknown): void {
  if (!isDecision(decision)) return;
  const bytes = Buffer.byteLength(decisionDetail(decision));
  use.events += Math.ceil(bytes / EVENT_BYTES);
  use.eventBytes += bytes + EVENT_ENVELOPE_BYTES;
}

function isDecision(value: unknown): value is Decision {
  return Array.isArray(ownField(value, 'actions')) && Array.isArray(ownField(value, 'blocked'));
}

function latencyOf(action: string): number {
  if (action === 'DescribeCluster') return LATENCY_MS.describeCluster;
  if (action === 'CreateFleet' || action === 'CreateLaunchTemplate' || action === 'TerminateInstances')
    return LATENCY_MS[action];
  return LATENCY_MS.ec2;
}

/** Answers cost CPU time by their size. */
function countAnswer({ method }: PortCall, use: MutableUse, answer: unknown): void {
  const count = Array.isArray(answer) ? answer.length : 0;
  if (method === 'cloud.describeInstances') {
    use.assumedCpuMs += count * CPU_MS.instance;
    use.latencyMs += count * LATENCY_MS.ec2Instance;
  }
  if (method === 'cluster.listNodes') use.assumedCpuMs += count * CPU_MS.node;
  if (method === 'cluster.listNodeClaims') use.assumedCpuMs += count * CPU_MS.nodeClaim;
}
