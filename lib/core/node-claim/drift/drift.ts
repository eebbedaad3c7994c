import { HOUR_MS, MINUTE_MS } from '../../../apis/formats/time.ts';
import type { Labels } from '../../../apis/kubernetes.ts';
import {
  ARCH,
  GRACEFUL_EXPIRATION,
  INSTANCE_MEMORY,
  NODE_CLASS_HASH,
  NODE_CLASS_HASH_VERSION,
  NODE_POOL_HASH,
  NODE_POOL_HASH_VERSION,
} from '../../../apis/labels.ts';
import { tenancyLabel } from '../../instance-type/tenancy.ts';
import { lastFor } from '../../kept-answers.ts';
import {
  DRIFT_REASONS,
  type Drift,
  type DriftReason,
  type Instance,
  instanceOf,
  type NodeClaimRecord,
} from '../../model/node-claim-record.ts';
import {
  type Requirements,
  requirementsFrom,
  requirementsFromLabels,
  whyIncompatible,
} from '../../requirements/requirements.ts';
import type { ClaimVerdict } from '../claim-verdict.ts';
import { expiredMessage, expiryOf } from '../join.ts';
import { offeringLabels } from '../registration.ts';
import type { DriftTarget } from './drift-target.ts';

/** D34: Karpenter does not report a type as missing in the first hour of a claim. */
const TYPE_AFTER_MS = HOUR_MS;

/**
 * From the launch: the status of a class is at most some minutes older than what launches select, so a new node may have a newer
 * image than the status.
 */
const CLASS_AFTER_MS = 5 * MINUTE_MS;

/** What drift detection compares with a claim. What is absent is not compared. */
export interface DriftView {
  /** @default the NodePool does not exist, or was not read */
  readonly target?: DriftTarget | undefined;
  /** The labels of the NodeClaim object, which has those of its instance type. @default the object was not read */
  readonly labels?: Labels | undefined;
  /** The instance as EC2 lists it. @default it was not listed */
  readonly instance?: DescribedParts | undefined;
  /** Whether the region has the instance type in the zone. @default it was not checked in this run */
  readonly offered?: boolean | undefined;
}

/** What EC2 describes of an instance. */
type DescribedParts = Pick<Instance, 'imageId' | 'reservation'> & {
  readonly subnetId?: string;
  readonly securityGroupIds?: readonly string[];
};

/** The message of a difference; `same`; or `unknown` if a fact is missing, so that an earlier finding stays. */
type Finding = { readonly message: string } | 'same' | 'unknown';

/** The inputs of the comparisons beside the record. The time is in them only as far as it changes a result. */
interface Inputs extends DriftView {
  readonly target: DriftTarget;
  readonly comparesType: boolean;
  readonly comparesClass: boolean;
  readonly isExpired: boolean;
}

interface Compared extends Inputs {
  readonly record: NodeClaimRecord;
}

/**
 * Adds to the records of the verdict whether the claim has drifted. *Source:* D34, D35, C78. *Cost:* no reads; a write of the
 * record when the reason or the message changes.
 */
export function withDrift(verdict: ClaimVerdict, view: DriftView, nowMs: number): ClaimVerdict {
  const { record, whenDone } = verdict;
  const { target } = view;
  const { launch, createdAtMs } = record;
  if (target === undefined || launch.kind !== 'launched') return verdict;
  const comparesType = nowMs - createdAtMs >= TYPE_AFTER_MS;
  const comparesClass = nowMs - launch.atMs >= CLASS_AFTER_MS;
  const isExpired = record.annotations[GRACEFUL_EXPIRATION] !== undefined && nowMs >= (expiryOf(record) ?? Infinity);
  const found = findDrift(record, { ...view, target, comparesType, comparesClass, isExpired });
  const noted = withFinding(record, found, nowMs);
  return noted === record
    ? verdict
    : { ...verdict, record: noted, ...(whenDone && { whenDone: withFinding(whenDone, found, nowMs) }) };
}

type FoundDrift = Pick<Drift, 'reason' | 'message'> | undefined;

/**
 * The first difference. A comparison that was not possible keeps its earlier finding. A process that runs often compares most
 * claims with the same objects again.
 */
const findDrift = lastFor((record: NodeClaimRecord, inputs: Inputs): FoundDrift => {
  const { drift: former } = record;
  for (const reason of DRIFT_REASONS) {
    const finding = COMPARISONS[reason]({ ...inputs, record });
    if (finding === 'same' || (finding === 'unknown' && former?.reason !== reason)) continue;
    return finding === 'unknown' ? former : { reason, message: finding.message };
  }
  return undefined;
});

function withFinding(record: NodeClaimRecord, found: FoundDrift, nowMs: number): NodeClaimRecord {
  const { drift: former, ...others } = record;
  if (former?.reason === found?.reason && former?.message === found?.message) return record;
  if (found === undefined) return others;
  const { reason, message } = found;
  return { ...others, drift: { reason, message, sinceMs: former?.sinceMs ?? nowMs } };
}

const COMPARISONS: Readonly<Record<DriftReason, (compared: Compared) => Finding>> = {
  NodePoolDrifted: poolHash,
  RequirementsDrifted: requirements,
  InstanceTypeNotFound: instanceType,
  NodeClassDrift: ofClass(classHash),
  AMIDrift: ofClass(image),
  SecurityGroupDrift: ofClass(securityGroups),
  SubnetDrift: ofClass(subnet),
  CapacityReservationDrift: ofClass(reservation),
  Expired: expired,
};

/** The node is replaced gracefully, and is deleted only if this takes too long. */
function expired({ record, isExpired }: Compared): Finding {
  return isExpired ? { message: expiredMessage(record) } : 'same';
}

function poolHash({ record, target }: Compared): Finding {
  const [version, hash] = [NODE_POOL_HASH_VERSION, NODE_POOL_HASH];
  const message = `the template of NodePool ${target.nodePool} has changed since the launch`;
  return compareHashes(record.annotations, target.poolHash, { version, hash, message });
}

/** D35: hashes of different versions are not comparable. */
function compareHashes(
  ofClaim: Labels,
  current: Labels,
  { version, hash, message }: { readonly version: string; readonly hash: string; readonly message: string },
): Finding {
  const [before, now] = [ofClaim[hash], current[hash]];
  if (before === undefined || now === undefined) return 'unknown';
  if (ofClaim[version] === undefined || ofClaim[version] !== current[version]) return 'unknown';
  return before === now ? 'same' : { message };
}

/** D35: strict, so the claim drifts if the NodePool requires a label that the claim does not have. */
function requirements({ record, target, labels }: Compared): Finding {
  // The labels of the instance type are complete when the node is initialized.
  if (record.initializedAtMs === undefined || labels?.[ARCH] === undefined) return 'unknown';
  const offered = offeredBy(record, { labels });
  const conflict = whyIncompatible(offered, target.requirements, new Set());
  if (conflict === undefined) return 'same';
  const { key, asked, offered: has } = conflict;
  return { message: `NodePool ${target.nodePool} requires ${key} ${asked}, and the label of the NodeClaim is ${has}` };
}

/**
 * The labels of the claim. A label that Kerf does not write to the claim, such as the tenancy of a node that was registered without it,
 * has the values that the claim requires. They stay the same when the status of the NodePool changes.
 */
const offeredBy = lastFor((record: NodeClaimRecord, { labels }: { readonly labels: Labels }): Requirements => {
  const required = requirementsFrom(record.spec.requirements);
  const own = requirementsFromLabels({
    ...tenancyLabel(required),
    ...labels,
    ...offeringLabels(record),
    ...record.labels,
  });
  return new Map([...required, ...own]);
});

/** D35: the type and the zone are compared, and not the capacity type, so an instance that outlives its reservation does not drift. */
function instanceType({ record, offered, comparesType }: Compared): Finding {
  const instance = instanceOf(record);
  if (instance === undefined || offered === undefined || !comparesType) return 'unknown';
  return offered ? 'same' : { message: `${instance.instanceType} is no longer offered in ${instance.zone}` };
}

type ClassCompared = Compared & { readonly nodeClass: NonNullable<DriftTarget['nodeClass']> };

function ofClass(compare: (compared: ClassCompared) => Finding): (compared: Compared) => Finding {
  return (compared) => {
    const { nodeClass } = compared.target;
    return nodeClass === undefined || !compared.comparesClass ? 'unknown' : compare({ ...compared, nodeClass });
  };
}

function classHash({ record, nodeClass }: ClassCompared): Finding {
  const [version, hash] = [NODE_CLASS_HASH_VERSION, NODE_CLASS_HASH];
  const message = `EC2NodeClass ${nodeClass.name} has changed since the launch`;
  return compareHashes(record.annotations, nodeClass.annotations, { version, hash, message });
}

/**
 * C78: a node has the first image that fits its type, as a new node would have. The labels of the instance type select it. The node has all of
 * them when it is initialized, whatever labels its template sets, and the object follows with a later write.
 */
function image({ record, nodeClass, labels }: ClassCompared): Finding {
  const instance = instanceOf(record);
  if (record.initializedAtMs === undefined || labels?.[INSTANCE_MEMORY] === undefined) return 'unknown';
  if (instance === undefined || instance.imageId === '') return 'unknown';
  const current = nodeClass.imageOf({ ...labels, ...offeringLabels(record) });
  if (current === undefined) return 'unknown';
  if (current === instance.imageId) return 'same';
  const { imageId, instanceType: type } = instance;
  return { message: `its image is ${imageId}, and EC2NodeClass ${nodeClass.name} selects ${current} for ${type}` };
}

function securityGroups({ nodeClass, instance }: ClassCompared): Finding {
  const { name, securityGroups: selected } = nodeClass;
  const own = instance?.securityGroupIds;
  if (selected === undefined || own === undefined) return 'unknown';
  if (own.length === selected.size && own.every((id) => selected.has(id))) return 'same';
  return { message: `its security groups are ${inOrder(own)}, and EC2NodeClass ${name} selects ${inOrder(selected)}` };
}

function inOrder(ids: Iterable<string>): string {
  return [...ids].toSorted().join(', ');
}

function subnet({ nodeClass, instance }: ClassCompared): Finding {
  const id = instance?.subnetId;
  if (nodeClass.subnets === undefined || id === undefined) return 'unknown';
  return nodeClass.subnets.has(id) ? 'same' : notSelected(`its subnet ${id}`, nodeClass);
}

function reservation({ nodeClass, instance }: ClassCompared): Finding {
  if (instance === undefined) return 'unknown';
  const id = instance.reservation?.id;
  if (id === undefined) return 'same';
  if (nodeClass.reservations === undefined) return 'unknown';
  return nodeClass.reservations.has(id) ? 'same' : notSelected(`its capacity reservation ${id}`, nodeClass);
}

function notSelected(what: string, { name }: ClassCompared['nodeClass']): Finding {
  return { message: `EC2NodeClass ${name} does not select ${what}` };
}
