/**
 * What each function may do in the table, by partition and attribute. The stack makes IAM conditions of it:
 * `dynamodb:LeadingKeys` for the partition, `dynamodb:Attributes` for what is written. AWS does not document whether DynamoDB asks IAM
 * for each put of a transaction or once for all of them, so one grant covers the puts of every transaction: of a claim, and of the lookup of
 * its instance. `test/stack/table-access.test.ts` compares the grants with the calls of the providers, in both directions.
 */
import {
  budgetPartition,
  cataloguePartition,
  clusterPartition,
  instanceKey,
  learnedPartition,
  unavailablePartition,
} from '../../providers/dynamodb/keys.ts';

export type TableUser =
  | 'cluster-functions'
  | 'garbage-collection'
  | 'interruption'
  | 'catalogue'
  | 'installer'
  | 'widgets';

export interface TableGrant {
  readonly actions: readonly TableAction[];
  /** Partition keys, also with the wildcard `*`. */
  readonly partitions: readonly string[];
  /** The only attributes that may be written or used in conditions. @default any */
  readonly attributes?: readonly string[];
}

export type TableAction = 'ConditionCheckItem' | 'DeleteItem' | 'GetItem' | 'PutItem' | 'Query' | 'UpdateItem';

const KEY = ['pk', 'sk'];
/** Of claims, of the marks of those that are being deleted, and of the mark of the last change. */
const CLAIM = [...KEY, 'changedAtMs', 'claimVersion', 'expiresAt', 'instanceId', 'payload'];
const LOOKUP = [...KEY, 'claimName', 'clusterName'];
const BUDGET = [...KEY, 'bucketTokens', 'bucketVersion', 'expiresAt', 'filledAtMs', 'throttledAtMs', 'tokensPerSecond'];
const UNAVAILABLE = [
  ...KEY,
  'capacityType',
  'expiresAt',
  'markedAtMs',
  'minVcpus',
  'nodeClass',
  'placementGroupId',
  'refusal',
  'reservationId',
  'strikes',
  'subnetId',
  'tenancy',
  'typeName',
  'untilMs',
  'zoneName',
];
const LEARNED = [...KEY, 'expiresAt', 'imageId', 'memoryBytes', 'typeName', 'untilMs'];
const CATALOGUE = [...KEY, 'chunkCount', 'currentVersion', 'payload'];
/** Records of decisions. */
const RECORD = [...KEY, 'expiresAt', 'payload', 'payloadKey'];
/** Claims, tombstones, decisions, pointers to them, records, commands, nominations and standby. */
const CLUSTER_ITEMS = [...CLAIM, 'decidedAtMs', 'essence', 'payloadKey', 'untilMs'];
/** The epoch, leases, and the end of a decision that was carried out. */
const CLUSTER_FIELDS = [
  ...KEY,
  'answeredUntilMs',
  'answeringUntilMs',
  'epochCount',
  'expiresAt',
  'heldUntilMs',
  'leaseFence',
  'leaseHolder',
  'lookedAtMs',
  'lookingSinceMs',
  'wanted',
];

/** Every lookup of an instance. The key has no cluster, because an event of EC2 has only the instance. */
const INSTANCES = instanceKey('*').pk;

/** The grants of a function that serves these clusters. */
export function tableAccess(user: TableUser, region: string, clusters: readonly string[]): readonly TableGrant[] {
  const own = clusters.map(clusterPartition);
  const calls = write([budgetPartition(region)], BUDGET);
  const claims = write([...own, INSTANCES], [...CLAIM, ...LOOKUP]);
  switch (user) {
    case 'cluster-functions':
      return [
        { actions: ['ConditionCheckItem', 'DeleteItem', 'GetItem', 'Query'], partitions: own },
        write([...own, INSTANCES], [...CLUSTER_ITEMS, ...LOOKUP]),
        { actions: ['UpdateItem'], partitions: own, attributes: CLUSTER_FIELDS },
        { actions: ['GetItem', 'Query'], partitions: [cataloguePartition(region)] },
        { actions: ['Query'], partitions: [unavailablePartition(region), learnedPartition(region)] },
        write([unavailablePartition(region)], UNAVAILABLE),
        write([learnedPartition(region)], LEARNED),
        calls,
      ];
    case 'garbage-collection':
      return [{ actions: ['GetItem'], partitions: [INSTANCES] }];
    case 'interruption':
      return [
        { actions: ['GetItem'], partitions: [...own, INSTANCES] },
        { actions: ['Query'], partitions: own },
        claims,
        write(own, RECORD),
        write([unavailablePartition(region)], UNAVAILABLE),
        calls,
      ];
    case 'catalogue':
      return [
        {
          actions: ['ConditionCheckItem', 'DeleteItem', 'GetItem', 'Query'],
          partitions: [cataloguePartition(region)],
        },
        write([cataloguePartition(region)], CATALOGUE),
        calls,
      ];
    case 'widgets':
      return [{ actions: ['Query'], partitions: own }];
    case 'installer':
      return [
        { actions: ['GetItem'], partitions: own },
        // Of a cluster that is no longer configured, to find the nodes whose finalizers it removes.
        { actions: ['Query'], partitions: [clusterPartition('*')] },
        claims,
      ];
  }
}

function write(partitions: readonly string[], attributes: readonly string[]): TableGrant {
  return { actions: ['PutItem'], partitions, attributes: [...new Set(attributes)] };
}
