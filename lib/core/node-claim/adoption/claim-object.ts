/** Reads a NodeClaim object that Karpenter created, or whose record is lost. */

import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { parseTime, timeIn } from '../../../apis/formats/time.ts';
import type { Condition, Labels, Node } from '../../../apis/kubernetes.ts';
import {
  CAPACITY_TYPE,
  CAPACITY_TYPES,
  INSTANCE_TYPE,
  NODE_CLASS_HASH,
  NODE_CLASS_HASH_VERSION,
  NODE_POOL,
  TERMINATION_TIMESTAMP,
  ZONE,
} from '../../../apis/labels.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import { optional } from '../../../apis/optional.ts';
import {
  type Deletion,
  DRIFT_REASONS,
  type Drift,
  type DriftReason,
  type Instance,
  instanceIdOf,
  type NodeClaimRecord,
} from '../../model/node-claim-record.ts';
import { graceDeadlineMs } from '../grace-deadline.ts';
import { isInitialized, isRegistered } from '../registration.ts';

/** An instance with the cluster's tags, as described by EC2. */
export interface FoundInstance extends Instance {
  readonly nodeClaim: string;
  readonly nodePool: string;
  readonly nodeClass: string;
  readonly launchedAtMs: number;
}

/** The fields of a NodeClaim object that are read. */
export interface ClaimObject extends Pick<NodeClaim, 'metadata' | 'spec'> {
  readonly status?: NodeClaim['status'] | undefined;
}

/** What shows the instance of a NodeClaim. */
interface ClaimOfInstance extends Pick<ClaimObject, 'metadata' | 'status'> {
  readonly spec: { readonly nodeClassRef: { readonly name: string } };
}

/**
 * The instance of a NodeClaim object, without a call of EC2; undefined if its status has no provider ID. The price is not
 * known. *Shape:* for a provider ID that is not from EC2, the instance ID is the part after the last slash.
 * @param known the node, for what the claim does not contain, and the time that replaces unknown times
 */
export function instanceOfNodeClaim(
  { metadata, spec, status }: ClaimOfInstance,
  { node, unknownSinceMs = 0 }: { readonly node?: Node | undefined; readonly unknownSinceMs?: number } = {},
): FoundInstance | undefined {
  const { providerID = '' } = status ?? {};
  if (providerID === '') return undefined;
  const id = instanceIdOf(providerID) ?? providerID.slice(providerID.lastIndexOf('/') + 1);
  const labels = { ...metadata.labels, ...node?.metadata.labels };
  return {
    id,
    instanceType: labels[INSTANCE_TYPE] ?? '',
    zone: labels[ZONE] ?? providerID.split('/')[3] ?? '',
    capacityType: CAPACITY_TYPES.find((one) => one === labels[CAPACITY_TYPE]) ?? 'on-demand',
    imageId: status?.imageID ?? '',
    priceUsdPerHour: 0,
    nodeClaim: metadata.name,
    nodePool: labels[NODE_POOL] ?? '',
    nodeClass: spec.nodeClassRef.name,
    launchedAtMs: trueSince(status?.conditions, 'Launched') ?? createdAt(metadata) ?? unknownSinceMs,
  };
}

/** The node of a NodeClaim object: the one with the same provider ID. *Cost:* O(nodes). */
export function nodeOfNodeClaim(nodes: readonly Node[], { status }: ClaimObject): Node | undefined {
  const { providerID } = status ?? {};
  return providerID === undefined ? undefined : nodes.find(({ spec }) => spec?.providerID === providerID);
}

type Progress = Pick<
  NodeClaimRecord,
  'nodeName' | 'registeredAtMs' | 'initializedAtMs' | 'lastPodEventAtMs' | 'drift' | 'deletion'
>;

/** The progress of a claim: the states come from its node, the times from its conditions, or else from `unknownSinceMs`. */
export function progressOf(
  { node, nodeClaim }: { readonly node?: Node | undefined; readonly nodeClaim?: ClaimObject | undefined },
  unknownSinceMs: number,
): Progress {
  const { conditions, lastPodEventTime } = nodeClaim?.status ?? {};
  const deletion = nodeClaim && deletionOf(nodeClaim);
  return {
    ...(node !== undefined &&
      isRegistered(node) && {
        nodeName: node.metadata.name,
        registeredAtMs: trueSince(conditions, 'Registered') ?? unknownSinceMs,
      }),
    ...(node !== undefined &&
      isInitialized(node) && { initializedAtMs: trueSince(conditions, 'Initialized') ?? unknownSinceMs }),
    ...(lastPodEventTime !== undefined && { lastPodEventAtMs: parseTime(lastPodEventTime) }),
    ...optional({ drift: driftOf(conditions, unknownSinceMs), deletion }),
  };
}

/** D34. */
function driftOf(conditions: readonly Condition[] | undefined, unknownSinceMs: number): Drift | undefined {
  const reason = reasonInStatus(conditions);
  if (reason === undefined) return undefined;
  const message = drifted(conditions)?.message ?? reason;
  return { reason, message, sinceMs: trueSince(conditions, 'Drifted') ?? unknownSinceMs };
}

/** The reason of the Drifted condition; undefined for one that Kerf does not compare. */
function reasonInStatus(conditions: readonly Condition[] | undefined): DriftReason | undefined {
  const found = drifted(conditions);
  return DRIFT_REASONS.find((one) => one === found?.reason);
}

function drifted(conditions: readonly Condition[] | undefined): Condition | undefined {
  return conditions?.find(({ type, status }) => type === 'Drifted' && status === 'True');
}

/** D18: when deletion was requested, and its deadline as it was announced, not counted from now. Anyone can write the annotation. */
function deletionOf({ metadata, spec }: ClaimObject): Deletion | undefined {
  const { deletionTimestamp, annotations = {} } = metadata;
  if (deletionTimestamp === undefined) return undefined;
  const requestedAtMs = parseTime(deletionTimestamp);
  const deadlineMs = timeIn(annotations[TERMINATION_TIMESTAMP]) ?? graceDeadlineMs(spec, requestedAtMs);
  const message = 'its NodeClaim was already being deleted';
  return { reason: 'deleted', message, requestedAtMs, ...optional({ deadlineMs }) };
}

interface DriftEvidence {
  readonly nodeClaim?: ClaimObject | undefined;
  readonly nodeClass?: EC2NodeClass | undefined;
}

/**
 * The annotations of a claim with Kerf's hash of its NodeClass. A hash of another version is replaced, so that the claim does
 * not drift. A claim whose NodeClass has changed keeps its hash, and only the version is replaced (A1.28, A3.26).
 */
export function withCurrentClassHash(annotations: Labels, classHash: Labels | undefined, claim: DriftEvidence): Labels {
  const version = classHash?.[NODE_CLASS_HASH_VERSION];
  if (version === undefined || annotations[NODE_CLASS_HASH_VERSION] === version) return annotations;
  return reasonInStatus(claim.nodeClaim?.status?.conditions) === 'NodeClassDrift' || hasOtherClassHash(claim)
    ? { ...annotations, [NODE_CLASS_HASH_VERSION]: version }
    : { ...annotations, ...classHash };
}

/** Why Kerf will find that the claim has drifted: by its Drifted condition, or by its class hash (C78, D34). */
export function whyDrifted(claim: DriftEvidence): DriftReason | undefined {
  const reason = reasonInStatus(claim.nodeClaim?.status?.conditions);
  return reason ?? (hasOtherClassHash(claim) ? 'NodeClassDrift' : undefined);
}

/** D35: hashes of different versions are not comparable. */
function hasOtherClassHash({ nodeClaim, nodeClass }: DriftEvidence): boolean {
  const claims = nodeClaim?.metadata.annotations ?? {};
  const classes = nodeClass?.metadata.annotations ?? {};
  const version = claims[NODE_CLASS_HASH_VERSION];
  const isComparable = version !== undefined && version === classes[NODE_CLASS_HASH_VERSION];
  return isComparable && claims[NODE_CLASS_HASH] !== classes[NODE_CLASS_HASH];
}

function trueSince(conditions: readonly Condition[] | undefined, type: string): number | undefined {
  const found = conditions?.find((one) => one.type === type && one.status === 'True');
  return timeIn(found?.lastTransitionTime);
}

function createdAt({ creationTimestamp }: NodeClaim['metadata']): number | undefined {
  return creationTimestamp === undefined ? undefined : parseTime(creationTimestamp);
}
