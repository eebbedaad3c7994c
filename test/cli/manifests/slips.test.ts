import { describe, expect, test } from 'vitest';
import { fixOf } from '../../../lib/cli/manifests/problem.ts';
import { readManifests } from '../../../lib/cli/manifests/read-manifests.ts';
import { edit, join, NODE_CLASS, NODE_POOL } from './texts.ts';

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

describe('a habit of v1beta1 and before is a problem with what stands for it in v1', () => {
  test.each([
    [`${POD_SPEC}.kubelet`, 'write it in the EC2NodeClass: spec.kubelet', inTemplate('kubelet: {maxPods: 20}')],
    [
      'spec.disruption.expireAfter',
      'write it as spec.template.spec.expireAfter',
      pool('consolidateAfter: 30s', 'expireAfter: 720h'),
    ],
    [
      'spec.disruption.consolidationPolicy',
      "write WhenEmptyOrUnderutilized: v1's name for it",
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
      'write it in the EC2NodeClass: spec.securityGroupSelectorTerms, such as [{tags: {karpenter.sh/discovery: CLUSTER}}]',
      nodeClass('  tags:', '  securityGroupSelector: {a: b}\n  tags:'),
    ],
  ])('%s %s', (field, fix, text) => {
    expect(fixes(text)).toEqual([[field, fix]]);
  });

  test('nodeClassRef.apiVersion is group now, and the group is missing', () => {
    expect(fixes(pool('group: karpenter.k8s.aws', 'apiVersion: karpenter.k8s.aws/v1beta1'))).toEqual([
      [`${POD_SPEC}.nodeClassRef.group`, 'write an API group without a version, such as karpenter.k8s.aws'],
      [`${POD_SPEC}.nodeClassRef.apiVersion`, 'write group: karpenter.k8s.aws in its place'],
    ]);
  });
});

describe('an EC2NodeClass without amiSelectorTerms is told the alias of its family', () => {
  test.each([
    ['', '[{alias: al2023@latest}]: v1 has no default for them'],
    ['  amiFamily: AL2\n', '[{alias: al2@latest}]: v1 has no default for them'],
    ['  amiFamily: Bottlerocket\n', '[{alias: bottlerocket@latest}]: v1 has no default for them'],
    ['  amiFamily: Windows2022\n', '[{alias: windows2022@latest}]: v1 has no default for them'],
    ['  amiFamily: Custom\n', '[{id: ami-0123456789abcdef0}]'],
  ])('%j', (family, example) => {
    expect(fixes(nodeClass(AMIS, family))).toEqual([
      ['spec.amiSelectorTerms', `write which images to launch, such as ${example}`],
    ]);
  });
});

const OR_NEVER = 'a duration of whole hours, minutes or seconds, such as 30s, 1h30m or 720h, or Never';
const NO_NEVER = 'a duration of whole hours, minutes or seconds, such as 30s, 1h30m or 720h';
const MINUTES = 'hours and minutes only, such as 30m, 8h or 1h30m';

describe('a duration that Karpenter does not read is a problem with the one that was meant', () => {
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
    'expireAfter: %s is not guessed at',
    (written) => {
      expect(fixes(inTemplate(`expireAfter: ${written}`))).toEqual([[`${POD_SPEC}.expireAfter`, `write ${OR_NEVER}`]]);
    },
  );

  test.each([
    ['5min', `write 5m: ${NO_NEVER}`],
    ['Never', `write no such field, for no limit, or ${NO_NEVER}`],
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

describe('text without its quotes is told to have them only where the text would do', () => {
  test.each([
    ['spec.disruption.budgets[0].nodes', 'write it in quotes: "10"', pool('nodes: 10%', 'nodes: 10')],
    [
      'spec.disruption.budgets[0].nodes',
      'write a count or a percentage from 0% to 100% as text, such as "3" or "10%"',
      pool('nodes: 10%', 'nodes: -1'),
    ],
    [
      'spec.metadataOptions.httpEndpoint',
      'write one of enabled, disabled',
      nodeClass('  tags:', '  metadataOptions: {httpEndpoint: true}\n  tags:'),
    ],
    [
      'spec.blockDeviceMappings[0].ebs.volumeSize',
      'write a whole size such as 100Gi, of at most 59000Gi, 64000G, 58Ti or 64T; 18, 19, 28, 29, 38, 39, 48 and 49Ti in Gi',
      nodeClass('  tags:', '  blockDeviceMappings: [{ebs: {volumeSize: 100}}]\n  tags:'),
    ],
  ])('%s %s', (field, fix, text) => {
    expect(fixes(text)).toEqual([[field, fix]]);
  });
});
