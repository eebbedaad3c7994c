import { counted } from '../../apis/counted.ts';
import { MINUTE_MS, SECOND_MS } from '../../apis/formats/time.ts';
import { NODE_CLAIM_TAG } from '../../apis/labels.ts';
import { rbacObjects } from '../../core/install/rbac.ts';
import type { UnreadableClaim } from '../../core/model/node-claim-record.ts';
import { PortError, portErrorOf, RefusedError } from '../../ports/errors.ts';
import type { Installation } from '../../ports/installation.ts';
import type { NodeClaimList } from '../../ports/node-claim-store.ts';
import { markNodeClaimDeleted } from '../act/mark-deleted.ts';
import type { SendsWakes, WritesClaims } from '../run/ports.ts';
import { type RepeatPorts, repeated } from './repeated.ts';

export interface DrainPorts extends WritesClaims, SendsWakes, RepeatPorts {}

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
 * soon as no other remains; those of the ports. A read of the table that fails without a refusal does not end the drain.
 */
export async function drainCluster(
  ports: DrainPorts,
  installation: Installation,
  cluster: string,
): Promise<'drained' | 'draining'> {
  const bindings = rbacObjects().filter((object) => object.kind === 'ClusterRoleBinding');
  const deciding = bindings.filter(({ metadata }) => DECIDING.includes(metadata.name));
  const sinceMs = await repeated(ports, async () => await installation.revokeDeciding(deciding, ports.clock.now()));
  for (;;) {
    const remaining = await deleteAllClaims(ports, cluster);
    const passedMs = ports.clock.now() - sinceMs;
    if (!(remaining instanceof PortError) && remaining.left.length === 0 && passedMs >= LAST_RUN_MS) {
      const { unreadable, refused } = remaining;
      if (unreadable.length + refused.length > 0) throw notDrained(unreadable, refused);
      return 'drained';
    }
    if (passedMs >= MAX_DRAIN_MS) throw notInTime(remaining);
    if (ports.remainingMs() < MARGIN_MS + PAUSE_MS) return 'draining';
    await ports.pause(PAUSE_MS);
  }
}

const DECIDING = ['kerf-disruption', 'kerf-provisioning'];
const MAX_NAMES = 5;
const TERMINATE_BY_TAG = `find the instances by their tag ${NODE_CLAIM_TAG}, then terminate them yourself`;

function notInTime(remaining: Remaining | PortError): RefusedError {
  const after = `after ${MAX_DRAIN_MS / MINUTE_MS} minutes`;
  if (remaining instanceof PortError) {
    return new RefusedError(
      `the NodeClaims cannot be read ${after} (${remaining.message}), and their instances may still run: ${TERMINATE_BY_TAG}`,
      { cause: remaining },
    );
  }
  const { left, refused, unreadable } = remaining;
  const names = [...left, ...[...refused, ...unreadable].map(({ name }) => name)];
  return new RefusedError(
    `${names.length} NodeClaims remain ${after}, and their instances still run: ` +
      `${someOf(names)}: find out what blocks the eviction of their pods, then terminate the instances yourself`,
  );
}

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
    `${whys.join(', and ')}, so their nodes were not drained and their instances may still run: ${TERMINATE_BY_TAG}`,
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

/** After a conflict, the next call deletes the claim. *Shape:* why the claims cannot be read now, if the next call may read them. */
async function deleteAllClaims(ports: DrainPorts, cluster: string): Promise<Remaining | PortError> {
  const read = await claimsOf(ports, cluster);
  if (read instanceof PortError) return read;
  const { records, unreadable } = read;
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

async function claimsOf({ store }: DrainPorts, cluster: string): Promise<NodeClaimList | PortError> {
  try {
    return await store.readNodeClaims(cluster);
  } catch (error) {
    if (error instanceof PortError && error.retryable) return error;
    throw error;
  }
}
