import { counted } from '../../apis/counted.ts';
import { MINUTE_MS, SECOND_MS } from '../../apis/formats/time.ts';
import { NODE_CLAIM_TAG } from '../../apis/labels.ts';
import { rbacObjects } from '../../core/install/rbac.ts';
import type { UnreadableClaim } from '../../core/model/node-claim-record.ts';
import { portErrorOf, RefusedError } from '../../ports/errors.ts';
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
 * *Errors:* RefusedError with the remaining NodeClaims after 40 minutes, and with those whose records cannot be read or written as
 * soon as no other remains; those of the ports.
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
    const { left, unreadable, refused } = await deleteAllClaims(ports, cluster);
    const passedMs = ports.clock.now() - sinceMs;
    if (left.length === 0 && passedMs >= LAST_RUN_MS) {
      if (unreadable.length + refused.length > 0) throw notDrained(unreadable, refused);
      return 'drained';
    }
    if (passedMs >= MAX_DRAIN_MS) {
      const names = [...left, ...[...refused, ...unreadable].map(({ name }) => name)];
      throw new RefusedError(
        `${names.length} NodeClaims remain after ${MAX_DRAIN_MS / MINUTE_MS} minutes, and their instances still run: ` +
          `${someOf(names)}: find out what blocks the eviction of their pods, then terminate the instances yourself`,
      );
    }
    if (ports.remainingMs() < MARGIN_MS + PAUSE_MS) return 'draining';
    await ports.pause(PAUSE_MS);
  }
}

const DECIDING = ['kerf-disruption', 'kerf-provisioning'];
const MAX_NAMES = 5;

/** The instances of unreadable records are not in any record that can be read, so only their tags identify them. */
function notDrained(unreadable: readonly UnreadableClaim[], refused: readonly UnreadableClaim[]): RefusedError {
  const whys: string[] = [];
  if (unreadable.length > 0) {
    const names = someOf(unreadable.map(({ name }) => name));
    whys.push(`the records of ${counted(unreadable.length, 'NodeClaim')} in the table cannot be read (${names})`);
  }
  if (refused.length > 0) {
    const names = someOf(refused.map(({ name, message }) => `${name}: ${message}`));
    whys.push(`the deletion of ${counted(refused.length, 'NodeClaim')} was refused (${names})`);
  }
  return new RefusedError(
    `${whys.join(', and ')}, so their nodes were not drained and their instances may still run: find the instances by their ` +
      `tag ${NODE_CLAIM_TAG}, then terminate them yourself`,
  );
}

function someOf(names: readonly string[]): string {
  return names.slice(0, MAX_NAMES).join(', ');
}

interface Remaining {
  /** The names of NodeClaims that are being drained, or that the next call deletes. */
  readonly left: readonly string[];
  readonly unreadable: readonly UnreadableClaim[];
  /** Those whose deletion cannot be recorded, and why. The next call tries it again. */
  readonly refused: readonly UnreadableClaim[];
}

/** After a conflict, the next call deletes the claim. */
async function deleteAllClaims(ports: DrainPorts, cluster: string): Promise<Remaining> {
  const { records, unreadable } = await ports.store.readNodeClaims(cluster);
  const refused = new Map<string, string>();
  for (const { name } of records.filter(({ deletion }) => deletion === undefined)) {
    try {
      const nodeClaim = { nodeClaim: name, reason: 'deleted', message: MESSAGE } as const;
      await markNodeClaimDeleted(ports, cluster, { kind: 'delete-node-claim', ...nodeClaim });
    } catch (cause) {
      const error = portErrorOf(cause);
      if (!error.retryable) refused.set(name, error.message);
    }
  }
  return {
    left: records.map(({ name }) => name).filter((name) => !refused.has(name)),
    unreadable,
    refused: [...refused].map(([name, message]) => ({ name, message })),
  };
}
