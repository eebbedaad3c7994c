/** What a NodeClaim object says of its claim: all that is known of one that Karpenter made, or whose record is lost. */

import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { parseDuration } from '../../../apis/formats/duration.ts';
import { parseTime } from '../../../apis/formats/time.ts';
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
import { type Deletion, type Instance, instanceIdOf, type NodeClaimRecord } from '../../model/node-claim-record.ts';
import { isInitialized, isRegistered } from '../registration.ts';

/** An instance with our tags, as EC2 tells of it. */
export interface FoundInstance extends Instance {
  readonly nodeClaim: string;
  readonly nodePool: string;
  readonly nodeClass: string;
  readonly launchedAtMs: number;
}

/** What is read of a NodeClaim object. */
export interface ClaimObject extends Pick<NodeClaim, 'metadata' | 'spec'> {
  readonly status?: NodeClaim['status'] | undefined;
}

/**
 * The instance that it names, without asking EC2; undefined where it names none. What it costs it does not say. *Shape:* a provider ID
 * that is not one of EC2 names an instance too, by what is behind its last slash.
 * @param known its node, which tells what the claim leaves out, and the time that stands for one that nothing tells
 */
export function instanceOfNodeClaim(
  { metadata, spec, status }: ClaimObject,
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

type Progress = Pick<
  NodeClaimRecord,
  'nodeName' | 'registeredAtMs' | 'initializedAtMs' | 'lastPodEventAtMs' | 'deletion'
>;

/** How far it has come: its node tells that, its object since when, and `unknownSinceMs` where it does not. */
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
    ...(deletion !== undefined && { deletion }),
  };
}

/** D18: since when it is being deleted, and until when pods may stay: by what was promised, and not from now on. */
function deletionOf({ metadata, spec }: ClaimObject): Deletion | undefined {
  const { deletionTimestamp, annotations = {} } = metadata;
  if (deletionTimestamp === undefined) return undefined;
  const requestedAtMs = parseTime(deletionTimestamp);
  const promised = annotations[TERMINATION_TIMESTAMP];
  const graceMs = spec.terminationGracePeriod === undefined ? undefined : parseDuration(spec.terminationGracePeriod);
  const deadlineMs =
    promised === undefined ? (graceMs === undefined ? undefined : requestedAtMs + graceMs) : parseTime(promised);
  const message = 'its NodeClaim was being deleted already';
  return { reason: 'deleted', message, requestedAtMs, ...(deadlineMs === undefined ? {} : { deadlineMs }) };
}

/**
 * Its annotations with our hash of its class in the place of another's: that somebody else counts differently is no drift. What
 * had drifted before stays so: only the version moves (A1.28, A3.26).
 */
export function withCurrentClassHash(
  annotations: Labels,
  classHash: Labels | undefined,
  claim: { readonly nodeClaim?: ClaimObject | undefined; readonly nodeClass?: EC2NodeClass | undefined },
): Labels {
  const version = classHash?.[NODE_CLASS_HASH_VERSION];
  if (version === undefined || annotations[NODE_CLASS_HASH_VERSION] === version) return annotations;
  return whyDrifted(claim) === undefined
    ? { ...annotations, ...classHash }
    : { ...annotations, [NODE_CLASS_HASH_VERSION]: version };
}

/** Why it counted as drifted under whoever looked after it, in his word (C78, D34); undefined where it did not. */
export function whyDrifted({
  nodeClaim,
  nodeClass,
}: {
  readonly nodeClaim?: ClaimObject | undefined;
  readonly nodeClass?: EC2NodeClass | undefined;
}): string | undefined {
  const drifted = nodeClaim?.status?.conditions?.find(({ type, status }) => type === 'Drifted' && status === 'True');
  if (drifted !== undefined) return drifted.reason ?? 'Drifted';
  const claims = nodeClaim?.metadata.annotations ?? {};
  const classes = nodeClass?.metadata.annotations ?? {};
  // D35: hashes of two versions say nothing of each other.
  const comparable =
    claims[NODE_CLASS_HASH_VERSION] !== undefined &&
    claims[NODE_CLASS_HASH_VERSION] === classes[NODE_CLASS_HASH_VERSION];
  return comparable && claims[NODE_CLASS_HASH] !== classes[NODE_CLASS_HASH] ? 'NodeClassDrift' : undefined;
}

function trueSince(conditions: readonly Condition[] | undefined, type: string): number | undefined {
  const found = conditions?.find((one) => one.type === type && one.status === 'True');
  return found?.lastTransitionTime === undefined ? undefined : parseTime(found.lastTransitionTime);
}

function createdAt({ creationTimestamp }: NodeClaim['metadata']): number | undefined {
  return creationTimestamp === undefined ? undefined : parseTime(creationTimestamp);
}
