import { describe, expect, test } from 'vitest';
import { Document, YAMLMap } from 'yaml';
import { convertDocuments } from '../../../lib/manifests/convert/convert-documents.ts';
import { convertText, parse, print } from './convert-text.ts';

const NODE_CLASS = `apiVersion: karpenter.k8s.aws/v1beta1
kind: EC2NodeClass
metadata: {name: a}
spec: {amiFamily: AL2, role: nodes, metadataOptions: {httpPutResponseHopLimit: 1}}
`;

test('a document that needs no conversion is returned unchanged', () => {
  const [document] = parse('apiVersion: karpenter.sh/v1\nkind: NodePool\nspec: {a: &x 1, b: *x}\n');
  if (document === undefined) throw new Error('no document');
  const [conversion] = convertDocuments([document]);
  expect(conversion?.documents[0]).toBe(document);
  expect(conversion).toMatchObject({ converted: false, warnings: [] });
});

test('the given documents are not changed', () => {
  const documents = parse(NODE_CLASS);
  const before = documents.map(String);
  const [conversion] = convertDocuments(documents);
  expect(conversion?.converted).toBe(true);
  expect(documents.map(String)).toEqual(before);
});

test('a converted document is not converted again', () => {
  const texts = [
    NODE_CLASS,
    'apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: p}\nspec: {kubeletConfiguration: {maxPods: 1}, provider: {tags: {a: b}}}\n',
    'apiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\nmetadata: {name: t}\n',
    'apiVersion: karpenter.sh/v1beta1\nkind: NodePool\nmetadata: {name: n}\nspec: {disruption: {expireAfter: 1h}}\n',
    'apiVersion: karpenter.sh/v1beta1\nkind: NodeClaim\nmetadata: {name: c}\n',
    'apiVersion: v1\nkind: Pod\nmetadata: {annotations: {karpenter.sh/do-not-evict: "true"}}\n',
  ];
  const once = convertText(texts.join('---\n'));
  expect(once.conversions.map(({ converted }) => converted)).toEqual(texts.map(() => true));
  const twice = convertDocuments(parse(once.text));
  expect(twice.map(({ converted, warnings }) => [converted, warnings])).toEqual(twice.map(() => [false, []]));
  expect(print(twice.flatMap(({ documents }) => documents))).toBe(once.text);
});

test('a legacy kind with a wrong version is converted, with a warning', () => {
  const { objects, warnings } = convertText(
    'apiVersion: karpenter.sh/v1beta1\nkind: Provisioner\nmetadata: {name: a}\n',
  );
  expect(objects).toMatchObject([{ apiVersion: 'karpenter.sh/v1', kind: 'NodePool' }]);
  expect(warnings[0]).toBe('apiVersion: karpenter.sh/v1beta1 had no Provisioner; it is read as karpenter.sh/v1alpha5');
});

test.each([
  'apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: general\n',
  'apiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\nmetadata: [name]\n',
  'apiVersion: karpenter.sh/v1beta1\nkind: NodePool\nmetadata: 3\n',
  'apiVersion: v1\nkind: Pod\nmetadata: web\nspec: {nodeSelector: {karpenter.sh/provisioner-name: general}}\n',
])('an object whose metadata is not a map is not converted, with a warning: %#', (text) => {
  const documents = parse(text);
  const [conversion] = convertDocuments(documents);
  expect(conversion?.documents[0]).toBe(documents[0]);
  expect(conversion?.converted).toBe(false);
  expect(convertText(text).warnings).toEqual(['metadata: is not a map, so the object was not converted']);
});

describe('a List', () => {
  test('is converted item by item, and gets the node class of an inline provider', () => {
    const { objects, warnings } = convertText(`apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: ConfigMap}
  - {apiVersion: karpenter.sh/v1alpha5, kind: Provisioner, metadata: {name: a}, spec: {provider: {subnets: 3}}}
`);
    expect(objects).toMatchObject([
      { kind: 'List', items: [{ kind: 'ConfigMap' }, { kind: 'NodePool' }, { kind: 'EC2NodeClass' }] },
    ]);
    expect(warnings).toContainEqual(expect.stringMatching(/^items\[1\]\.spec\.provider\.subnets: was removed/));
  });

  test('of Provisioners becomes a List of NodePools with apiVersion and kind', () => {
    const { objects } = convertText(`apiVersion: karpenter.sh/v1alpha5
kind: ProvisionerList
items: [{metadata: {name: a}}]
`);
    expect(objects).toMatchObject([
      { apiVersion: 'v1', kind: 'List', items: [{ apiVersion: 'karpenter.sh/v1', kind: 'NodePool' }] },
    ]);
  });

  test('of no Provisioners is a List too', () => {
    const { objects } = convertText('apiVersion: karpenter.sh/v1alpha5\nkind: ProvisionerList\nitems: []\n');
    expect(objects).toEqual([{ apiVersion: 'v1', kind: 'List', items: [] }]);
  });

  test('of pods may omit apiVersion and kind', () => {
    const { text } = convertText(`apiVersion: v1
kind: PodList
items:
  - spec: {nodeSelector: {karpenter.sh/provisioner-name: a}}
`);
    expect(text).toContain('{karpenter.sh/nodepool: a}');
  });
});

test('a document that nests too deeply is unchanged, with a warning, and the others are converted', () => {
  const document = new Document({ apiVersion: 'karpenter.sh/v1beta1', kind: 'NodePool' });
  let node = new YAMLMap();
  document.set('spec', node);
  for (let level = 0; level < 20_000; level += 1) {
    const inner = new YAMLMap();
    node.set('in', inner);
    node = inner;
  }
  const [first, second] = convertDocuments([document, ...parse(NODE_CLASS)]);
  expect(first).toMatchObject({ converted: false, warnings: [{ message: 'nests too deeply to be converted' }] });
  expect(first?.documents[0]).toBe(document);
  expect(second?.converted).toBe(true);
});

describe('aliases and merge keys', () => {
  test('are expanded in converted objects', () => {
    const { text, objects } = convertText(`apiVersion: karpenter.k8s.aws/v1alpha1
kind: AWSNodeTemplate
metadata: {name: a}
spec:
  subnetSelector: &tags {team: a}
  securityGroupSelector: *tags
  tags:
    <<: *tags
    team: b
    more: c
  amiFamily: AL2
  instanceProfile: nodes
`);
    expect(text).not.toMatch(/[&*]tags|<</);
    expect(objects[0]).toMatchObject({
      spec: {
        subnetSelectorTerms: [{ tags: { team: 'a' } }],
        securityGroupSelectorTerms: [{ tags: { team: 'a' } }],
        tags: { team: 'b', more: 'c' },
      },
    });
  });

  test('are resolved in apiVersion and kind', () => {
    const { objects } = convertText(`apiVersion: v1
kind: List
items:
  - &first {apiVersion: karpenter.sh/v1beta1, kind: NodePool, metadata: {name: a}}
  - <<: *first
    metadata: {name: b}
`);
    expect(objects).toMatchObject([
      { items: [{ apiVersion: 'karpenter.sh/v1' }, { apiVersion: 'karpenter.sh/v1', metadata: { name: 'b' } }] },
    ]);
  });

  const BOMB = Array.from({ length: 9 }, (_, level) => {
    const below = level === 0 ? 'x' : `*l${level - 1}`;
    return `  l${level}: &l${level} [${Array.from({ length: 9 }, () => below).join(', ')}]\n`;
  });
  const REFUSED: readonly (readonly [name: string, spec: string, message: RegExp])[] = [
    ['that multiply', BOMB.join(''), /repeat more than 100000 values, so it was not converted$/],
    ['of the value that contains them', '  a: &a {b: *a}\n', /"\*a" is inside the value that it repeats/],
    ['without an anchor', '  a: *a\n', /"\*a" has no anchor before it/],
    ['merging a value that is not a map', '  a: {<<: [1]}\n', /merges a value that is not a map/],
  ];

  test.each(REFUSED)('%s leave the document as it is, with a warning', (_, spec, message) => {
    const documents = parse(`apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nspec:\n${spec}`);
    const [conversion] = convertDocuments(documents);
    expect(conversion?.documents[0]).toBe(documents[0]);
    expect(conversion).toMatchObject({ converted: false, warnings: [{ message: expect.stringMatching(message) }] });
  });
});
