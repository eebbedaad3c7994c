import type { Labels } from './kubernetes.ts';

/** The fields of the kubelet configuration that decisions read (A3.15). Every other field is passed to the node unchanged. */
export interface KubeletConfiguration {
  /** Text is an expression that is evaluated for each instance type (A3.17), as in the reservations. */
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
