import { describe, expect, test } from 'vitest';
import { parseTime } from '../../../../lib/apis/formats/time.ts';
import type { NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import {
  type AdoptionLine,
  type LeftWorld,
  planAdoption,
} from '../../../../lib/core/node-claim/adoption/adoption-plan.ts';
import { aJoinedNode, aKarpenterClaim, aLeftInstance, aLeftWorld } from '../../../builders/left-world.ts';
import { launchedClaim } from '../../../builders/node-claims.ts';
import { aNodeClass, aNodePool } from '../../../builders/node-pools.ts';
import { HOUR, NOW_MS } from '../../../builders/times.ts';

function plan(over: Partial<LeftWorld>): readonly AdoptionLine[] {
  return planAdoption(aLeftWorld(over), NOW_MS);
}

/** `general-a` on i-1, as Karpenter left it. */
function whole(claim = aKarpenterClaim('general-a', 'i-1')): Partial<LeftWorld> {
  const nodes = [aJoinedNode('general-a', 'i-1')];
  return { nodeClaims: [claim], instances: [aLeftInstance('i-1', 'general-a')], nodes };
}

function recordOf([line]: readonly AdoptionLine[]): NodeClaimRecord {
  if (line?.outcome.kind !== 'adopt') throw new Error(`not taken over: ${JSON.stringify(line?.outcome)}`);
  return line.outcome.record;
}

const OURS = { 'karpenter.k8s.aws/ec2nodeclass-hash': 'abc', 'karpenter.k8s.aws/ec2nodeclass-hash-version': 'kerf-6' };
const classHash = () => OURS;
const nodeClasses = [aNodeClass()];
const DAY_AGO_MS = NOW_MS - 24 * HOUR;

describe('a node that Karpenter left', () => {
  test('is taken over as it is: name, age, progress and what its pods did last', () => {
    expect(recordOf(plan(whole()))).toMatchObject({
      name: 'general-a',
      nodePool: 'general',
      createdAtMs: DAY_AGO_MS,
      nodeName: 'node-general-a',
      registeredAtMs: DAY_AGO_MS,
      initializedAtMs: DAY_AGO_MS,
      lastPodEventAtMs: DAY_AGO_MS,
      spec: { expireAfter: '720h' },
      launch: { kind: 'launched', instance: { id: 'i-1', instanceType: 'm5.large' } },
    });
  });

  test('A3.26: has our hash of its class in the place of Karpenter’s, so that it has not drifted', () => {
    const record = recordOf(plan({ ...whole(), nodeClasses, classHash }));
    expect(record.annotations).toMatchObject(OURS);
    expect(record.annotations).toMatchObject({ 'karpenter.sh/nodepool-hash': '123' });
  });

  test('A1.28: that had drifted stays so: only the version of its hash moves', () => {
    const claim = aKarpenterClaim('general-a', 'i-1');
    const drifted = { type: 'Drifted', status: 'True', reason: 'NodeClassDrift' } as const;
    const status = { ...claim.status, conditions: [...(claim.status?.conditions ?? []), drifted] };
    const lines = plan({ ...whole({ ...claim, status }), nodeClasses, classHash });
    expect(recordOf(lines).annotations).toMatchObject({
      'karpenter.k8s.aws/ec2nodeclass-hash': '456',
      'karpenter.k8s.aws/ec2nodeclass-hash-version': 'kerf-6',
    });
    expect(lines[0]?.notes).toEqual([expect.stringContaining('had drifted (NodeClassDrift)')]);
  });

  test.each([
    ['as promised', { 'karpenter.sh/nodeclaim-termination-timestamp': '2026-01-31T09:30:00Z' }, '2026-01-31T09:30:00Z'],
    ['when its pods may stay as long as they like', {}, undefined],
  ])('D18: that is being deleted goes on being deleted, %s', (_, annotations, deadline) => {
    const deletionTimestamp = '2026-01-31T07:30:00Z';
    const claim = aKarpenterClaim('general-a', 'i-1', { deletionTimestamp, annotations });
    const { deletion } = recordOf(plan(whole(claim)));
    expect(deletion).toMatchObject({ reason: 'deleted', requestedAtMs: parseTime(deletionTimestamp) });
    expect(deletion?.deadlineMs).toBe(deadline === undefined ? undefined : parseTime(deadline));
  });

  test('C84: that has not joined yet is known by its claim, gets the tags that it lacks, and the time to join', () => {
    const instance = aLeftInstance('i-1', '', { tags: { 'kubernetes.io/cluster/demo': 'owned' } });
    const [line] = plan({ ...whole(), nodes: [], instances: [instance] });
    expect(line?.outcome).toMatchObject({
      kind: 'adopt',
      tags: { 'karpenter.sh/nodeclaim': 'general-a', 'eks:eks-cluster-name': 'demo' },
      record: { name: 'general-a', launch: { atMs: NOW_MS } },
    });
  });

  test('is not taken over twice', () => {
    const record = launchedClaim({ name: 'general-a' });
    const [line] = plan({ ...whole(), records: new Map([['general-a', record]]) });
    expect(line?.outcome).toEqual({ kind: 'known' });
  });
});

describe('left alone, with the reason', () => {
  const reasons = (over: Partial<LeftWorld>) =>
    plan(over).map(({ outcome }) => (outcome.kind === 'left' ? outcome.reason : outcome.kind));

  test('A2.2: a claim that belongs to no NodePool', () => {
    expect(reasons(whole(aKarpenterClaim('general-a', 'i-1', { labels: {} })))).toEqual(['StandaloneNotSupported']);
  });

  test('D31: a node of a static NodePool', () => {
    const pool = aNodePool();
    const nodePools = [{ ...pool, spec: { ...pool.spec, replicas: 3 } }];
    expect(reasons({ ...whole(), nodePools })).toEqual(['StaticCapacityNotSupported']);
  });

  test('a claim that has no instance', () => {
    expect(reasons({ ...whole(), instances: [] })).toEqual(['NoInstance']);
  });

  test('an instance that no claim names: its launch was cut off', () => {
    expect(reasons({ instances: [aLeftInstance('i-9', '')] })).toEqual(['LaunchCutOff']);
  });

  test('an instance whose claim has another in our records', () => {
    const record = launchedClaim({ name: 'general-a' }, { id: 'i-2' });
    expect(reasons({ ...whole(), records: new Map([['general-a', record]]) })).toEqual(['NameTaken']);
  });
});
