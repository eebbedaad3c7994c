import { describe, expect, test } from 'vitest';
import { fixOf } from '../../../lib/manifests/explain/problem.ts';
import { readManifests } from '../../../lib/manifests/read/read-manifests.ts';
import { edit, join, NODE_CLASS, NODE_POOL, POD } from './texts.ts';

const pool = (from: string, to: string): string => join(edit(NODE_POOL, from, to), NODE_CLASS);
const nodeClass = (from: string, to: string): string => edit(NODE_CLASS, from, to);
const inTemplate = (line: string): string => pool('expireAfter: 720h', line);
const inSpec = (line: string): string => pool('weight: 10', line);

/** The field and what to write, of every problem. */
function fixes(text: string): readonly (readonly [field: string, fix: string | undefined])[] {
  return readManifests([{ file: 'a.yaml', text }]).problems.map((problem) => [problem.field, fixOf(problem)]);
}

const POD_SPEC = 'spec.template.spec';
const AMIS = '  amiSelectorTerms:\n    - alias: al2023@latest\n';
const CLASS_REF = '{group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}';

describe('a legacy field is a problem with its v1 equivalent', () => {
  test.each([
    [`${POD_SPEC}.kubelet`, 'write it in the EC2NodeClass: spec.kubelet', inTemplate('kubelet: {maxPods: 20}')],
    [
      'spec.disruption.expireAfter',
      'write it as spec.template.spec.expireAfter',
      pool('consolidateAfter: 30s', 'expireAfter: 720h'),
    ],
    [
      'spec.disruption.consolidationPolicy',
      'write WhenEmptyOrUnderutilized, its name in v1',
      pool('WhenEmptyOrUnderutilized', 'WhenUnderutilized'),
    ],
    [
      'spec.limits.resources',
      'write its entries one level up: limits: {cpu: 100, memory: 400Gi}',
      pool('limits: {cpu: 100, memory: 400Gi}', 'limits: {resources: {cpu: 100, memory: 400Gi}}'),
    ],
    [
      'spec.ttlSecondsAfterEmpty',
      'write spec.disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 60s}',
      inSpec('ttlSecondsAfterEmpty: 60'),
    ],
    [
      'spec.ttlSecondsUntilExpired',
      'write spec.template.spec.expireAfter: 2592000s',
      inSpec('ttlSecondsUntilExpired: 2592000'),
    ],
    [
      'spec.ttlSecondsUntilExpired',
      'write spec.template.spec.expireAfter, such as 720h',
      inSpec('ttlSecondsUntilExpired: soon'),
    ],
    [
      'spec.consolidation',
      'write spec.disruption.consolidationPolicy, such as WhenEmptyOrUnderutilized',
      inSpec('consolidation: {enabled: true}'),
    ],
    ['spec.providerRef', `write spec.template.spec.nodeClassRef: ${CLASS_REF}`, inSpec('providerRef: {name: a}')],
    [`${POD_SPEC}.userData`, 'write it in the EC2NodeClass: spec.userData', inTemplate('userData: x')],
    ['spec.requirements', 'write it as spec.template.spec.requirements', inSpec('requirements: []')],
    ['spec.labels', 'write it as spec.template.metadata.labels', inSpec('labels: {a: b}')],
    ['spec.taints', 'write it as spec.template.spec.taints', inSpec('taints: []')],
    [
      'spec.securityGroupSelector',
      'write it as spec.securityGroupSelectorTerms, such as [{tags: {karpenter.sh/discovery: CLUSTER}}]',
      nodeClass('  tags:', '  securityGroupSelector: {a: b}\n  tags:'),
    ],
  ])('%s %s', (field, fix, text) => {
    expect(fixes(text)).toEqual([[field, fix]]);
  });

  test('nodeClassRef.apiVersion is group now, and that is all that is said of it', () => {
    expect(fixes(pool('group: karpenter.k8s.aws', 'apiVersion: karpenter.k8s.aws/v1beta1'))).toEqual([
      [`${POD_SPEC}.nodeClassRef.apiVersion`, 'write group: karpenter.k8s.aws instead'],
    ]);
  });
});

describe('an EC2NodeClass without amiSelectorTerms gets the alias of its family as a suggestion', () => {
  test.each([
    ['', '[{alias: al2023@latest}]: v1 has no default images'],
    ['  amiFamily: AL2\n', '[{alias: al2@latest}]: v1 has no default images'],
    ['  amiFamily: Bottlerocket\n', '[{alias: bottlerocket@latest}]: v1 has no default images'],
    ['  amiFamily: Windows2022\n', '[{alias: windows2022@latest}]: v1 has no default images'],
    ['  amiFamily: Custom\n', '[{id: ami-0123456789abcdef0}]'],
  ])('%j', (family, example) => {
    expect(fixes(nodeClass(AMIS, family))).toEqual([
      ['spec.amiSelectorTerms', `write which images to launch, such as ${example}`],
    ]);
  });
});

const OR_NEVER = 'a duration of whole hours, minutes or seconds, such as 30s, 1h30m or 720h, or Never';
const NO_NEVER = 'a duration of whole hours, minutes or seconds, such as 30s, 1h30m or 720h';
const MINUTES = 'hours and minutes, such as 30m, 8h or 1h30m';

describe('an invalid duration is a problem with the probable correction', () => {
  test.each([
    ['5min', '5m'],
    ['5 minutes', '5m'],
    ['90 min', '90m'],
    ['45 secs', '45s'],
    ['1d', '24h'],
    ['1d12h', '36h'],
    ['2 weeks', '336h'],
    ['1h, 30m', '1h30m'],
    ['1.5h', '1h30m'],
    ['500ms', '1s'],
    ['0.1h', '6m'],
    ['-5m', '5m'],
    ['never', 'Never'],
    ['forever', 'Never'],
    ['30', '30s (or 30m or 30h)'],
    ['"30"', '30s (or 30m or 30h)'],
  ])('expireAfter: %s', (written, meant) => {
    expect(fixes(inTemplate(`expireAfter: ${written}`))).toEqual([
      [`${POD_SPEC}.expireAfter`, `write ${meant}: ${OR_NEVER}`],
    ]);
  });

  test.each([['PT1H'], ['soon'], ['5 fortnights'], ['1h and more'], ['"1 2h"']])(
    'expireAfter: %s has no suggestion',
    (written) => {
      expect(fixes(inTemplate(`expireAfter: ${written}`))).toEqual([[`${POD_SPEC}.expireAfter`, `write ${OR_NEVER}`]]);
    },
  );

  test.each([
    ['5min', `write 5m: ${NO_NEVER}`],
    ['Never', `write nothing (remove the field) for no limit, or ${NO_NEVER}`],
  ])('terminationGracePeriod: %s', (written, fix) => {
    expect(fixes(inTemplate(`terminationGracePeriod: ${written}`))).toEqual([
      [`${POD_SPEC}.terminationGracePeriod`, fix],
    ]);
  });

  test.each([
    ['1d', `write 24h: ${MINUTES}`],
    ['30s', `write 1m: ${MINUTES}`],
    ['1h30m10s', `write 1h31m: ${MINUTES}`],
    ['8', `write 8m (or 8h): ${MINUTES}`],
    ['0s', `write 0m: ${MINUTES}`],
    ['Never', `write ${MINUTES}; a budget without schedule and duration is always in force`],
  ])('the duration of a budget: %s', (written, fix) => {
    expect(fixes(pool('duration: 8h', `duration: ${written}`))).toEqual([['spec.disruption.budgets[1].duration', fix]]);
  });

  test('one that is too long for any program is a problem, too', () => {
    expect(fixes(inTemplate('expireAfter: 9999999999h'))).toEqual([
      [`${POD_SPEC}.expireAfter`, 'write at most 2562047h, or Never'],
    ]);
  });
});

describe('quotes are suggested only where the quoted text would be valid', () => {
  test.each([
    ['spec.disruption.budgets[0].nodes', 'write it in quotes: "10"', pool('nodes: 10%', 'nodes: 10')],
    [
      'spec.disruption.budgets[0].nodes',
      'write a count or a percentage from 0% to 100% in quotes, such as "3" or "10%"',
      pool('nodes: 10%', 'nodes: -1'),
    ],
    [
      'spec.metadataOptions.httpEndpoint',
      'write one of enabled, disabled',
      nodeClass('  tags:', '  metadataOptions: {httpEndpoint: true}\n  tags:'),
    ],
    [
      'spec.blockDeviceMappings[0].ebs.volumeSize',
      'write 100Gi',
      nodeClass('  tags:', '  blockDeviceMappings: [{ebs: {volumeSize: 100}}]\n  tags:'),
    ],
  ])('%s %s', (field, fix, text) => {
    expect(fixes(text)).toEqual([[field, fix]]);
  });
});

describe('a correction quotes the original text, not the parsed value', () => {
  test.each([
    ['1.20', '1.20 is read as the number 1.2'],
    ['012345678901', '012345678901 is read as the number 12345678901'],
    ['12e5', '12e5 is read as the number 1200000'],
    ['0755', '0755 is read as the number 493'],
    ['0xdead', '0xdead is read as the number 57005'],
    ['1.0', '1.0 is read as the number 1'],
    ['on', 'on is read as true'],
    ['yes', 'yes is read as true'],
    ['off', 'off is read as false'],
    ['true', 'true is a boolean'],
    ['5', '5 is a number'],
  ])('team: %s', (written, message) => {
    const text = nodeClass('{team: web}', `{team: ${written}}`);
    expect(readManifests([{ file: 'a.yaml', text }]).problems).toMatchObject([
      { field: 'spec.tags.team', message, allowed: `it in quotes: "${written}"` },
    ]);
  });

  test.each([
    ['an anchor', 'tags: {team: &v 1.20, other: *v}', ['spec.tags.team', 'spec.tags.other']],
    ['a merge', 'tags: {<<: {team: 1.20}}', ['spec.tags.team']],
    ['the configuration of the kubelet', 'kubelet: {systemReserved: {cpu: 1.20}}', ['spec.kubelet.systemReserved.cpu']],
  ])('through %s', (_, line, fields) => {
    expect(fixes(nodeClass('tags: {team: web}', line))).toEqual(
      fields.map((field) => [field, 'write it in quotes: "1.20"']),
    );
  });
});

const BUFFER = `apiVersion: autoscaling.x-k8s.io/v1beta1
kind: CapacityBuffer
metadata: {name: spare, namespace: shop}
spec:
  scalableRef: {apiGroup: apps, kind: Deployment, name: web}
  replicas: 3
`;
const buffer = (from: string, to: string): string => edit(BUFFER, from, to);
const inClass = (line: string): string => nodeClass('  tags:', `  ${line}\n  tags:`);
const SUBNETS = '  subnetSelectorTerms:\n    - tags: {karpenter.sh/discovery: demo}';
const WHOLE_REF = '{group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}';

describe('the correct place is suggested for a misplaced field, or its removal', () => {
  test.each([
    [
      `${POD_SPEC}.taints[0].operator`,
      'remove it: only tolerations have this field',
      pool('effect: NoSchedule', 'effect: NoSchedule, operator: Equal'),
    ],
    [
      'spec.template.metadata.name',
      'remove it: the names of nodes cannot be set',
      pool('labels: {team: web}', 'name: a'),
    ],
    [
      'spec.subnetSelectorTerms[0].name',
      'write tags: {Name: a}, or the id of the subnet',
      nodeClass(SUBNETS, '  subnetSelectorTerms: [{name: a}]'),
    ],
    ['spec.scalableRef.apiVersion', 'write apiGroup: apps instead', buffer('apiGroup: apps', 'apiVersion: apps/v1')],
    ['spec.kubeletConfiguration', 'write it as spec.kubelet', inClass('kubeletConfiguration: {}')],
    [
      'spec.amiSelector',
      'write it as spec.amiSelectorTerms, such as [{alias: al2023@latest}]',
      inClass('amiSelector: {a: b}'),
    ],
    ['spec.name', 'write it as metadata.name', inSpec('name: a')],
    ['spec.nodeClassRef', 'write it as spec.template.spec.nodeClassRef', inSpec('nodeClassRef: {}')],
    [`${POD_SPEC}.weight`, 'write it as spec.weight', inTemplate('weight: 5')],
    [
      'spec.operator',
      'remove it, or write one of template, disruption, limits, weight, replicas',
      inSpec('operator: In'),
    ],
  ])('%s %s', (field, fix, text) => {
    expect(fixes(text)).toEqual([[field, fix]]);
  });
});

describe('the corrected text is suggested for a common mistake', () => {
  test.each([
    [
      `${POD_SPEC}.nodeClassRef.kind`,
      'write EC2NodeClass',
      pool(WHOLE_REF, '{group: karpenter.k8s.aws, name: default}'),
    ],
    [
      `${POD_SPEC}.nodeClassRef.group`,
      'write karpenter.k8s.aws',
      pool(WHOLE_REF, '{kind: EC2NodeClass, name: default}'),
    ],
    ['spec.scalableRef.kind', 'write one of Deployment, StatefulSet, ReplicaSet', buffer(', kind: Deployment', '')],
    ['spec.replicas', 'write a whole number from 0 to 2147483647', buffer('replicas: 3', 'replicas: 9007199254740992')],
    [`${POD_SPEC}.requirements[0].values`, 'write ["spot", "on-demand"]', pool('[spot, on-demand]', 'spot, on-demand')],
    [
      'spec.blockDeviceMappings[0].ebs.volumeSize',
      'write 100Gi',
      inClass('blockDeviceMappings: [{ebs: {volumeSize: 100GB}}]'),
    ],
    ['spec.containers[0].args', 'write ["--only=a,b"]', edit(POD, 'image: busybox', 'args: --only=a,b')],
    [
      'spec.blockDeviceMappings[0].ebs.volumeSize',
      'write 2Ti',
      inClass('blockDeviceMappings: [{ebs: {volumeSize: 2tb}}]'),
    ],
    ['metadata.name', 'write at most 253 characters', nodeClass('name: default', `name: ${'a'.repeat(300)}`)],
    ['metadata.name', 'write mynodes', nodeClass('name: default', 'name: MyNodes')],
  ])('%s %s', (field, fix, text) => {
    expect(fixes(text)).toEqual([[field, fix]]);
  });

  test('empty requirements are suggested for a NodePool without requirements', () => {
    const text = pool('requirements:\n        - key: karpenter.sh/capacity-type', 'requirement:\n        - key: a');
    expect(fixes(text)).toEqual([[`${POD_SPEC}.requirement`, 'write requirements']]);
    const without = NODE_POOL.replace(/ {6}requirements:[^]*?(?= {6}taints:)/, '');
    expect(fixes(join(without, NODE_CLASS))).toEqual([
      [`${POD_SPEC}.requirements`, 'write what nodes must be like, or requirements: [] for any'],
    ]);
  });
});

const messages = (text: string): readonly string[] =>
  readManifests([{ file: 'a.yaml', text }]).problems.map(({ field, message }) => `${field}: ${message}`);

describe('one mistake is one problem', () => {
  test.each([
    [
      'spec.subnetSelectorTerms[0].tag: is not a field, and the rest selects nothing; did you mean tags?',
      nodeClass(SUBNETS, '  subnetSelectorTerms: [{tag: {a: b}}]'),
    ],
    [
      'spec.amiSelectorTerms[0].id: "ami-1" cannot be set together with alias, tags, name or owner',
      nodeClass('alias: al2023@latest', 'alias: al2023@latest\n      id: ami-1'),
    ],
    [
      `${POD_SPEC}.requirements[0].operater: is not a field, and operator is missing; did you mean operator?`,
      pool('operator: In', 'operater: In'),
    ],
    [`${POD_SPEC}.nodeClassRef.apiVersion: is not a field, and group is missing`, pool('group:', 'apiVersion:')],
  ])('%s', (message, text) => {
    expect(messages(text)).toEqual([message]);
  });

  test('a misspelt field beside one that is wrong by itself are two', () => {
    expect(messages(pool('nodes: 10%', 'nodes: 10%x\n        reason: [Empty]'))).toEqual([
      'spec.disruption.budgets[0].nodes: "10%x" is not allowed',
      'spec.disruption.budgets[0].reason: this field does not exist; did you mean reasons?',
    ]);
  });
});

describe('a value of any length makes a message that can be read', () => {
  const long = 'a'.repeat(1_000_000);
  test.each([
    ['a name', nodeClass('name: default', `name: ${long}`)],
    ['a name of a name', nodeClass('tags: {team: web}', `${long}: 1`)],
    ['a tag', nodeClass('{team: web}', `{${long}: 1}`)],
    ['a quantity', pool('400Gi', long)],
    ['a number', pool('weight: 10', `weight: 1${'0'.repeat(300)}`)],
    ['a count in quotes', pool('weight: 10', `weight: "1${'0'.repeat(100_000)}"`)],
    ['a kind', nodeClass('kind: EC2NodeClass', `kind: ${long}`)],
    ['an API version', nodeClass('karpenter.k8s.aws/v1', long)],
    ['a list of values', pool('["3"]', `["${long}", "4"]`)],
    ['text for a list', pool('[spot, on-demand]', long)],
    ['the map that limits.resources was', pool('cpu: 100,', `resources: {a: ${long}},`)],
  ])('%s', (_, text) => {
    const [problem, ...more] = readManifests([{ file: 'a.yaml', text }]).problems;
    expect(more).toEqual([]);
    expect(JSON.stringify(problem).length).toBeLessThan(2_500);
  });
});
