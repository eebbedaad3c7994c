import type { Pod } from '../../../apis/kubernetes.ts';
import { INSTANCE_TYPE } from '../../../apis/labels.ts';
import type { StateNode } from '../../cluster/state-node.ts';
import { once } from '../../kept-answers.ts';
import type { Resources } from '../../resources/resources.ts';
import { memoize } from '../memoize.ts';
import { type VolumeCount, volumeCount, volumeCountOfNewTypes } from '../pools/resource-space.ts';
import { type Attachments, attachLimits, attachments, EBS_DRIVER } from './attach-limits.ts';
import { ebsAttachments } from './ebs-attachments.ts';
import type { StorageIndex } from './storage-index.ts';

/**
 * B44: how many volumes a node attaches, by driver. The CSINodes of the nodes of its type say it. For a type without nodes it is estimated
 * low: what is planned for a node that attaches less is planned again and again.
 */
export interface VolumeLimits {
  /**
   * The drivers of which a node that has not reported its limit attaches a limited number. *Shape:* the limit of its type, or the estimate;
   * at least the volumes of any one pod, because the node may have been launched for it.
   */
  ofStarting(stateNode: Pick<StateNode, 'initialized' | 'labels'>): ReadonlyMap<string, number>;
  /** The room for one of the resources of `countsOf` on a new node of the type. *Shape:* undefined if it is not limited. */
  roomFor(count: VolumeCount, instanceType: string): number | undefined;
  /**
   * The volumes of the pod for drivers with a limit, as resources. Pods that share a volume have equal parts of it. *Shape:* undefined
   * without any. A second resource limits types without nodes, if a pod has more volumes than the estimate: it may have such a node alone.
   */
  countsOf(pod: Pod): Resources | undefined;
}

/** Parts of volumes are multiples of this, so that sums are exact. */
const PART = 1 / 1_024;

/** *Cost:* O(nodes); O(volumes of the pods) when the first pod with volumes is asked for. @param pods that may need a new node */
export function volumeLimits(
  stateNodes: readonly StateNode[],
  { pods, storage }: { readonly pods: readonly Pod[]; readonly storage: StorageIndex },
): VolumeLimits {
  const drivers = driversOf(stateNodes, storage);
  const attached = once(() => pods.map((pod) => attachments(pod, storage)).filter(({ size }) => size > 0));
  /** By claim, or by volume without one: the pods that use it. */
  const users = once(() => {
    const byVolume = new Map<string, number>();
    for (const volume of attached().flatMap((one) => [...one.values()].flatMap((volumes) => [...volumes])))
      byVolume.set(volume, (byVolume.get(volume) ?? 0) + 1);
    return byVolume;
  });
  const partOf = (volume: string): number => Math.floor(1 / PART / (users().get(volume) ?? 1)) * PART;
  const countsIn = (of: Attachments): readonly (readonly [string, number])[] =>
    [...of]
      .filter(([driver]) => drivers.has(driver))
      .map(([driver, volumes]) => [driver, [...volumes].reduce((sum, volume) => sum + partOf(volume), 0)]);
  const largest = once(() => {
    const most = new Map<string, number>();
    for (const [driver, count] of attached().flatMap(countsIn))
      most.set(driver, Math.max(most.get(driver) ?? 0, count));
    return most;
  });
  /** Whether a pod has more volumes than the estimate for a type without nodes. */
  const isExceeded = memoize((driver: string) => (largest().get(driver) ?? 0) > leastOf(drivers.get(driver)));
  return {
    ofStarting({ initialized, labels }) {
      const type = labels[INSTANCE_TYPE] ?? '';
      const limits = [...drivers].flatMap(([driver, { byType, estimate }]): readonly (readonly [string, number])[] => {
        if (initialized && byType.size === 0) return [];
        return [[driver, byType.get(type) ?? Math.max(estimate(type), largest().get(driver) ?? 0)]];
      });
      return new Map(limits);
    },
    roomFor({ driver, ofNewTypes }, instanceType) {
      const limits = drivers.get(driver);
      const known = limits?.byType.get(instanceType);
      if (ofNewTypes) return known === undefined ? leastOf(limits) : undefined;
      return known ?? (isExceeded(driver) ? undefined : limits?.estimate(instanceType));
    },
    countsOf(pod) {
      if (pod.spec.volumes === undefined) return undefined;
      const counts = countsIn(attachments(pod, storage)).flatMap(([driver, count]) => [
        [volumeCount(driver), count] as const,
        ...(isExceeded(driver)
          ? [[volumeCountOfNewTypes(driver), Math.min(count, leastOf(drivers.get(driver)))] as const]
          : []),
      ]);
      return counts.length === 0 ? undefined : Object.fromEntries(counts);
    },
  };
}

interface DriverLimits {
  /** By instance type: the least of its nodes. */
  readonly byType: ReadonlyMap<string, number>;
  /** For a type without nodes, by name; of an empty name, what holds for all types. */
  readonly estimate: (instanceType: string) => number;
}

/** The estimate that holds for all types. */
function leastOf(limits: DriverLimits | undefined): number {
  return limits?.estimate('') ?? 0;
}

/** The drivers that CSINodes limit, and EBS, whose limits are documented. */
function driversOf(stateNodes: readonly StateNode[], storage: StorageIndex): ReadonlyMap<string, DriverLimits> {
  const byDriver = new Map<string, Map<string, number>>([[EBS_DRIVER, new Map()]]);
  for (const { name, labels } of stateNodes) {
    for (const [driver, limit] of attachLimits(name, storage)) {
      const byType = byDriver.get(driver) ?? new Map<string, number>();
      const type = labels[INSTANCE_TYPE] ?? '';
      byDriver.set(driver, byType.set(type, Math.min(byType.get(type) ?? Infinity, limit)));
    }
  }
  return new Map(
    [...byDriver].map(([driver, byType]) => [
      driver,
      { byType, estimate: driver === EBS_DRIVER ? ebsEstimate(byType) : usualLimit(byType) },
    ]),
  );
}

/** More than a driver reserves on each node. */
const RESERVED_AT_MOST = 8;

/**
 * What is documented, less what the driver reserves on all types with nodes: a few volumes. If these attach far less, the driver has one
 * limit for all nodes.
 */
function ebsEstimate(byType: ReadonlyMap<string, number>): DriverLimits['estimate'] {
  if (byType.size === 0) return ebsAttachments;
  const most = Math.max(...byType.values());
  const reserved = Math.min(...[...byType].map(([type, limit]) => ebsAttachments(type) - limit));
  if (reserved > RESERVED_AT_MOST) return (instanceType) => Math.max(1, Math.min(ebsAttachments(instanceType), most));
  return (instanceType) => ebsAttachments(instanceType) - Math.max(0, reserved);
}

/** The limit of most types, because few types attach far less; of several, the lowest. */
function usualLimit(byType: ReadonlyMap<string, number>): DriverLimits['estimate'] {
  const byCount = [...Map.groupBy(byType.values(), (limit) => limit)].map(([limit, { length }]) => ({ limit, length }));
  const [usual] = byCount.toSorted((a, b) => b.length - a.length || a.limit - b.limit);
  return () => Math.max(1, usual?.limit ?? 1);
}
