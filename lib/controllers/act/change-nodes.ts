import { SECOND_MS } from '../../apis/formats/time.ts';
import { inParallel } from '../../core/in-parallel.ts';
import type { Action } from '../../core/model/decision.ts';
import { rotated } from '../../core/node-claim/turn.ts';
import type { HasClock, SendsWakes, WritesClaims, WritesCluster } from '../run/ports.ts';
import { type LostWakes, sendWakes } from '../run/wake-up.ts';
import { type Outcome, outcomeOf } from './outcomes.ts';

/** E34: the candidates of a command are deleted when their replacements are initialized. */
export async function initializeNode(
  ports: WritesCluster & SendsWakes,
  cluster: string,
  { node, patch, nodeClaim, replaces }: Action & { readonly kind: 'initialize-node' },
): Promise<LostWakes> {
  await ports.cluster.patchNode(node, patch);
  return replaces === true ? sendWakes(ports, [['disruption', { cluster, reason: 'initialized', nodeClaim }]]) : [];
}

export type Taint = Action & { readonly kind: 'cordon-node' | 'uncordon-node' };

/** Whether the action changes the taint of a disruption. Each run of disruption compares the taints of all nodes with its commands. */
export function isTaint(action: Action): action is Taint {
  return action.kind === 'cordon-node' || action.kind === 'uncordon-node';
}

const AT_ONCE = 10;
/** The writes of some nodes may hang, and other runs wait until the decision is closed. */
const WITHIN_MS = 20 * SECOND_MS;

/**
 * Changes the taints of one decision, in one or more calls that have 20 seconds together. *Shape:* the outcomes of those that were begun in
 * time. The next run of disruption decides the others again, and begins at another node.
 */
export function taintChanges(
  ports: WritesCluster & WritesClaims & HasClock,
  cluster: string,
): (taints: readonly Taint[]) => Promise<readonly Outcome[]> {
  const { clock } = ports;
  let leftMs = WITHIN_MS;
  return async (taints) => {
    const nowMs = clock.now();
    const untilMs = nowMs + leftMs;
    const outcomes: Outcome[] = [];
    await inParallel(rotated(taints, nowMs), AT_ONCE, async (one) => {
      if (clock.now() < untilMs) outcomes.push(await outcomeOf(one, async () => changeTaint(ports, cluster, one)));
    });
    leftMs -= clock.now() - nowMs;
    return outcomes;
  };
}

/** To remove a taint, the record is read again: the NodeClaim may have been deleted and its node cordoned since the decision was made. */
async function changeTaint(
  ports: WritesCluster & WritesClaims,
  cluster: string,
  { kind, node, patch, nodeClaim }: Taint,
): Promise<void> {
  if (kind === 'uncordon-node') {
    const record = await ports.store.readNodeClaim(cluster, nodeClaim);
    if (record === undefined || (record.deletion ?? record.releasedAtMs) !== undefined) return;
  }
  await ports.cluster.patchNode(node, patch);
}
