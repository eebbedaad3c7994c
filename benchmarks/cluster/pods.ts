/** Pods like those of a real cluster: 8 to 10 KB of JSON each, similar within a Deployment and different between Deployments. */

export interface PodPlan {
  readonly index: number;
  /** Undefined if the pod is unschedulable. */
  readonly node: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const CREATED = '2026-11-20T08:00:00Z';
const STARTED = '2026-11-20T08:00:09Z';
const A_DEPLOYMENT = 100;
const NAMESPACES = 20;

export function namespaceName(index: number): string {
  return `team-${index % NAMESPACES}`;
}

export function namespaceNames(): readonly string[] {
  return Array.from({ length: NAMESPACES }, (_, index) => namespaceName(index));
}

export function deploymentOf(index: number): number {
  return Math.floor(index / A_DEPLOYMENT);
}

export function aPod({ index, node }: PodPlan): { readonly key: string; readonly object: Fields } {
  const deployment = deploymentOf(index);
  const namespace = namespaceName(deployment);
  const name = `${appOf(deployment)}-${hex(deployment * 7_919, 9)}-${hex(index * 104_729, 5)}`;
  const object = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metadataOf({ index, deployment, name, namespace }),
    spec: specOf(deployment, index, node),
    status: node === undefined ? pendingStatus() : runningStatus(index, deployment),
  };
  return { key: `pods/${namespace}/${name}`, object };
}

export function appOf(deployment: number): string {
  return `service-${deployment}`;
}

interface Named {
  readonly index: number;
  readonly deployment: number;
  readonly name: string;
  readonly namespace: string;
}

function metadataOf({ index, deployment, name, namespace }: Named): Fields {
  const hash = hex(deployment * 7_919, 9);
  return {
    name,
    generateName: `${appOf(deployment)}-${hash}-`,
    namespace,
    uid: uidOf(index),
    creationTimestamp: CREATED,
    labels: { ...labelsOf(deployment), 'pod-template-hash': hash },
    annotations: {
      'kubectl.kubernetes.io/restartedAt': CREATED,
      'prometheus.io/scrape': 'true',
      'prometheus.io/port': '9090',
      'prometheus.io/path': '/metrics',
    },
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: `${appOf(deployment)}-${hash}`,
        uid: uidOf(1_000_000 + deployment),
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
    managedFields: [
      managed('kube-controller-manager', { 'f:metadata': METADATA_FIELDS, 'f:spec': SPEC_FIELDS }),
      { ...managed('kubelet', { 'f:status': STATUS_FIELDS }), subresource: 'status' },
    ],
  };
}

function labelsOf(deployment: number): Fields {
  return {
    app: appOf(deployment),
    'app.kubernetes.io/name': appOf(deployment),
    'app.kubernetes.io/part-of': `platform-${deployment % 12}`,
    'app.kubernetes.io/version': `1.${deployment % 40}.0`,
    team: namespaceName(deployment),
  };
}

function specOf(deployment: number, index: number, node: string | undefined): Fields {
  const selector = { matchLabels: { app: appOf(deployment) } };
  return {
    ...(node === undefined ? {} : { nodeName: node }),
    serviceAccountName: appOf(deployment),
    serviceAccount: appOf(deployment),
    schedulerName: 'default-scheduler',
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    enableServiceLinks: true,
    preemptionPolicy: 'PreemptLowerPriority',
    priority: 1_000 * (deployment % 3),
    priorityClassName: `tier-${deployment % 3}`,
    terminationGracePeriodSeconds: 30 + 30 * (deployment % 2),
    securityContext: { runAsNonRoot: true, fsGroup: 2_000 },
    containers: [container('main', deployment), container('proxy', deployment)],
    volumes: volumesOf(deployment, index),
    tolerations: [
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ...(deployment % 4 === 0 ? [{ key: 'dedicated', operator: 'Equal', value: 'web', effect: 'NoSchedule' }] : []),
    ],
    ...(deployment % 3 === 0 ? { nodeSelector: { 'kubernetes.io/arch': 'arm64' } } : {}),
    affinity: affinityOf(deployment, selector),
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: deployment % 2 === 0 ? 'DoNotSchedule' : 'ScheduleAnyway',
        labelSelector: selector,
        ...(deployment % 5 === 0 ? { minDomains: 2, nodeTaintsPolicy: 'Honor' } : {}),
      },
    ],
  };
}

function affinityOf(deployment: number, labelSelector: Fields): Fields {
  const zones = ['eu-central-1a', 'eu-central-1b', 'eu-central-1c'];
  const inZones = { key: 'topology.kubernetes.io/zone', operator: 'In', values: zones };
  const term = { labelSelector, topologyKey: 'kubernetes.io/hostname' };
  return {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [inZones] }] },
    },
    podAntiAffinity:
      deployment % 10 === 0
        ? { requiredDuringSchedulingIgnoredDuringExecution: [term] }
        : { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 50, podAffinityTerm: term }] },
  };
}

/** The token of every pod; also a PersistentVolumeClaim in one of twenty Deployments. */
function volumesOf(deployment: number, index: number): readonly Fields[] {
  const token = {
    name: `kube-api-access-${hex(index * 15_485_863, 5)}`,
    projected: {
      defaultMode: 420,
      sources: [
        { serviceAccountToken: { expirationSeconds: 3_607, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
    },
  };
  const config = { name: 'config', configMap: { name: appOf(deployment), defaultMode: 420 } };
  const data = { name: 'data', persistentVolumeClaim: { claimName: `data-${index}` } };
  return hasClaim(index) ? [token, config, data] : [token, config];
}

export function hasClaim(index: number): boolean {
  return deploymentOf(index) % 20 === 0;
}

function container(name: string, deployment: number): Fields {
  const probe = {
    httpGet: { path: '/healthz', port: 8_080, scheme: 'HTTP' },
    initialDelaySeconds: 5,
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  };
  return {
    name,
    image: `123456789012.dkr.ecr.eu-central-1.amazonaws.com/${appOf(deployment)}/${name}:1.${deployment % 40}.0`,
    imagePullPolicy: 'IfNotPresent',
    args: ['--config=/etc/service/config.yaml', `--name=${appOf(deployment)}`, '--log-format=json'],
    env: Array.from({ length: 6 }, (_, at) => ({
      name: `SETTING_${at}`,
      value: `https://dependency-${at}.${namespaceName(deployment)}.svc.cluster.local:8443/v1`,
    })),
    ports: [{ name: 'http', containerPort: 8_080, protocol: 'TCP' }],
    resources: {
      requests: { cpu: `${100 + 50 * (deployment % 9)}m`, memory: `${128 + 64 * (deployment % 11)}Mi` },
      limits: { memory: `${256 + 64 * (deployment % 11)}Mi` },
    },
    livenessProbe: probe,
    readinessProbe: { ...probe, periodSeconds: 5 },
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    volumeMounts: [
      { name: 'config', mountPath: '/etc/service', readOnly: true },
      { name: 'token', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true },
    ],
  };
}

function pendingStatus(): Fields {
  const message = '0/1000 nodes are available: 1000 Insufficient cpu. preemption: 0/1000 nodes are available.';
  return {
    phase: 'Pending',
    qosClass: 'Burstable',
    conditions: [
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime: CREATED },
    ],
  };
}

function runningStatus(index: number, deployment: number): Fields {
  const ip = `10.${index % 200}.${Math.floor(index / 200) % 250}.${index % 250}`;
  const types = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];
  return {
    phase: 'Running',
    qosClass: 'Burstable',
    startTime: STARTED,
    hostIP: ip,
    hostIPs: [{ ip }],
    podIP: ip,
    podIPs: [{ ip }],
    conditions: types.map((type) => ({ type, status: 'True', lastTransitionTime: STARTED })),
    containerStatuses: ['main', 'proxy'].map((name) => ({
      name,
      ready: true,
      started: true,
      restartCount: 0,
      image: `123456789012.dkr.ecr.eu-central-1.amazonaws.com/${appOf(deployment)}/${name}:1.${deployment % 40}.0`,
      imageID: `123456789012.dkr.ecr.eu-central-1.amazonaws.com/${appOf(deployment)}/${name}@sha256:${hex(index, 64)}`,
      containerID: `containerd://${hex(index * 31, 64)}`,
      state: { running: { startedAt: STARTED } },
    })),
  };
}

function managed(manager: string, fieldsV1: Fields): Fields {
  return { manager, operation: 'Update', apiVersion: 'v1', time: CREATED, fieldsType: 'FieldsV1', fieldsV1 };
}

const METADATA_FIELDS = owned(
  ['f:annotations', 'f:generateName', 'f:labels', 'f:ownerReferences'],
  ['app', 'team', 'uid'],
);
const CONTAINER_FIELDS = owned(
  ['args', 'env', 'image', 'imagePullPolicy', 'livenessProbe', 'name', 'ports', 'readinessProbe', 'resources'],
  ['failureThreshold', 'httpGet', 'periodSeconds', 'value'],
);
const SPEC_FIELDS = {
  ...owned(['f:affinity', 'f:volumes', 'f:tolerations', 'f:topologySpreadConstraints'], ['name', 'key', 'operator']),
  'f:containers': { 'k:{"name":"main"}': CONTAINER_FIELDS, 'k:{"name":"proxy"}': CONTAINER_FIELDS },
};
const STATUS_FIELDS = owned(
  ['f:conditions', 'f:containerStatuses', 'f:hostIP', 'f:phase', 'f:podIP', 'f:startTime'],
  ['k:{"type":"Ready"}', 'k:{"type":"Initialized"}', 'lastTransitionTime', 'status', 'type'],
);

function owned(fields: readonly string[], below: readonly string[]): Fields {
  const inner = Object.fromEntries(below.map((name) => [`f:${name}`, {}]));
  return Object.fromEntries(fields.map((name) => [name, { '.': {}, ...inner }]));
}

export function uidOf(index: number): string {
  const digits = hex(index * 2_654_435_761, 12);
  return `${hex(index, 8)}-0000-4000-8000-${digits}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0').slice(-digits);
}
