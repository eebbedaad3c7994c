import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { conditionStatus, type Labels } from '../../../apis/kubernetes.ts';
import { ARCH, INSTANCE_TYPE } from '../../../apis/labels.ts';
import type { NodePool } from '../../../apis/node-pool.ts';
import { imageFor } from '../../model/images.ts';
import { type Requirements, requirementsFrom } from '../../requirements/requirements.ts';

/** What a NodePool and its NodeClass require of their nodes now. All claims of the NodePool share it in a run. */
export interface DriftTarget {
  readonly nodePool: string;
  /** The hash annotations of the NodePool. */
  readonly poolHash: Labels;
  readonly requirements: Requirements;
  /** @default the class does not exist, is being deleted, or has no status for its spec: it is not compared */
  readonly nodeClass?: ClassTarget;
}

/** What the status of a NodeClass selects. An absent set is not compared. */
export interface ClassTarget {
  readonly name: string;
  readonly annotations: Labels;
  /** The image for the type with these labels, which are all labels of the type; undefined if no image fits it, or the class selects none. */
  readonly imageOf: (labels: Labels) => string | undefined;
  readonly subnets?: ReadonlySet<string>;
  readonly securityGroups?: ReadonlySet<string>;
  readonly reservations?: ReadonlySet<string>;
}

/** *Cost:* O(requirements and selected resources), once for a NodePool in a run. */
export function driftTarget(nodePool: NodePool, poolHash: Labels, nodeClass: EC2NodeClass | undefined): DriftTarget {
  return {
    nodePool: nodePool.metadata.name,
    poolHash,
    requirements: requirementsFrom(nodePool.spec.template.spec.requirements),
    ...(nodeClass !== undefined && isCurrent(nodeClass) && { nodeClass: classTarget(nodeClass) }),
  };
}

/** C78: a class that is being deleted causes no drift. A class that has changed has the hash and the resources of its former spec. */
function isCurrent({ metadata, status }: EC2NodeClass): boolean {
  const { generation = 0, deletionTimestamp } = metadata;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return deletionTimestamp === undefined && ready !== undefined && (ready.observedGeneration ?? 0) >= generation;
}

function classTarget(nodeClass: EC2NodeClass): ClassTarget {
  const { metadata, status = {} } = nodeClass;
  const { subnets = [], securityGroups = [], capacityReservations = [] } = status;
  return {
    name: metadata.name,
    annotations: metadata.annotations ?? {},
    imageOf: imagesByType(status.amis ?? []),
    ...(subnets.length > 0 && { subnets: idsOf(subnets) }),
    ...(securityGroups.length > 0 && { securityGroups: idsOf(securityGroups) }),
    ...(areReservationsRead(nodeClass) && { reservations: idsOf(capacityReservations) }),
  };
}

/** Without the right to read reservations, the status has none. A class that selects no reservation has none either, and its nodes drift. */
function areReservationsRead(nodeClass: EC2NodeClass): boolean {
  const read = conditionStatus(nodeClass, 'CapacityReservationsReady');
  return read === undefined || read === 'True';
}

function idsOf(list: readonly { readonly id: string }[]): ReadonlySet<string> {
  return new Set(list.map(({ id }) => id));
}

/** Computed once for each instance type, whose labels are the same on every node. */
function imagesByType(
  images: readonly (Parameters<typeof imageFor>[1][number] & { readonly id: string })[],
): ClassTarget['imageOf'] {
  const known = new Map<string, string | undefined>();
  return (labels) => {
    const type = labels[INSTANCE_TYPE] ?? '';
    const architecture = labels[ARCH] === 'arm64' ? 'arm64' : 'amd64';
    if (!known.has(type)) known.set(type, imageFor({ architecture, imageLabels: labels }, images)?.id);
    return known.get(type);
  };
}
