import type { Condition } from '../../apis/kubernetes.ts';
import { TERMINATION_FINALIZER } from '../../apis/labels.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import { formatTime } from '../../apis/time.ts';
import { formatResources } from '../resources/resources.ts';
import { instanceOf, type NodeClaimRecord, providerIdOf } from './record.ts';

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

/** A2.5: Ready when launched, registered and initialized. */
function conditionsOf(record: NodeClaimRecord): readonly Condition[] {
  const launchedAtMs = record.launch.kind === 'launched' ? record.launch.atMs : undefined;
  const { registeredAtMs, initializedAtMs } = record;
  return [
    condition('Launched', launchedAtMs, record),
    condition('Registered', registeredAtMs, record),
    condition('Initialized', initializedAtMs, record),
    condition('Ready', initializedAtMs, record),
  ];
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
