import type { Labels } from '../../apis/kubernetes.ts';
import { quote } from '../../apis/quote.ts';
import { nodeLabelsFlag, taintsFlag } from './node-introduction.ts';
import type { NodeSettings } from './node-settings.ts';
import { asText, type Rendered, refused } from './rendered.ts';

/**
 * What survives the shell, the service manager and the kubelet's own reading of its command line, on Linux and Windows.
 * Labels, taints, amounts and lengths of time need no more.
 */
const PLAIN = /^[A-Za-z0-9._/,:=%<+-]*$/;

/**
 * The kubelet's command line on the images whose kubelet is not told by a file of ours (C70, C72): labels, taints, and what
 * the NodeClass says of the kubelet. Its DNS is the bootstrap script's to set.
 * *Errors:* refused where a value would not reach the kubelet as it is.
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
  if (odd === undefined) return asText(given.map(guarded).join(' '));
  return refused(
    'UnsupportedKubeletConfiguration',
    `the kubelet's argument ${quote(odd)} would not arrive as it is: use letters, digits and . _ / , : = % < + -`,
  );
}

function single(flag: string, value: string | number | boolean | null | undefined): readonly string[] {
  return value === undefined || value === null ? [] : [`--${flag}=${value}`];
}

function several(flag: string, sign: '=' | '<', values: Labels | null | undefined): readonly string[] {
  const pairs = Object.entries(values ?? {}).map(([key, value]) => `${key}${sign}${value}`);
  return pairs.length === 0 ? [] : [`--${flag}=${pairs.toSorted().join(',')}`];
}

/** To a shell on the way, what follows < would be a file. */
function guarded(argument: string): string {
  return argument.includes('<') ? argument.replace(/=(.*)$/, '="$1"') : argument;
}
