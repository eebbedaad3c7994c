import { describe, expect, test } from 'vitest';
import { adoptedRecord, type InstanceEvidence } from '../../../../lib/core/node-claim/adoption/adoption.ts';
import { evidenceOfInstance } from '../../../../lib/core/node-claim/adoption/instance-evidence.ts';
import { mirrorOf } from '../../../../lib/core/node-claim/mirror/mirror.ts';
import { aKarpenterClaim, anAdoptionWorld } from '../../../builders/adoption-world.ts';
import { aFoundInstance, launchedClaim } from '../../../builders/node-claims.ts';
import { aNodePool } from '../../../builders/node-pools.ts';
import { aNode } from '../../../builders/nodes.ts';
import { HOUR, NOW_MS } from '../../../builders/times.ts';

const GIB = 2 ** 30;
const POOL = aNodePool({
  labels: { team: 'a' },
  requirements: [
    { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot', 'on-demand'] },
    { key: 'tier', operator: 'In', values: ['silver', 'gold'] },
  ],
  taints: [{ key: 'dedicated', effect: 'NoSchedule' }],
  expireAfter: '24h',
  terminationGracePeriod: '1h',
});
const NODE = aNode({
  name: 'node-1',
  labels: { 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true', tier: 'silver' },
  annotations: { 'karpenter.sh/nodepool-hash': '42', 'volumes.kubernetes.io/attached': 'true' },
});

function adopt(over: Partial<InstanceEvidence>, instance: Partial<InstanceEvidence['instance']> = {}) {
  return adoptedRecord({ cluster: 'demo', instance: aFoundInstance(instance), ...over }, NOW_MS);
}

describe('the record of an unrecorded instance', () => {
  test('is made from its NodeClaim object', () => {
    const record = launchedClaim({ nodePoolUid: 'pool-uid', annotations: { 'example.com/note': 'kept' } });
    const owner = { ...POOL, metadata: { name: 'general', uid: 'pool-uid' } };
    const nodeClaim = { ...mirrorOf(record, { nodePool: owner }), status: {} };
    const adopted = adopt({ nodeClaim });
    const { name, nodePool, nodePoolUid, labels, annotations, spec, createdAtMs } = record;
    expect(adopted).toMatchObject({ name, nodePool, nodePoolUid, labels, annotations, spec, createdAtMs });
    expect(adopted?.launch).toMatchObject({ kind: 'launched', instance: { id: 'i-1', instanceType: 'm5.large' } });
    expect(adopted?.version).toBe(0);
  });

  test.each([
    ['another claim', 'general-b'],
    ['a group', 'group/0123'],
  ])('has the name of the NodeClaim with its provider ID, although its tag names %s', (_, tag) => {
    const nodeClaims = [aKarpenterClaim('general-b', 'i-2'), aKarpenterClaim('general-a', 'i-1')];
    const instance = aFoundInstance({ id: 'i-1', nodeClaim: tag });
    const evidence = evidenceOfInstance(anAdoptionWorld({ nodeClaims }), instance);
    expect(adoptedRecord(evidence, NOW_MS)?.name).toBe('general-a');
    expect(evidence.instance.nodeClaim, 'the claims of a group are found by its name').toBe(
      tag === 'general-b' ? 'general-a' : tag,
    );
  });

  test('is otherwise made from the template of its NodePool, narrowed to its offering, with the labels and annotations of its node', () => {
    const adopted = adopt({ nodePool: POOL, node: NODE });
    expect(adopted).toMatchObject({
      name: 'general-1',
      nodePool: 'general',
      labels: {
        team: 'a',
        tier: 'silver',
        'karpenter.sh/nodepool': 'general',
        'karpenter.k8s.aws/ec2nodeclass': 'default',
      },
      createdAtMs: NOW_MS - HOUR,
      nodeName: 'node-1',
      registeredAtMs: NOW_MS,
      initializedAtMs: NOW_MS,
      launch: { atMs: NOW_MS - HOUR },
    });
    expect(adopted?.annotations).toEqual({ 'karpenter.sh/nodepool-hash': '42' });
    expect(adopted?.spec).toMatchObject({ expireAfter: '24h', terminationGracePeriod: '1h' });
    expect(adopted?.spec.requirements).toEqual([
      { key: 'tier', operator: 'In', values: ['silver', 'gold'] },
      { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m5.large'] },
      { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['eu-west-3a'] },
      { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
    ]);
  });

  test('starts a new registration timeout if its node has not registered', () => {
    const adopted = adopt({ nodePool: POOL });
    expect(adopted?.launch).toMatchObject({ atMs: NOW_MS });
    expect(adopted).not.toHaveProperty('registeredAtMs');
    expect(adopted?.labels['tier']).toBe('gold');
  });

  test('is made from its node if its NodePool is deleted, and does not expire', () => {
    const adopted = adopt({ node: NODE });
    expect(adopted).toMatchObject({ nodePool: 'general', spec: { expireAfter: 'Never' }, nodeName: 'node-1' });
    expect(adopted?.spec.nodeClassRef.name).toBe('default');
  });

  test('has the amounts of its instance type, or else of its node (promise 2)', () => {
    expect(adopt({ node: NODE })?.allocatable).toMatchObject({ cpu: 2_000, memory: 8 * GIB });
    const instanceType = {
      name: 'm5.large',
      capacity: { cpu: 2_000, memory: 7 * GIB },
      allocatable: { cpu: 1_900, memory: 6 * GIB },
      requirements: {},
      offerings: [{ zone: 'eu-west-3a', capacityType: 'on-demand', priceUsdPerHour: 0.112, available: true }] as const,
    };
    const adopted = adopt({ node: NODE, instanceType }, { priceUsdPerHour: 0 });
    expect(adopted).toMatchObject({ holds: instanceType.capacity, allocatable: instanceType.allocatable });
    expect(adopted?.options[0]?.priceUsdPerHour).toBe(0.112);
  });

  test.each<[string, Partial<InstanceEvidence>, Partial<InstanceEvidence['instance']>]>([
    ['without an object, a NodePool and a node', {}, {}],
    ['with a node, but without the name of a NodePool', { node: NODE }, { nodePool: '' }],
    ['with a node, but without the name of a NodeClass', { node: NODE }, { nodeClass: '' }],
  ])('cannot be made %s', (_, over, instance) => {
    expect(adopt(over, instance)).toBeUndefined();
  });
});
