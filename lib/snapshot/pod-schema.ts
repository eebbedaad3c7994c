import {
  BOOLEAN,
  COUNT,
  enumSchema,
  INT32,
  listOf,
  QUANTITY,
  type Schema,
  STRING,
  STRING_MAP,
  STRINGS,
  TEXT,
} from '../apis/schemas/schema.ts';
import {
  CONDITION_LIST,
  METADATA,
  open,
  optionalMetadata,
  RESOURCE_LIST,
  SNAPSHOT_NODE_SELECTOR_TERM,
  STATUS_TIME,
} from './open-schema.ts';

/** The fields of a pod that decisions read (B16 to B61); other fields are ignored. */

const LABEL_SELECTOR: Schema = open({
  matchLabels: STRING_MAP,
  matchExpressions: listOf(
    open({ key: STRING, operator: enumSchema('In', 'NotIn', 'Exists', 'DoesNotExist'), values: STRINGS }, [
      'key',
      'operator',
    ]),
  ),
});

const AFFINITY_TERM: Schema = open(
  {
    topologyKey: STRING,
    labelSelector: LABEL_SELECTOR,
    namespaces: STRINGS,
    namespaceSelector: LABEL_SELECTOR,
    matchLabelKeys: STRINGS,
    mismatchLabelKeys: STRINGS,
  },
  ['topologyKey'],
);

const POD_AFFINITY: Schema = open({
  requiredDuringSchedulingIgnoredDuringExecution: listOf(AFFINITY_TERM),
  preferredDuringSchedulingIgnoredDuringExecution: listOf(
    open({ weight: INT32, podAffinityTerm: AFFINITY_TERM }, ['weight', 'podAffinityTerm']),
  ),
});

const AFFINITY: Schema = open({
  nodeAffinity: open({
    requiredDuringSchedulingIgnoredDuringExecution: open({ nodeSelectorTerms: listOf(SNAPSHOT_NODE_SELECTOR_TERM) }, [
      'nodeSelectorTerms',
    ]),
    preferredDuringSchedulingIgnoredDuringExecution: listOf(
      open({ weight: INT32, preference: SNAPSHOT_NODE_SELECTOR_TERM }, ['weight', 'preference']),
    ),
  }),
  podAffinity: POD_AFFINITY,
  podAntiAffinity: POD_AFFINITY,
});

const SPREAD: Schema = open(
  {
    maxSkew: { type: 'integer', minimum: 1 },
    topologyKey: STRING,
    whenUnsatisfiable: enumSchema('DoNotSchedule', 'ScheduleAnyway'),
    labelSelector: LABEL_SELECTOR,
    minDomains: { type: 'integer', minimum: 1 },
    matchLabelKeys: STRINGS,
    nodeAffinityPolicy: enumSchema('Honor', 'Ignore'),
    nodeTaintsPolicy: enumSchema('Honor', 'Ignore'),
  },
  ['maxSkew', 'topologyKey', 'whenUnsatisfiable'],
);

const TOLERATION: Schema = open({
  key: STRING,
  operator: enumSchema('Exists', 'Equal'),
  value: STRING,
  effect: enumSchema('NoSchedule', 'PreferNoSchedule', 'NoExecute'),
});

const RESOURCES: Schema = open({ requests: RESOURCE_LIST, limits: RESOURCE_LIST });

const CONTAINER: Schema = open({
  name: STRING,
  resources: RESOURCES,
  restartPolicy: STRING,
  ports: listOf(
    open({ containerPort: COUNT, hostPort: COUNT, hostIP: STRING, protocol: enumSchema('TCP', 'UDP', 'SCTP') }),
  ),
});

const VOLUME: Schema = open(
  {
    name: STRING,
    persistentVolumeClaim: open({ claimName: TEXT }, ['claimName']),
    ephemeral: open({ volumeClaimTemplate: open({ spec: open({ storageClassName: STRING }) }) }),
  },
  ['name'],
);

const POD_SPEC: Schema = open(
  {
    nodeName: STRING,
    hostNetwork: BOOLEAN,
    containers: listOf(CONTAINER, { minItems: 1 }),
    initContainers: listOf(CONTAINER),
    overhead: RESOURCE_LIST,
    resources: RESOURCES,
    nodeSelector: STRING_MAP,
    affinity: AFFINITY,
    tolerations: listOf(TOLERATION),
    topologySpreadConstraints: listOf(SPREAD),
    priority: INT32,
    priorityClassName: STRING,
    schedulingGates: listOf(open({ name: STRING }, ['name'])),
    terminationGracePeriodSeconds: { type: 'number' },
    volumes: listOf(VOLUME),
    resourceClaims: listOf(open({ name: STRING }, ['name'])),
  },
  ['containers'],
);

export const SNAPSHOT_POD: Schema = open(
  {
    metadata: METADATA,
    spec: POD_SPEC,
    status: open({
      phase: STRING,
      conditions: CONDITION_LIST,
      startTime: STATUS_TIME,
      nominatedNodeName: STRING,
    }),
  },
  ['metadata', 'spec'],
);

const POD_TEMPLATE: Schema = open({ metadata: optionalMetadata(), spec: POD_SPEC }, ['spec']);

export const NAMED_POD_TEMPLATE: Schema = open({ metadata: METADATA, template: POD_TEMPLATE }, [
  'metadata',
  'template',
]);

export const WORKLOAD: Schema = open(
  {
    metadata: METADATA,
    spec: open({ replicas: COUNT, selector: LABEL_SELECTOR, template: POD_TEMPLATE }, ['selector', 'template']),
  },
  ['metadata', 'spec'],
);

export const SERVICE: Schema = open({ metadata: METADATA, spec: open({ selector: STRING_MAP }) }, ['metadata', 'spec']);

export const BUDGET: Schema = open(
  {
    metadata: METADATA,
    spec: open({ selector: LABEL_SELECTOR }),
    status: open({ disruptionsAllowed: INT32 }),
  },
  ['metadata', 'spec'],
);

export const NODE: Schema = open(
  {
    metadata: METADATA,
    spec: open({
      providerID: STRING,
      unschedulable: BOOLEAN,
      taints: listOf(
        open({ key: TEXT, value: STRING, effect: enumSchema('NoSchedule', 'PreferNoSchedule', 'NoExecute') }, [
          'key',
          'effect',
        ]),
      ),
    }),
    status: open({
      capacity: RESOURCE_LIST,
      allocatable: RESOURCE_LIST,
      conditions: CONDITION_LIST,
    }),
  },
  ['metadata'],
);

/** The overhead of an instance type: separate lists or one list. */
export const OVERHEAD: Schema = {
  type: 'object',
  properties: { kubeReserved: RESOURCE_LIST, systemReserved: RESOURCE_LIST, evictionThreshold: RESOURCE_LIST },
  additionalProperties: QUANTITY,
};
