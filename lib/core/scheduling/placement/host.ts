import type { Taint } from '../../../apis/kubernetes.ts';
import type { Requirements } from '../../requirements/requirements.ts';

/** A node, a claim in flight, or a claim that a run plans. */
export interface Host {
  /** True if the labels are final; false if requirements may still narrow. */
  readonly fixed: boolean;
  readonly requirements: Requirements;
  readonly taints: readonly Taint[];
}
