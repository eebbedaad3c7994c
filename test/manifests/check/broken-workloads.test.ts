import { type Case, expectProblems } from './expect-problems.ts';
import { BUDGET, DEPLOYMENT, edit, join, POD } from './texts.ts';

const POD_SPEC = 'spec.template.spec';
const CONTAINER = `${POD_SPEC}.containers[0]`;
const deployment = (from: string, to: string): string => edit(DEPLOYMENT, from, to);

const WORKLOADS: readonly Case[] = [
  [deployment('cpu: 500m', 'cpu: .inf'), 34, `${CONTAINER}.resources.requests.cpu`, 'write a quantity'],
  [deployment('replicas: 3', 'replicas: -1'), 7, 'spec.replicas', '-1 is too small; write a whole number of 0 or more'],
  [deployment('replicas: 3', 'replicas: "3"'), 7, 'spec.replicas', 'write it without quotes: 3'],
  [deployment('replicas: 3', 'replica: 3'), 7, 'spec.replica', 'did you mean replicas?'],
  [
    deployment('matchLabels: {app: web}', 'matchLabels: {app: wbe}'),
    8,
    'spec.selector',
    'does not match the labels of the template',
  ],
  [deployment('  selector:\n    matchLabels: {app: web}\n', ''), 6, 'spec.selector', 'is missing'],
  [deployment('matchLabels: {app: web}', 'matchLabels: {}'), 8, 'spec.selector', 'selects every pod'],
  [
    deployment('matchLabels: {app: web}', 'app: web'),
    9,
    'spec.selector.app',
    'does not exist; write one of matchLabels',
  ],
  [deployment('nodeSelector:', 'nodeSelctor:'), 14, `${POD_SPEC}.nodeSelctor`, 'did you mean nodeSelector?'],
  [deployment('{kubernetes.io/arch: amd64}', '[amd64]'), 14, `${POD_SPEC}.nodeSelector`, 'is a list; write a map'],
  [deployment('operator: Equal', 'operator: Equals'), 16, `${POD_SPEC}.tolerations[0].operator`, 'did you mean Equal?'],
  [deployment('operator: Equal', 'operator: Exists'), 16, `${POD_SPEC}.tolerations[0].value`, 'Exists takes no value'],
  [
    deployment('{key: dedicated, operator: Equal, value: web, effect: NoSchedule}', '{effect: NoSchedule}'),
    16,
    `${POD_SPEC}.tolerations[0].operator`,
    'without a key',
  ],
  [
    deployment('effect: NoSchedule}', 'effect: NoSchedule, tolerationSeconds: 5}'),
    16,
    `${POD_SPEC}.tolerations[0].effect`,
    'only to the effect NoExecute',
  ],
  [
    deployment('effect: NoSchedule}', 'effect: Never}'),
    16,
    `${POD_SPEC}.tolerations[0].effect`,
    'NoSchedule, PreferNoSchedule, NoExecute',
  ],
  [
    deployment('maxSkew: 1', 'maxSkew: 0'),
    18,
    `${POD_SPEC}.topologySpreadConstraints[0].maxSkew`,
    '0 is too small; write a whole number of 1 or more',
  ],
  [
    deployment('whenUnsatisfiable: DoNotSchedule', 'whenUnsatisfiable: Ignore'),
    20,
    `${POD_SPEC}.topologySpreadConstraints[0].whenUnsatisfiable`,
    'DoNotSchedule, ScheduleAnyway',
  ],
  [
    deployment('whenUnsatisfiable: DoNotSchedule', 'whenUnsatisfiable: ScheduleAnyway\n          minDomains: 2'),
    21,
    `${POD_SPEC}.topologySpreadConstraints[0].minDomains`,
    'only to whenUnsatisfiable: DoNotSchedule',
  ],
  [
    deployment('          topologyKey: topology.kubernetes.io/zone\n', ''),
    18,
    `${POD_SPEC}.topologySpreadConstraints[0].topologyKey`,
    'is missing',
  ],
  [
    deployment('operator: In, values: [linux]', 'operator: Gte, values: ["1"]'),
    27,
    `${POD_SPEC}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator`,
    'In, NotIn, Exists, DoesNotExist, Gt, Lt',
  ],
  [
    deployment('operator: In, values: [linux]', 'operator: Exists, values: [linux]'),
    27,
    `${POD_SPEC}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values`,
    'Exists takes no values',
  ],
  [deployment('nodeAffinity:', 'nodeAffinty:'), 23, `${POD_SPEC}.affinity.nodeAffinty`, 'did you mean nodeAffinity?'],
  [
    deployment('cpu: 500m', 'cpu: 500mm'),
    34,
    `${CONTAINER}.resources.requests.cpu`,
    '"500mm" is not allowed; write a quantity',
  ],
  [deployment('cpu: 500m', 'cpu: -1'), 34, `${CONTAINER}.resources.requests.cpu`, '-1 is too small'],
  [deployment('cpu: 500m', 'cpus: 1'), 34, `${CONTAINER}.resources.requests.cpus`, 'did you mean cpu?'],
  [deployment('cpu: 500m', 'nvidia.com/gpu: 1'), 35, `${CONTAINER}.resources.limits["nvidia.com/gpu"]`, 'is missing'],
  [
    deployment('cpu: 500m', 'nvidia.com/gpu: 500m'),
    34,
    `${CONTAINER}.resources.requests["nvidia.com/gpu"]`,
    'is not a whole number',
  ],
  [
    deployment('memory: 1Gi}\n            limits', 'memory: 2Gi}\n            limits'),
    34,
    `${CONTAINER}.resources.requests.memory`,
    '"2Gi" is more than the limit "1Gi"',
  ],
  [deployment('resources:', 'resource:'), 33, `${CONTAINER}.resource`, 'did you mean resources?'],
  [
    deployment('requests:', 'cpu: 1\n            requests:'),
    34,
    `${CONTAINER}.resources.cpu`,
    'does not exist; write one of requests, limits, claims',
  ],
  [
    deployment('containerPort: 80', 'containerPort: 80, hostPort: 70000'),
    31,
    `${CONTAINER}.ports[0].hostPort`,
    '70000 is too large',
  ],
  [
    deployment('image: nginx', 'image: nginx\n          env: [{name: A, value: 1}]'),
    31,
    `${CONTAINER}.env[0].value`,
    '1 is a number; write it in quotes: "1"',
  ],
  [
    deployment('image: nginx', 'image: nginx\n          volumeMounts: [{name: data, mountPath: /data}]'),
    31,
    `${CONTAINER}.volumeMounts[0].name`,
    '"data" is not a volume of this pod',
  ],
  [
    deployment('        - name: web\n          image', '        - name: web\n        - name: web\n          image'),
    30,
    `${POD_SPEC}.containers[1].name`,
    '"web" is already the name of another container',
  ],
  [deployment('        - name: web\n          image', '        - image'), 29, `${CONTAINER}.name`, 'is missing'],
  [
    deployment('      containers:', '      restartPolicy: Never\n      containers:'),
    28,
    `${POD_SPEC}.restartPolicy`,
    'not allowed in a template; write Always',
  ],
  [
    deployment('      containers:', '      hostNetwork: "yes"\n      containers:'),
    28,
    `${POD_SPEC}.hostNetwork`,
    'true or false, without quotes',
  ],
  [
    'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: []}\n',
    4,
    'spec.containers',
    'has no entry; write at least 1 entry',
  ],
  [edit(POD, 'spec:', 'spec:\n  template: {}'), 6, 'spec.template', 'does not exist'],
  [
    edit(BUDGET, 'minAvailable: 2', 'minAvailable: 2\n  maxUnavailable: 1'),
    7,
    'spec.maxUnavailable',
    'cannot be set together with minAvailable',
  ],
  [
    edit(BUDGET, 'minAvailable: 2', 'minAvailable: "2"'),
    6,
    'spec.minAvailable',
    '"2" is not allowed; write a whole number (without quotes) or a percentage',
  ],
  [edit(BUDGET, 'minAvailable: 2', 'minAvailable: 120%'), 6, 'spec.minAvailable', 'more than 100%'],
  [edit(BUDGET, 'minAvailable: 2', 'minAvailable: -2'), 6, 'spec.minAvailable', '-2 is too small'],
  [
    edit(BUDGET, 'matchLabels: {app: web}', 'matchExpressions: [{key: a, operator: Gt, values: ["1"]}]'),
    8,
    'spec.selector.matchExpressions[0].operator',
    'In, NotIn, Exists, DoesNotExist',
  ],
  [
    edit(BUDGET, 'matchLabels: {app: web}', 'matchExpressions: [{key: a, operator: In}]'),
    8,
    'spec.selector.matchExpressions[0].values',
    'In has no values',
  ],
  [
    'apiVersion: v1\nkind: List\nitems:\n  - apiVersion: v1\n    kind: Pod\n    metadata: {name: a}\n    spec: {container: []}\n',
    7,
    'items[0].spec.container',
    'did you mean containers?',
  ],
  [join(POD, POD), 13, 'metadata.name', 'Pod/default/job is defined twice; the first is at a.yaml:4'],
];

expectProblems('a broken workload is a problem with its line and field', WORKLOADS);
