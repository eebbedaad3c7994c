import type { Condition, OwnerReference } from '../../apis/kubernetes.ts';
import { TERMINATION_FINALIZER } from '../../apis/labels.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import { formatTime } from '../../apis/time.ts';
import { formatResources } from '../resources/resources.ts';
import { instanceOf, type NodeClaimRecord, providerIdOf } from './record.ts';

/** D3. */
export const LONGEST_MESSAGE = 300;

/** The NodeClaim object that shows a record in the cluster (A2.3–A2.7). */
export function mirrorOf(record: NodeClaimRecord): NodeClaim {
  const instance = instanceOf(record);
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name: record.name,
      labels: record.labels,
      annotations: record.annotations,
      finalizers: [TERMINATION_FINALIZER],
      ...(record.nodePoolUid === undefined ? {} : { ownerReferences: [ownerOf(record.nodePool, record.nodePoolUid)] }),
      creationTimestamp: formatTime(record.createdAtMs),
    },
    spec: record.spec,
    status: {
      ...(record.nodeName === undefined ? {} : { nodeName: record.nodeName }),
      ...(instance === undefined ? {} : { providerID: providerIdOf(instance), imageID: instance.imageId }),
      ...(instance === undefined
        ? {}
        : { capacity: formatResources(record.holds), allocatable: formatResources(record.allocatable) }),
      conditions: conditionsOf(record),
    },
  };
}

/** A1.29: deleting the NodePool deletes its claims. */
function ownerOf(name: string, uid: string): OwnerReference {
  return { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name, uid, blockOwnerDeletion: true };
}

/** Whether the object in the cluster says what the record says. */
export function isShownBy(record: NodeClaimRecord, mirror: NodeClaim | undefined): boolean {
  const wanted = mirrorOf(record).status;
  const shown = mirror?.status;
  return (
    shown !== undefined &&
    shown.providerID === wanted?.providerID &&
    shown.nodeName === wanted?.nodeName &&
    trueConditions(shown) === trueConditions(wanted) &&
    launchMessage(shown) === launchMessage(wanted)
  );
}

function trueConditions(status: NodeClaim['status']): string {
  const types = (status?.conditions ?? []).flatMap((one) => (one.status === 'True' ? [one.type] : []));
  return types.toSorted().join();
}

function launchMessage(status: NodeClaim['status']): string {
  return (status?.conditions ?? []).find(({ type }) => type === 'Launched')?.message ?? '';
}

/** A2.5: Ready when launched, registered and initialized. */
function conditionsOf(record: NodeClaimRecord): readonly Condition[] {
  const launchedAtMs = record.launch.kind === 'launched' ? record.launch.atMs : undefined;
  const { registeredAtMs, initializedAtMs } = record;
  return [
    record.launch.kind === 'refused'
      ? failedLaunch(record.launch, record)
      : condition('Launched', launchedAtMs, record),
    condition('Registered', registeredAtMs, record),
    condition('Initialized', initializedAtMs, record),
    condition('Ready', initializedAtMs, record),
  ];
}

/** D3: what EC2 objects to, cut to what fits a table. */
function failedLaunch({ message }: { readonly message: string }, record: NodeClaimRecord): Condition {
  const shown = message.slice(0, LONGEST_MESSAGE);
  return { ...condition('Launched', undefined, record), reason: 'LaunchFailed', message: shown };
}

function condition(type: string, sinceMs: number | undefined, record: NodeClaimRecord): Condition {
  return sinceMs === undefined
    ? {
        type,
        status: 'Unknown',
        reason: 'AwaitingReconciliation',
        message: '',
        lastTransitionTime: formatTime(record.createdAtMs),
      }
    : { type, status: 'True', reason: type, message: '', lastTransitionTime: formatTime(sinceMs) };
}
