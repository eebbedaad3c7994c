import {
  KARPENTER_NAMESPACES,
  type KarpenterDeployment,
  type KarpenterLease,
} from '../../../lib/core/cluster/karpenter-signs.ts';
import type { AutoscalerTraces } from '../../../lib/core/cluster/other-autoscalers.ts';
import { NOW_MS } from '../../builders/times.ts';

/** A cluster without another autoscaler, and without a claim. */
export const NO_TRACES: AutoscalerTraces = {
  namespaces: KARPENTER_NAMESPACES,
  leases: [],
  deployments: [],
  writers: [],
  unread: [],
};

/** A cluster that this deployment of Kerf holds, without another autoscaler. */
export const OWN_TRACES: AutoscalerTraces = { ...NO_TRACES, claim: { deployment: 'own', isOwn: true } };

export const KARPENTER_ACCOUNT = { namespace: 'kube-system', name: 'karpenter' };

/** A lease that Karpenter renewed 3 s ago. */
export function aKarpenterLease(over: Partial<KarpenterLease> = {}): KarpenterLease {
  return {
    namespace: 'kube-system',
    holder: 'karpenter-5b_1',
    renewedAtMs: NOW_MS - 3_000,
    durationMs: 15_000,
    ...over,
  };
}

export function aKarpenterDeployment(over: Partial<KarpenterDeployment> = {}): KarpenterDeployment {
  return { namespace: 'kube-system', name: 'karpenter', replicas: 2, ready: 2, serviceAccount: 'karpenter', ...over };
}

/** A cluster in which Karpenter runs without leader election. */
export const KARPENTER_TRACES: AutoscalerTraces = {
  ...OWN_TRACES,
  deployments: [aKarpenterDeployment()],
  writers: [KARPENTER_ACCOUNT],
};
