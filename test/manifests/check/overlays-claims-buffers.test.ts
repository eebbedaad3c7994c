import { expect, test } from 'vitest';
import { formatProblem } from '../../../lib/manifests/explain/format-problem.ts';
import { readManifests } from '../../../lib/manifests/read/read-manifests.ts';
import { type Case, expectProblems } from './expect-problems.ts';
import { edit } from './texts.ts';

const NODE_CLAIM = `apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata:
  name: default-abcde
spec:
  nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
  requirements:
    - {key: karpenter.sh/nodepool, operator: In, values: [default]}
  resources: {requests: {cpu: "2", memory: 4Gi}}
  expireAfter: 720h
`;

const NODE_OVERLAY = `apiVersion: karpenter.sh/v1alpha1
kind: NodeOverlay
metadata:
  name: licences
spec:
  weight: 10
  requirements:
    - {key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}
  priceAdjustment: "-10%"
  capacity: {example.com/licence: 4}
`;

const CAPACITY_BUFFER = `apiVersion: autoscaling.x-k8s.io/v1beta1
kind: CapacityBuffer
metadata:
  name: spare
  namespace: shop
spec:
  podTemplateRef: {name: web}
  replicas: 3
  limits: {cpu: "10"}
`;

const POD_TEMPLATE = `apiVersion: v1
kind: PodTemplate
metadata:
  name: web
  namespace: shop
template:
  spec:
    containers:
      - {name: main, image: web, resources: {requests: {cpu: "1"}}}
`;

test('a valid NodeClaim is read and checked, with a note that a simulation does not use it', () => {
  const { problems, manifests } = readManifests([{ file: 'a.yaml', text: NODE_CLAIM }]);
  expect(problems.map(formatProblem)).toEqual([]);
  expect(manifests.ignored).toMatchObject([{ kind: 'NodeClaim', note: 'nodes come from the NodePools of the files' }]);
});

test.each([
  ['nodeOverlays', NODE_OVERLAY, 'licences'],
  ['capacityBuffers', CAPACITY_BUFFER, 'spare'],
  ['podTemplates', POD_TEMPLATE, 'web'],
] as const)('%s take part in a simulation', (list, text, name) => {
  const { problems, manifests } = readManifests([{ file: 'a.yaml', text }]);
  expect(problems.map(formatProblem)).toEqual([]);
  expect(manifests[list]).toMatchObject([{ metadata: { name } }]);
  expect(manifests.ignored).toEqual([]);
});

const template = (from: string, to: string): string => edit(POD_TEMPLATE, from, to);

expectProblems('a broken PodTemplate is a problem with its line and field', [
  [template('cpu: "1"', 'cpu: one'), 9, 'template.spec.containers[0].resources.requests.cpu', '"one" is not allowed'],
  [template('template:', 'spec:'), 6, 'spec', 'template'],
]);

const claim = (from: string, to: string): string => edit(NODE_CLAIM, from, to);
const overlay = (from: string, to: string): string => edit(NODE_OVERLAY, from, to);
const buffer = (from: string, to: string): string => edit(CAPACITY_BUFFER, from, to);

const NODE_CLAIMS: readonly Case[] = [
  [claim('group: karpenter.k8s.aws', 'group: karpenter.k8s.aws/v1'), 6, 'spec.nodeClassRef.group', 'without a version'],
  [claim('name: default}', 'name: ""}'), 6, 'spec.nodeClassRef.name', 'is empty; write the value of the NodeClass'],
  [claim('karpenter.sh/nodepool', 'karpenter.sh/pool'), 8, 'spec.requirements[0].key', 'is reserved for Karpenter'],
  [claim('memory: 4Gi', 'memory: 4GB'), 9, 'spec.resources.requests.memory', '"4GB" is not allowed; write a quantity'],
  [claim('720h', '30d'), 10, 'spec.expireAfter', 'write 720h: a duration'],
  [claim('  expireAfter', '  template: {}\n  expireAfter'), 10, 'spec.template', 'this field does not exist'],
];

expectProblems('a broken NodeClaim is a problem with its line and field', NODE_CLAIMS);

const NODE_OVERLAYS: readonly Case[] = [
  [overlay('"-10%"', '-10%'.replace('-', '')), 9, 'spec.priceAdjustment', 'with a sign, in quotes, such as "+0.10"'],
  [overlay('"-10%"', '"-101%"'), 9, 'spec.priceAdjustment', 'at least "-100%"'],
  [
    overlay('  capacity', '  price: "0.1"\n  capacity'),
    9,
    'spec.priceAdjustment',
    'price or priceAdjustment, not both',
  ],
  [overlay('  priceAdjustment: "-10%"', '  price: 0.1'), 9, 'spec.price', 'write it in quotes: "0.1"'],
  [overlay('example.com/licence', 'cpu'), 10, 'spec.capacity.cpu', 'extended resources only'],
  [
    overlay('example.com/licence', 'aws.amazon.com/neuron'),
    10,
    'spec.capacity["aws.amazon.com/neuron"]',
    'is defined by EC2 and cannot be changed; write extended resources that the instance type does not have',
  ],
  [
    overlay('operator: In, values: [m5.large]', 'operator: NotIn'),
    8,
    'spec.requirements[0].values',
    'NotIn has no values',
  ],
  [
    overlay('node.kubernetes.io/instance-type', 'karpenter.k8s.aws/instance-tenancy'),
    8,
    'spec.requirements[0].key',
    'is not a label of EC2 instances',
  ],
  [overlay('weight: 10', 'weight: 10001'), 6, 'spec.weight', 'write a whole number from 1 to 10000'],
  [overlay('v1alpha1', 'v1'), 1, 'apiVersion', '"karpenter.sh/v1" has no NodeOverlay; write karpenter.sh/v1alpha1'],
];

expectProblems('a broken NodeOverlay is a problem with its line and field', NODE_OVERLAYS);

const CAPACITY_BUFFERS: readonly Case[] = [
  [buffer('  replicas: 3\n  limits: {cpu: "10"}\n', ''), 7, 'spec.podTemplateRef', 'needs replicas or limits'],
  [
    buffer('  replicas', '  scalableRef: {apiGroup: apps, kind: Deployment, name: web}\n  replicas'),
    8,
    'spec.scalableRef',
    'podTemplateRef or scalableRef, not both',
  ],
  [buffer('replicas: 3', 'replicas: -1'), 8, 'spec.replicas', '-1 is too small'],
  [buffer('{name: web}', '{}'), 7, 'spec.podTemplateRef.name', 'is missing'],
  [buffer('cpu: "10"', 'cpu: ten'), 9, 'spec.limits.cpu', '"ten" is not allowed; write a quantity'],
  [buffer('v1beta1', 'v1alpha1'), 1, 'apiVersion', 'write autoscaling.x-k8s.io/v1beta1'],
];

expectProblems('a broken CapacityBuffer is a problem with its line and field', CAPACITY_BUFFERS);
