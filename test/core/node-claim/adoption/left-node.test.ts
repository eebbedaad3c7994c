import { expect, test } from 'vitest';
import { instanceOfLeftNode } from '../../../../lib/core/node-claim/adoption/left-node.ts';
import { isGroupName } from '../../../../lib/core/node-claim/launch/launch-groups.ts';
import { aNode, type NodeOptions } from '../../../builders/nodes.ts';

const LABELS = {
  'karpenter.sh/nodepool': 'general',
  'karpenter.sh/registered': 'true',
  'karpenter.sh/capacity-type': 'spot',
  'karpenter.k8s.aws/ec2nodeclass': 'default',
  'node.kubernetes.io/instance-type': 'm7g.large',
};

const LEFT: NodeOptions = {
  ready: false,
  providerId: 'aws:///eu-west-3a/i-0123456789abcdef0',
  labels: LABELS,
  annotations: { 'karpenter.sh/nodepool-hash': '1', 'karpenter.sh/nodepool-hash-version': 'kerf-3' },
  finalizers: ['karpenter.sh/termination'],
  creationTimestamp: '2026-01-01T00:00:00Z',
};

function without(label: keyof typeof LABELS): NodeOptions {
  return { ...LEFT, labels: Object.fromEntries(Object.entries(LABELS).filter(([key]) => key !== label)) };
}

test('a Node that Kerf registered and that is not Ready shows its instance, and not the name of its NodeClaim', () => {
  const instance = instanceOfLeftNode(aNode(LEFT));
  expect(instance).toMatchObject({
    id: 'i-0123456789abcdef0',
    instanceType: 'm7g.large',
    zone: 'eu-west-3a',
    capacityType: 'spot',
    nodePool: 'general',
    nodeClass: 'default',
    launchedAtMs: Date.parse('2026-01-01T00:00:00Z'),
  });
  expect(isGroupName(instance?.nodeClaim ?? '')).toBe(true);
});

test.each<[string, NodeOptions]>([
  ['that is Ready', { ...LEFT, ready: true }],
  ['without Kerf’s finalizer', { ...LEFT, finalizers: ['example.com/own'] }],
  ['without the hash of its NodePool', { ...LEFT, annotations: {} }],
  ['that Karpenter registered', { ...LEFT, annotations: { 'karpenter.sh/nodepool-hash-version': 'v3' } }],
  ['that was not registered', without('karpenter.sh/registered')],
  ['without the label of a NodePool', without('karpenter.sh/nodepool')],
  ['without the label of an EC2NodeClass', without('karpenter.k8s.aws/ec2nodeclass')],
  ['without the label of an instance type', without('node.kubernetes.io/instance-type')],
  ['of another provider', { ...LEFT, providerId: 'fargate:///eu-west-3a/i-0123456789abcdef0' }],
  ['of no EC2 instance', { ...LEFT, providerId: 'aws:///eu-west-3a/1a2b/fargate-ip-10-0-0-1' }],
  ['without a provider ID', { ...LEFT, providerId: '' }],
])('a Node %s is left alone', (_, options) => {
  expect(instanceOfLeftNode(aNode(options))).toBeUndefined();
});
