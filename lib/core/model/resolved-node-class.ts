import type { NodeSelectorRequirement } from '../../apis/kubernetes.ts';
import type { ClusterBootstrap } from './cluster-bootstrap.ts';

/** The resources that the selectors of an EC2NodeClass find (A3.27). */
export interface ResolvedNodeClass {
  readonly bootstrap: ClusterBootstrap;
  /** Ordered by free addresses, most first. */
  readonly subnets: readonly ResolvedSubnet[];
  readonly securityGroups: readonly { readonly id: string; readonly name: string }[];
  /** Images that are not deprecated first, newest first (C62). The first compatible one is the image of a type. */
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
  /** The requirements on instance types: architecture and accelerators (C65). */
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
  /** C31: a capacity block is expiring in its last 40 minutes, and accepts no launches. */
  readonly state: 'active' | 'expiring';
  /** The number of unused instances, as reported by EC2. */
  readonly availableInstances: number;
  /** When EC2 counted them: the count does not include later launches. @default now */
  readonly countedAtMs?: number;
  /** @default no end */
  readonly endsAtMs?: number;
}

export interface ResolvedPlacementGroup {
  readonly id: string;
  readonly name: string;
  readonly strategy: 'cluster' | 'partition' | 'spread';
  /** The number of partitions; only for partition groups. */
  readonly partitions?: number;
}
