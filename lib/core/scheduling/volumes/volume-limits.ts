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
   * That of the nodes with this instance type, the least of them; for other types, the least of all nodes, but enough for any one pod, because
   * the type may attach more. *Shape:* undefined if no node limits the driver. @param instanceType undefined if it is not known yet
   */
  of(driver: string, instanceType: string | undefined): number | undefined;
  readonly drivers: readonly string[];
  /** The volumes of the pod for drivers with a limit, as resources. A volume counts once for each pod. *Shape:* undefined without any. */
  countsOf(pod: Pod): Resources | undefined;
}

interface DriverLimits {
  readonly byType: Map<string, number>;
  least: number;
}

/** *Cost:* O(nodes), and O(volumes of the pods) if a type without nodes is asked for. @param pods that may need a new node */
export function volumeLimits(
  stateNodes: readonly StateNode[],
  { pods, storage }: { readonly pods: readonly Pod[]; readonly storage: StorageIndex },
): VolumeLimits {
  const byDriver = new Map<string, DriverLimits>();
  for (const { name, labels } of stateNodes) {
    for (const [driver, limit] of attachLimits(name, storage)) {
      const known = byDriver.get(driver) ?? { byType: new Map<string, number>(), least: Infinity };
      byDriver.set(driver, known);
      known.least = Math.min(known.least, limit);
      const type = labels[INSTANCE_TYPE] ?? '';
      known.byType.set(type, Math.min(known.byType.get(type) ?? Infinity, limit));
    }
  }
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
      const known = byDriver.get(driver);
      if (known === undefined) return undefined;
      return known.byType.get(instanceType) ?? Math.max(known.least, largest()[volumeCount(driver)] ?? 0);
    },
    drivers,
    countsOf,
  };
}
