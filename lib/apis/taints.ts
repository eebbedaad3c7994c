import type { Taint, Toleration } from './kubernetes.ts';

/** A6.5: marks a candidate for disruption or a draining node. */
export const DISRUPTED_TAINT: Taint = { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' };
/** Ours (E38): the kube-scheduler uses the node last, because its pods are worth less of its price than those of other nodes. */
export const UNDERUTILIZED_TAINT: Taint = { key: 'kerf.dev/underutilized', effect: 'PreferNoSchedule' };
/** A6.5: the kubelet registers with this taint; registration removes it. */
export const UNREGISTERED_TAINT: Taint = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' };

/** A6.6: taints that other components set and remove while a node starts. */
const EPHEMERAL_KEYS: ReadonlySet<string> = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.cloudprovider.kubernetes.io/uninitialized',
  UNREGISTERED_TAINT.key,
]);

/** A6.6: true for a taint that must be removed before the node counts as initialized, and is ignored until then. */
export function isEphemeral(taint: Taint): boolean {
  return EPHEMERAL_KEYS.has(taint.key) || taint.key.startsWith('readiness.k8s.io/');
}

/** As in Kubernetes: a node has a key and effect once, and the value may change. */
export function sameTaint(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect;
}

/** `key=value:effect`, as kubectl writes a taint. */
export function formatTaint(taint: Taint): string {
  return `${taint.key}${taint.value === undefined || taint.value === '' ? '' : `=${taint.value}`}:${taint.effect}`;
}

/** Whether one of the tolerations matches the taint. */
export function tolerates(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerationOf(tolerations, taint) !== undefined;
}

/** As in Kubernetes, the first toleration that matches: an empty key with Exists matches all taints, and an empty effect all effects. */
export function tolerationOf(tolerations: readonly Toleration[], taint: Taint): Toleration | undefined {
  return tolerations.find(({ key = '', effect = '', operator, value = '' }) => {
    if (effect !== '' && effect !== taint.effect) return false;
    const exists = operator === 'Exists';
    if (key === '') return exists;
    return key === taint.key && (exists || value === (taint.value ?? ''));
  });
}

/** The taints that exclude pods. PreferNoSchedule is only a preference. */
export function hardTaints(taints: readonly Taint[]): readonly Taint[] {
  return taints.filter((taint) => taint.effect !== 'PreferNoSchedule');
}

/** The first taint that the pod does not tolerate, or undefined. PreferNoSchedule counts until it is relaxed (B61). */
export function untoleratedTaint(taints: readonly Taint[], tolerations: readonly Toleration[] = []): Taint | undefined {
  return taints.find((taint) => !tolerates(tolerations, taint));
}
