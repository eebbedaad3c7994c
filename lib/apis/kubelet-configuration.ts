import type { Labels } from './kubernetes.ts';

/** The part of the kubelet's own configuration that decisions read (A3.15); every other field goes to the node as it is. */
export interface KubeletConfiguration {
  /** Text is an expression for each instance type (A3.17), as it may be in the reservations. */
  readonly maxPods?: number | string;
  readonly podsPerCore?: number;
  readonly kubeReserved?: Labels;
  readonly systemReserved?: Labels;
  readonly evictionHard?: Labels;
  readonly evictionSoft?: Labels;
  readonly evictionSoftGracePeriod?: Labels;
  readonly evictionMaxPodGracePeriod?: number;
  readonly imageGCHighThresholdPercent?: number;
  readonly imageGCLowThresholdPercent?: number;
  readonly cpuCFSQuota?: boolean;
  readonly clusterDNS?: readonly string[];
  readonly [field: string]: unknown;
}
