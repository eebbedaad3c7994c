/** Valid pods. Each field that Kerf reads is set in some, and absent, empty and zero in others. */
import fc from 'fast-check';

export type Fields = Readonly<Record<string, unknown>>;

const KEYS = ['app', 'team', 'example.com/tier', 'a'];
const NAME = fc.constantFrom('web', 'db', 'cache-1');
const VALUE = fc.constantFrom('', 'x', 'blue', '1.2-3_4');
const QUANTITY = fc.constantFrom('1', '100m', '1500m', '1Gi', '128974848', '1e3', '0');
const SECONDS = fc.constantFrom(0, 1, 300, 4_294_967_296);

const labels = fc.dictionary(fc.constantFrom(...KEYS), VALUE, { maxKeys: 4 });
const annotations = fc.dictionary(
  fc.constantFrom('note', 'kubectl.kubernetes.io/last-applied-configuration', 'example.com/text'),
  fc.string({ unit: 'binary', maxLength: 200 }).map((text) => text.toWellFormed()),
);

function optional<T extends Fields>(fields: { readonly [Key in keyof T]: fc.Arbitrary<T[Key]> }): fc.Arbitrary<Fields> {
  return fc.record(fields, { requiredKeys: [] });
}

const expression = fc.oneof(
  fc.record({ key: fc.constantFrom(...KEYS), operator: fc.constantFrom('Exists', 'DoesNotExist') }),
  fc.record({
    key: fc.constantFrom(...KEYS),
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.array(VALUE, { minLength: 1, maxLength: 3 }),
  }),
);
const selector = optional({ matchLabels: labels, matchExpressions: fc.array(expression, { maxLength: 2 }) });

const nodeTerm = fc.record(
  {
    matchExpressions: fc.array(fc.oneof(expression, fc.constant({ key: 'size', operator: 'Gt', values: ['5'] })), {
      minLength: 1,
      maxLength: 2,
    }),
    matchFields: fc.constant([{ key: 'metadata.name', operator: 'In', values: ['node-1'] }]),
  },
  { requiredKeys: ['matchExpressions'] },
);
const weight = fc.integer({ min: 1, max: 100 });
const podTerm = fc.record(
  {
    topologyKey: fc.constantFrom('kubernetes.io/hostname', 'topology.kubernetes.io/zone'),
    labelSelector: selector,
    namespaces: fc.constantFrom([], ['default'], ['default', 'other']),
    namespaceSelector: fc.constantFrom({}, { matchLabels: { team: 'x' } }),
  },
  { requiredKeys: ['topologyKey'] },
);
const podAffinity = optional({
  requiredDuringSchedulingIgnoredDuringExecution: fc.array(podTerm, { maxLength: 2 }),
  preferredDuringSchedulingIgnoredDuringExecution: fc.array(fc.record({ weight, podAffinityTerm: podTerm }), {
    maxLength: 2,
  }),
});
const affinity = optional({
  nodeAffinity: optional({
    requiredDuringSchedulingIgnoredDuringExecution: fc.record({
      nodeSelectorTerms: fc.array(nodeTerm, { minLength: 1, maxLength: 2 }),
    }),
    preferredDuringSchedulingIgnoredDuringExecution: fc.array(fc.record({ weight, preference: nodeTerm }), {
      maxLength: 2,
    }),
  }),
  podAffinity,
  podAntiAffinity: podAffinity,
});

const toleration = fc.constantFrom<Fields>(
  { operator: 'Exists' },
  { key: 'a', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'a', value: 'b' },
  { key: 'a', operator: 'Equal', value: '', effect: 'PreferNoSchedule' },
  { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 0 },
  { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: -1 },
  { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 4_294_967_296 },
);

const spread = fc.record(
  {
    maxSkew: fc.integer({ min: 1, max: 5 }),
    topologyKey: fc.constantFrom('zone', 'host'),
    whenUnsatisfiable: fc.constant('DoNotSchedule'),
    labelSelector: selector,
    minDomains: fc.integer({ min: 1, max: 3 }),
    nodeAffinityPolicy: fc.constantFrom('Honor', 'Ignore'),
    nodeTaintsPolicy: fc.constantFrom('Honor', 'Ignore'),
  },
  { requiredKeys: ['maxSkew', 'topologyKey', 'whenUnsatisfiable'] },
);

const resources = fc
  .dictionary(fc.constantFrom('cpu', 'memory', 'ephemeral-storage', 'hugepages-2Mi'), QUANTITY)
  .map(({ 'hugepages-2Mi': huge, ...rest }): Fields => {
    // The limit and the request of huge pages must be equal, whole pages, and not the only resource.
    const pages = huge === undefined ? {} : { 'hugepages-2Mi': '4Mi', cpu: '1' };
    return { requests: { ...rest, ...pages }, ...(huge === undefined ? {} : { limits: { 'hugepages-2Mi': '4Mi' } }) };
  });

const port = fc.record(
  {
    containerPort: fc.constantFrom(80, 65_535),
    protocol: fc.constantFrom('TCP', 'UDP', 'SCTP'),
    hostIP: fc.constantFrom('', '10.0.0.1'),
  },
  { requiredKeys: ['containerPort'] },
);

function container(name: string): fc.Arbitrary<Fields> {
  return fc.record(
    {
      name: fc.constant(name),
      image: fc.constant('nginx'),
      resources,
      ports: fc.uniqueArray(port, { maxLength: 2, selector: ({ containerPort }) => containerPort }),
      env: fc.constant([{ name: 'HOME', value: '/' }]),
    },
    { requiredKeys: ['name', 'image'] },
  );
}

const volume = fc.constantFrom<Fields>(
  { name: 'tmp', emptyDir: {} },
  { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
  { name: 'shared', persistentVolumeClaim: { claimName: 'shared', readOnly: true } },
  { name: 'own', ephemeral: { volumeClaimTemplate: { spec: claimSpec({ storageClassName: 'gp3' }) } } },
  { name: 'unclassed', ephemeral: { volumeClaimTemplate: { spec: claimSpec({ storageClassName: '' }) } } },
  {
    name: 'plain',
    ephemeral: { volumeClaimTemplate: { metadata: { labels: { a: 'b' } }, spec: claimSpec({}) } },
  },
);

function claimSpec(spec: Fields): Fields {
  return { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec };
}

const spec = fc.record(
  {
    // No scheduler of that name runs, so the pods do not change between two reads.
    schedulerName: fc.constant('none'),
    containers: fc.tuple(container('main'), container('side')),
    initContainers: fc.tuple(
      fc
        .tuple(container('init'), fc.constantFrom({}, { restartPolicy: 'Always' }))
        .map((parts) => Object.assign({}, ...parts)),
    ),
    nodeName: fc.constant('node-1'),
    restartPolicy: fc.constantFrom('Always'),
    hostNetwork: fc.boolean(),
    terminationGracePeriodSeconds: SECONDS,
    nodeSelector: labels,
    affinity,
    tolerations: fc.array(toleration, { maxLength: 4 }),
    topologySpreadConstraints: fc.uniqueArray(spread, { maxLength: 2, selector: ({ topologyKey }) => topologyKey }),
    volumes: fc.uniqueArray(volume, { maxLength: 4, selector: (one) => one['name'] }),
    priorityClassName: fc.constantFrom('below-zero', 'system-node-critical'),
    resources: fc.constantFrom({ requests: { cpu: '8G', memory: '8Gi' } }),
    runtimeClassName: fc.constant('with-overhead'),
    resourceClaims: fc.constantFrom([], [{ name: 'gpu', resourceClaimTemplateName: 'gpu' }]),
  },
  { requiredKeys: ['schedulerName', 'containers'] },
);

/** The status of containers during an in-place resize (B18). */
const containerStatuses = fc.constantFrom<readonly Fields[]>(
  [],
  [
    {
      name: 'resized',
      image: 'pause',
      imageID: '',
      ready: true,
      restartCount: 0,
      allocatedResources: { cpu: '2', memory: '1Gi' },
      resources: { limits: { cpu: '4' }, requests: { cpu: '1500m' } },
    },
  ],
);

const status = optional({
  phase: fc.constantFrom('Pending', 'Running', 'Succeeded', 'Failed'),
  nominatedNodeName: fc.constant('node-2'),
  containerStatuses,
  initContainerStatuses: containerStatuses,
  startTime: fc.constantFrom('2026-11-21T08:00:00Z', '1970-01-01T00:00:00Z', '1969-12-31T23:59:59Z'),
  conditions: fc.constantFrom<readonly Fields[]>(
    [],
    [{ type: 'Ready', status: 'True', lastProbeTime: '2026-11-21T08:00:00Z', observedGeneration: 3 }],
    [
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
        message: 'keine Knoten: é',
        lastTransitionTime: '2026-11-21T08:00:00Z',
      },
      { type: 'Ready', status: 'Unknown', lastTransitionTime: null },
    ],
  ),
});

/** An owner of a kind that no server has: the garbage collector ignores it. */
const owner = fc.record(
  {
    apiVersion: fc.constant('example.com/v1'),
    kind: fc.constant('Unheard'),
    name: NAME,
    uid: fc.uuid(),
    controller: fc.boolean(),
    blockOwnerDeletion: fc.boolean(),
  },
  { requiredKeys: ['apiVersion', 'kind', 'name', 'uid'] },
);

export interface RandomPod {
  readonly metadata: Fields;
  readonly spec: Fields;
  readonly status: Fields;
  readonly isDeleted: boolean;
}

const pod: fc.Arbitrary<RandomPod> = fc.record({
  metadata: optional({
    labels,
    annotations,
    finalizers: fc.constantFrom([], ['example.com/hold']),
    ownerReferences: fc.array(owner, { maxLength: 1 }),
  }),
  spec: spec.map(legal),
  status,
  isDeleted: fc.boolean(),
});

/** Removes the combinations of fields that an API server refuses. */
function legal(fields: Fields): Fields {
  const { hostNetwork, containers, nodeName, resourceClaims, ...rest } = fields;
  return {
    ...rest,
    ...(nodeName === undefined ? {} : { nodeName }),
    containers,
    ...(hostNetwork === undefined ? {} : { hostNetwork: hostNetwork === true && !isPorted(fields) }),
    ...(resourceClaims === undefined || nodeName !== undefined ? {} : { resourceClaims }),
  };
}

/** On the host's network every port is a host port, and two equal ports of one pod conflict. */
function isPorted({ containers, initContainers }: Fields): boolean {
  return JSON.stringify([containers, initContainers]).includes('containerPort');
}

/** The same pods in each call. */
export function randomPods(count: number): readonly RandomPod[] {
  return fc.sample(pod, { numRuns: count, seed: 7 });
}
