import type { RawTaint, RawToleration } from './raw-documents.ts';

/** The first taint that the pod does not tolerate; PreferNoSchedule is ignored. */
export function untolerated(taints: readonly RawTaint[], tolerations: readonly RawToleration[]): RawTaint | undefined {
  return taints.find(
    (taint) =>
      (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') &&
      !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}

function tolerates(toleration: RawToleration, taint: RawTaint): boolean {
  const { key = '', operator = 'Equal', value = '', effect = '' } = toleration;
  const sameEffect = effect === '' || effect === taint.effect;
  if (key === '') {
    return sameEffect && operator === 'Exists';
  }
  return sameEffect && key === taint.key && (operator === 'Exists' || value === (taint.value ?? ''));
}

/** B16: taints that exist only while a node starts. */
export function isEphemeral({ key, value = '', effect }: RawTaint): boolean {
  return (
    key.startsWith('readiness.k8s.io/') ||
    EPHEMERAL.some((one) => one.key === key && one.effect === effect && (one.value ?? value) === value)
  );
}

const EPHEMERAL: readonly RawTaint[] = [
  { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' },
  { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' },
  { key: 'karpenter.sh/unregistered', effect: 'NoExecute' },
];
