import { MINUTE_MS, SECOND_MS } from '../../apis/formats/time.ts';
import { rbacObjects } from '../../core/install/rbac.ts';
import { PortError, RefusedError } from '../../ports/errors.ts';
import type { Installation } from '../../ports/installation.ts';
import { markNodeClaimDeleted } from '../act/mark-deleted.ts';
import type { HasClock, SendsWakes, WritesClaims } from '../run/ports.ts';

export interface DrainPorts extends WritesClaims, SendsWakes, HasClock {
  readonly pause: (ms: number) => Promise<void>;
  /** The time until Lambda stops the invocation. */
  readonly remainingMs: () => number;
}

/**
 * A drain has three invocations of 15 minutes, with pauses in between, within the one hour that CloudFormation waits. After
 * this time the drain fails, because otherwise the stack could not be deleted.
 */
const MAX_DRAIN_MS = 40 * MINUTE_MS;
/** A run that observed before its permissions were revoked may still record a decision. */
const LAST_RUN_MS = MINUTE_MS;
const PAUSE_MS = 10 * SECOND_MS;
/** The time for a slow response. */
const MARGIN_MS = 45 * SECOND_MS;
const MESSAGE = 'Kerf is being removed from the cluster (onDelete: drain)';

/**
 * Deletes every NodeClaim of Kerf; termination then drains the nodes and terminates the instances. No new nodes are launched for
 * the pods. *Shape:* `draining` if the invocation ends before the last node is removed.
 * *Errors:* RefusedError with the remaining NodeClaims after 40 minutes; those of the ports.
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
    if (passedMs >= MAX_DRAIN_MS) {
      throw new RefusedError(
        `${left.length} NodeClaims remain after ${MAX_DRAIN_MS / MINUTE_MS} minutes, and their instances still run: ` +
          `${left.slice(0, MAX_NAMES).join(', ')}: find out what blocks the eviction of their pods, then terminate the instances yourself`,
      );
    }
    if (ports.remainingMs() < MARGIN_MS + PAUSE_MS) return 'draining';
    await ports.pause(PAUSE_MS);
  }
}

const DECIDING = ['kerf-disruption', 'kerf-provisioning'];
const MAX_NAMES = 5;

/** *Shape:* the remaining claims, by name. After a conflict, the next call deletes the claim. */
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
