import { describe, expect, test } from 'vitest';
import { isValid } from '../../../lib/manifests/check/validate.ts';
import { convertText } from './convert-text.ts';

/** All fields with defaults are set, so that only added fields cause changes. */
const WHOLE = `apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata:
  name: arm
spec:
  requirements:
    - {key: kubernetes.io/os, operator: In, values: [linux]}
    - {key: kubernetes.io/arch, operator: In, values: [arm64]}
    - {key: karpenter.sh/capacity-type, operator: In, values: [spot]}
    - {key: karpenter.k8s.aws/instance-family, operator: In, values: [t4g]}
  providerRef:
    name: arm
  ttlSecondsAfterEmpty: 30
  ttlSecondsUntilExpired: 2592000
`;

const FORCE =
  'spec.ttlSecondsUntilExpired: became spec.template.spec.expireAfter; in v1 an expired node is drained at once, regardless of disruption budgets';

function convert(extra: string): { readonly object: unknown; readonly warnings: readonly string[] } {
  const { objects, warnings } = convertText(WHOLE + extra);
  return { object: objects[0], warnings: warnings.filter((warning) => warning !== FORCE) };
}

/** WHOLE without one field, with its indented lines. */
function without(field: string): string {
  return WHOLE.replace(new RegExp(`^  ${field}:.*\\n(?:    .*\\n)*`, 'm'), '');
}

test('a Provisioner becomes a NodePool', () => {
  expect(convert('').object).toEqual({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'arm' },
    spec: {
      template: {
        spec: {
          requirements: [
            { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
            { key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] },
            { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] },
            { key: 'karpenter.k8s.aws/instance-family', operator: 'In', values: ['t4g'] },
          ],
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'arm' },
          expireAfter: '2592000s',
        },
      },
      disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '30s' },
    },
  });
  expect(isValid('NodePool', convert('').object, () => undefined)).toBe(true);
});

describe('fields with an equivalent in v1', () => {
  const MOVES: readonly (readonly [yaml: string, path: string, value: unknown])[] = [
    ['  labels: {team: a}', 'spec.template.metadata.labels.team', 'a'],
    ['  annotations: {note: b}', 'spec.template.metadata.annotations.note', 'b'],
    ['  taints: [{key: gpu, effect: NoSchedule}]', 'spec.template.spec.taints', [{ key: 'gpu', effect: 'NoSchedule' }]],
    [
      '  startupTaints: [{key: net, effect: NoExecute}]',
      'spec.template.spec.startupTaints',
      [{ key: 'net', effect: 'NoExecute' }],
    ],
    ['  limits: {resources: {cpu: 10, memory: 1Gi}}', 'spec.limits', { cpu: 10, memory: '1Gi' }],
    ['  weight: 50', 'spec.weight', 50],
  ];

  test.each(MOVES)('%s', (yaml, path, value) => {
    const { object, warnings } = convert(`${yaml}\n`);
    expect(object).toHaveProperty(path.split('.'), value);
    expect(warnings).toEqual([]);
  });
});

describe('fields without an equivalent', () => {
  const LOST: readonly (readonly [yaml: string, warning: string])[] = [
    ['status: {conditions: []}', 'status: was removed: the controller writes the status'],
    [
      '  ttlSecondsAfterEmtpy: 3',
      'spec.ttlSecondsAfterEmtpy: was removed: it is not a field of a v1alpha5 Provisioner',
    ],
    [
      '  provider: {subnetSelector: {a: b}}',
      'spec.provider: was removed: providerRef references the node class, and v1alpha5 rejected both together',
    ],
    [
      '  kubeletConfiguration: {containerRuntime: dockerd}',
      'spec.kubeletConfiguration.containerRuntime: was removed: every node runs containerd',
    ],
    [
      '  kubeletConfiguration: {maxPods: 20}',
      'spec.kubeletConfiguration: was not moved to EC2NodeClass "arm": in v1 kubelet settings belong to the node class, which is not among the converted objects',
    ],
    ['  limits: {cpu: 3}', 'spec.limits.cpu: was removed: it is not a field of limits'],
  ];

  test.each(LOST)('%s', (yaml, warning) => {
    expect(convert(`${yaml}\n`).warnings).toEqual([warning]);
  });
});

test.each(['taints', 'startupTaints'])('%s without an effect get one, with a warning', (field) => {
  const { object, warnings } = convert(`  ${field}: [{key: a, value: b}, {key: c, effect: NoExecute}]\n`);
  expect(object).toHaveProperty(`spec.template.spec.${field}`, [
    { key: 'a', value: 'b', effect: 'NoSchedule' },
    { key: 'c', effect: 'NoExecute' },
  ]);
  expect(warnings).toEqual([expect.stringContaining(`spec.${field}[0].effect: is missing`)]);
  expect(isValid('NodePool', object, () => undefined)).toBe(true);
});

describe('disruption', () => {
  const TTL = '  ttlSecondsAfterEmpty: 30\n';
  const WAYS: readonly (readonly [name: string, yaml: string, disruption: object, warning: RegExp | undefined])[] = [
    ['after a time when empty', TTL, { consolidationPolicy: 'WhenEmpty', consolidateAfter: '30s' }, undefined],
    [
      'consolidated',
      '  consolidation: {enabled: true}\n',
      { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s' },
      undefined,
    ],
    ['never', '', { consolidateAfter: 'Never' }, /empty nodes were never removed/],
    [
      'never, with consolidation off',
      '  consolidation: {enabled: false}\n',
      { consolidateAfter: 'Never' },
      /empty nodes were never/,
    ],
    [
      'both, which was invalid',
      `${TTL}  consolidation: {enabled: true}\n`,
      { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '30s' },
      /v1alpha5 rejected/,
    ],
    [
      'a time that is not a number',
      '  ttlSecondsAfterEmpty: soon\n',
      { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'soon' },
      undefined,
    ],
  ];

  test.each(WAYS)('%s', (...[, yaml, disruption, warning]) => {
    const { objects, warnings } = convertText(without('ttlSecondsAfterEmpty') + yaml);
    expect(objects[0]).toHaveProperty('spec.disruption', disruption);
    const others = warnings.filter((one) => one !== FORCE);
    if (warning === undefined) expect(others).toEqual([]);
    else expect(others).toEqual([expect.stringMatching(warning)]);
  });

  test('no expiry is written, because v1 has a default', () => {
    const { objects, warnings } = convertText(without('ttlSecondsUntilExpired'));
    expect(objects[0]).toHaveProperty('spec.template.spec.expireAfter', 'Never');
    expect(warnings).toEqual([expect.stringMatching(/^spec\.ttlSecondsUntilExpired: was not set/)]);
  });
});

describe('default requirements of the webhook', () => {
  const base = without('requirements');
  const keys = (yaml: string): unknown => {
    const [object] = convertText(base + yaml).objects;
    return JSON.stringify(object).match(/"key":"[^"]+","operator":"\w+","values":\[[^\]]*\]/g);
  };

  test('are all added if there are no requirements', () => {
    expect(keys('')).toEqual([
      '"key":"kubernetes.io/os","operator":"In","values":["linux"]',
      '"key":"kubernetes.io/arch","operator":"In","values":["amd64"]',
      '"key":"karpenter.sh/capacity-type","operator":"In","values":["on-demand"]',
      '"key":"karpenter.k8s.aws/instance-category","operator":"In","values":["c","m","r"]',
      '"key":"karpenter.k8s.aws/instance-generation","operator":"Gt","values":["2"]',
    ]);
    expect(convertText(base).warnings).toContainEqual(
      expect.stringMatching(/defaults of v1alpha5 .*os In \[linux\], .*arch In \[amd64\], .*generation Gt \[2\]/),
    );
  });

  test.each([
    'node.kubernetes.io/instance-type',
    'beta.kubernetes.io/instance-type',
    'karpenter.k8s.aws/instance-category',
  ])('do not restrict sizes if %s is required', (key) => {
    expect(keys(`  requirements: [{key: ${key}, operator: Exists}]\n`)).toHaveLength(3);
  });
});

describe('the node class', () => {
  test('is created from an inline provider, with the name of the Provisioner', () => {
    const { objects, warnings } = convertText(`${without('providerRef')}  provider:
    subnetSelector: {Name: private}
    securityGroupSelector: {aws-ids: "sg-1,sg-2"}
    instanceProfile: nodes
    amiFamily: Bottlerocket
    tags: {team: a}
    metadataOptions: {httpTokens: required}
    blockDeviceMappings: [{deviceName: /dev/xvda, ebs: {volumeSize: 20Gi}}]
`);
    expect(objects[0]).toHaveProperty('spec.template.spec.nodeClassRef.name', 'arm');
    expect(objects[1]).toEqual({
      apiVersion: 'karpenter.k8s.aws/v1',
      kind: 'EC2NodeClass',
      metadata: { name: 'arm' },
      spec: {
        subnetSelectorTerms: [{ tags: { Name: 'private' } }],
        securityGroupSelectorTerms: [{ id: 'sg-1' }, { id: 'sg-2' }],
        instanceProfile: 'nodes',
        amiFamily: 'Bottlerocket',
        amiSelectorTerms: [{ alias: 'bottlerocket@latest' }],
        tags: { team: 'a' },
        metadataOptions: { httpTokens: 'required' },
        blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { volumeSize: '20Gi' } }],
      },
    });
    expect(warnings).toEqual([FORCE]);
    expect(isValid('EC2NodeClass', objects[1], () => undefined)).toBe(true);
  });

  test('from an inline provider gets another name if an object has that name', () => {
    const { objects } = convertText(`apiVersion: karpenter.k8s.aws/v1alpha1
kind: AWSNodeTemplate
metadata: {name: arm}
---
${without('providerRef')}  provider: {subnetSelector: {a: b}}
`);
    expect(objects[1]).toHaveProperty('spec.template.spec.nodeClassRef.name', 'arm-provider');
    expect(objects[2]).toHaveProperty('metadata.name', 'arm-provider');
  });

  test('is named default if there is no reference', () => {
    const { objects, warnings } = convertText(without('providerRef'));
    expect(objects[0]).toHaveProperty('spec.template.spec.nodeClassRef.name', 'default');
    expect(warnings).toContainEqual(expect.stringMatching(/^spec\.providerRef: is missing/));
  });
});

test('comments, quotes and key order are kept', () => {
  const { text } = convertText(`# the pools
apiVersion: karpenter.sh/v1alpha5 # old
kind: Provisioner
metadata:
  name: "arm"
spec:
  # who may run here
  taints:
    - {key: 'gpu', effect: NoSchedule} # one
  # what to rent
  requirements:
    # both kinds
    - key: karpenter.k8s.aws/instance-family # family
      operator: In
      values: ["t4g"]
  # how much
  limits:
    # in total
    resources:
      cpu: "10" # cores
  consolidation:
    enabled: true # saves money
  # where
  providerRef:
    name: arm # class
  # monthly
  ttlSecondsUntilExpired: 2592000 # 30 days
  # the end
`);
  const kept = ['the pools', 'old', 'who may run here', 'one', 'what to rent', 'both kinds', 'family', 'how much'];
  kept.push('in total', 'cores', 'saves money', 'where', 'class', 'monthly', '30 days', 'the end');
  expect(kept.filter((comment) => !text.includes(`# ${comment}\n`))).toEqual([]);
  expect(text).toContain('apiVersion: karpenter.sh/v1 # old\n');
  expect(text).toContain(`      # who may run here\n      taints:\n        - {key: 'gpu', effect: NoSchedule} # one\n`);
  expect(text).toContain('consolidationPolicy: WhenEmptyOrUnderutilized # saves money');
  expect(text).toContain('      # monthly\n      expireAfter: 2592000s # 30 days\n');
});

test('warnings have the lines of the old text', () => {
  const { lines, warnings } = convertText(`${WHOLE}  # a typo
  ttlSecondsAfterEmtpy: 3
`);
  expect(warnings.map((warning, index) => [warning.split(':')[0], lines[index]])).toEqual([
    ['spec.ttlSecondsAfterEmtpy', 16],
    ['spec.ttlSecondsUntilExpired', 14],
  ]);
});
