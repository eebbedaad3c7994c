import { expect, test } from 'vitest';
import { quotaUses } from '../../../lib/core/node-pool/vcpu-quotas.ts';
import { anInstanceType } from '../../builders/instance-types.ts';
import { aNodePool, asking } from '../../builders/node-pools.ts';

const TYPES = ['m7g.large', 'g6.xlarge', 'vt1.3xlarge', 'p4d.24xlarge', 'p5.48xlarge', 'u7i-6tb.112xlarge'].map(
  (name) => anInstanceType({ name }),
);

function codes(...requirements: Parameters<typeof asking>[]) {
  const pool = aNodePool({ requirements: requirements.map((one) => asking(...one)), limits: { cpu: '1500m' } });
  return quotaUses([pool], () => TYPES).map(({ quota }) => quota.code);
}

test('a NodePool without requirements may launch under the quotas of all families and both capacity types', () => {
  expect(codes()).toEqual([
    'L-1216C47A',
    'L-DB2E81BA',
    'L-417A185B',
    'L-43DA4232',
    'L-34B43A08',
    'L-3819A6DF',
    'L-C4BD4855',
    'L-7212CCBC',
  ]);
});

test('requirements on types and on the capacity type leave the other quotas out', () => {
  expect(codes(['karpenter.k8s.aws/instance-category', 'In', 'm'])).toEqual(['L-1216C47A', 'L-34B43A08']);
  expect(
    codes(['karpenter.sh/capacity-type', 'In', 'spot'], ['karpenter.k8s.aws/instance-family', 'In', 'p5']),
  ).toEqual(['L-C4BD4855']);
});

test('labels of the NodePool are requirements too', () => {
  const pool = aNodePool({ labels: { 'karpenter.sh/capacity-type': 'spot', team: 'a' } });
  expect(quotaUses([pool], () => TYPES.slice(0, 1)).map(({ quota }) => quota.code)).toEqual(['L-34B43A08']);
});

test('a quota has each NodePool that uses it, with its limit in whole vCPUs', () => {
  const pools = [aNodePool({ name: 'a', limits: { cpu: '1500m' } }), aNodePool({ name: 'b' })];
  expect(quotaUses(pools, () => TYPES.slice(0, 1))[0]?.nodePools).toEqual([
    { name: 'a', limit: 1 },
    { name: 'b', limit: undefined },
  ]);
});

test('a family without a quota for spot has only the one for on-demand', () => {
  const types = [anInstanceType({ name: 'hpc7g.4xlarge' })];
  expect(quotaUses([aNodePool()], () => types).map(({ quota }) => quota.code)).toEqual(['L-F7808C92']);
});
