import { MINUTE_MS, SECOND_MS } from '../../apis/formats/time.ts';
import { rbacObjects } from '../../core/install/rbac.ts';
import { PortError, RefusedError } from '../../ports/errors.ts';
import type { Installation } from '../../ports/installation.ts';
import { markNodeClaimDeleted } from '../run/mark-deleted.ts';
import type { HasClock, SendsWakes, WritesClaims } from '../run/ports.ts';

export interface DrainPorts extends WritesClaims, SendsWakes, HasClock {
  readonly pause: (ms: number) => Promise<void>;
  /** How long the invocation may still last. */
  readonly remainingMs: () => number;
}

/**
 * Three invocations of 15 minutes, with the pauses of Lambda in between, and CloudFormation's hour is not over: after this
 * the rest is left as it is, or the stack could never be deleted.
 */
const LONGEST_DRAIN_MS = 40 * MINUTE_MS;
/** A run that looked before its rights were taken may still record what it decided. */
const LAST_RUN_MS = MINUTE_MS;
const PAUSE_MS = 10 * SECOND_MS;
/** Enough for an answer that is slow. */
const MARGIN_MS = 45 * SECOND_MS;
const MESSAGE = 'Kerf is taken out of the cluster (onDelete: drain)';

/**
 * Sends every node of ours home by the way of all nodes: its claim is deleted, and termination does the rest. Nothing new is
 * launched for the pods meanwhile. *Shape:* `draining` where the invocation ends before the last node does.
 * *Errors:* RefusedError with what is left after 40 minutes; those of the ports.
 */
export async function drainCluster(
  ports: DrainPorts,
  installation: Installation,
  cluster: string,
): Promise<'drained' | 'draining'> {
  const bindings = rbacObjects().filter((object) => object.kind === 'ClusterRoleBinding');
  const deciding = bindings.filter(({ metadata }) => DECIDING.includes(metadata.name));
  const sinceMs = await installation.revokeDeciding(deciding, ports.clock.now());
  for (;;) {
    const left = await deleteAllClaims(ports, cluster);
    const passedMs = ports.clock.now() - sinceMs;
    if (left.length === 0 && passedMs >= LAST_RUN_MS) return 'drained';
    if (passedMs >= LONGEST_DRAIN_MS) {
      throw new RefusedError(
        `${left.length} NodeClaims are there after ${LONGEST_DRAIN_MS / MINUTE_MS} minutes, and their instances run on: ` +
          `${left.slice(0, MAX_NAMES).join(', ')}: see what keeps their pods, then end the instances yourself`,
      );
    }
    if (ports.remainingMs() < MARGIN_MS + PAUSE_MS) return 'draining';
    await ports.pause(PAUSE_MS);
  }
}

const DECIDING = ['kerf-disruption', 'kerf-provisioning'];
const MAX_NAMES = 5;

/** *Shape:* the claims that are left, by name. One that somebody else writes to is marked the next time. */
async function deleteAllClaims(ports: DrainPorts, cluster: string): Promise<readonly string[]> {
  const records = await ports.store.listNodeClaims(cluster);
  for (const { name } of records.filter(({ deletion }) => deletion === undefined)) {
    try {
      const nodeClaim = { nodeClaim: name, reason: 'deleted', message: MESSAGE } as const;
      await markNodeClaimDeleted(ports, cluster, { kind: 'delete-node-claim', ...nodeClaim });
    } catch (error) {
      if (!(error instanceof PortError) || !error.retryable) throw error;
    }
  }
  return records.map(({ name }) => name);
}
