import { MINUTE_MS } from '../../apis/formats/time.ts';
import { instanceOf, type NodeClaimRecord } from '../model/node-claim-record.ts';

/** A list of a cluster's instances, and the time before it was read. */
export interface InstanceList<Listed = { readonly id: string }> {
  readonly atMs: number;
  readonly instances: readonly Listed[];
}

/** Each tick reads the list. */
const KEPT_MS = MINUTE_MS;

/**
 * Whether a list that an earlier run has read answers a run for these claims: it contains their instances, and the names of their nodes are
 * recorded. That an instance has ended since is found by the next tick, as without this run. Any other claim needs a new list, because an
 * instance of which the record does not know may exist for it (promise 1), or because the list may be older than the loss of the tags
 * that another run has found. *Cost:* O(claims and instances).
 */
export function isListEnough(list: InstanceList, records: readonly NodeClaimRecord[], nowMs: number): boolean {
  if (nowMs - list.atMs >= KEPT_MS) return false;
  const ids = new Set(list.instances.map(({ id }) => id));
  return records.every((record) => {
    const instance = instanceOf(record);
    // Termination ends the instance.
    if (record.deletion !== undefined) return instance !== undefined;
    if (record.consistency?.finding?.reason === 'InstanceNotTagged') return false;
    const hasName = (record.nodeName ?? record.expectedNodeName) !== undefined;
    return instance !== undefined && ids.has(instance.id) && hasName;
  });
}
