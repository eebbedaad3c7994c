import { formatTime } from '../../../apis/formats/time.ts';
import type { Labels, OwnerReference } from '../../../apis/kubernetes.ts';
import { DECISION, REGION, TERMINATION_FINALIZER, TERMINATION_TIMESTAMP, ZONE_ID } from '../../../apis/labels.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import type { NodePool } from '../../../apis/node-pool.ts';
import { optional } from '../../../apis/optional.ts';
import { sameContent } from '../../canonical-json.ts';
import { compareText } from '../../compare-text.ts';
import { instanceLabelsIn } from '../../instance-type/instance-labels.ts';
import { lastFor } from '../../kept-answers.ts';
import { instanceOf, type NodeClaimRecord, providerIdOf } from '../../model/node-claim-record.ts';
import { formatResources } from '../../resources/resources.ts';
import { offeringLabels } from '../registration.ts';
import { CONDITION_TYPES, type ConditionsView, conditionsOf } from './mirror-conditions.ts';

export interface MirrorView extends ConditionsView {
  /** The object in the cluster. @default it does not exist yet */
  readonly mirror?: NodeClaim | undefined;
  /** The owner of a new object. */
  readonly nodePool?: NodePool | undefined;
  /** C15–C24: the labels of the instance type. @default those that the node and the object in the cluster have */
  readonly instanceLabels?: Labels | undefined;
}

/** The NodeClaim object that shows a record in the cluster (A2.3–A2.7). */
export function mirrorOf(record: NodeClaimRecord, view: MirrorView = {}): NodeClaim {
  const instance = instanceOf(record);
  const { nodeName, lastPodEventAtMs } = record;
  const ownerReferences = ownersOf(view);
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name: record.name,
      ...optional({ uid: view.mirror?.metadata.uid }),
      labels: { ...shownInstanceLabels(record, view), ...offeringLabels(record), ...record.labels },
      annotations: { ...record.annotations, [DECISION]: record.decisionId, ...terminationTimestamp(record) },
      finalizers: finalizersOf(view),
      ...(ownerReferences.length === 0 ? {} : { ownerReferences }),
      creationTimestamp: formatTime(record.createdAtMs),
    },
    // The spec of an existing object is immutable (A2.1), so it is kept, including fields that are not set.
    spec: view.mirror?.spec ?? record.spec,
    status: {
      ...optional({ nodeName }),
      ...(lastPodEventAtMs === undefined ? {} : { lastPodEventTime: formatTime(lastPodEventAtMs) }),
      ...(instance === undefined ? {} : { providerID: providerIdOf(instance), imageID: instance.imageId }),
      ...(instance === undefined
        ? {}
        : { capacity: formatResources(record.holds), allocatable: formatResources(record.allocatable) }),
      conditions: conditionsOf(record, view),
    },
  };
}

/**
 * A1.29: deleting the NodePool deletes its claims. The owner reference is set when the object is created, and not changed
 * afterwards: Kubernetes would delete a claim if the reference to a deleted pool were added, and would keep the claim if the
 * reference were removed while the pool is being deleted.
 */
function ownersOf({ mirror, nodePool }: MirrorView): readonly OwnerReference[] {
  if (mirror !== undefined) return (mirror.metadata.ownerReferences ?? []).filter(({ kind }) => kind === 'NodePool');
  if (nodePool?.metadata.uid === undefined) return [];
  const { name, uid } = nodePool.metadata;
  return [{ apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name, uid, blockOwnerDeletion: true }];
}

/** The API server rejects new finalizers on an object that is being deleted. */
function finalizersOf({ mirror }: MirrorView): readonly string[] {
  const { deletionTimestamp, finalizers = [] } = mirror?.metadata ?? {};
  return deletionTimestamp === undefined || finalizers.includes(TERMINATION_FINALIZER) ? [TERMINATION_FINALIZER] : [];
}

/**
 * D4: the labels of the instance, from the registration on. An apply removes the labels that it omits, so each later write repeats
 * those of the node, or of the object if the node is missing.
 */
function shownInstanceLabels(record: NodeClaimRecord, { mirror, node, instanceLabels }: MirrorView): Labels {
  if (record.registeredAtMs === undefined) return {};
  const [shown, ofNode] = [mirror?.metadata.labels, node?.metadata.labels];
  const ofType = { ...instanceLabelsIn(shown), ...instanceLabels, ...instanceLabelsIn(ofNode) };
  // The cloud controller adds these to the node. They are complete when the node is initialized, and need no write of their own.
  return record.initializedAtMs === undefined ? ofType : { ...ofType, ...placeLabels({ ...shown, ...ofNode }) };
}

function placeLabels(labels: Labels): Labels {
  return optional({ [REGION]: labels[REGION], [ZONE_ID]: labels[ZONE_ID] });
}

/** D18. */
function terminationTimestamp({ deletion }: NodeClaimRecord): Labels {
  return deletion?.deadlineMs === undefined ? {} : { [TERMINATION_TIMESTAMP]: formatTime(deletion.deadlineMs) };
}

/** Whether the object in the cluster matches the record. Labels, annotations and conditions of other programs are ignored. */
export function isShownBy(record: NodeClaimRecord, view: MirrorView): boolean {
  const { mirror, node, instanceLabels, consolidatableSinceMs } = view;
  return mirror !== undefined && shows(mirror, { record, node, instanceLabels, consolidatableSinceMs });
}

interface Shown extends ConditionsView, Pick<MirrorView, 'instanceLabels'> {
  readonly record: NodeClaimRecord;
}

/** A process that runs often compares most claims with the same object again. */
const shows = lastFor((mirror: NodeClaim, { record, ...view }: Shown): boolean => {
  if (mirror.status === undefined) return false;
  const { metadata, status } = mirrorOf(record, { ...view, mirror });
  const { conditions = [], ...rest } = mirror.status;
  const ours = conditions.filter(({ type }) => CONDITION_TYPES.includes(type));
  return (
    includes(mirror.metadata.labels, metadata.labels) &&
    includes(mirror.metadata.annotations, metadata.annotations) &&
    metadata.finalizers?.every((one) => mirror.metadata.finalizers?.includes(one)) === true &&
    sameContent({ ...rest, conditions: byType(ours) }, { ...status, conditions: byType(status?.conditions ?? []) })
  );
});

function includes(shown: Labels = {}, wanted: Labels = {}): boolean {
  return Object.entries(wanted).every(([key, value]) => shown[key] === value);
}

/** Compares conditions by type, because their order has no meaning. */
function byType<One extends { readonly type: string }>(conditions: readonly One[]): readonly One[] {
  return conditions.toSorted((a, b) => compareText(a.type, b.type));
}
