import { describe, expect, test } from 'vitest';
import { isValid } from '../../../lib/manifests/check/validate.ts';
import { convertText } from './convert-text.ts';

const HEAD = `apiVersion: karpenter.k8s.aws/v1alpha1
kind: AWSNodeTemplate
metadata:
  name: default
spec:
`;
const REST = `  instanceProfile: nodes
  metadataOptions: {httpPutResponseHopLimit: 2, httpTokens: required}
`;
const NETWORK = `  subnetSelector: {karpenter.sh/discovery: demo}
  securityGroupSelector: {karpenter.sh/discovery: demo}
`;
const FAMILY = '  amiFamily: AL2023\n';

function specOf(yaml: string): { readonly spec: unknown; readonly warnings: readonly string[] } {
  const { objects, warnings } = convertText(HEAD + yaml);
  return { spec: Object.getOwnPropertyDescriptor(objects[0], 'spec')?.value, warnings };
}

test('an AWSNodeTemplate becomes an EC2NodeClass', () => {
  const { objects, warnings } = convertText(HEAD + NETWORK + FAMILY + REST);
  expect(objects).toEqual([
    {
      apiVersion: 'karpenter.k8s.aws/v1',
      kind: 'EC2NodeClass',
      metadata: { name: 'default' },
      spec: {
        subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'demo' } }],
        securityGroupSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'demo' } }],
        amiFamily: 'AL2023',
        amiSelectorTerms: [{ alias: 'al2023@latest' }],
        instanceProfile: 'nodes',
        metadataOptions: { httpPutResponseHopLimit: 2, httpTokens: 'required' },
      },
    },
  ]);
  expect(warnings).toEqual([]);
  expect(isValid('EC2NodeClass', objects[0], () => undefined)).toBe(true);
});

describe('a selector as terms', () => {
  const SELECTORS: readonly (readonly [selector: string, field: string, terms: readonly object[]])[] = [
    ['subnetSelector: {a: b, c: d}', 'subnetSelectorTerms', [{ tags: { a: 'b', c: 'd' } }]],
    [
      'subnetSelector: {aws-ids: "subnet-1, subnet-2"}',
      'subnetSelectorTerms',
      [{ id: 'subnet-1' }, { id: 'subnet-2' }],
    ],
    ['subnetSelector: {"aws::ids": subnet-1}', 'subnetSelectorTerms', [{ id: 'subnet-1' }]],
    ['subnetSelector: {Name: "*"}', 'subnetSelectorTerms', [{ tags: { Name: '*' } }]],
    ['subnetSelector: {Name: "*private*"}', 'subnetSelectorTerms', [{ tags: { Name: '*private*' } }]],
    ['subnetSelector: {Name: "a,b"}', 'subnetSelectorTerms', [{ tags: { Name: 'a' } }, { tags: { Name: 'b' } }]],
    [
      'securityGroupSelector: {Name: "a,b", team: "x,y", all: z}',
      'securityGroupSelectorTerms',
      [
        { tags: { Name: 'a', team: 'x', all: 'z' } },
        { tags: { Name: 'a', team: 'y', all: 'z' } },
        { tags: { Name: 'b', team: 'x', all: 'z' } },
        { tags: { Name: 'b', team: 'y', all: 'z' } },
      ],
    ],
    ['amiSelector: {aws-ids: ami-1}', 'amiSelectorTerms', [{ id: 'ami-1' }]],
    [
      'amiSelector: {"aws::name": "n1,n2", "aws::owners": "self,amazon"}',
      'amiSelectorTerms',
      [
        { name: 'n1', owner: 'self' },
        { name: 'n2', owner: 'self' },
        { name: 'n1', owner: 'amazon' },
        { name: 'n2', owner: 'amazon' },
      ],
    ],
    ['amiSelector: {"aws::owners": "1", team: a}', 'amiSelectorTerms', [{ owner: '1', tags: { team: 'a' } }]],
  ];

  test.each(SELECTORS)('%s', (selector, field, terms) => {
    const { spec, warnings } = specOf(`  ${selector}\n${FAMILY}${REST}`);
    expect(spec).toHaveProperty(field, terms);
    expect(warnings).toEqual([]);
  });

  test('comments stay at their fields', () => {
    const { text } = convertText(`${HEAD}  # where
  subnetSelector:
    # ours
    Name: a # the private ones
  securityGroupSelector:
    aws-ids: sg-1 # the default one
${FAMILY}${REST}`);
    expect(text).toContain(
      '  # where\n  subnetSelectorTerms:\n    # ours\n    - tags:\n        Name: a # the private ones\n',
    );
    expect(text).toContain('    - id: sg-1 # the default one\n');
  });

  test('an empty value becomes any value', () => {
    const { spec, warnings } = specOf(`  subnetSelector: {Name: ""}\n${FAMILY}${REST}`);
    expect(spec).toHaveProperty('subnetSelectorTerms', [{ tags: { Name: '*' } }]);
    expect(warnings).toEqual([expect.stringMatching(/^spec\.subnetSelector\.Name: the empty value/)]);
  });

  test('tags beside ids are left out with a warning, because v1 takes an id alone', () => {
    const { spec, warnings } = specOf(`  subnetSelector: {aws-ids: subnet-1, Name: a}\n${FAMILY}${REST}`);
    expect(spec).toHaveProperty('subnetSelectorTerms', [{ id: 'subnet-1' }]);
    expect(warnings).toEqual([expect.stringMatching(/^spec\.subnetSelector: "Name" was set together with ids/)]);
  });

  test('lists with more terms than v1 allows are unchanged', () => {
    const tags = Array.from({ length: 12 }, (_, tag) => `t${tag}: "1,2,3,4,5,6,7,8,9"`);
    const { spec, warnings } = specOf(`  subnetSelector: {${tags.join(', ')}}\n${FAMILY}${REST}`);
    expect(warnings).toEqual([
      expect.stringMatching(/expands to more than a million terms, and v1 allows at most 30$/),
    ]);
    expect(spec).toHaveProperty('subnetSelectorTerms.t0', '1,2,3,4,5,6,7,8,9');
  });
});

describe('old defaults are written', () => {
  const GAPS: readonly (readonly [name: string, yaml: string, spec: object, warnings: readonly RegExp[]])[] = [
    [
      'the AMI family was AL2',
      NETWORK + REST,
      { amiFamily: 'AL2', amiSelectorTerms: [{ alias: 'al2@latest' }] },
      [/^spec\.amiFamily: was not set, and the default was AL2/],
    ],
    [
      "the AMI family was AL2 with images of one's own too",
      `  amiSelector: {aws-ids: ami-1}\n${REST}`,
      { amiFamily: 'AL2', amiSelectorTerms: [{ id: 'ami-1' }] },
      [/the default was AL2/],
    ],
    [
      'metadata passed two hops',
      `${FAMILY}  instanceProfile: a\n`,
      { metadataOptions: { httpPutResponseHopLimit: 2 } },
      [/^spec\.metadataOptions: .* the default was 2/],
    ],
    [
      'tokens were optional beside other metadata options',
      `${FAMILY}  role: a\n  metadataOptions: {httpEndpoint: enabled}\n`,
      { metadataOptions: { httpEndpoint: 'enabled', httpTokens: 'optional' } },
      [/^spec\.role: was not a field/, /the default was optional/],
    ],
    [
      'the instance profile was global',
      `${FAMILY}  metadataOptions: {httpTokens: required}\n`,
      {},
      [/^spec\.role: is missing/],
    ],
  ];

  test.each(GAPS)('%s', (...[, yaml, spec, warnings]) => {
    const converted = specOf(yaml);
    expect(converted.spec).toMatchObject(spec);
    expect(converted.warnings).toEqual(warnings.map((warning) => expect.stringMatching(warning)));
  });

  test('the images, security groups and subnets of a launch template are replaced by placeholders', () => {
    const { objects, warnings } = convertText(`${HEAD}  launchTemplate: mine\n${REST}`);
    const terms = [{ tags: { 'karpenter.sh/discovery': 'CLUSTER_NAME' } }];
    expect(objects[0]).toMatchObject({
      spec: {
        subnetSelectorTerms: terms,
        securityGroupSelectorTerms: terms,
        amiFamily: 'AL2',
        amiSelectorTerms: [{ alias: 'al2@latest' }],
      },
    });
    expect(warnings).toEqual([
      expect.stringMatching(/^spec\.launchTemplate: was removed/),
      expect.stringMatching(/^spec\.subnetSelectorTerms: is missing, .* CLUSTER_NAME is written as a placeholder/),
      expect.stringMatching(
        /^spec\.securityGroupSelectorTerms: is missing, .* CLUSTER_NAME is written as a placeholder/,
      ),
    ]);
    expect(isValid('EC2NodeClass', objects[0], () => undefined)).toBe(true);
  });

  test('an empty selector was valid, but v1 requires terms', () => {
    const { spec, warnings } = specOf(`  subnetSelector: {}\n${FAMILY}${REST}`);
    expect(spec).toHaveProperty('subnetSelectorTerms', [{ tags: { 'karpenter.sh/discovery': 'CLUSTER_NAME' } }]);
    expect(warnings).toEqual([
      expect.stringMatching(/^spec\.subnetSelectorTerms: is missing, .* CLUSTER_NAME is written as a placeholder/),
    ]);
  });

  test('Ubuntu without images is valid too', () => {
    const { objects } = convertText(`${HEAD}${NETWORK}  amiFamily: Ubuntu\n${REST}`);
    expect(objects[0]).toHaveProperty('spec.amiSelectorTerms', [{ id: 'ami-placeholder' }]);
    expect(isValid('EC2NodeClass', objects[0], () => undefined)).toBe(true);
  });

  test('a class without a role gets a placeholder, so that it can be simulated', () => {
    const { objects } = convertText(HEAD + NETWORK + FAMILY);
    expect(objects[0]).toMatchObject({ spec: { role: 'KarpenterNodeRole-CLUSTER_NAME' } });
    expect(isValid('EC2NodeClass', objects[0], () => undefined)).toBe(true);
  });
});

describe('the size of a volume', () => {
  const SIZES: readonly (readonly [before: string, after: unknown, message: string | undefined])[] = [
    ['100Gi', '100Gi', undefined],
    ['20G', '20G', undefined],
    ['2Ti', '2Ti', undefined],
    ['102400Mi', '100Gi', '102400Mi became 100Gi'],
    ['"107374182400"', '100Gi', '107374182400 became 100Gi'],
    ['107374182401', '101Gi', '107374182401 became 101Gi'],
    ['100000000k', '94Gi', '100000000k became 94Gi'],
    ['20.5Gi', '21Gi', '20.5Gi became 21Gi'],
    ['18Ti', '18432Gi', '18Ti became 18432Gi'],
    ['59500Gi', '63888G', '59500Gi became 63888G'],
    ['big', 'big', undefined],
    ['-1Mi', '-1Mi', undefined],
    ['60000.5Gi', '60000.5Gi', undefined],
  ];

  test.each(SIZES)('%s becomes %s', (before, after, message) => {
    const disk = `  blockDeviceMappings: [{deviceName: a, ebs: {volumeSize: ${before}}}]\n`;
    const { spec, warnings } = specOf(FAMILY + REST + disk);
    expect(spec).toHaveProperty('blockDeviceMappings', [{ deviceName: 'a', ebs: { volumeSize: after } }]);
    const start = 'spec.blockDeviceMappings[0].ebs.volumeSize: ';
    expect(warnings).toEqual(message === undefined ? [] : [expect.stringContaining(start + message)]);
  });
});

describe('fields that v1 does not have', () => {
  const LOST: readonly (readonly [yaml: string, warnings: readonly RegExp[]])[] = [
    [
      `  launchTemplate: mine\n${NETWORK}${REST}`,
      [/^spec\.launchTemplate: was removed: .* the images of AL2 are used/],
    ],
    [
      `${FAMILY}${REST}  blockDeviceMappings: [{deviceName: a, virtualName: ephemeral0}]\n`,
      [/^spec\.blockDeviceMappings\[0\]\.virtualName: was removed/],
    ],
    [
      `${FAMILY}${REST}  blockDeviceMappings: [{deviceName: a, ebs: {size: 3}}]\n`,
      [/^spec\.blockDeviceMappings\[0\]\.ebs\.size: was removed: it is not a field of ebs/],
    ],
    [`${FAMILY}${REST}status: {}\n`, [/^status: was removed/]],
    [
      `${FAMILY}${REST}  subnets: []\n`,
      [/^spec\.subnets: was removed: it is not a field of a v1alpha1 AWSNodeTemplate/],
    ],
    [
      `  amiFamily: Custom\n${REST}`,
      [/^spec\.amiSelectorTerms: is missing and could not be derived: Custom has no alias/],
    ],
    [
      `  amiFamily: Ubuntu\n${REST}`,
      [
        /^spec\.amiFamily: Ubuntu is not an AMI family/,
        /^spec\.blockDeviceMappings: Ubuntu/,
        /^spec\.amiSelectorTerms: is missing, .* ami-placeholder is written/,
      ],
    ],
  ];

  test.each(LOST)('%s', (yaml, warnings) => {
    expect(specOf(yaml).warnings).toEqual(warnings.map((warning) => expect.stringMatching(warning)));
  });
});
