import { formatTime } from '../../../apis/formats/time.ts';
import type { Labels, OwnerReference } from '../../../apis/kubernetes.ts';
import { TERMINATION_FINALIZER, TERMINATION_TIMESTAMP } from '../../../apis/labels.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import { sameContent } from '../../canonical-json.ts';
import { compareText } from '../../compare-text.ts';
import { instanceOf, type NodeClaimRecord, providerIdOf } from '../../model/node-claim-record.ts';
import { formatResources } from '../../resources/resources.ts';
import { offeringLabels } from '../registration.ts';
import { CONDITION_TYPES, type ConditionsView, conditionsOf } from './mirror-conditions.ts';

export interface MirrorView extends ConditionsView {
  /** The object as it is in the cluster. @default there is none yet */
  readonly mirror?: NodeClaim | undefined;
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
      labels: { ...offeringLabels(record), ...record.labels },
      annotations: { ...record.annotations, ...terminationTimestamp(record) },
      finalizers: finalizersOf(view),
      ...(ownerReferences.length === 0 ? {} : { ownerReferences }),
      creationTimestamp: formatTime(record.createdAtMs),
    },
    // It cannot change once it is there (A2.1), and what another program left out of it counts as well.
    spec: view.mirror?.spec ?? record.spec,
    status: {
      ...(nodeName === undefined ? {} : { nodeName }),
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
 * A1.29: deleting the NodePool deletes its claims. Said when the object is made, and kept as it was found afterwards: a
 * reference to a pool that is not there any more would have Kubernetes delete the claim, and taking one away while a pool is
 * being deleted would keep the claim.
 */
function ownersOf({ mirror, nodePool }: MirrorView): readonly OwnerReference[] {
  if (mirror !== undefined) return (mirror.metadata.ownerReferences ?? []).filter(({ kind }) => kind === 'NodePool');
  if (nodePool?.metadata.uid === undefined) return [];
  const { name, uid } = nodePool.metadata;
  return [{ apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name, uid, blockOwnerDeletion: true }];
}

/** The API server takes no new finalizer on an object that is going. */
function finalizersOf({ mirror }: MirrorView): readonly string[] {
  const { deletionTimestamp, finalizers = [] } = mirror?.metadata ?? {};
  return deletionTimestamp === undefined || finalizers.includes(TERMINATION_FINALIZER) ? [TERMINATION_FINALIZER] : [];
}

/** D18. */
function terminationTimestamp({ deletion }: NodeClaimRecord): Labels {
  return deletion?.deadlineMs === undefined ? {} : { [TERMINATION_TIMESTAMP]: formatTime(deletion.deadlineMs) };
}

/** Whether the object in the cluster says what the record says; what others say beside it is theirs. */
export function isShownBy(record: NodeClaimRecord, view: MirrorView): boolean {
  const { mirror } = view;
  if (mirror?.status === undefined) return false;
  const { metadata, status } = mirrorOf(record, view);
  const { conditions = [], ...rest } = mirror.status;
  const ours = conditions.filter(({ type }) => CONDITION_TYPES.includes(type));
  return (
    includes(mirror.metadata.labels, metadata.labels) &&
    includes(mirror.metadata.annotations, metadata.annotations) &&
    metadata.finalizers?.every((one) => mirror.metadata.finalizers?.includes(one)) === true &&
    sameContent({ ...rest, conditions: byType(ours) }, { ...status, conditions: byType(status?.conditions ?? []) })
  );
}

function includes(shown: Labels = {}, wanted: Labels = {}): boolean {
  return Object.entries(wanted).every(([key, value]) => shown[key] === value);
}

/** A condition is found by its type: their order says nothing. */
function byType<One extends { readonly type: string }>(conditions: readonly One[]): readonly One[] {
  return conditions.toSorted((a, b) => compareText(a.type, b.type));
}
