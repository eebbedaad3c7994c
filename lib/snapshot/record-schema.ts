import {
  BOOLEAN,
  COUNT,
  enumSchema,
  listOf,
  type Schema,
  STRING,
  STRING_MAP,
  STRINGS,
  TEXT,
} from '../apis/schemas/schema.ts';
import { DISRUPTION_METHODS } from '../core/model/disruption-command.ts';
import { open } from './open-schema.ts';

/** Schemas of NodeClaim records and refusals in a snapshot. Amounts are numbers, in the units of `Resources`. */

const NUMBER: Schema = { type: 'number' };
const AMOUNTS: Schema = { type: 'object', additionalProperties: NUMBER };
export const CAPACITY_TYPE: Schema = enumSchema('on-demand', 'spot', 'reserved');

const OPTION_FIELDS = {
  instanceType: STRING,
  zone: STRING,
  capacityType: CAPACITY_TYPE,
  priceUsdPerHour: NUMBER,
};

/** A node of a rejected command. */
export const REJECTED_NODE = open(
  {
    method: enumSchema(...DISRUPTION_METHODS),
    nodeClaim: TEXT,
    reason: STRING,
    inputs: STRING,
    times: COUNT,
    untilMs: NUMBER,
  },
  ['method', 'nodeClaim', 'inputs', 'times', 'untilMs'],
);

/** Where a method of disruption stopped. */
export const STOPPED_METHOD = open(
  { method: enumSchema(...DISRUPTION_METHODS), after: STRING, evaluated: COUNT, candidates: COUNT },
  ['method', 'after', 'evaluated', 'candidates'],
);

const FAILING_FIELDS = {
  nodePool: TEXT,
  inputs: STRING,
  failed: COUNT,
  times: COUNT,
  launchedAtMs: NUMBER,
  sinceMs: NUMBER,
  untilMs: NUMBER,
};

/** A NodePool whose last replacements failed. */
export const FAILING_POOL = open(FAILING_FIELDS, Object.keys(FAILING_FIELDS));

/** What a command of consolidation moved. */
export const PAST_MOVE = open({ command: TEXT, atMs: NUMBER, untilMs: NUMBER, launched: STRINGS, evicted: AMOUNTS }, [
  'command',
  'atMs',
  'untilMs',
  'launched',
  'evicted',
]);

export const UNUSED_LAUNCHES = open({ pod: TEXT, launches: COUNT, firstMs: NUMBER, lastMs: NUMBER }, [
  'pod',
  'launches',
  'firstMs',
  'lastMs',
]);

const LAUNCH_OPTION = open({ ...OPTION_FIELDS, reservationId: STRING }, Object.keys(OPTION_FIELDS));

const LAUNCH_TYPE_FIELDS = {
  name: TEXT,
  architecture: enumSchema('amd64', 'arm64'),
  capacity: AMOUNTS,
  allocatable: AMOUNTS,
};

const INSTANCE = open({ id: TEXT, ...OPTION_FIELDS, imageId: STRING }, ['id', ...Object.keys(OPTION_FIELDS)]);

const REQUIREMENT = open({ key: TEXT, operator: TEXT, values: STRINGS, minValues: NUMBER }, ['key', 'operator']);

const TAINT = open({ key: TEXT, value: STRING, effect: TEXT }, ['key', 'effect']);

const SPEC = open(
  {
    nodeClassRef: open({ group: STRING, kind: STRING, name: TEXT }, ['name']),
    requirements: listOf(REQUIREMENT),
    resources: open({ requests: { type: 'object' } }, ['requests']),
    taints: listOf(TAINT),
    startupTaints: listOf(TAINT),
    expireAfter: STRING,
    terminationGracePeriod: STRING,
  },
  ['nodeClassRef', 'requirements', 'resources'],
);

const LAUNCH = open(
  {
    kind: enumSchema('planned', 'requested', 'launched', 'refused'),
    attempt: NUMBER,
    instance: INSTANCE,
    atMs: NUMBER,
    reservedUntilMs: NUMBER,
  },
  ['kind'],
);

const DELETION = open(
  {
    reason: TEXT,
    message: STRING,
    requestedAtMs: NUMBER,
    deadlineMs: NUMBER,
    atRest: BOOLEAN,
    evictionsRefused: open({ sinceMs: NUMBER, never: open({ reason: TEXT, message: STRING }, ['reason', 'message']) }, [
      'sinceMs',
    ]),
    volumes: BOOLEAN,
    volumesAwaitedSinceMs: NUMBER,
    volumesUnreadSinceMs: NUMBER,
    interruptedAtMs: NUMBER,
    drainOverAtMs: NUMBER,
    endedEarlyBy: TEXT,
    releaseFailed: open({ message: STRING, sinceMs: NUMBER }, ['message', 'sinceMs']),
  },
  ['reason', 'requestedAtMs'],
);

const CONSISTENCY = open({ sinceMs: NUMBER, finding: open({ reason: TEXT, message: STRING }, ['reason', 'message']) }, [
  'sinceMs',
]);

const RECORD_FIELDS: Readonly<Record<string, Schema>> = {
  cluster: STRING,
  name: TEXT,
  version: NUMBER,
  decisionId: STRING,
  nodePool: STRING,
  labels: STRING_MAP,
  annotations: STRING_MAP,
  spec: SPEC,
  createdAtMs: NUMBER,
  pods: STRINGS,
  options: listOf(LAUNCH_OPTION),
  types: listOf(open(LAUNCH_TYPE_FIELDS, Object.keys(LAUNCH_TYPE_FIELDS))),
  holds: AMOUNTS,
  allocatable: AMOUNTS,
  launch: LAUNCH,
};

/** A NodeClaimRecord as stored in the table. */
export const NODE_CLAIM_RECORD: Schema = open(
  {
    ...RECORD_FIELDS,
    nodePoolUid: STRING,
    bufferPods: STRINGS,
    command: STRING,
    startTurn: NUMBER,
    nodeName: STRING,
    expectedNodeName: STRING,
    registeredAtMs: NUMBER,
    initializedAtMs: NUMBER,
    nodeLostAtMs: NUMBER,
    lastTriesSinceMs: NUMBER,
    consistency: CONSISTENCY,
    drift: open({ reason: TEXT, message: STRING, sinceMs: NUMBER }, ['reason', 'message', 'sinceMs']),
    podsSeen: STRING,
    lastPodEventAtMs: NUMBER,
    deletion: DELETION,
    releasedAtMs: NUMBER,
  },
  Object.keys(RECORD_FIELDS),
);

/** A `Blocked`. */
export const REFUSED: Schema = open(
  {
    subject: open({ kind: TEXT, namespace: STRING, name: STRING }, ['kind', 'name']),
    nodePool: STRING,
    reason: TEXT,
    message: STRING,
    numbers: AMOUNTS,
  },
  ['subject', 'reason', 'message', 'numbers'],
);
