import { type Pod, podKey } from '../../../apis/kubernetes.ts';
import { INSTANCE_TYPE } from '../../../apis/labels.ts';
import type { StateNode } from '../../cluster/state-node.ts';
import { firstBy } from '../../first-by.ts';
import { once } from '../../kept-answers.ts';
import type { InstanceType } from '../../model/instance-type.ts';
import type { Resources } from '../../resources/resources.ts';
import { type VolumeCount, volumeCount, volumeCountTried } from '../pools/resource-space.ts';
import type { SchedulingProblem } from '../schedule.ts';
import { type Attachments, attachLimits, attachments, EBS_DRIVER } from './attach-limits.ts';
import { type EbsType, ebsLimits } from './ebs-limits.ts';
import type { StorageIndex } from './storage-index.ts';
import { typesFor } from './types-for-pod.ts';

/**
 * B44: how many volumes a node attaches, by driver. The CSINodes of the nodes of its type say it. For a type without nodes it is estimated
 * low: what is planned for a node that attaches less is planned again and again.
 */
export interface VolumeLimits {
  /**
   * The drivers of which a node that has not reported its limit attaches a limited number. *Shape:* the limit of its type, or the estimate;
   * more for a pod for which the node was launched.
   */
  ofStarting(stateNode: Pick<StateNode, 'initialized' | 'labels' | 'nodeClaim'>): ReadonlyMap<string, number>;
  /** The room for one of the resources of `countsOf` on a new node of the type. *Shape:* undefined if it is not limited. */
  roomFor(count: VolumeCount, type: InstanceType): number | undefined;
  /**
   * The volumes of the pod for drivers with a limit, as resources. Pods that share a volume have equal parts of it. *Shape:* undefined
   * without any. @param moving whether it runs on a node that is not being deleted
   */
  countsOf(pod: Pod, moving: boolean): Resources | undefined;
}

/** Parts of volumes are multiples of this, so that sums are exact. */
const PART = 1 / 1_024;

/** *Cost:* O(nodes); O(volumes of the pods) when the first pod with volumes is asked for. @param pods that may need a new node */
export function volumeLimits(
  { stateNodes, nodePools }: Pick<SchedulingProblem, 'stateNodes' | 'nodePools'>,
  pods: readonly Pod[],
  storage: StorageIndex,
): VolumeLimits {
  const typeNamed = (name: string): EbsType =>
    nodePools.flatMap(({ instanceTypes }) => typeIn(instanceTypes, name) ?? [])[0] ?? {};
  const drivers = driversOf(stateNodes, { storage, typeNamed });
  const attached = once(
    () =>
      new Map(pods.map((pod) => [podKey(pod), attachments(pod, storage)] as const).filter(([, { size }]) => size > 0)),
  );
  const countIn = partCounter(attached);
  return {
    ofStarting({ initialized, labels, nodeClaim }) {
      const name = labels[INSTANCE_TYPE] ?? '';
      const limits = [...drivers].flatMap(
        ([driver, { byType, probably, most }]): readonly (readonly [string, number])[] => {
          if (initialized && byType.size === 0) return [];
          const known = byType.get(name);
          if (known !== undefined) return [[driver, known]];
          const type = typeNamed(name);
          const own = initialized
            ? []
            : (nodeClaim?.pods ?? []).map((key) => attached().get(key)?.get(driver)?.size ?? 0);
          return [[driver, Math.max(probably(type), ...own.filter((size) => size <= most(type)))]];
        },
      );
      return new Map(limits);
    },
    roomFor({ driver, tried }, type) {
      const limits = drivers.get(driver);
      return limits?.byType.get(type.name) ?? (tried ? limits?.most(type) : limits?.probably(type));
    },
    countsOf(pod, moving) {
      if (pod.spec.volumes === undefined) return undefined;
      const counts = [...attachments(pod, storage)].flatMap(
        ([driver, volumes]): readonly (readonly [string, number])[] => {
          const limits = drivers.get(driver);
          if (limits === undefined) return [];
          const count = countIn(volumes);
          const tried = moving ? 0 : triedBy(typesFor(pod, nodePools), limits, count);
          return tried === 0
            ? [[volumeCount(driver), count]]
            : [
                [volumeCount(driver), tried],
                [volumeCountTried(driver), count],
              ];
        },
      );
      return counts.length === 0 ? undefined : Object.fromEntries(counts);
    },
  };
}

/**
 * A pod without a node, of whose types none probably attaches all its volumes, may try those that attach them at most. It fills the limit
 * that is probable, so it has the node alone. A pod that runs is not moved to such a type. *Shape:* 0 if it does not try a type
 */
function triedBy(types: Iterable<InstanceType>, { byType, probably, most }: DriverLimits, count: number): number {
  let tried = 0;
  for (const type of types) {
    const room = byType.get(type.name) ?? probably(type);
    if (room >= count) return 0;
    if (!byType.has(type.name) && most(type) >= count) tried = Math.max(tried, room);
  }
  return tried;
}

/** Counts volumes, each by its part for one of the pods that use it. */
function partCounter(attached: () => ReadonlyMap<string, Attachments>): (volumes: ReadonlySet<string>) => number {
  /** By claim, or by volume without one: the pods that use it. */
  const users = once(() => {
    const byVolume = new Map<string, number>();
    for (const one of attached().values()) {
      for (const volumes of one.values())
        for (const volume of volumes) byVolume.set(volume, (byVolume.get(volume) ?? 0) + 1);
    }
    return byVolume;
  });
  const partOf = (volume: string): number => Math.floor(1 / PART / (users().get(volume) ?? 1)) * PART;
  return (volumes) => [...volumes].reduce((sum, volume) => sum + partOf(volume), 0);
}

const typeIn = firstBy<InstanceType>(({ name }) => name);

interface DriverLimits {
  /** By instance type: the least of its nodes. */
  readonly byType: ReadonlyMap<string, number>;
  /** What a type without nodes attaches, estimated low. */
  readonly probably: (type: EbsType) => number;
  /** What it attaches at most. */
  readonly most: (type: EbsType) => number;
}

interface DriverContext {
  readonly storage: StorageIndex;
  readonly typeNamed: (name: string) => EbsType;
}

/** The drivers that CSINodes limit, and EBS, whose limits are documented. */
function driversOf(
  stateNodes: readonly StateNode[],
  { storage, typeNamed }: DriverContext,
): ReadonlyMap<string, DriverLimits> {
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
      { byType, ...(driver === EBS_DRIVER ? ebsLimits(byType, typeNamed) : usualLimits(byType)) },
    ]),
  );
}

/** The limit of most types, because few types attach far less; of several, the lowest. */
function usualLimits(byType: ReadonlyMap<string, number>): Pick<DriverLimits, 'probably' | 'most'> {
  const byCount = [...Map.groupBy(byType.values(), (limit) => limit)].map(([limit, { length }]) => ({ limit, length }));
  const [usual] = byCount.toSorted((a, b) => b.length - a.length || a.limit - b.limit);
  return { probably: () => Math.max(1, usual?.limit ?? 1), most: () => Infinity };
}
