import type { Node } from '../apis/kubernetes.ts';
import type { Decision, Due } from '../core/action.ts';
import { instanceOf, type NodeClaimRecord, providerIdOf } from '../core/node-claim/record.ts';
import { decideTermination } from '../core/node-claim/termination.ts';
import type { Wake } from '../ports/messages.ts';
import { announce } from './announce.ts';
import { carryOut } from './carry-out.ts';
import { eachClaim } from './each-claim.ts';
import { findClaims } from './find-claims.ts';
import type { ControllerPorts, RunReport } from './ports.ts';
import { armWakeUp } from './wake-up.ts';

/** NodeClaims to be deleted → drained nodes → terminated instances → nothing left. */
export async function reconcileTermination(ports: ControllerPorts, wake: Wake): Promise<RunReport> {
  const { cluster } = wake;
  const records = (await findClaims(ports, wake)).filter((record) => record.deletion !== undefined);
  const decisions: Decision[] = [];
  const untold: Error[] = [];
  const nodes = records.length === 0 ? [] : await ports.cluster.listNodes();
  const { due, failures } = await eachClaim(records, ports.clock.now(), async (record) =>
    takeDown(ports, { record, nodes, decisions, untold }),
  );
  await armWakeUp(ports, 'termination', { cluster, due });
  return { controller: 'termination', cluster, decisions, due, gauges: {}, failures: [...failures, ...untold] };
}

async function takeDown(
  ports: ControllerPorts,
  claim: {
    readonly record: NodeClaimRecord;
    readonly nodes: readonly Node[];
    readonly decisions: Decision[];
    readonly untold: Error[];
  },
): Promise<readonly Due[]> {
  const { record, nodes, decisions, untold } = claim;
  const { cluster, name, version } = record;
  const instance = instanceOf(record);
  const node =
    instance === undefined ? undefined : nodes.find((one) => one.spec?.providerID === providerIdOf(instance));
  const pods = node === undefined ? [] : await ports.cluster.listPodsOnNode(node.metadata.name);
  const listed = instance === undefined ? undefined : await ports.cloud.describeInstance(cluster, instance.id);
  const nowMs = ports.clock.now();
  const instanceState = listed?.state === 'shutting-down' ? 'shutting-down' : 'alive';
  const view = {
    record,
    pods,
    ...(node === undefined ? {} : { node }),
    ...(listed === undefined ? {} : ({ instanceState } as const)),
  };
  const verdict = decideTermination(view, nowMs);
  const { actions, blocked, due } = verdict;
  if (verdict.record !== record) await ports.store.updateNodeClaim(verdict.record);
  if (actions.length > 0) {
    const decision: Decision = {
      id: `${name}-v${version}`,
      cluster,
      controller: 'termination',
      atMs: nowMs,
      actions,
      blocked,
    };
    const forbidden = await carryOut(ports, decision);
    const told = { ...decision, blocked: [...blocked, ...forbidden] };
    decisions.push(told);
    untold.push(...(await announce(ports, told)));
  }
  return due;
}
