import type { Labels } from '../../../apis/kubernetes.ts';
import { CAPACITY_TYPE, INSTANCE_TYPE, NODE_CLAIM_TAG, NODE_POOL, ZONE } from '../../../apis/labels.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import { DISRUPTED_TAINT, sameTaint } from '../../../apis/taints.ts';
import { compareText } from '../../compare-text.ts';
import { instanceOf, type NodeClaimRecord } from '../../model/node-claim-record.ts';
import { CLUSTER_TAG } from '../../model/ownership-tags.ts';
import type { Reason } from '../../model/reasons.ts';
import { adoptedRecord, type Orphan, whyLeftAlone } from './adoption.ts';
import { type FoundInstance, whyDrifted } from './left-claim.ts';
import { type OrphanWorld, orphanOf } from './orphans.ts';

/** An instance of the cluster, whoever launched it; `nodeClaim` is empty where its tags do not say. */
export interface LeftInstance extends FoundInstance {
  readonly tags: Labels;
}

/** What another autoscaler left, and what is known of it already. */
export interface LeftWorld extends OrphanWorld {
  readonly instances: readonly LeftInstance[];
  /** Released ones included, by name. */
  readonly records: ReadonlyMap<string, NodeClaimRecord>;
}

export type AdoptionOutcome =
  /** `tags`: what its instance lacks, without which Kerf would not know it for its own. */
  | { readonly kind: 'adopt'; readonly record: NodeClaimRecord; readonly tags: Labels }
  | { readonly kind: 'known' }
  | { readonly kind: 'left'; readonly reason: Reason; readonly message: string };

/** One NodeClaim or instance, and what becomes of it. */
export interface AdoptionLine {
  readonly node: string | undefined;
  readonly nodeClaim: string | undefined;
  readonly nodePool: string | undefined;
  readonly instanceId: string | undefined;
  readonly instanceType: string | undefined;
  readonly zone: string | undefined;
  readonly capacityType: string | undefined;
  readonly outcome: AdoptionOutcome;
  /** What somebody should know of it. */
  readonly notes: readonly string[];
}

/** What taking over comes to, by NodeClaim: an instance each with its claim, then claims that have none. */
export function planAdoption(world: LeftWorld, nowMs: number): readonly AdoptionLine[] {
  const orphans = world.instances.map((instance) => ({ instance, orphan: named(orphanOf(world, instance)) }));
  const claimed = new Set(orphans.flatMap(({ orphan }) => orphan.nodeClaim?.metadata.name ?? []));
  const without = world.nodeClaims.filter(({ metadata }) => !claimed.has(metadata.name));
  return [
    ...orphans.map(({ instance, orphan }) => lineOf(world, { instance, orphan }, nowMs)),
    ...without.map(lineWithoutInstance),
  ].toSorted((a, b) => compareText(a.nodeClaim ?? a.instanceId ?? '', b.nodeClaim ?? b.instanceId ?? ''));
}

/** The object that names the instance says whose it is: Karpenter tags it with that only once its node is registered (C84). */
function named(orphan: Orphan): Orphan {
  const { nodeClaim, instance } = orphan;
  if (nodeClaim === undefined) return orphan;
  const nodePool = nodeClaim.metadata.labels?.[NODE_POOL] ?? instance.nodePool;
  return { ...orphan, instance: { ...instance, nodeClaim: nodeClaim.metadata.name, nodePool } };
}

function lineOf(
  world: LeftWorld,
  { instance, orphan }: { readonly instance: LeftInstance; readonly orphan: Orphan },
  nowMs: number,
): AdoptionLine {
  const { id, instanceType, zone, capacityType, nodeClaim, nodePool } = orphan.instance;
  return {
    node: orphan.node?.metadata.name,
    nodeClaim: nodeClaim === '' ? undefined : nodeClaim,
    nodePool: nodePool === '' ? undefined : nodePool,
    instanceId: id,
    instanceType,
    zone,
    capacityType,
    outcome: outcomeOf(world, { instance, orphan }, nowMs),
    notes: notesOf(orphan),
  };
}

function outcomeOf(
  { cluster, records }: LeftWorld,
  { instance, orphan }: { readonly instance: LeftInstance; readonly orphan: Orphan },
  nowMs: number,
): AdoptionOutcome {
  const { id, nodeClaim: name } = orphan.instance;
  if (name === '') {
    const message = `no NodeClaim names it and its tags name none: its launch was cut off. Terminate it (aws ec2 terminate-instances --instance-ids ${id}) once no pods run on it`;
    return left('LaunchCutOff', message);
  }
  const known = records.get(name);
  if (known !== undefined) {
    if (instanceOf(known)?.id === id && known.releasedAtMs === undefined) return { kind: 'known' };
    return left('NameTaken', `Kerf has a record of NodeClaim ${name} with another instance, or one that is released`);
  }
  const alone = whyLeftAlone(orphan);
  if (alone !== undefined) return left(alone.reason, alone.message);
  const record = adoptedRecord(orphan, nowMs);
  if (record === undefined) {
    return left(
      'InstanceWithoutRecord',
      `there is no NodeClaim, no NodePool ${orphan.instance.nodePool} and no node of it`,
    );
  }
  return { kind: 'adopt', record, tags: missingTags(cluster, instance, name) };
}

function left(reason: Reason, message: string): AdoptionOutcome {
  return { kind: 'left', reason, message };
}

/** By the first Kerf sees the instance, by the second IAM lets it be ended. */
function missingTags(cluster: string, { tags }: LeftInstance, nodeClaim: string): Labels {
  const wanted: Labels = { [NODE_CLAIM_TAG]: nodeClaim, [CLUSTER_TAG]: cluster };
  return Object.fromEntries(Object.entries(wanted).filter(([key, value]) => tags[key] !== value));
}

function notesOf(orphan: Orphan): readonly string[] {
  const { nodeClaim, node } = orphan;
  const drifted = whyDrifted(orphan);
  const going = nodeClaim?.metadata.deletionTimestamp;
  const tainted = node?.spec?.taints?.some((taint) => sameTaint(taint, DISRUPTED_TAINT)) === true;
  return [
    ...(going === undefined ? [] : [`is being deleted since ${going}: Kerf goes on with that`]),
    // A1.28.
    ...(drifted === undefined ? [] : [`had drifted (${drifted}): it stays so, and is replaced in its turn`]),
    ...(tainted && going === undefined
      ? [
          `its node carries ${DISRUPTED_TAINT.key}, and nothing deletes it: kubectl taint node ${node?.metadata.name} ${DISRUPTED_TAINT.key}-`,
        ]
      : []),
    ...(node === undefined ? ['its node has not joined yet: it has the whole time for that from now on'] : []),
  ];
}

/** Nothing was launched, or what was launched is gone: there is nothing to take over. */
function lineWithoutInstance({ metadata, status }: NodeClaim): AdoptionLine {
  const { name, labels = {} } = metadata;
  const why =
    status?.providerID === undefined ? 'it was never launched' : `EC2 has no instance for its ${status.providerID}`;
  const message = `${why}: kubectl delete nodeclaim ${name}, and take its finalizer away (kubectl patch nodeclaim ${name} --type merge -p '{"metadata":{"finalizers":null}}')`;
  return {
    node: status?.nodeName,
    nodeClaim: name,
    nodePool: labels[NODE_POOL],
    instanceId: undefined,
    instanceType: labels[INSTANCE_TYPE],
    zone: labels[ZONE],
    capacityType: labels[CAPACITY_TYPE],
    outcome: left('NoInstance', message),
    notes: [],
  };
}
