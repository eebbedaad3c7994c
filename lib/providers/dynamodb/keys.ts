import type { LeaseName } from '../../ports/leases.ts';
import type { Key, SortKeys } from './table.ts';

/**
 * The keys of the table. Items of one cluster share a partition, so one query lists them. An instance has its own partition,
 * so a strongly consistent read finds it by its id (an index is eventually consistent).
 */
export const CLAIM = 'claim#';
export const DELETED = 'deleted#';
export const OPEN = 'open#';
export const COMMAND = 'command#';
export const MOVE = 'move#';
const NOMINATION = 'nomination#';
export const OFFERING = 'offering#';
export const MEMORY = 'memory#';
export const RECORD = 'record#';
export const MARK = 'mark#';
export const USAGE = 'usage#';

export const clusterPartition = (cluster: string): string => `cluster#${cluster}`;

export const epochKey = (cluster: string): Key => ({ pk: clusterPartition(cluster), sk: 'epoch' });

export const leaseKey = ({ cluster, work }: LeaseName): Key => ({ pk: clusterPartition(cluster), sk: `lease#${work}` });

export const decisionKey = (cluster: string, id: string): Key => ({
  pk: clusterPartition(cluster),
  sk: `decision#${id}`,
});

export const recordKey = (cluster: string, id: string): Key => ({ pk: clusterPartition(cluster), sk: RECORD + id });

export const markKey = (cluster: string, name: string): Key => ({ pk: clusterPartition(cluster), sk: MARK + name });

/** @param hour such as `20261124T12` */
export const usageKey = (cluster: string, hour: string): Key => ({ pk: clusterPartition(cluster), sk: USAGE + hour });

/** Only a pointer: the body is in the decision's item, so closing a decision does not rewrite it. */
export const openKey = (cluster: string, id: string): Key => ({ pk: clusterPartition(cluster), sk: OPEN + id });

export const claimItemKey = (cluster: string, name: string): Key => ({
  pk: clusterPartition(cluster),
  sk: CLAIM + name,
});

/** The key of a released claim, which is not part of the list of claims. */
export const tombstoneKey = (cluster: string, name: string): Key => ({
  pk: clusterPartition(cluster),
  sk: `released#${name}`,
});

/** The mark of a claim that is being deleted. */
export const deletedKey = (cluster: string, name: string): Key => ({
  pk: clusterPartition(cluster),
  sk: DELETED + name,
});

/** The time of the last change of a claim of the cluster. */
export const changedKey = (cluster: string): Key => ({ pk: clusterPartition(cluster), sk: 'changed' });

/** What a launch needs, by the hash of its content. */
export const planKey = (cluster: string, hash: string): Key => ({ pk: clusterPartition(cluster), sk: `plan#${hash}` });

export const commandKey = (cluster: string, id: string): Key => ({ pk: clusterPartition(cluster), sk: COMMAND + id });

export const passMemoryKey = (cluster: string): Key => ({ pk: clusterPartition(cluster), sk: 'pass-memory' });

export const unusedLaunchesKey = (cluster: string): Key => ({ pk: clusterPartition(cluster), sk: 'unused-launches' });

export const moveKey = (cluster: string, command: string): Key => ({
  pk: clusterPartition(cluster),
  sk: MOVE + command,
});

/** By the end of the nomination, so that a list does not read those that have ended: DynamoDB deletes them up to days later. */
export const nominationKey = (cluster: string, node: string, untilMs: number): Key => ({
  pk: clusterPartition(cluster),
  sk: `${NOMINATION}${endText(untilMs)}#${node}`,
});

/** The nominations that have not ended. An earlier version wrote keys without the end, which come later: a name begins with a letter. */
export const nominationsFrom = (nowMs: number): SortKeys => ({
  from: NOMINATION + endText(nowMs),
  to: `${NOMINATION}~`,
});

/** In the order of the times. */
const endText = (ms: number): string => String(Math.floor(ms)).padStart(15, '0');

export const instanceKey = (instanceId: string): Key => ({ pk: `instance#${instanceId}`, sk: 'claim' });

export const cataloguePartition = (region: string): string => `catalogue#${region}`;

export const unavailablePartition = (region: string): string => `unavailable#${region}`;

export const unavailableOfferingKey = (region: string, offering: string): Key => ({
  pk: unavailablePartition(region),
  sk: OFFERING + offering,
});

export const learnedPartition = (region: string): string => `learned#${region}`;

export const learnedMemoryKey = (region: string, instanceType: string, imageId: string): Key => ({
  pk: learnedPartition(region),
  sk: `${MEMORY}${instanceType}#${imageId}`,
});

export const budgetPartition = (region: string): string => `budget#${region}`;

/** One item per API, with the remaining calls of the account. */
export const budgetKey = (region: string, api: string): Key => ({ pk: budgetPartition(region), sk: `api#${api}` });

export const standbyKey = (cluster: string): Key => ({ pk: clusterPartition(cluster), sk: 'stand-down' });
