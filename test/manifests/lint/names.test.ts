import { expect, test } from 'vitest';
import type { EC2NodeClass } from '../../../lib/apis/ec2-node-class.ts';
import type { ResourceList } from '../../../lib/apis/kubernetes.ts';
import { nodeClassAdvice } from '../../../lib/manifests/lint/node-class.ts';
import { nodePoolAdvice } from '../../../lib/manifests/lint/node-pool.ts';
import { shippedFigures } from '../../../lib/manifests/lint/values/shipped-figures.ts';
import { aNodeClass, aNodePool } from '../../builders/node-pools.ts';
import { sentences } from './sentences.ts';

const figures = shippedFigures();

function nodeClass(spec: Partial<EC2NodeClass['spec']>): readonly string[] {
  return sentences(nodeClassAdvice(aNodeClass(spec)));
}

test('a name of more than 63 characters is not a label value', () => {
  const name = 'n'.repeat(64);
  expect(sentences(nodePoolAdvice(aNodePool({ name }), figures))).toEqual([
    'metadata.name: has 64 characters, but the label karpenter.sh/nodepool of its nodes allows 63, so no node can register; write a name of at most 63 characters',
  ]);
  expect(sentences(nodeClassAdvice({ ...aNodeClass(), metadata: { name } }))).toEqual([
    'metadata.name: has 64 characters, but the label karpenter.k8s.aws/ec2nodeclass of its nodes allows 63, so no node can register; write a name of at most 63 characters',
  ]);
  expect(nodePoolAdvice(aNodePool({ name: name.slice(1) }), figures)).toEqual([]);
});

test.each<readonly [rule: string, spec: Partial<EC2NodeClass['spec']>, expected: string]>([
  [
    'a role is not named by its ARN',
    { role: 'arn:aws:iam::123456789012:role/team/nodes' },
    'spec.role: is an ARN (arn:aws:iam::123456789012:role/team/nodes), but IAM accepts only the name; write nodes',
  ],
  [
    'a profile is named without its path',
    { instanceProfile: '/team/nodes' },
    'spec.instanceProfile: is a name with its path (/team/nodes), but IAM accepts only the name; write nodes',
  ],
  [
    'each id is a term of its own',
    { securityGroupSelectorTerms: [{ id: 'sg-1,sg-2' }] },
    'spec.securityGroupSelectorTerms.0.id: "sg-1,sg-2" is 2 ids, so AWS finds nothing; write a term for each: {id: sg-1}, {id: sg-2}',
  ],
  [
    'an id stands alone',
    { subnetSelectorTerms: [{ id: ' subnet-1' }] },
    'spec.subnetSelectorTerms.0.id: " subnet-1" is more than an id, so AWS finds nothing; write subnet-1',
  ],
  [
    'AWS keeps a prefix of tags',
    { tags: { 'aws:team': 'a' } },
    'spec.tags.aws:team: aws:team begins with aws:, which is reserved, so EC2 rejects it; write a name with another prefix',
  ],
  [
    'EC2 takes 50 tags',
    { tags: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`tag-${index}`, ''])) },
    'spec.tags: has 51 tags, but EC2 allows 50, including those that Kerf sets on each node; write fewer than 50 tags',
  ],
  [
    'a device is there once',
    { blockDeviceMappings: [{ deviceName: '/dev/xvda' }, { deviceName: '/dev/xvda' }] },
    'spec.blockDeviceMappings.1.deviceName: is /dev/xvda, as in blockDeviceMappings[0], and EC2 rejects duplicate devices; write another device, such as /dev/xvdb',
  ],
  [
    'a key encrypts',
    { blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { encrypted: false, kmsKeyID: 'alias/a' } }] },
    'spec.blockDeviceMappings.0.ebs.encrypted: is false, but kmsKeyID is set; EC2 rejects a key for an unencrypted volume; write true, or remove kmsKeyID',
  ],
])('%s', (_, spec, expected) => {
  expect(nodeClass(spec)).toEqual([expected]);
});

test('names, ids and tags as AWS takes them are fine', () => {
  const blockDeviceMappings = [
    { deviceName: '/dev/xvda', ebs: { encrypted: true, kmsKeyID: 'arn:aws:kms:eu-west-3:123456789012:key/1' } },
    { deviceName: '/dev/xvdb', ebs: { encrypted: false } },
  ];
  const securityGroupSelectorTerms = [{ id: 'sg-0123456789abcdef0' }, { name: 'nodes' }];
  const tags = { 'team:aws': 'a', 'kubernetes.io/x': 'y' };
  expect(nodeClass({ role: 'team.nodes@x', blockDeviceMappings, securityGroupSelectorTerms, tags })).toEqual([]);
});

test.each<readonly [limits: ResourceList, expected: readonly string[]]>([
  [{ cpus: 10 }, ['spec.limits.cpus: cpus is not a node resource, so this limit has no effect; write cpu']],
  [{ mem: '10Gi' }, ['spec.limits.mem: mem is not a node resource, so this limit has no effect; write memory']],
  [
    { Memory: '10Gi' },
    ['spec.limits.Memory: Memory is not a node resource, so this limit has no effect; write memory'],
  ],
  [{ cpu: 10, memory: '100Gi', nodes: 5, pods: 900, 'nvidia.com/gpu': 8, 'hugepages-2Mi': '1Gi' }, []],
  [{ 'example.com/fpga': 4 }, []],
])('limits of %j', (limits, expected) => {
  expect(sentences(nodePoolAdvice(aNodePool({ limits }), figures))).toEqual(expected);
});
