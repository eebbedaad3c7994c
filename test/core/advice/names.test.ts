import { expect, test } from 'vitest';
import type { EC2NodeClass } from '../../../lib/apis/ec2-node-class.ts';
import type { ResourceList } from '../../../lib/apis/kubernetes.ts';
import { shippedFigures } from '../../../lib/cli/figures.ts';
import { nodeClassAdvice } from '../../../lib/core/advice/node-class.ts';
import { nodePoolAdvice } from '../../../lib/core/advice/node-pool.ts';
import { aNodeClass, aNodePool } from '../../builders/node-pools.ts';
import { sentences } from './figures.ts';

const figures = shippedFigures();

function nodeClass(spec: Partial<EC2NodeClass['spec']>): readonly string[] {
  return sentences(nodeClassAdvice(aNodeClass(spec)));
}

test('a name of more than 63 characters is no label value', () => {
  const name = 'n'.repeat(64);
  expect(sentences(nodePoolAdvice(aNodePool({ name }), figures))).toEqual([
    'metadata.name: has 64 characters, and the label karpenter.sh/nodepool of its nodes takes 63, so no node can ever register; write a name of at most 63 characters',
  ]);
  expect(sentences(nodeClassAdvice({ ...aNodeClass(), metadata: { name } }))).toEqual([
    'metadata.name: has 64 characters, and the label karpenter.k8s.aws/ec2nodeclass of its nodes takes 63, so no node can ever register; write a name of at most 63 characters',
  ]);
  expect(nodePoolAdvice(aNodePool({ name: name.slice(1) }), figures)).toEqual([]);
});

test.each<readonly [rule: string, spec: Partial<EC2NodeClass['spec']>, expected: string]>([
  [
    'a role is not named by its ARN',
    { role: 'arn:aws:iam::123456789012:role/team/nodes' },
    'spec.role: is an ARN (arn:aws:iam::123456789012:role/team/nodes), where IAM takes the name alone; write nodes',
  ],
  [
    'a profile is named without its path',
    { instanceProfile: '/team/nodes' },
    'spec.instanceProfile: is a name with its path (/team/nodes), where IAM takes the name alone; write nodes',
  ],
  [
    'each id is a term of its own',
    { securityGroupSelectorTerms: [{ id: 'sg-1,sg-2' }] },
    'spec.securityGroupSelectorTerms.0.id: "sg-1,sg-2" is 2 ids, and AWS has nothing by it; write a term for each: {id: sg-1}, {id: sg-2}',
  ],
  [
    'an id stands alone',
    { subnetSelectorTerms: [{ id: ' subnet-1' }] },
    'spec.subnetSelectorTerms.0.id: " subnet-1" is more than an id, and AWS has nothing by it; write subnet-1',
  ],
  [
    'AWS keeps a prefix of tags',
    { tags: { 'aws:team': 'a' } },
    'spec.tags.aws:team: aws:team begins with aws:, which AWS keeps for itself, and EC2 refuses it; write a name with another prefix',
  ],
  [
    'EC2 takes 50 tags',
    { tags: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`tag-${index}`, ''])) },
    'spec.tags: has 51 tags, and EC2 takes 50, with those that each node gets besides; write some fewer than 50',
  ],
  [
    'a device is there once',
    { blockDeviceMappings: [{ deviceName: '/dev/xvda' }, { deviceName: '/dev/xvda' }] },
    'spec.blockDeviceMappings.1.deviceName: is /dev/xvda, like that of blockDeviceMappings[0], and EC2 refuses a device that is there twice; write another, such as /dev/xvdb',
  ],
  [
    'a key encrypts',
    { blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { encrypted: false, kmsKeyID: 'alias/a' } }] },
    'spec.blockDeviceMappings.0.ebs.encrypted: is false beside a kmsKeyID, and EC2 refuses a key for a volume that is not encrypted; write true, or leave kmsKeyID out',
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
  [{ cpus: 10 }, ['spec.limits.cpus: cpus is no resource of a node, so this limits nothing; write cpu']],
  [{ mem: '10Gi' }, ['spec.limits.mem: mem is no resource of a node, so this limits nothing; write memory']],
  [{ Memory: '10Gi' }, ['spec.limits.Memory: Memory is no resource of a node, so this limits nothing; write memory']],
  [{ cpu: 10, memory: '100Gi', nodes: 5, pods: 900, 'nvidia.com/gpu': 8, 'hugepages-2Mi': '1Gi' }, []],
  [{ 'example.com/fpga': 4 }, []],
])('limits of %j', (limits, expected) => {
  expect(sentences(nodePoolAdvice(aNodePool({ limits }), figures))).toEqual(expected);
});
