import { describe, expect, test } from 'vitest';
import { parseTime } from '../../../../lib/apis/formats/time.ts';
import type { Node } from '../../../../lib/apis/kubernetes.ts';
import type { NodeClaim } from '../../../../lib/apis/node-claim.ts';
import type { NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import {
  type AdoptionLine,
  type AdoptionWorld,
  planAdoption,
} from '../../../../lib/core/node-claim/adoption/adoption-plan.ts';
import { aClusterInstance, aJoinedNode, aKarpenterClaim, anAdoptionWorld } from '../../../builders/adoption-world.ts';
import { launchedClaim } from '../../../builders/node-claims.ts';
import { aNodeClass, aNodePool } from '../../../builders/node-pools.ts';
import { HOUR, NOW_MS } from '../../../builders/times.ts';

function plan(over: Partial<AdoptionWorld>): readonly AdoptionLine[] {
  return planAdoption(anAdoptionWorld(over), NOW_MS);
}

/** The claim `general-a` of Karpenter on instance i-1. */
function whole(claim = aKarpenterClaim('general-a', 'i-1')): Partial<AdoptionWorld> {
  const nodes = [aJoinedNode('general-a', 'i-1')];
  return { nodeClaims: [claim], instances: [aClusterInstance('i-1', 'general-a')], nodes };
}

function driftedClaim(reason: string): NodeClaim {
  const claim = aKarpenterClaim('general-a', 'i-1');
  const drifted = { type: 'Drifted', status: 'True', reason } as const;
  return { ...claim, status: { ...claim.status, conditions: [...(claim.status?.conditions ?? []), drifted] } };
}

function recordOf([line]: readonly AdoptionLine[]): NodeClaimRecord {
  if (line?.outcome.kind !== 'adopt') throw new Error(`not taken over: ${JSON.stringify(line?.outcome)}`);
  return line.outcome.record;
}

/** The node of `whole`, with the taint of a drain. */
function drained(metadata: Partial<Node['metadata']> = {}): Node {
  const node = aJoinedNode('general-a', 'i-1');
  const spec = { ...node.spec, taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' as const }] };
  return { ...node, metadata: { ...node.metadata, ...metadata }, spec };
}

const OURS = { 'karpenter.k8s.aws/ec2nodeclass-hash': 'abc', 'karpenter.k8s.aws/ec2nodeclass-hash-version': 'kerf-6' };
const classHash = () => OURS;
const nodeClasses = [aNodeClass()];
const THEIRS_WITH_OUR_VERSION = { ...OURS, 'karpenter.k8s.aws/ec2nodeclass-hash': '456' };
const DAY_AGO_MS = NOW_MS - 24 * HOUR;

const DEADLINE = 'karpenter.sh/nodeclaim-termination-timestamp';

describe('a node of Karpenter', () => {
  test('is adopted with its name, age, progress and last pod event', () => {
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

  test('A3.26: gets Kerf’s class hash instead of Karpenter’s, so that it does not drift', () => {
    const record = recordOf(plan({ ...whole(), nodeClasses, classHash }));
    expect(record.annotations).toMatchObject(OURS);
    expect(record.annotations).toMatchObject({ 'karpenter.sh/nodepool-hash': '123' });
  });

  test('A1.28: whose class has changed stays drifted: only the version of its hash changes', () => {
    const lines = plan({ ...whole(driftedClaim('NodeClassDrift')), nodeClasses, classHash });
    expect(recordOf(lines).annotations).toMatchObject(THEIRS_WITH_OUR_VERSION);
    expect(lines[0]?.notes).toEqual([expect.stringContaining('already drifted (NodeClassDrift)')]);
  });

  test('A1.28: that has drifted for another reason gets Kerf’s class hash, and matches again when that reason is gone', () => {
    const lines = plan({ ...whole(driftedClaim('AMIDrift')), nodeClasses, classHash });
    expect(recordOf(lines)).toMatchObject({ annotations: OURS, drift: { reason: 'AMIDrift' } });
    expect(lines[0]?.notes).toEqual([expect.stringContaining('already drifted (AMIDrift)')]);
  });

  test('A1.28: that has drifted for another reason keeps its hash if that of its class differs too', () => {
    const annotations = {
      'karpenter.k8s.aws/ec2nodeclass-hash': '789',
      'karpenter.k8s.aws/ec2nodeclass-hash-version': 'v4',
    };
    const edited = { ...aNodeClass(), metadata: { name: 'default', annotations } };
    const lines = plan({ ...whole(driftedClaim('NodePoolDrifted')), nodeClasses: [edited], classHash });
    expect(recordOf(lines).annotations).toMatchObject(THEIRS_WITH_OUR_VERSION);
  });

  test('D34: that has drifted for a reason that Kerf does not compare has not drifted', () => {
    const lines = plan({ ...whole(driftedClaim('PlacementGroupDrift')), nodeClasses, classHash });
    expect(recordOf(lines).annotations).toMatchObject(OURS);
    expect(recordOf(lines).drift).toBeUndefined();
    expect(lines[0]?.notes).toEqual([]);
  });

  test.each([
    ['with the announced deadline', { [DEADLINE]: '2026-01-31T09:30:00Z' }, '2026-01-31T09:30:00Z'],
    ['without a deadline if it has none', {}, undefined],
    ['as without a deadline if the annotation is not a time', { [DEADLINE]: 'soon' }, undefined],
    ['as without a deadline if the annotation is not a whole time', { [DEADLINE]: '1' }, undefined],
  ])('D18: that is being deleted continues to be deleted, %s', (_, annotations, deadline) => {
    const deletionTimestamp = '2026-01-31T07:30:00Z';
    const claim = aKarpenterClaim('general-a', 'i-1', { deletionTimestamp, annotations });
    const { deletion } = recordOf(plan(whole(claim)));
    expect(deletion).toMatchObject({ reason: 'deleted', requestedAtMs: parseTime(deletionTimestamp) });
    expect(deletion?.deadlineMs).toBe(deadline === undefined ? undefined : parseTime(deadline));
  });

  describe('that has the taint of a drain', () => {
    const notes = (over: Partial<AdoptionWorld>) => plan({ ...whole(), ...over }).map((line) => line.notes);
    const deletionTimestamp = '2026-01-31T07:30:00Z';

    test('and is not being deleted has a note with the command that removes the taint', () => {
      expect(notes({ nodes: [drained()] })).toEqual([
        [expect.stringMatching(/is not being deleted; remove the taint/)],
      ]);
    });

    test('and is being deleted has a note that Kerf deletes its NodeClaim', () => {
      expect(notes({ nodes: [drained({ deletionTimestamp })] })).toEqual([
        [
          `the deletion of its node was requested at ${deletionTimestamp}: Kerf deletes its NodeClaim and drains the node`,
        ],
      ]);
    });

    test('and that Kerf has recorded as being deleted has no note', () => {
      const record = {
        ...launchedClaim({}, { id: 'i-1' }),
        name: 'general-a',
        deletion: { reason: 'deleted', message: '', requestedAtMs: NOW_MS },
      } as const;
      expect(notes({ nodes: [drained()], records: new Map([['general-a', record]]) })).toEqual([[]]);
    });
  });

  test('that has drifted and whose node is being deleted is not replaced as drifted', () => {
    const [node] = whole().nodes ?? [];
    const deleted = node && { ...node, metadata: { ...node.metadata, deletionTimestamp: '2026-01-31T07:30:00Z' } };
    const [line] = plan({ ...whole(driftedClaim('AMIDrift')), nodes: deleted ? [deleted] : [] });
    expect(line?.notes).toEqual([expect.stringMatching(/^the deletion of its node was requested at/)]);
  });

  test('C84: that has not registered is found by its claim, gets the missing tags, and a new registration timeout', () => {
    const instance = aClusterInstance('i-1', '', { tags: { 'kubernetes.io/cluster/demo': 'owned' } });
    const [line] = plan({ ...whole(), nodes: [], instances: [instance] });
    expect(line?.outcome).toMatchObject({
      kind: 'adopt',
      tags: { 'karpenter.sh/nodeclaim': 'general-a', 'eks:eks-cluster-name': 'demo' },
      record: { name: 'general-a', launch: { atMs: NOW_MS } },
    });
  });

  test('of two instances with the tag of one claim, only the one with the registered node is adopted', () => {
    const instances = [aClusterInstance('i-0', 'general-a'), aClusterInstance('i-1', 'general-a')];
    const lines = plan({ ...whole(), instances });
    expect(lines.map(({ instanceId, outcome }) => [instanceId, outcome.kind])).toEqual([
      ['i-1', 'adopt'],
      ['i-0', 'left'],
    ]);
    expect(lines[1]?.outcome).toMatchObject({ reason: 'NameTaken' });
  });

  test('is found by the provider ID of its claim, not by a tag that names another claim, and its tag is corrected', () => {
    const lines = plan({
      nodeClaims: [aKarpenterClaim('general-a', 'i-1'), aKarpenterClaim('general-b', 'i-2')],
      nodes: [aJoinedNode('general-a', 'i-1'), aJoinedNode('general-b', 'i-2')],
      instances: [
        aClusterInstance('i-1', 'general-b', { launchedAtMs: NOW_MS - 25 * HOUR }),
        aClusterInstance('i-2', 'general-b'),
      ],
    });
    expect(lines.map(({ nodeClaim, instanceId, node }) => [nodeClaim, instanceId, node])).toEqual([
      ['general-a', 'i-1', 'node-general-a'],
      ['general-b', 'i-2', 'node-general-b'],
    ]);
    expect(lines.map(({ outcome }) => outcome)).toMatchObject([
      { kind: 'adopt', tags: { 'karpenter.sh/nodeclaim': 'general-a' }, record: { name: 'general-a' } },
      { kind: 'adopt', tags: {}, record: { name: 'general-b' } },
    ]);
  });

  test('of two instances with the tag of one claim, the one whose provider ID the claim has is adopted', () => {
    const instances = [
      aClusterInstance('i-0', 'general-a', { launchedAtMs: NOW_MS - 25 * HOUR }),
      aClusterInstance('i-1', 'general-a'),
    ];
    const lines = plan({ ...whole(), nodes: [aJoinedNode('general-z', 'i-0')], instances });
    expect(lines.map(({ instanceId, outcome }) => [instanceId, outcome.kind])).toEqual([
      ['i-1', 'adopt'],
      ['i-0', 'left'],
    ]);
  });

  test('is not adopted twice', () => {
    const record = launchedClaim({ name: 'general-a' });
    const [line] = plan({ ...whole(), records: new Map([['general-a', record]]) });
    expect(line?.outcome).toEqual({ kind: 'known' });
  });
});

describe('not adopted, with the reason', () => {
  const reasons = (over: Partial<AdoptionWorld>) =>
    plan(over).map(({ outcome }) => (outcome.kind === 'left' ? outcome.reason : outcome.kind));

  test('A2.2: a standalone claim', () => {
    expect(reasons(whole(aKarpenterClaim('general-a', 'i-1', { labels: {} })))).toEqual(['StandaloneNotSupported']);
  });

  test('D31: a node of a static NodePool', () => {
    const pool = aNodePool();
    const nodePools = [{ ...pool, spec: { ...pool.spec, replicas: 3 } }];
    expect(reasons({ ...whole(), nodePools })).toEqual(['StaticCapacityNotSupported']);
  });

  test('a claim without an instance and a node', () => {
    expect(reasons({ ...whole(), nodes: [], instances: [] })).toEqual(['NoInstance']);
  });

  test('a claim that has a node, and whose instance lacks tags: the tags are named, and nothing is deleted', () => {
    const [line] = plan({ ...whole(), instances: [] });
    expect(line).toMatchObject({ node: 'node-general-a', outcome: { kind: 'left', reason: 'InstanceNotTagged' } });
    const message = line?.outcome.kind === 'left' ? line.outcome.message : '';
    expect(message).not.toContain('kubectl');
    expect(message).toContain(
      'aws ec2 create-tags --resources i-1 --tags Key=kubernetes.io/cluster/demo,Value=owned Key=eks:eks-cluster-name,Value=demo Key=karpenter.sh/nodepool,Value=general Key=karpenter.sh/nodeclaim,Value=general-a',
    );
  });

  test('A2.2: a standalone claim that has a node, and whose instance has no tags', () => {
    const claim = aKarpenterClaim('general-a', 'i-1', { labels: {} });
    expect(reasons({ ...whole(claim), instances: [] })).toEqual(['StandaloneNotSupported']);
  });

  test('an instance without a claim: its launch was interrupted', () => {
    expect(reasons({ instances: [aClusterInstance('i-9', '')] })).toEqual(['LaunchCutOff']);
  });

  test('an instance whose tag is not the name of a NodeClaim', () => {
    const [line] = plan({ instances: [aClusterInstance('i-9', '../../nodes/x')] });
    expect(line?.outcome).toMatchObject({
      reason: 'InstanceWithoutRecord',
      message: expect.stringContaining('its tag karpenter.sh/nodeclaim has the value "../../nodes/x"'),
    });
  });

  test('an instance whose claim has another instance in its record', () => {
    const record = launchedClaim({ name: 'general-a' }, { id: 'i-2' });
    expect(reasons({ ...whole(), records: new Map([['general-a', record]]) })).toEqual(['NameTaken']);
  });

  test('an instance whose record cannot be read', () => {
    const [line] = plan({ ...whole(), records: new Map([['general-a', new Error('claim#general-a cannot be read')]]) });
    expect(line?.outcome).toEqual({
      kind: 'left',
      reason: 'RecordUnreadable',
      message: 'claim#general-a cannot be read',
    });
  });
});
