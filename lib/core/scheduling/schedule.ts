import type { DaemonSet, Namespace, Pod } from '../../apis/kubernetes.ts';
import type { Storage } from '../../apis/storage.ts';
import type { StateNode } from '../cluster/state-node.ts';
import type { NodePoolView } from '../model/cluster-snapshot.ts';
import type { InstanceType, Offering } from '../model/instance-type.ts';
import type { Refusal } from '../model/refusal.ts';
import type { SchedulingOptions } from '../model/scheduling-options.ts';
import type { Requirements } from '../requirements/requirements.ts';
import type { Resources } from '../resources/resources.ts';
import type { NodeClaimTemplate } from './pools/template.ts';

/** Pods to place, and everything that bears on where they may go. */
export interface SchedulingProblem {
  readonly pods: readonly Pod[];
  /** Nodes and claims in flight that may take pods; those that are going are counted and take none. */
  readonly stateNodes: readonly StateNode[];
  readonly nodePools: readonly NodePoolView[];
  readonly daemonSets: readonly DaemonSet[];
  /** @default no volumes: a pod that asks for one is refused */
  readonly storage?: Storage;
  /** For namespaceSelector. @default the namespaces in use, without labels */
  readonly namespaces?: readonly Namespace[];
  readonly options?: SchedulingOptions;
  /**
   * B33: the names of nodes that consolidation may not move pods to; pods that are pending, or whose node is going, may
   * still come. @default none
   */
  readonly protectedNodes?: ReadonlySet<string>;
}

/** A NodeClaim that is only planned. */
export interface PlannedNodeClaim {
  /** `planned-1`: the place of its hostname, until there is a node. */
  readonly name: string;
  readonly template: NodeClaimTemplate;
  readonly pods: readonly Pod[];
  readonly requirements: Requirements;
  /** What it may be launched as: the type with the cheapest compatible offering first, ties by name. */
  readonly instanceTypes: readonly InstanceType[];
  /** B26: ties by type, zone, capacity type. */
  readonly cheapest: { readonly type: InstanceType; readonly offering: Offering };
  /** Of its pods, and of the daemons that come with each of its types at the least (B38). */
  readonly requests: Resources;
  /** B24: true where fewer values are left than minValues asks for, which BestEffort lets pass. */
  readonly minValuesRelaxed: boolean;
}

export interface Unplaced {
  readonly pod: Pod;
  /** One refusal a NodePool; without a pool where none could be asked. */
  readonly refusals: readonly { readonly nodePool?: string; readonly refusal: Refusal }[];
  /** Why none of the nodes that are there took it; undefined where there are none, or none was asked. */
  readonly onNodes?: Refusal;
}

export interface Schedule {
  readonly newClaims: readonly PlannedNodeClaim[];
  readonly existing: readonly { readonly stateNode: StateNode; readonly pods: readonly Pod[] }[];
  readonly unplaced: readonly Unplaced[];
}
