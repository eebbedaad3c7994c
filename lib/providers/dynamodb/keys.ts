import type { LeaseName } from '../../ports/leases.ts';
import type { Key } from './table.ts';

/**
 * Every key of the table. Items of one cluster share a partition, so that one query lists them; an instance has its own,
 * so that it is found from its id alone with a strong read (an index lags).
 */
export const CLAIM = 'claim#';
export const OPEN = 'open#';
export const COMMAND = 'command#';
export const NOMINATION = 'nomination#';
export const OFFERING = 'offering#';
export const MEMORY = 'memory#';

export const clusterPartition = (cluster: string): string => `cluster#${cluster}`;

export const epochKey = (cluster: string): Key => ({ pk: clusterPartition(cluster), sk: 'epoch' });

export const leaseKey = ({ cluster, work }: LeaseName): Key => ({ pk: clusterPartition(cluster), sk: `lease#${work}` });

export const decisionKey = (cluster: string, id: string): Key => ({
  pk: clusterPartition(cluster),
  sk: `decision#${id}`,
});

/** Only a pointer: the body lies with the decision, so that closing one does not write it again. */
export const openKey = (cluster: string, id: string): Key => ({ pk: clusterPartition(cluster), sk: OPEN + id });

export const claimKey = (cluster: string, name: string): Key => ({ pk: clusterPartition(cluster), sk: CLAIM + name });

/** Where a released claim goes: out of the way of the list. */
export const tombstoneKey = (cluster: string, name: string): Key => ({
  pk: clusterPartition(cluster),
  sk: `released#${name}`,
});

export const commandKey = (cluster: string, id: string): Key => ({ pk: clusterPartition(cluster), sk: COMMAND + id });

export const nominationKey = (cluster: string, node: string): Key => ({
  pk: clusterPartition(cluster),
  sk: NOMINATION + node,
});

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

/** One item an API: the calls of it that the account has left. */
export const budgetKey = (region: string, api: string): Key => ({ pk: `budget#${region}`, sk: `api#${api}` });

export const standDownKey = (cluster: string): Key => ({ pk: clusterPartition(cluster), sk: 'stand-down' });
