import { describe, expect, test } from 'vitest';
import { isValid } from '../../../lib/manifests/check/validate.ts';
import { convertText } from './convert-text.ts';

const POOL = `apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata:
  name: default
spec:
  template:
    spec:
      requirements:
        - {key: karpenter.sh/capacity-type, operator: In, values: [spot]}
      nodeClassRef:
        apiVersion: karpenter.k8s.aws/v1beta1 # beta
        kind: EC2NodeClass
        name: default
`;

test('a v1beta1 NodePool becomes one of v1', () => {
  const { objects, warnings, text } = convertText(`${POOL}  disruption:
    consolidationPolicy: WhenUnderutilized
    expireAfter: 24h # daily
    budgets: [{nodes: 10%}]
  limits: {cpu: 100}
  weight: 10
`);
  expect(objects).toEqual([
    {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'default' },
      spec: {
        template: {
          spec: {
            requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] }],
            nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
            expireAfter: '24h',
          },
        },
        disruption: {
          consolidationPolicy: 'WhenEmptyOrUnderutilized',
          budgets: [{ nodes: '10%' }],
          consolidateAfter: '0s',
        },
        limits: { cpu: 100 },
        weight: 10,
      },
    },
  ]);
  expect(text).toContain('group: karpenter.k8s.aws # beta\n');
  expect(text).toContain('expireAfter: 24h # daily\n');
  expect(warnings).toEqual([expect.stringMatching(/^spec\.disruption\.expireAfter: became spec\.template/)]);
  expect(isValid('NodePool', objects[0], () => undefined)).toBe(true);
});

describe('disruption', () => {
  const DISRUPTIONS: readonly (readonly [before: string, after: object, warning: RegExp | undefined])[] = [
    ['{}', { consolidateAfter: '0s' }, undefined],
    [
      '{consolidationPolicy: WhenEmpty, consolidateAfter: 5m}',
      { consolidationPolicy: 'WhenEmpty', consolidateAfter: '5m' },
      undefined,
    ],
    [
      '{consolidationPolicy: WhenEmpty}',
      { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never' },
      /^spec\.disruption\.consolidateAfter: is missing with WhenEmpty/,
    ],
    [
      '{consolidationPolicy: WhenUnderutilized, consolidateAfter: 30s}',
      { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '30s' },
      /^spec\.disruption\.consolidateAfter: was set together with WhenUnderutilized/,
    ],
    [
      '{consolidationPolicy: WhenUnderutilized, consolidateAfter: Never}',
      { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: 'Never' },
      undefined,
    ],
    [
      '{consolidationPolicy: WhenEmptyOrUnderutilized, consolidateAfter: 1m}',
      { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '1m' },
      undefined,
    ],
    [
      '{budgets: [{nodes: "1", reasons: [Empty]}]}',
      { budgets: [{ nodes: '1', reasons: ['Empty'] }], consolidateAfter: '0s' },
      /^spec\.disruption\.budgets\[0\]\.reasons: was not a field of a budget of v1beta1 and had no effect/,
    ],
  ];

  test.each(DISRUPTIONS)('%s', (before, after, warning) => {
    const { objects, warnings } = convertText(`${POOL}  disruption: ${before}\n`);
    expect(objects[0]).toHaveProperty('spec.disruption', after);
    expect(warnings).toEqual(warning === undefined ? [] : [expect.stringMatching(warning)]);
  });

  test('expireAfter: Never moves without a warning', () => {
    const { objects, warnings } = convertText(`${POOL}  disruption: {expireAfter: Never}\n`);
    expect(objects[0]).toHaveProperty('spec.template.spec.expireAfter', 'Never');
    expect(warnings).toEqual([]);
  });

  test('without disruption, the defaults of both versions are the same', () => {
    const { objects, warnings } = convertText(POOL);
    expect(objects[0]).not.toHaveProperty('spec.disruption');
    expect(warnings).toEqual([]);
  });
});

describe('the node class reference', () => {
  const REFERENCES: readonly (readonly [before: string, after: object])[] = [
    ['{name: a}', { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'a' }],
    [
      '{apiVersion: karpenter.azure.com/v1alpha2, kind: AKSNodeClass, name: a}',
      { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'a' },
    ],
    [
      '{group: karpenter.k8s.aws, kind: EC2NodeClass, name: a}',
      { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'a' },
    ],
  ];

  test.each(REFERENCES)('%s', (before, after) => {
    const { objects } = convertText(`apiVersion: karpenter.sh/v1beta1
kind: NodePool
spec: {template: {spec: {nodeClassRef: ${before}}}}
`);
    expect(objects[0]).toHaveProperty('spec.template.spec.nodeClassRef', after);
  });
});

describe('fields that v1 does not have', () => {
  const LOST: readonly (readonly [yaml: string, warning: RegExp])[] = [
    [`${POOL}      resources: {requests: {cpu: 1}}\n`, /^spec\.template\.spec\.resources: was removed/],
    [`${POOL}  tolerations: []\n`, /^spec\.tolerations: was removed: it is not a field of a v1beta1 NodePool/],
    [`${POOL}status: {}\n`, /^status: was removed/],
  ];

  test.each(LOST)('%#', (yaml, warning) => {
    expect(convertText(yaml).warnings).toEqual([expect.stringMatching(warning)]);
  });
});

const claim = (labels: string): string => `apiVersion: karpenter.sh/v1beta1
kind: NodeClaim
metadata: {name: a, labels: {${labels}}}
spec:
  requirements: []
  resources: {requests: {cpu: 1}}
  nodeClassRef: {name: a}
`;

describe('a NodeClaim', () => {
  test('keeps its resources, and one without a NodePool never expires', () => {
    const { objects, warnings } = convertText(claim(''));
    expect(objects[0]).toMatchObject({
      apiVersion: 'karpenter.sh/v1',
      spec: { resources: { requests: { cpu: 1 } }, nodeClassRef: { kind: 'EC2NodeClass' }, expireAfter: 'Never' },
    });
    expect(warnings).toEqual([expect.stringMatching(/^spec\.expireAfter: is written explicitly/)]);
  });

  const OF_POOL = claim('karpenter.sh/nodepool: default');
  const EXPIRING = `${POOL}  disruption: {expireAfter: 24h}\n`;
  const TODAYS = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec: {template: {spec: {expireAfter: 24h}}}
`;
  const SETS: readonly (readonly [name: string, text: string, index: number, expireAfter: string | undefined])[] = [
    ['after it', `${EXPIRING}---\n${OF_POOL}`, 1, '24h'],
    ['before it', `${OF_POOL}---\n${EXPIRING}`, 0, '24h'],
    ['of v1 already', `${OF_POOL}---\n${TODAYS}`, 0, '24h'],
    ['that has the default, which v1 has too', `${OF_POOL}---\n${POOL}`, 0, undefined],
  ];
  test.each(SETS)('has the expiry of its NodePool: %s', (...[, text, index, expireAfter]) => {
    const { objects, warnings } = convertText(text);
    expect(objects[index]).toMatchObject({ kind: 'NodeClaim', spec: { nodeClassRef: { name: 'a' } } });
    expect(Object.getOwnPropertyDescriptor(Object(objects[index]).spec, 'expireAfter')?.value).toBe(expireAfter);
    expect(warnings.filter((warning) => warning.startsWith('spec.expireAfter'))).toEqual([]);
  });

  test('of an unknown NodePool gets nothing new, and a warning', () => {
    const { objects, warnings } = convertText(OF_POOL);
    expect(objects[0]).not.toHaveProperty('spec.expireAfter');
    expect(warnings).toEqual([
      'spec.expireAfter: is unknown: its NodePool "default" is not among the documents; v1 sets 720h',
    ]);
  });
});

const nodeClass = (fields: string): string => `apiVersion: karpenter.k8s.aws/v1beta1
kind: EC2NodeClass
metadata: {name: default}
spec:
  role: nodes
  subnetSelectorTerms: [{tags: {a: b}}]
  securityGroupSelectorTerms: [{name: c}]
${fields}`;

describe('a v1beta1 EC2NodeClass', () => {
  const HOPS = '  metadataOptions: {httpPutResponseHopLimit: 1}\n';

  const FAMILIES: readonly (readonly [family: string, alias: string])[] = [
    ['AL2', 'al2@latest'],
    ['AL2023', 'al2023@latest'],
    ['Bottlerocket', 'bottlerocket@latest'],
    ['Windows2019', 'windows2019@latest'],
    ['Windows2022', 'windows2022@latest'],
  ];

  test.each(FAMILIES)('of family %s without images takes %s', (family, alias) => {
    const { objects, warnings } = convertText(nodeClass(`  amiFamily: ${family}\n${HOPS}`));
    expect(objects[0]).toHaveProperty('spec.amiSelectorTerms', [{ alias }]);
    expect(warnings).toEqual([]);
    expect(isValid('EC2NodeClass', objects[0], () => undefined)).toBe(true);
  });

  const FIELDS: readonly (readonly [fields: string, spec: object, warnings: readonly RegExp[]])[] = [
    [
      `  amiFamily: AL2\n  amiSelectorTerms: [{id: ami-1}]\n${HOPS}`,
      { amiFamily: 'AL2', amiSelectorTerms: [{ id: 'ami-1' }] },
      [],
    ],
    [
      `  amiFamily: AL2\n  amiSelectorTerms: []\n${HOPS}`,
      { amiFamily: 'AL2', amiSelectorTerms: [{ alias: 'al2@latest' }] },
      [],
    ],
    [
      `  amiFamily: Ubuntu\n  amiSelectorTerms: [{id: ami-1}]\n${HOPS}`,
      {
        amiFamily: 'AL2',
        blockDeviceMappings: [
          {
            deviceName: '/dev/sda1',
            rootVolume: true,
            ebs: { encrypted: true, volumeType: 'gp3', volumeSize: '20Gi' },
          },
        ],
      },
      [/Ubuntu is not an AMI family/, /root volume is written explicitly/],
    ],
    [`  amiFamily: Custom\n${HOPS}`, { amiFamily: 'Custom' }, [/Custom has no alias/]],
    [
      `  amiFamily: Ubuntu\n  blockDeviceMappings: [{deviceName: a, ebs: {volumeSize: 2048Mi}}]\n${HOPS}`,
      { amiSelectorTerms: [{ id: 'ami-placeholder' }], blockDeviceMappings: [{ ebs: { volumeSize: '2Gi' } }] },
      [/2048Mi became 2Gi/, /Ubuntu is not an AMI family/, /ami-placeholder is written/],
    ],
    [HOPS, {}, [/amiFamily is not set/]],
    [
      `  amiSelectorTerms: [{id: ami-1}]\n${HOPS}`,
      { amiFamily: 'Custom', amiSelectorTerms: [{ id: 'ami-1' }] },
      [/^spec\.amiFamily: is missing, .* Custom is written/],
    ],
    [
      `  amiSelectorTerms: [{alias: al2@latest}]\n${HOPS}`,
      { amiSelectorTerms: [{ alias: 'al2@latest' }] },
      [/alias: was not a field/],
    ],
    ['  amiFamily: AL2\n', { metadataOptions: { httpPutResponseHopLimit: 2 } }, [/the default was 2/]],
    [
      '  amiFamily: AL2\n  metadataOptions: {httpTokens: optional}\n',
      { metadataOptions: { httpTokens: 'optional', httpPutResponseHopLimit: 2 } },
      [/^spec\.metadataOptions\.httpPutResponseHopLimit: .* the default was 2/],
    ],
    [
      `  amiFamily: AL2\n  associatePublicIPAddress: true\n  instanceStorePolicy: RAID0\n  detailedMonitoring: true\n${HOPS}`,
      { associatePublicIPAddress: true, instanceStorePolicy: 'RAID0', detailedMonitoring: true },
      [],
    ],
    [`  amiFamily: AL2\n  subnetSelector: {a: b}\n${HOPS}`, {}, [/^spec\.subnetSelector: was removed/]],
  ];

  test.each(FIELDS)('%s', (fields, spec, warnings) => {
    const converted = convertText(nodeClass(fields));
    expect(converted.objects[0]).toMatchObject({ apiVersion: 'karpenter.k8s.aws/v1', spec });
    expect(converted.warnings).toEqual(warnings.map((warning) => expect.stringMatching(warning)));
  });

  const VERSIONS: readonly (readonly [family: string, fields: string, terms: readonly object[]])[] = [
    ['AL2', '', [{ alias: 'al2@v20240807' }]],
    ['Windows2022', '', [{ alias: 'windows2022@latest' }]],
    ['AL2', '  amiSelectorTerms: [{id: ami-1}]\n', [{ id: 'ami-1' }]],
  ];

  test.each(VERSIONS)('of family %s keeps the image version in its annotation: %s', (family, fields, terms) => {
    const noted = (others: string): string =>
      nodeClass(`  amiFamily: ${family}\n${fields}${HOPS}`).replace(
        'name: default',
        `name: default, annotations: {${others}compatibility.karpenter.k8s.aws/v1-alias-version: v20240807}`,
      );
    const [alone, among] = [convertText(noted('')), convertText(noted('a: b, '))];
    expect(alone.objects[0]).toMatchObject({ metadata: { name: 'default' }, spec: { amiSelectorTerms: terms } });
    expect(alone.objects[0]).not.toHaveProperty('metadata.annotations');
    expect(among.objects[0]).toHaveProperty('metadata.annotations', { a: 'b' });
    expect([...alone.warnings, ...among.warnings]).toEqual([]);
  });
});
