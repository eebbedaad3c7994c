import type { Decision } from '../core/action.ts';
import { interrupt } from '../core/interruption/interrupt.ts';
import { parseInterruption } from '../core/interruption/message.ts';
import type { NodeClaimRecord } from '../core/node-claim/record.ts';
import { RefusedError } from '../ports/errors.ts';
import { carryOutOffCluster } from './carry-out.ts';
import type { ControllerPorts, RunReport } from './ports.ts';

type InterruptionPorts = Pick<ControllerPorts, 'store' | 'catalogue' | 'messages' | 'clock'>;

/**
 * What EC2 says of an instance → its claim is deleted, in time and drained. Instances that are not ours are none of our
 * business. *Errors:* RefusedError for a message of a kind or version that we do not know: it is kept, not dropped.
 */
export async function handleInterruption(ports: InterruptionPorts, event: unknown): Promise<readonly RunReport[]> {
  const message = parseInterruption(event);
  if (message === undefined)
    throw new RefusedError(`this is no interruption event that Kerf knows: ${JSON.stringify(event).slice(0, 300)}`);
  const reports: RunReport[] = [];
  for (const instanceId of message.instanceIds) {
    const record = await ports.store.findNodeClaim(instanceId);
    if (record !== undefined && record.releasedAtMs === undefined) {
      const verdict = interrupt(message, record, ports.clock.now());
      reports.push(await handleOne(ports, { record, instanceId, verdict }));
    }
  }
  return reports;
}

async function handleOne(
  ports: InterruptionPorts,
  found: {
    readonly record: NodeClaimRecord;
    readonly instanceId: string;
    readonly verdict: ReturnType<typeof interrupt>;
  },
): Promise<RunReport> {
  const { record, instanceId, verdict } = found;
  const { cluster, version } = record;
  const id = `interruption-${instanceId}-v${version}`;
  const decision: Decision = { id, cluster, controller: 'interruption', atMs: ports.clock.now(), ...verdict };
  for (const action of verdict.actions) await carryOutOffCluster(ports, cluster, action);
  if (verdict.actions.length > 0) await ports.messages.publish(decision);
  return { controller: 'interruption', cluster, decisions: [decision], due: [], gauges: {}, failures: [] };
}
