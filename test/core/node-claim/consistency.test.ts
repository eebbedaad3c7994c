import { describe, expect, test } from 'vitest';
import type { Labels, ResourceList } from '../../../lib/apis/kubernetes.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import type { ClaimVerdict } from '../../../lib/core/node-claim/claim-verdict.ts';
import { decideLifecycle } from '../../../lib/core/node-claim/lifecycle.ts';
import { viewOf } from '../../builders/claim-view.ts';
import { claimSpec, launchedClaim } from '../../builders/node-claims.ts';
import { aNode } from '../../builders/nodes.ts';
import { MINUTE, NOW_MS } from '../../builders/times.ts';

const READY: Labels = {
  'karpenter.k8s.aws/ec2nodeclass': 'default',
  'karpenter.sh/registered': 'true',
  'karpenter.sh/initialized': 'true',
};
const GPU = 'nvidia.com/gpu';
const GIB = 2 ** 30;

/** An initialized claim of an instance type with 2 CPUs, 8 GiB and 4 GPUs. */
function claim(requests: Readonly<Record<string, string>>, over: Partial<NodeClaimRecord> = {}): NodeClaimRecord {
  return launchedClaim({
    registeredAtMs: NOW_MS,
    initializedAtMs: NOW_MS,
    nodeName: 'node-1',
    spec: claimSpec({ resources: { requests } }),
    holds: { cpu: 2_000, memory: 8 * GIB, [GPU]: 4 },
    ...over,
  });
}

function decide(record: NodeClaimRecord, capacity: ResourceList, labels = READY): ClaimVerdict {
  const node = aNode({ labels });
  return decideLifecycle(viewOf(record, { node: { ...node, status: { ...node.status, capacity } } }), NOW_MS + MINUTE);
}

describe('D10: the capacity of an initialized node', () => {
  test('of less than 90 % of a requested resource is reported with the numbers, and published once', () => {
    const verdict = decide(claim({ cpu: '1', memory: '1Gi', [GPU]: '1' }), { cpu: '1', memory: '7372Mi', [GPU]: '4' });
    const message =
      'expected 2 of resource cpu, but found 1 (50.0% of expected); expected 8Gi of resource memory, but found 7372Mi (90.0% of expected)';
    expect(verdict.blocked).toMatchObject([
      { subject: { kind: 'NodeClaim', name: 'general-1' }, reason: 'FailedConsistencyCheck', message },
    ]);
    expect(verdict.news).toEqual(verdict.blocked);
    const finding = { reason: 'FailedConsistencyCheck', message };
    expect(verdict.record.consistency).toEqual({ sinceMs: NOW_MS + MINUTE, finding });
    const again = decide(verdict.record, { cpu: '1', memory: '7372Mi', [GPU]: '4' });
    expect(again.record).toBe(verdict.record);
    expect(again).not.toHaveProperty('news');
  });

  test.each<[string, Readonly<Record<string, string>>, ResourceList]>([
    ['of 90 % is enough', { cpu: '1' }, { cpu: '1800m' }],
    ['of a resource that is not requested does not count', { cpu: '1' }, { cpu: '2', [GPU]: '0' }],
    ['of a resource that is requested as 0 does not count', { cpu: '1', [GPU]: '0' }, { cpu: '2', [GPU]: '0' }],
    ['of a resource that the claim does not expect does not count', { cpu: '1', 'example.com/x': '1' }, { cpu: '2' }],
  ])('%s', (_, requests, capacity) => {
    const record = claim(requests);
    expect(decide(record, capacity)).toMatchObject({ record, blocked: [] });
  });

  test('is not checked before the initialization', () => {
    const verdict = decide(claim({ cpu: '1' }), { cpu: '1' }, { 'karpenter.sh/registered': 'true' });
    expect(verdict.record).not.toHaveProperty('consistency');
  });

  test('that is sufficient again ends the finding', () => {
    const small = decide(claim({ cpu: '1' }), { cpu: '1' });
    const { record, blocked } = decide(small.record, { cpu: '2' });
    expect(record.consistency).toEqual({ sinceMs: NOW_MS + MINUTE });
    expect(blocked).toEqual([]);
  });
});

describe('an instance that runs without its tags (promise 4)', () => {
  const untagged = { instanceUntagged: true } as const;

  test('is reported with the tags to add, and its claim stays', () => {
    const node = aNode({ labels: READY, ready: false });
    const verdict = decideLifecycle(viewOf(claim({}), { node, ...untagged }), NOW_MS + MINUTE);
    expect(verdict.actions).toEqual([]);
    expect(verdict.blocked).toMatchObject([{ reason: 'InstanceNotTagged' }]);
    expect(verdict.blocked[0]?.message).toContain('karpenter.sh/nodeclaim=general-1');
    expect(verdict.record.consistency?.finding?.reason).toBe('InstanceNotTagged');
  });

  test('and whose node is not registered yet is reported too', () => {
    const verdict = decideLifecycle(viewOf(launchedClaim(), { node: aNode(), ...untagged }), NOW_MS + MINUTE);
    expect(verdict.record.consistency?.finding?.reason).toBe('InstanceNotTagged');
    expect(verdict.whenDone?.consistency).toEqual(verdict.record.consistency);
  });
});
