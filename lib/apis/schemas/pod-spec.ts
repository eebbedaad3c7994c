import { AFFINITY_SCHEMA, TOPOLOGY_SPREAD_CONSTRAINT } from './affinity.ts';
import { CONTAINER, EPHEMERAL_CONTAINER, RESOURCE_REQUIREMENTS } from './container.ts';
import { LABELS } from './object-meta.ts';
import {
  BOOLEAN,
  COUNT,
  closed,
  enumSchema,
  INTEGER,
  LIST,
  listOf,
  mapOf,
  OBJECT,
  QUANTITY,
  type Schema,
  STRING,
  TEXT,
  textSchema,
} from './schema.ts';
import { VOLUME } from './volume.ts';

export const TOLERATION: Schema = closed({
  key: STRING,
  operator: enumSchema('Exists', 'Equal', ''),
  value: textSchema('label-value'),
  effect: enumSchema('NoSchedule', 'PreferNoSchedule', 'NoExecute', ''),
  tolerationSeconds: INTEGER,
});

const READ: Readonly<Record<string, Schema>> = {
  containers: listOf(CONTAINER, { minItems: 1 }),
  initContainers: listOf(CONTAINER),
  ephemeralContainers: listOf(EPHEMERAL_CONTAINER),
  resources: RESOURCE_REQUIREMENTS,
  overhead: mapOf('qualified-name', QUANTITY),
  nodeName: STRING,
  nodeSelector: LABELS,
  affinity: AFFINITY_SCHEMA,
  tolerations: listOf(TOLERATION),
  topologySpreadConstraints: listOf(TOPOLOGY_SPREAD_CONSTRAINT),
  priority: INTEGER,
  priorityClassName: STRING,
  schedulingGates: listOf(closed({ name: textSchema('qualified-name') }, ['name'])),
  terminationGracePeriodSeconds: INTEGER,
  volumes: listOf(VOLUME),
  resourceClaims: listOf(
    closed({ name: TEXT, resourceClaimName: STRING, resourceClaimTemplateName: STRING }, ['name']),
  ),
  hostNetwork: BOOLEAN,
  restartPolicy: enumSchema('Always', 'OnFailure', 'Never'),
};

/** Every field of a pod's spec in the API of Kubernetes 1.35. */
export const POD_SPEC: Schema = closed(
  {
    ...READ,
    activeDeadlineSeconds: COUNT,
    automountServiceAccountToken: BOOLEAN,
    dnsConfig: OBJECT,
    dnsPolicy: enumSchema('ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'),
    enableServiceLinks: BOOLEAN,
    hostAliases: LIST,
    hostIPC: BOOLEAN,
    hostPID: BOOLEAN,
    hostUsers: BOOLEAN,
    hostname: STRING,
    hostnameOverride: STRING,
    imagePullSecrets: LIST,
    os: closed({ name: enumSchema('linux', 'windows') }, ['name']),
    preemptionPolicy: enumSchema('PreemptLowerPriority', 'Never'),
    readinessGates: listOf(closed({ conditionType: TEXT }, ['conditionType'])),
    runtimeClassName: STRING,
    schedulerName: STRING,
    schedulingGroup: OBJECT,
    securityContext: OBJECT,
    serviceAccount: STRING,
    serviceAccountName: STRING,
    setHostnameAsFQDN: BOOLEAN,
    shareProcessNamespace: BOOLEAN,
    subdomain: STRING,
    workloadRef: OBJECT,
  },
  ['containers'],
);
