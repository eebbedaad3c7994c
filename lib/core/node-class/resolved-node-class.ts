import type { NodeSelectorRequirement } from '../../apis/kubernetes.ts';
import type { ClusterBootstrap } from './cluster-bootstrap.ts';

/** What the selectors of an EC2NodeClass find just now (A3.27). */
export interface ResolvedNodeClass {
  readonly bootstrap: ClusterBootstrap;
  /** The subnet with the most free addresses first. */
  readonly subnets: readonly ResolvedSubnet[];
  readonly securityGroups: readonly { readonly id: string; readonly name: string }[];
  /** Those in force first, the newest first (C62): the first that fits a type is its image. */
  readonly images: readonly ResolvedImage[];
  readonly instanceProfile: string;
  /** @default none are selected */
  readonly capacityReservations?: readonly ResolvedCapacityReservation[];
  /** C68. @default none is selected */
  readonly placementGroup?: ResolvedPlacementGroup;
}

export interface ResolvedSubnet {
  readonly id: string;
  readonly zone: string;
  readonly zoneId: string;
  readonly freeAddresses: number;
}

export interface ResolvedImage {
  readonly id: string;
  readonly name: string;
  readonly deprecated: boolean;
  /** What an instance type must be like to run it: its architecture, and whether it has accelerators (C65). */
  readonly requirements: readonly NodeSelectorRequirement[];
}

export interface ResolvedCapacityReservation {
  readonly id: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly ownerId: string;
  readonly matchCriteria: 'open' | 'targeted';
  readonly type: 'default' | 'capacity-block';
  readonly interruptible: boolean;
  /** C31: a block is expiring in its last 40 minutes, and takes no more launches. */
  readonly state: 'active' | 'expiring';
  /** Not in use, as EC2 counts just now. */
  readonly availableInstances: number;
  /** @default it does not end by itself */
  readonly endsAtMs?: number;
}

export interface ResolvedPlacementGroup {
  readonly id: string;
  readonly name: string;
  readonly strategy: 'cluster' | 'partition' | 'spread';
  /** Of a partition group. */
  readonly partitions?: number;
}
