import type { Pod } from '../../../apis/kubernetes.ts';
import { INSTANCE_TYPE } from '../../../apis/labels.ts';
import type { StateNode } from '../../cluster/state-node.ts';
import { once } from '../../kept-answers.ts';
import type { Resources } from '../../resources/resources.ts';
import { volumeCount } from '../pools/resource-space.ts';
import { attachLimits, attachments } from './attach-limits.ts';
import type { StorageIndex } from './storage-index.ts';

/** B44: how many volumes a node attaches, by driver. Only the CSINodes of the cluster say this. */
export interface VolumeLimits {
  /**
   * That of the nodes with this instance type, the least of them. For other types, that of most types that have nodes, because few types have
   * many disks of their own and attach far less; but enough for any one pod, because the type may attach more. *Shape:* undefined if no node
   * limits the driver. @param instanceType undefined if it is not known yet
   */
  of(driver: string, instanceType: string | undefined): number | undefined;
  readonly drivers: readonly string[];
  /** The volumes of the pod for drivers with a limit, as resources. A volume counts once for each pod. *Shape:* undefined without any. */
  countsOf(pod: Pod): Resources | undefined;
}

/** *Cost:* O(nodes), and O(volumes of the pods) if a type without nodes is asked for. @param pods that may need a new node */
export function volumeLimits(
  stateNodes: readonly StateNode[],
  { pods, storage }: { readonly pods: readonly Pod[]; readonly storage: StorageIndex },
): VolumeLimits {
  /** By driver and instance type. */
  const byDriver = new Map<string, Map<string, number>>();
  for (const { name, labels } of stateNodes) {
    for (const [driver, limit] of attachLimits(name, storage)) {
      const byType = byDriver.get(driver) ?? new Map<string, number>();
      const type = labels[INSTANCE_TYPE] ?? '';
      byDriver.set(driver, byType.set(type, Math.min(byType.get(type) ?? Infinity, limit)));
    }
  }
  const usual = new Map([...byDriver].map(([driver, byType]) => [driver, mostFrequent([...byType.values()])]));
  const drivers = [...byDriver.keys()];
  const countsOf = (pod: Pod): Resources | undefined => {
    if (drivers.length === 0 || pod.spec.volumes === undefined) return undefined;
    const limited = [...attachments(pod, storage)].filter(([driver]) => byDriver.has(driver));
    if (limited.length === 0) return undefined;
    return Object.fromEntries(limited.map(([driver, volumes]) => [volumeCount(driver), volumes.size]));
  };
  const largest = once(() => {
    const counts: Record<string, number> = {};
    for (const pod of pods)
      for (const [name, count] of Object.entries(countsOf(pod) ?? {}))
        counts[name] = Math.max(counts[name] ?? 0, count);
    return counts;
  });
  return {
    of(driver, instanceType = '') {
      const known = byDriver.get(driver)?.get(instanceType);
      const expected = usual.get(driver);
      if (known !== undefined || expected === undefined) return known;
      return Math.max(expected, largest()[volumeCount(driver)] ?? 0);
    },
    drivers,
    countsOf,
  };
}

/** *Shape:* the largest of several; undefined of none. */
function mostFrequent(limits: readonly number[]): number | undefined {
  const byCount = [...Map.groupBy(limits, (limit) => limit)].map(([limit, { length }]) => ({ limit, length }));
  return byCount.toSorted((a, b) => b.length - a.length || b.limit - a.limit)[0]?.limit;
}
