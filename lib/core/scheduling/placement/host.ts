import type { Taint } from '../../../apis/kubernetes.ts';
import type { Requirements } from '../../requirements/requirements.ts';

/** A place that pods can be on: a node, a claim in flight, or a claim that a run plans. */
export interface Host {
  /** True where labels are as they will be; false where requirements may still narrow. */
  readonly fixed: boolean;
  readonly requirements: Requirements;
  readonly taints: readonly Taint[];
}
