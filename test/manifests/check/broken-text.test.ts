import { type Case, expectProblems } from './expect-problems.ts';
import { BUDGET, DEPLOYMENT, edit, NODE_POOL, POD, SCENARIO } from './texts.ts';

const deployment = (from: string, to: string): string => edit(DEPLOYMENT, from, to);

const TEXTS: readonly Case[] = [
  ['apiVersion: v1\nkind: List\nitems: []\n', 1, '', 'the file contains no object'],
  ['apiVersion: v1\nkind: List\nitems: {}\n', 3, 'items', 'is not a list'],
  ['<<: 5\n', 1, '', 'Merge sources must be maps'],
  ['', 1, '', 'the file contains no object'],
  ['# only words\n---\n---\n', 1, '', 'the file contains no object'],
  ['hello world\n', 1, '', 'the text "hello world", not an object'],
  ['42\n', 1, '', '42, not an object'],
  ['- a\n- b\n', 1, '', 'is a list'],
  ['kind: Pod\n\tmetadata: {}\n', 2, '', 'tab'],
  ['kind: Pod\nkind: Pod\n', 2, '', '"kind" is used twice, first in line 1'],
  ['a: {b: 1, b: 2}\n', 1, '', '"b" is used twice'],
  ['a: *b\n', 1, '', 'no anchor "&b" before it'],
  ['a: &b [*b]\n', 1, '', 'is inside the value that it repeats'],
  ['schedule: */5 * * * *\n', 1, '', 'alias'],
  ['schedule: @daily\n', 1, '', 'cannot begin with'],
  ['a: "b\n', 2, '', 'a quote is never closed'],
  ['kind: Pod\nmetadata:\n  name: a\n  foo\n', 4, '', 'a line has no colon'],
  ['a: "b" c\n', 1, '', 'there is more text after the end of a value'],
  ['--- a: b\n', 1, '', 'a field is on the same line as "---"; write it on a line of its own'],
  ['a: [b, c\nd: e\n', 2, '', 'a bracket is never closed'],
  ['{"a": "b", "c": {"d": [1, 2', 1, '', 'a bracket is never closed'],
  ['{"a": "b"\n "c": 1}\n', 2, '', 'a comma is missing'],
  ['a: ]\n', 1, '', 'a closing bracket has no opening bracket'],
  ['a: |\n  x\n\ty\n', 3, '', 'this line is indented with a tab'],
  ['a: b\n%{ if x }\nc: d\n%{ endif }\n', 2, '', 'Terraform template'],
  ['%{ if x }\nc: d\n%{ endif }\n', 1, '', 'Terraform template'],
  ['a: b\nc: ["${join("\\",\\"", types)}"]\n', 2, '', 'Terraform template'],
  ['a: b\n{% if x %}\nc: d\n{% endif %}\n', 2, '', 'Jinja template'],
  ['a: b: c\n', 1, '', 'key: value'],
  ['{"kind": "Pod",\n', 2, '', 'a bracket is never closed'],
  ['a:\n  - b\n c: d\n', 3, '', 'not valid YAML'],
  ['? [a, b]\n: c\n', 1, '', 'a key is a map or a list'],
  ['a\0b', 1, '', 'NUL'],
  ['metadata:\n  name: {{ .Values.name }}\n', 2, '', 'Helm template'],
  ['{{- if .Values.on }}\nkind: Pod\n{{- end }}\n', 1, '', 'Helm template'],
  [
    `a: &a [x, x, x]\nb: &b [${'*a, '.repeat(40)}]\nc: &c [${'*b, '.repeat(40)}]\nd: [${'*c, '.repeat(40)}]\n`,
    1,
    '',
    'aliases',
  ],
];

expectProblems('text that is not YAML, or not an object, is a problem with its line', TEXTS);

const HEADS: readonly Case[] = [
  ['a: b\n', 1, 'apiVersion', 'this document is not a Kubernetes object'],
  ['apiVersion: v1\n', 1, 'kind', 'is missing'],
  ['kind: Deployment\n', 1, 'apiVersion', 'is missing; write apiVersion: apps/v1'],
  ['apiVersion: 1\nkind: Pod\n', 1, 'apiVersion', 'is not text'],
  ['apiVersion: v1\nkind: [Pod]\n', 2, 'kind', 'is not text'],
  [deployment('apps/v1', 'apps/v2'), 1, 'apiVersion', '"apps/v2" has no Deployment; write apps/v1'],
  [deployment('apps/v1', 'extensions/v1'), 1, 'apiVersion', 'write apps/v1'],
  [deployment('apps/v1', 'v1'), 1, 'apiVersion', 'write apps/v1'],
  [deployment('apps/v1', 'app/v1'), 1, 'apiVersion', 'write apps/v1'],
  [deployment('Deployment', 'Deploymnet'), 2, 'kind', 'did you mean Deployment?'],
  [edit(POD, 'v1', 'apps/v1'), 1, 'apiVersion', 'write v1'],
  [edit(POD, 'Pod', 'pod'), 2, 'kind', 'did you mean Pod?'],
  [edit(POD, 'v1', 'version 1'), 1, 'apiVersion', '"version 1" has no Pod'],
  [edit(BUDGET, 'policy/v1', 'policy/v2'), 1, 'apiVersion', 'write policy/v1'],
  [
    'apiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeInstanceProfile\n',
    1,
    'apiVersion',
    'has no replacement; write karpenter.k8s.aws/v1 EC2NodeClass',
  ],
  [
    'apiVersion: karpenter.sh/v1alpha5\nkind: Machine\n',
    1,
    'apiVersion',
    'has no replacement; write karpenter.sh/v1 NodePool',
  ],
  [edit(NODE_POOL, 'karpenter.sh/v1', 'karpenter.k8s.aws/v1'), 1, 'apiVersion', 'write karpenter.sh/v1'],
  [edit(NODE_POOL, 'karpenter.sh/v1', 'karpenter.sh/v2'), 1, 'apiVersion', 'write karpenter.sh/v1'],
  [edit(NODE_POOL, 'karpenter.sh/v1', 'karpentr.sh/v1'), 1, 'apiVersion', 'write karpenter.sh/v1'],
  [edit(NODE_POOL, 'kind: NodePool', 'kind: Nodepool'), 2, 'kind', 'did you mean NodePool?'],
  [edit(NODE_POOL, 'kind: NodePool', 'kind: Node Pool'), 2, 'kind', 'write NodePool'],
  [edit(NODE_POOL, 'kind: NodePool', 'kind: node-pool'), 2, 'kind', 'write NodePool'],
  [edit(NODE_POOL, 'kind: NodePool', 'Kind: NodePool'), 1, 'kind', '"Kind" is not a field of Kubernetes objects'],
  [edit(NODE_POOL, 'apiVersion', 'apiversion'), 1, 'apiVersion', 'write apiVersion in place of apiversion'],
  [
    'apiVersion: karpenter.sh/v1\nmetadata: {}\n',
    1,
    'kind',
    'write the kind, such as NodePool, NodeClaim, NodeOverlay',
  ],
  [
    edit(NODE_POOL, 'karpenter.sh/v1\nkind: NodePool', 'karpenter.k8s.aws/v1\nkind: NodeClass'),
    2,
    'kind',
    'did you mean EC2NodeClass?; write EC2NodeClass',
  ],
  [edit(SCENARIO, 'v1alpha1', 'v1'), 1, 'apiVersion', 'write kerf.dev/v1alpha1'],
  ['apiVersion: foo/v1\nkind: Bar\n', 1, 'apiVersion', 'no API group "foo"'],
];

expectProblems('an unknown apiVersion or kind is a problem that names the right one', HEADS);

const METADATA: readonly Case[] = [
  [edit(POD, 'metadata:\n  name: job\n', ''), 1, 'metadata', 'is missing'],
  [edit(POD, '  name: job\n', '  labels: {}\n'), 3, 'metadata.name', 'is missing'],
  [edit(POD, 'name: job', 'name: My_Job'), 4, 'metadata.name', '"My_Job" is not allowed'],
  [edit(POD, 'name: job', 'name: 5'), 4, 'metadata.name', '5 is a number; write it in quotes: "5"'],
  [edit(POD, 'name: job', 'name: job\n  namespace: a.b'), 5, 'metadata.namespace', '"a.b" is not allowed'],
  [
    edit(POD, 'name: job', 'name: job\n  labels: {up: true}'),
    5,
    'metadata.labels.up',
    'true is a boolean; write it in quotes: "true"',
  ],
  [
    edit(POD, 'name: job', 'name: job\n  labels:\n    a b: c'),
    6,
    'metadata.labels["a b"]',
    'the name "a b" is not allowed',
  ],
  [edit(POD, 'name: job', 'name: job\n  labels:\n    a: b c'), 6, 'metadata.labels.a', '"b c" is not allowed'],
  [edit(POD, 'name: job', `name: job\n  labels: {a: ${'x'.repeat(64)}}`), 5, 'metadata.labels.a', 'at most 63'],
  [edit(POD, 'name: job', 'name: job\n  label: {a: b}'), 5, 'metadata.label', 'did you mean labels?'],
  [edit(POD, 'name: job', 'name: job\n  __proto__: {a: b}'), 5, 'metadata.__proto__', 'does not exist'],
  [edit(POD, 'name: job', 'name: job\n  labels: {__proto__: {a: b}}'), 5, 'metadata.labels.__proto__', 'not allowed'],
  [edit(POD, 'name: job', 'name: job\n  annotations: {a: 1}'), 5, 'metadata.annotations.a', 'write it in quotes'],
];

expectProblems('broken metadata is a problem with its line and field', METADATA);
