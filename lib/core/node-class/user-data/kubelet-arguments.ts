import { quote } from '../../../apis/formats/quote.ts';
import type { Labels } from '../../../apis/kubernetes.ts';
import { nodeLabelsFlag, taintsFlag } from './node-introduction.ts';
import type { NodeSettings } from './node-settings.ts';
import { asText, type Rendered, refused } from './rendered.ts';

/**
 * The characters that the shell, the service manager and the kubelet pass on unchanged, on Linux and Windows. Labels, taints,
 * amounts and durations need no others.
 */
const PLAIN = /^[A-Za-z0-9._/,:=%<+-]*$/;

/**
 * The command line of the kubelet on images without a configuration file from Kerf (C70, C72): labels, taints, and the
 * kubelet settings of the NodeClass. The bootstrap script sets the DNS address.
 * *Errors:* refused where a value would not reach the kubelet unchanged.
 */
export function kubeletArguments({ labels, taints, kubelet }: NodeSettings): Rendered {
  const given = [
    nodeLabelsFlag(labels),
    taintsFlag(taints),
    ...single('max-pods', kubelet.maxPods),
    ...single('pods-per-core', kubelet.podsPerCore),
    ...several('system-reserved', '=', kubelet.systemReserved),
    ...several('kube-reserved', '=', kubelet.kubeReserved),
    ...several('eviction-hard', '<', kubelet.evictionHard),
    ...several('eviction-soft', '<', kubelet.evictionSoft),
    ...several('eviction-soft-grace-period', '=', kubelet.evictionSoftGracePeriod),
    ...single('eviction-max-pod-grace-period', kubelet.evictionMaxPodGracePeriod),
    ...single('image-gc-high-threshold', kubelet.imageGCHighThresholdPercent),
    ...single('image-gc-low-threshold', kubelet.imageGCLowThresholdPercent),
    ...single('cpu-cfs-quota', kubelet.cpuCFSQuota),
  ];
  const odd = given.find((argument) => !PLAIN.test(argument));
  if (odd === undefined) return asText(given.map(quoted).join(' '));
  return refused(
    'UnsupportedKubeletConfiguration',
    `the kubelet argument ${quote(odd)} contains characters that the bootstrap script does not pass on; use letters, digits and . _ / , : = % < + -`,
  );
}

function single(flag: string, value: string | number | boolean | null | undefined): readonly string[] {
  return value === undefined || value === null ? [] : [`--${flag}=${value}`];
}

function several(flag: string, sign: '=' | '<', values: Labels | null | undefined): readonly string[] {
  const pairs = Object.entries(values ?? {}).map(([key, value]) => `${key}${sign}${value}`);
  return pairs.length === 0 ? [] : [`--${flag}=${pairs.toSorted().join(',')}`];
}

/** Quotes arguments with "<", which a shell would treat as a redirection. */
function quoted(argument: string): string {
  return argument.includes('<') ? argument.replace(/=(.*)$/, '="$1"') : argument;
}
