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

/** The pods to place, and everything that affects where they can be placed. */
export interface SchedulingProblem {
  readonly pods: readonly Pod[];
  /** Nodes and claims in flight. Those that are being deleted count for topology, but do not accept pods. */
  readonly stateNodes: readonly StateNode[];
  readonly nodePools: readonly NodePoolView[];
  /** The names of NodePools whose instances do not register as nodes. They are tried after the others (B71). @default none */
  readonly failingPools?: ReadonlySet<string>;
  readonly daemonSets: readonly DaemonSet[];
  /** The pods of DaemonSets that have no node yet; those with a node are on `stateNodes`. @default none */
  readonly unboundDaemonPods?: readonly Pod[];
  /** @default no volumes: a pod with a PersistentVolumeClaim is refused */
  readonly storage?: Storage;
  /** Used by namespaceSelector. @default the namespaces in use, without labels */
  readonly namespaces?: readonly Namespace[];
  readonly options?: SchedulingOptions;
}

/** A NodeClaim that is planned and not recorded yet. */
export interface PlannedNodeClaim {
  /** `planned-1`: a placeholder for its hostname, until the node exists. */
  readonly name: string;
  readonly template: NodeClaimTemplate;
  readonly pods: readonly Pod[];
  readonly requirements: Requirements;
  /** The types that it may be launched as, in the order of their cheapest compatible offering; ties by name. */
  readonly instanceTypes: readonly InstanceType[];
  /** The cheapest offering. B26: ties by type, zone, capacity type. */
  readonly cheapest: { readonly type: InstanceType; readonly offering: Offering };
  /** The requests of its pods, and of the daemons that run on all of its types (B38). */
  readonly requests: Resources;
  /** The most that it may cost when it is launched, in USD per hour. @default any price */
  readonly maxPriceUsdPerHour?: number;
  /** B24: true if fewer values remain than minValues requires; the BestEffort policy allows this. */
  readonly minValuesRelaxed: boolean;
}

/** The sum of the cheapest offerings. *Units:* USD per hour. */
export function cheapestUsd(claims: readonly Pick<PlannedNodeClaim, 'cheapest'>[]): number {
  return claims.reduce((sum, { cheapest }) => sum + cheapest.offering.priceUsdPerHour, 0);
}

export interface Unplaced {
  readonly pod: Pod;
  /** One refusal for each NodePool. A refusal without a pool applies to all pools. */
  readonly refusals: readonly { readonly nodePool?: string; readonly refusal: Refusal }[];
  /** Why no existing node fits; undefined if there are no nodes, or if none was tried. */
  readonly onNodes?: Refusal;
}

export interface Schedule {
  readonly newClaims: readonly PlannedNodeClaim[];
  readonly existing: readonly { readonly stateNode: StateNode; readonly pods: readonly Pod[] }[];
  readonly unplaced: readonly Unplaced[];
}
