import { HOUR_MS } from '../../apis/formats/time.ts';
import { isRecord, ownField } from '../../apis/record.ts';
import type { SeenLaunch } from './seen-launches.ts';

/** What pods request. Averages over an hour. */
export interface Requested {
  readonly cpuMillicores: number;
  readonly memoryMib: number;
  /** Their share of the price of their nodes. */
  readonly usdPerHour: number;
}

/** A node, at the last look that has seen it. */
export interface NodeUsage {
  readonly name: string;
  readonly nodePool: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly usdPerHour: number;
  /** The share of the price that its pods request. Average of its looks. */
  readonly requestedUsdPerHour: number;
  readonly cpuMillicores: readonly [requested: number, allocatable: number];
  readonly memoryMib: readonly [requested: number, allocatable: number];
  readonly pods: number;
  /** The number of looks that have seen it. */
  readonly looks: number;
}

/**
 * What nodes cost and what their pods request in one hour of a cluster, from which costs are divided later. No decision reads it. It is
 * made of a few looks at the cluster, and each process of a function has its own.
 */
export interface UsageHour {
  readonly formatVersion: 1;
  readonly cluster: string;
  /** The beginning of the hour, UTC. */
  readonly hourMs: number;
  /** The last look. */
  readonly atMs: number;
  /** The number of looks that the averages have. */
  readonly looks: number;
  /** The price of all nodes. Average. */
  readonly usdPerHour: number;
  /** All nodes of the hour: those that the last look has seen, then the others. */
  readonly nodes: readonly NodeUsage[];
  /** How many of `nodes` the last look has seen. */
  readonly nodesNow: number;
  /** Of the pods on nodes, DaemonSets included. Averages. */
  readonly namespaces: Readonly<Record<string, Requested>>;
  /** By the values of the labels that the setting `usageLabels` names. Pods without the label are left out. Averages. */
  readonly labels: Readonly<Record<string, Readonly<Record<string, Requested>>>>;
  /** Where the archive has the snapshot of the last look. @default it is not stored: only in shadow it is */
  readonly snapshot?: string;
  /** The instances that were launched in this hour and the one before it. @default not known: only in shadow they are */
  readonly launches?: readonly SeenLaunch[];
}

export function hourOf(atMs: number): number {
  return atMs - (atMs % HOUR_MS);
}

/** Whether a stored value is an hour of this version. */
export function isUsageHour(value: unknown): value is UsageHour {
  return (
    isRecord(value) &&
    ownField(value, 'formatVersion') === 1 &&
    typeof ownField(value, 'cluster') === 'string' &&
    ['hourMs', 'atMs', 'looks', 'usdPerHour', 'nodesNow'].every((name) => typeof ownField(value, name) === 'number') &&
    Array.isArray(ownField(value, 'nodes')) &&
    ['namespaces', 'labels'].every((name) => isRecord(ownField(value, name)))
  );
}
