import type { Labels, Node } from '../../../apis/kubernetes.ts';
import { CAPACITY_TYPE, INSTANCE_TYPE, NODE_CLAIM_TAG, NODE_POOL, ZONE } from '../../../apis/labels.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import { DISRUPTED_TAINT } from '../../../apis/taints.ts';
import { isDisrupted } from '../../cluster/state-node.ts';
import { compareText } from '../../compare-text.ts';
import { instanceOf, type NodeClaimRecord } from '../../model/node-claim-record.ts';
import { CLUSTER_TAG, ownershipTags } from '../../model/ownership-tags.ts';
import type { Reason } from '../../model/reasons.ts';
import { adoptedRecord, type InstanceEvidence, whyLeftAlone } from './adoption.ts';
import { type FoundInstance, instanceOfNodeClaim, nodeOfNodeClaim, whyDrifted } from './claim-object.ts';
import { compareUnrecordedInstances } from './garbage.ts';
import { type ClusterObjects, evidenceOfInstance } from './instance-evidence.ts';
import { poolNamedBy } from './record-from-object.ts';

/** An instance of the cluster, launched by Kerf or by another autoscaler; `nodeClaim` is empty if its tags do not name one. */
export interface ClusterInstance extends FoundInstance {
  readonly tags: Labels;
}

/** The instances and objects of the cluster, and the records that exist. */
export interface AdoptionWorld extends ClusterObjects {
  readonly instances: readonly ClusterInstance[];
  /** All records by name, including released ones; an Error is why the record cannot be read. */
  readonly records: ReadonlyMap<string, NodeClaimRecord | Error>;
}

export type AdoptionOutcome =
  /** `tags`: the missing tags that Kerf needs to find and terminate the instance. */
  | { readonly kind: 'adopt'; readonly record: NodeClaimRecord; readonly tags: Labels }
  | { readonly kind: 'known' }
  | { readonly kind: 'left'; readonly reason: Reason; readonly message: string };

/** One NodeClaim or instance, and the outcome of its adoption. */
export interface AdoptionLine {
  readonly node: string | undefined;
  readonly nodeClaim: string | undefined;
  readonly nodePool: string | undefined;
  readonly instanceId: string | undefined;
  readonly instanceType: string | undefined;
  readonly zone: string | undefined;
  readonly capacityType: string | undefined;
  readonly outcome: AdoptionOutcome;
  /** Notes for the user. */
  readonly notes: readonly string[];
}

/** The outcome of the adoption for every instance, and for every NodeClaim without an instance; sorted by NodeClaim. */
export function planAdoption(world: AdoptionWorld, nowMs: number): readonly AdoptionLine[] {
  const found = world.instances
    .map((instance) => ({ instance, evidence: named(evidenceOfInstance(world, instance)) }))
    .toSorted((a, b) => compareUnrecordedInstances(a.evidence, b.evidence));
  const first = new Map(found.toReversed().map(({ evidence: { instance } }) => [instance.nodeClaim, instance.id]));
  const claimed = new Set(found.flatMap(({ evidence }) => evidence.nodeClaim?.metadata.name ?? []));
  const without = world.nodeClaims.filter(({ metadata }) => !claimed.has(metadata.name));
  return [
    ...found.map(({ instance, evidence }) => lineOf({ ...world, first }, { instance, evidence }, nowMs)),
    ...without.map((nodeClaim) => lineWithoutInstance(world, nodeClaim)),
  ].toSorted((a, b) => compareText(a.nodeClaim ?? a.instanceId ?? '', b.nodeClaim ?? b.instanceId ?? ''));
}

/** The NodeClaim object identifies the instance. Karpenter adds the NodeClaim tag only after the node has registered (C84). */
function named(evidence: InstanceEvidence): InstanceEvidence {
  const { nodeClaim, instance } = evidence;
  if (nodeClaim === undefined) return evidence;
  const nodePool = nodeClaim.metadata.labels?.[NODE_POOL] ?? instance.nodePool;
  return { ...evidence, instance: { ...instance, nodeClaim: nodeClaim.metadata.name, nodePool } };
}

interface SharedNames extends AdoptionWorld {
  /** The instance that gets each NodeClaim: several may have its tag. */
  readonly first: ReadonlyMap<string, string>;
}

function lineOf(
  world: SharedNames,
  { instance, evidence }: { readonly instance: ClusterInstance; readonly evidence: InstanceEvidence },
  nowMs: number,
): AdoptionLine {
  const { id, instanceType, zone, capacityType, nodeClaim, nodePool } = evidence.instance;
  return {
    node: evidence.node?.metadata.name,
    nodeClaim: nodeClaim === '' ? undefined : nodeClaim,
    nodePool: nodePool === '' ? undefined : nodePool,
    instanceId: id,
    instanceType,
    zone,
    capacityType,
    outcome: outcomeOf(world, { instance, evidence }, nowMs),
    notes: notesOf(evidence, world.records.get(evidence.instance.nodeClaim)),
  };
}

function outcomeOf(
  { cluster, records, first }: SharedNames,
  { instance, evidence }: { readonly instance: ClusterInstance; readonly evidence: InstanceEvidence },
  nowMs: number,
): AdoptionOutcome {
  const { id, nodeClaim: name } = evidence.instance;
  if (name === '') {
    const message = `its launch was interrupted: it has no NodeClaim object and no NodeClaim tag. When no pods run on it, terminate it: aws ec2 terminate-instances --instance-ids ${id}`;
    return left('LaunchCutOff', message);
  }
  const known = records.get(name);
  if (known instanceof Error) return left('RecordUnreadable', known.message);
  if (known !== undefined) {
    if (instanceOf(known)?.id === id && known.releasedAtMs === undefined) return { kind: 'known' };
    return left('NameTaken', `the record of NodeClaim ${name} is released or has another instance`);
  }
  const other = first.get(name);
  if (other !== undefined && other !== id) {
    const message = `instance ${other} has the tag of NodeClaim ${name} too, and gets the claim: drain the node of this instance if it has one, then terminate this instance`;
    return left('NameTaken', message);
  }
  const alone = whyLeftAlone(evidence);
  if (alone !== undefined) return left(alone.reason, alone.message);
  const record = adoptedRecord(evidence, nowMs);
  if (record === undefined) {
    return left(
      'InstanceWithoutRecord',
      `it has no NodeClaim object and no node, and NodePool ${evidence.instance.nodePool} does not exist`,
    );
  }
  return { kind: 'adopt', record, tags: missingTags(cluster, instance, name) };
}

function left(reason: Reason, message: string): AdoptionOutcome {
  return { kind: 'left', reason, message };
}

/** Kerf finds instances by the first tag. IAM allows it to terminate only instances with the second. */
function missingTags(cluster: string, { tags }: ClusterInstance, nodeClaim: string): Labels {
  const wanted: Labels = { [NODE_CLAIM_TAG]: nodeClaim, [CLUSTER_TAG]: cluster };
  return Object.fromEntries(Object.entries(wanted).filter(([key, value]) => tags[key] !== value));
}

function notesOf(evidence: InstanceEvidence, known: NodeClaimRecord | Error | undefined): readonly string[] {
  const { node } = evidence;
  const drifted = whyDrifted(evidence);
  const deletion = noteOfDeletion(evidence);
  const isRecorded = known !== undefined && !(known instanceof Error) && known.deletion !== undefined;
  const isStaying = deletion === undefined && !isRecorded;
  return [
    ...(deletion === undefined ? [] : [deletion]),
    // A1.28.
    ...(drifted !== undefined && isStaying ? [`already drifted (${drifted}): Kerf will replace it as drifted`] : []),
    ...(node !== undefined && isDisrupted(node) && isStaying
      ? [
          `its node has the taint ${DISRUPTED_TAINT.key} but is not being deleted; remove the taint: kubectl taint node ${node.metadata.name} ${DISRUPTED_TAINT.key}-`,
        ]
      : []),
    ...(node === undefined ? ['its node has not registered: its registration timeout starts now'] : []),
  ];
}

function noteOfDeletion({ nodeClaim, node }: InstanceEvidence): string | undefined {
  const claimSince = nodeClaim?.metadata.deletionTimestamp;
  if (claimSince !== undefined) return `being deleted since ${claimSince}: Kerf continues the deletion`;
  const nodeSince = node?.metadata.deletionTimestamp;
  if (nodeSince === undefined) return undefined;
  return `the deletion of its node was requested at ${nodeSince}: Kerf deletes its NodeClaim and drains the node`;
}

/** The outcome for a NodeClaim whose instance is not listed: it was not launched, has ended, or has lost its tags. */
function lineWithoutInstance(world: AdoptionWorld, nodeClaim: NodeClaim): AdoptionLine {
  const { name, labels = {} } = nodeClaim.metadata;
  const node = nodeOfNodeClaim(world.nodes, nodeClaim);
  return {
    node: node?.metadata.name ?? nodeClaim.status?.nodeName,
    nodeClaim: name,
    nodePool: labels[NODE_POOL],
    instanceId: undefined,
    instanceType: labels[INSTANCE_TYPE],
    zone: labels[ZONE],
    capacityType: labels[CAPACITY_TYPE],
    outcome: node === undefined ? withoutNode(nodeClaim) : untagged(world.cluster, nodeClaim, node),
    notes: [],
  };
}

function withoutNode({ metadata: { name }, status }: NodeClaim): AdoptionOutcome {
  const why =
    status?.providerID === undefined ? 'it was not launched' : `its instance ${status.providerID} does not exist`;
  const message = `${why}. Delete it (kubectl delete nodeclaim ${name} --wait=false), then remove its finalizer (kubectl patch nodeclaim ${name} --type merge -p '{"metadata":{"finalizers":null}}')`;
  return left('NoInstance', message);
}

/** The node shows that the instance may run: without its NodeClaim, nothing would terminate it. */
function untagged(cluster: string, nodeClaim: NodeClaim, node: Node): AdoptionOutcome {
  const alone = whyLeftAlone({ nodeClaim, node });
  if (alone !== undefined) return left(alone.reason, alone.message);
  const nodePool = poolNamedBy({ nodeClaim, node }) ?? '';
  const id = instanceOfNodeClaim(nodeClaim)?.id ?? '';
  const wanted = { ...ownershipTags(cluster), [NODE_POOL]: nodePool, [NODE_CLAIM_TAG]: nodeClaim.metadata.name };
  const tags = Object.entries(wanted).map(([key, value]) => `Key=${key},Value=${value}`);
  const message = `its node ${node.metadata.name} exists, but EC2 lists no instance ${id} with the tags of the cluster. Do not delete the NodeClaim. If the instance runs, add the tags (aws ec2 create-tags --resources ${id} --tags ${tags.join(' ')}), then run this command again. If it has ended, run this command again when its node is gone`;
  return left('InstanceNotTagged', message);
}
