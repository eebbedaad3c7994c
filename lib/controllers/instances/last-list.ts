import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { type InstanceList, isListEnough } from '../../core/node-claim/earlier-list.ts';
import type { DescribedInstance } from '../../ports/cloud-provider.ts';

type ListedInstances = InstanceList<DescribedInstance>;

/** The last list of instances of each cluster. */
export interface LastLists {
  keep(cluster: string, list: ListedInstances): void;
  /** *Shape:* undefined if a run for these claims needs a new list. */
  recall(cluster: string, records: readonly NodeClaimRecord[], nowMs: number): ListedInstances | undefined;
}

export interface RemembersInstances {
  /** The lists that earlier runs have read. @default each run reads a list */
  readonly lists?: LastLists;
}

/** Keeps the lists in memory: another instance of the function has its own. */
export function lastLists(): LastLists {
  const lists = new Map<string, ListedInstances>();
  return {
    keep: (cluster, list) => void lists.set(cluster, list),
    recall(cluster, records, nowMs) {
      const list = lists.get(cluster);
      return list !== undefined && isListEnough(list, records, nowMs) ? list : undefined;
    },
  };
}
