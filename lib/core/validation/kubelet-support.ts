import type { AmiFamily } from '../../apis/ami-family.ts';
import type { FieldProblem } from './field-problem.ts';

/** What becomes a setting of the families that do not take the kubelet's configuration as it is. */
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
 * What of `spec.kubelet` the nodes of the AMI family would not get, for which Karpenter calls the class not ready (A3.18).
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
      message: `has no setting in the AMI family ${family}`,
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
      message: `has ${addresses.length} addresses, and the AMI family ${family} takes one`,
      allowed: 'a list of one address, or amiFamily AL2023',
    },
  ];
}
