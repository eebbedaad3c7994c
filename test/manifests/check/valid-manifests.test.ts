import { describe, expect, test } from 'vitest';
import { formatProblem } from '../../../lib/manifests/explain/format-problem.ts';
import { type ParsedManifests, readManifests } from '../../../lib/manifests/read/read-manifests.ts';
import { samples } from '../../samples.ts';
import { BUDGET, DEPLOYMENT, edit, join, NODE_CLASS, NODE_POOL, POD, SCENARIO } from './texts.ts';

function read(...texts: readonly string[]): ParsedManifests {
  const { manifests, problems } = readManifests(texts.map((text, index) => ({ file: `${index}.yaml`, text })));
  expect(problems.map(formatProblem)).toEqual([]);
  return manifests;
}

const pool = (from: string, to: string): string => join(edit(NODE_POOL, from, to), NODE_CLASS);
const nodeClass = (from: string, to: string): string => edit(NODE_CLASS, from, to);
const deployment = (from: string, to: string): string => edit(DEPLOYMENT, from, to);
const DAEMON_SET = edit(edit(DEPLOYMENT, 'kind: Deployment', 'kind: DaemonSet'), '  replicas: 3\n', '');

/** Manifests that the API server and Karpenter accept. */
const VALID: readonly (readonly [rule: string, text: string])[] = [
  ['a NodePool with its class', join(NODE_POOL, NODE_CLASS)],
  ['the class after the pool, with empty documents between', `---\n# pool\n${NODE_POOL}---\n---\n${NODE_CLASS}---\n`],
  ['Windows line ends', join(NODE_POOL, NODE_CLASS).replaceAll('\n', '\r\n')],
  ['a byte order mark', `\uFEFF${POD}`],
  ['a document end mark', `${POD}...\n`],
  ['a disruption block without consolidateAfter', pool('    consolidateAfter: 30s\n', '')],
  [
    'a disruption block without a value',
    pool('  weight: 10', '  weight: 10\nstatus: {conditions: [], resources: {cpu: 1}}'),
  ],
  ['expireAfter Never', pool('720h', 'Never')],
  ['an expireAfter of hours and minutes', pool('720h', '168h0m0s')],
  ['no requirements at all', pool('      expireAfter: 720h', '      terminationGracePeriod: 1h30m')],
  ['Gte and Lte', pool('operator: Gt', 'operator: Gte')],
  [
    'NotIn, with its values',
    pool('operator: In\n          values: [spot, on-demand]', 'operator: NotIn\n          values: [spot]'),
  ],
  ['an unknown capacity type beside a known one', pool('[spot, on-demand]', '[spot, ondemand]')],
  ['minValues up to the number of values', pool('[spot, on-demand]', '[spot, on-demand]\n          minValues: 2')],
  ['a requirement on a label of the user', pool('karpenter.k8s.aws/instance-cpu', 'example.com/rank')],
  [
    'a label with a legacy name',
    pool(
      'key: karpenter.sh/capacity-type\n          operator: In\n          values: [spot, on-demand]',
      'key: beta.kubernetes.io/arch\n          operator: In\n          values: [amd64]',
    ),
  ],
  ['a label of the domain kubernetes.io', pool('{team: web}', '{node-role.kubernetes.io/web: ""}')],
  [
    'the same taint as taint and startup taint with another effect',
    pool('expireAfter: 720h', 'startupTaints: [{key: dedicated, effect: NoExecute}]'),
  ],
  ['a schedule by name', pool('0 9 * * mon-fri', '"@daily"')],
  ['a schedule with steps, lists and names', pool('0 9 * * mon-fri', '"*/5,7 0-6/2 1,15 JAN-mar ?"')],
  ['a schedule that only Karpenter itself cannot read (A1.17)', pool('0 9 * * mon-fri', '0 25 * * mon-fry')],
  ['a limit below zero', pool('400Gi', '-1Gi')],
  ['a label without a value, which the server drops', pool('{team: web}', '{team: }')],
  ['all reasons', pool('nodes: 10%', 'nodes: 100%\n        reasons: [Empty, Drifted, Underutilized]')],
  [
    'a pool of fixed size',
    pool('  limits: {cpu: 100, memory: 400Gi}\n  weight: 10', '  limits: {nodes: 5}\n  replicas: 3'),
  ],
  ['limits as numbers and text', pool('{cpu: 100, memory: 400Gi}', '{cpu: "1k", memory: 1e3, nvidia.com/gpu: 4}')],
  [
    'budgets without a value',
    pool(
      '    budgets:\n      - nodes: 10%\n      - nodes: "0"\n        schedule: 0 9 * * mon-fri\n        duration: 8h\n',
      '    budgets:\n',
    ),
  ],
  [
    'a namespace on an object that has none',
    pool('name: default\nspec', 'name: default\n  namespace: kube-system\nspec'),
  ],
  [
    'what the server writes into metadata',
    pool(
      'name: default\nspec',
      'name: default\n  uid: a\n  resourceVersion: "1"\n  generation: 2\n  creationTimestamp: null\n  managedFields: []\nspec',
    ),
  ],
  ['an instance profile', nodeClass('role: KarpenterNodeRole', 'instanceProfile: nodes')],
  [
    'AMIs by tags with their family',
    nodeClass('- alias: al2023@latest', '- {tags: {a: b}, owner: self}\n    - id: ami-0a\n  amiFamily: Bottlerocket'),
  ],
  ['an alias with its family', nodeClass('  role', '  amiFamily: AL2023\n  role')],
  ['an alias with the family Custom', nodeClass('  role', '  amiFamily: Custom\n  role')],
  [
    'one selector term of two with an id beside tags',
    nodeClass('  subnetSelectorTerms:\n', '  subnetSelectorTerms:\n    - {id: subnet-1, tags: {a: b}}\n'),
  ],
  [
    'volumes, kubelet and metadata options',
    nodeClass(
      '  role',
      '  kubelet: {maxPods: 20, clusterDNS: [10.0.0.10], evictionHard: {memory.available: 5%}, systemReserved: {cpu: 100m}, containerLogMaxSize: 10Mi}\n  blockDeviceMappings: [{deviceName: /dev/xvda, rootVolume: true, ebs: {volumeSize: 100Gi, volumeType: gp3, encrypted: true}}]\n  metadataOptions: {httpTokens: required, httpPutResponseHopLimit: 2}\n  instanceStorePolicy: RAID0\n  role',
    ),
  ],
  [
    'text with shell variables and braces in user data',
    nodeClass('  role', '  userData: |\n    echo ${A} {{ b }}\n  role'),
  ],
  ['a Deployment', DEPLOYMENT],
  ['a Deployment of no replicas', deployment('replicas: 3', 'replicas: 0')],
  ['a Deployment without replicas', deployment('  replicas: 3\n', '')],
  ['a DaemonSet', DAEMON_SET],
  ['a Pod', POD],
  ['a Pod without an image', edit(POD, '      image: busybox\n', '')],
  [
    'fields without a value',
    edit(POD, 'spec:', 'spec:\n  affinity:\n  tolerations:\n  nodeSelector:\n  securityContext:'),
  ],
  [
    'empty text where the API has a default for it',
    edit(POD, 'spec:', 'spec:\n  tolerations: [{key: a, operator: "", effect: ""}]'),
  ],
  ['a toleration of everything', edit(POD, 'spec:', 'spec:\n  tolerations: [{operator: Exists}]')],
  [
    'amounts as numbers, fractions and exponents',
    edit(POD, 'image: busybox', 'resources: {requests: {cpu: 0.5, memory: 1e9}, limits: {cpu: "1.5", memory: 2E9}}'),
  ],
  ['a limit without a request', edit(POD, 'image: busybox', 'resources: {limits: {cpu: 1, nvidia.com/gpu: 1}}')],
  [
    'other fields of a container',
    edit(
      POD,
      'image: busybox',
      'command: [sh, -c, "echo {{ x }}"]\n      env: [{name: A, value: "1"}, {name: B, valueFrom: {fieldRef: {fieldPath: a}}}]\n      lifecycle: {preStop: {sleep: {seconds: 5}}}\n      securityContext: {runAsNonRoot: true}\n      startupProbe: {tcpSocket: {port: 80}}',
    ),
  ],
  [
    'volumes and their mounts',
    edit(
      POD,
      'image: busybox',
      'volumeMounts: [{name: data, mountPath: /data}]\n  volumes:\n    - {name: data, persistentVolumeClaim: {claimName: data}}\n    - {name: tmp, emptyDir: {}}\n    - {name: none}',
    ),
  ],
  [
    'a sidecar',
    edit(POD, '  containers:', '  initContainers: [{name: proxy, image: proxy, restartPolicy: Always}]\n  containers:'),
  ],
  ['words for true and false of YAML 1.1', edit(POD, 'spec:', 'spec:\n  hostNetwork: yes\n  hostPID: off')],
  [
    'anchors, aliases and merge keys',
    'apiVersion: v1\nkind: List\nitems:\n  - &pod\n    apiVersion: v1\n    kind: Pod\n    metadata: {name: a}\n    spec: &spec {containers: [{name: a}]}\n  - <<: *pod\n    metadata: {name: b}\n',
  ],
  [
    'a typed list whose items have no kind',
    'apiVersion: v1\nkind: PodList\nitems:\n  - metadata: {name: a}\n    spec: {containers: [{name: a}]}\n',
  ],
  [
    'JSON',
    JSON.stringify(
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [{ name: 'a' }] } },
      null,
      '\t',
    ),
  ],
  ['a label value that is empty', edit(POD, 'name: job', 'name: job\n  labels: {a: "", b: }')],
  [
    'labels with the names of object members',
    edit(POD, 'name: job', 'name: job\n  labels: {constructor: a, toString: b}'),
  ],
  ['a PodDisruptionBudget', BUDGET],
  ['a PodDisruptionBudget by percentage', edit(BUDGET, 'minAvailable: 2', 'maxUnavailable: 25%')],
  ['a PodDisruptionBudget of every pod', edit(BUDGET, '\n    matchLabels: {app: web}', ' {}')],
  ['a Scenario', join(SCENARIO, DEPLOYMENT, NODE_POOL, NODE_CLASS)],
  [
    'one name in two kinds and two namespaces',
    join(
      POD,
      edit(POD, 'name: job', 'name: job\n  namespace: shop'),
      edit(DEPLOYMENT, 'name: web\n  labels', 'name: job\n  labels'),
    ),
  ],
];

describe('a valid manifest has no problem', () => {
  test.each(VALID)('%s', (_, text) => {
    read(text);
  });
});

describe('what is read', () => {
  test('every kind is in its own list, and namespaced objects have a namespace', () => {
    const manifests = read(join(NODE_POOL, NODE_CLASS), join(DEPLOYMENT, DAEMON_SET, POD, BUDGET));
    expect(manifests.nodePools.map(({ metadata }) => metadata.name)).toEqual(['default']);
    expect(manifests.nodeClasses).toHaveLength(1);
    const { deployments, daemonSets, pods, podDisruptionBudgets } = manifests;
    expect(
      [deployments, daemonSets, pods, podDisruptionBudgets].flat().map(({ metadata }) => metadata.namespace),
    ).toEqual(Array(4).fill('default'));
  });

  test('a scenario becomes events in the order of time', () => {
    const [scenario] = read(join(SCENARIO, DEPLOYMENT, NODE_POOL, NODE_CLASS)).scenarios;
    const minute = 60_000;
    expect(scenario).toEqual({
      name: 'busy',
      seed: 7,
      region: 'eu-west-3',
      durationMs: 120 * minute,
      events: [
        { kind: 'interruptSpot', atMs: 10 * minute, nodePool: 'default', count: 1 },
        { kind: 'scale', atMs: 30 * minute, deployment: 'default/web', replicas: 10 },
        { kind: 'deleteNode', atMs: 40 * minute, node: { kind: 'any' } },
        {
          kind: 'withoutCapacity',
          atMs: 50 * minute,
          instanceTypes: ['m5.large'],
          capacityTypes: ['spot'],
          forMs: 10 * minute,
        },
        { kind: 'deletePod', atMs: 55 * minute, pod: 'shop/web-1' },
      ],
    });
  });

  test('other kinds are ignored with a reason', () => {
    const names = [
      'v1/Secret',
      'v1/Service',
      'v1/ConfigMap',
      'v1/ReplicationController',
      'autoscaling/v2beta2/HorizontalPodAutoscaler',
      'rbac.authorization.k8s.io/v1/ClusterRole',
      'storage.k8s.io/v1/CSIDriver',
      'eks.amazonaws.com/v1/NodeClass',
      'container.example.com/v1/NodePool',
    ];
    const texts = names.map(
      (name) =>
        `apiVersion: ${name.slice(0, name.lastIndexOf('/'))}\nkind: ${name.slice(name.lastIndexOf('/') + 1)}\nmetadata: {name: a}\n`,
    );
    const { ignored } = read(join(...texts));
    expect(ignored).toHaveLength(names.length);
    expect(ignored[1]).toEqual({
      file: '0.yaml',
      line: 5,
      kind: 'Service',
      name: 'a',
      note: 'not used by a simulation',
    });
    expect(ignored[3]?.note).toBe('its pods are not simulated');
  });

  test('pods with generateName get different names', () => {
    const pod = edit(POD, 'name: job', 'generateName: job-');
    expect(read(join(pod, pod)).pods.map(({ metadata }) => metadata.name)).toEqual(['job-00001', 'job-00002']);
  });

  test('the defaults of the API server are set (A1.9, A1.11 to A1.15, A3.23)', () => {
    const bare = `${NODE_POOL.slice(0, NODE_POOL.indexOf('  disruption:'))}  weight: 1\n`;
    const { nodePools, nodeClasses } = read(join(edit(bare, '      expireAfter: 720h\n', ''), NODE_CLASS));
    expect(nodePools[0]?.spec.template.spec.expireAfter).toBe('720h');
    expect(nodePools[0]?.spec.disruption).toEqual({
      consolidateAfter: '0s',
      consolidationPolicy: 'WhenEmptyOrUnderutilized',
      budgets: [{ nodes: '10%' }],
    });
    expect(nodeClasses[0]?.spec.metadataOptions).toEqual({
      httpEndpoint: 'enabled',
      httpProtocolIPv6: 'disabled',
      httpPutResponseHopLimit: 1,
      httpTokens: 'required',
    });
  });

  test('a long file is read, each Deployment of it', () => {
    const count = samples(3_000);
    const text = join(
      ...Array.from({ length: count }, (_, index) => edit(DEPLOYMENT, 'name: web', `name: web-${index}`)),
    );
    expect(read(text).deployments).toHaveLength(count);
  });
});
