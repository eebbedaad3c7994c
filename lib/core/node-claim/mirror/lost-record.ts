import { MINUTE_MS, parseTime } from '../../../apis/formats/time.ts';
import type { Labels } from '../../../apis/kubernetes.ts';
import { NODE_POOL_HASH_VERSION } from '../../../apis/labels.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';

/** Longer than a lost launch takes to appear in EC2's list, with which its instance is adopted under the name of the object. */
const AWAITED_MS = 15 * MINUTE_MS;
/** Other programs write other versions of the hash. */
const OUR_VERSION = /^kerf-/;

/**
 * Whether Kerf removes a NodeClaim object that has no record, because nothing came of its launch: Kerf has created the object, which has
 * no instance, and EC2 lists none for it. This happens after the table was restored from a backup.
 * @param instances all instances of the cluster
 */
export function hasLostRecord(
  { metadata, status }: NodeClaim,
  { instances, nowMs }: { readonly instances: readonly { readonly nodeClaim: string }[]; readonly nowMs: number },
): boolean {
  const { name, annotations, creationTimestamp } = metadata;
  if (status?.providerID !== undefined || !hasOurHash(annotations)) return false;
  if (creationTimestamp === undefined || nowMs - parseTime(creationTimestamp) < AWAITED_MS) return false;
  return instances.every(({ nodeClaim }) => nodeClaim !== name);
}

/** Whether Kerf has written these annotations of a NodeClaim or a Node. The Node of an adopted NodeClaim keeps those of Karpenter. */
export function hasOurHash(annotations: Labels | undefined): boolean {
  return OUR_VERSION.test(annotations?.[NODE_POOL_HASH_VERSION] ?? '');
}
