import type { AmiFamily } from '../../apis/ami-family.ts';
import type { FieldProblem } from './field-problem.ts';

/** The fields that can be set in AMI families that do not accept a KubeletConfiguration. */
const MAPPED: readonly string[] = [
  'clusterDNS',
  'maxPods',
  'podsPerCore',
  'systemReserved',
  'kubeReserved',
  'evictionHard',
  'evictionSoft',
  'evictionSoftGracePeriod',
  'evictionMaxPodGracePeriod',
  'imageGCHighThresholdPercent',
  'imageGCLowThresholdPercent',
  'cpuCFSQuota',
];

/**
 * The fields of `spec.kubelet` that the AMI family does not support. Karpenter sets the class to not ready for them (A3.18).
 * *Shape:* paths from `spec.kubelet`.
 */
export function unsupportedKubeletFields(
  kubelet: Readonly<Record<string, unknown>>,
  family: AmiFamily,
): readonly FieldProblem[] {
  if (family === 'AL2023' || family === 'Custom') return [];
  const settable = family === 'Bottlerocket' ? MAPPED.filter((field) => field !== 'podsPerCore') : MAPPED;
  const fields = Object.keys(kubelet).filter((field) => kubelet[field] !== null && !settable.includes(field));
  return [
    ...fields.map((field) => ({
      path: [field],
      message: `is not supported by the AMI family ${family}`,
      allowed: `one of ${settable.join(', ')}, or amiFamily AL2023`,
    })),
    ...severalAddresses(kubelet['clusterDNS'], family),
  ];
}

function severalAddresses(addresses: unknown, family: AmiFamily): readonly FieldProblem[] {
  if (!Array.isArray(addresses) || addresses.length < 2) return [];
  return [
    {
      path: ['clusterDNS'],
      message: `has ${addresses.length} addresses, but the AMI family ${family} supports one`,
      allowed: 'a list of one address, or amiFamily AL2023',
    },
  ];
}
