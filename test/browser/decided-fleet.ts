import { decisionRecorder } from '../../lib/controllers/record/decision-recorder.ts';
import type { WidgetPorts } from '../../lib/controllers/widgets.ts';
import { disrupt } from '../../lib/core/disruption/disrupt.ts';
import type { ClusterSnapshot } from '../../lib/core/model/cluster-snapshot.ts';
import type { Controller, Verdict } from '../../lib/core/model/decision.ts';
import type { NodeClaimRecord } from '../../lib/core/model/node-claim-record.ts';
import { provision } from '../../lib/core/provisioning/provision.ts';
import { aRunReport } from '../builders/decisions.ts';
import { someTypes } from '../builders/instance-types.ts';
import { aPoolView, asking } from '../builders/node-pools.ts';
import { pendingPod, runningPod } from '../builders/pods.ts';
import { aSnapshot, initializedNode, snapshotOf } from '../builders/snapshots.ts';
import { MINUTE, NOW_MS } from '../builders/times.ts';
import { memoryDecisionLog } from '../fakes/memory-decision-log.ts';

/** The name of its cluster. */
export const CLUSTER = 'demo';

const POOLS = ['batch', 'services'] as const;

/**
 * A cluster of so many nodes, without the time that its simulation takes: provisioning decides on its pods, the nodes are as decided,
 * disruption decides on them, and both are recorded as the functions record them.
 */
export async function decidedFleet(count: number): Promise<WidgetPorts> {
  const log = memoryDecisionLog();
  const recorder = decisionRecorder({ log, snapshotText: () => '', version: 'test' });
  const nodePools = POOLS.map((name, at) =>
    aPoolView({
      name,
      types: someTypes().slice(0, 1),
      requirements: [asking('karpenter.sh/capacity-type', 'In', at === 0 ? 'spot' : 'on-demand')],
      disruption: { consolidateAfter: '2h' },
    }),
  );
  const pods = Array.from({ length: count }, (_, at) => {
    const cpu = `${1_100 + ((at * 37) % 800)}m`;
    const nodeSelector = { 'karpenter.sh/nodepool': POOLS[at % POOLS.length] ?? '' };
    return { name: `web-${at}`, requests: { cpu, memory: `${1 + ((at * 7) % 6)}Gi` }, spec: { nodeSelector } };
  });
  const huge = pendingPod({ name: 'huge-1', requests: { cpu: '500' } });
  const before = aSnapshot({ nodePools, pods: [...pods.map((one) => pendingPod(one)), huge] });

  async function record(snapshot: ClusterSnapshot, verdict: Verdict, by: { controller: Controller; nowMs: number }) {
    const { controller, nowMs } = by;
    const { actions, blocked, price } = verdict;
    const id = `${controller}-1`;
    const decision = { id, cluster: CLUSTER, controller, atMs: nowMs, actions, blocked, ...(price && { price }) };
    const decided = [{ controller, snapshot, context: { decisionId: id, nowMs }, verdict, decisions: [decision] }];
    const report = aRunReport({ controller, decisions: [decision], decided });
    await recorder.record({
      report,
      wokenBy: 'webhook',
      atMs: nowMs,
      durationMs: 900,
      timer: { remainingMs: () => 30_000, after: () => () => {} },
      telemetry: { report: () => {}, failure: () => {}, warn: () => {}, error: fails },
    });
  }

  const planned = provision(before, { decisionId: 'provisioning-1', nowMs: NOW_MS });
  await record(before, planned, { controller: 'provisioning', nowMs: NOW_MS });
  const claims = planned.actions.flatMap((one) => (one.kind === 'create-node-claim' ? [one.nodeClaim] : []));
  const nodes = claims.map(ready);
  const bound = nodes.flatMap(({ node, nodeClaim }) =>
    nodeClaim.pods.map((key) => {
      const pod = pods.find(({ name }) => `default/${name}` === key);
      return runningPod(node.metadata.name, { ...pod, spec: {} });
    }),
  );
  const after = snapshotOf(nodes, { nodePools, pods: [...bound, huge] });
  const laterMs = NOW_MS + 10 * MINUTE;
  const kept = disrupt(after, { decisionId: 'disruption-1', nowMs: laterMs });
  await record(after, kept, { controller: 'disruption', nowMs: laterMs });
  const records = nodes.map(({ nodeClaim }) => nodeClaim);
  return { log, store: { listNodeClaims: async () => records }, clock: { now: () => laterMs + MINUTE } };
}

function fails(message: string, error: unknown): never {
  throw new Error(message, { cause: error });
}

/** Every fortieth node starts, and another one is being removed. */
function ready(planned: NodeClaimRecord, at: number): ReturnType<typeof initializedNode> {
  const name = `ip-10-0-${Math.floor(at / 250)}-${at % 250}.internal`;
  const [option] = planned.options;
  if (option === undefined) throw new TypeError('a NodeClaim without options');
  const { instanceType, zone, capacityType, priceUsdPerHour } = option;
  const instance = { id: `i-${at}`, imageId: 'ami', instanceType, zone, capacityType, priceUsdPerHour };
  const deletion = { reason: 'drifted', message: 'AMIDrift', requestedAtMs: NOW_MS } as const;
  const { initializedAtMs: _, ...starting } = planned;
  const { node, nodeClaim } = initializedNode(
    { name, zone, labels: { 'karpenter.sh/capacity-type': capacityType } },
    {
      ...starting,
      launch: { kind: 'launched', attempt: 1, atMs: NOW_MS, instance },
      ...(at % 40 === 1 && { deletion }),
    },
  );
  const { initializedAtMs: __, ...uninitialized } = nodeClaim;
  return { node, nodeClaim: at % 40 === 0 ? uninitialized : nodeClaim };
}
