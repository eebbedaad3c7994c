import { describe, expect, test } from 'vitest';
import { eventsOf } from '../../../lib/core/events/events-of.ts';
import type { Action, Blocked } from '../../../lib/core/model/decision.ts';
import type { Reason } from '../../../lib/core/model/reasons.ts';
import type { Subject } from '../../../lib/core/model/subject.ts';
import { aCommand, aDecision, candidatesNamed } from '../../builders/decisions.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { aNodePool } from '../../builders/node-pools.ts';
import { aNode } from '../../builders/nodes.ts';
import { aPod } from '../../builders/pods.ts';
import { NOW_MS, SECOND } from '../../builders/times.ts';

function blocked(subject: Subject, reason: Reason, nodePool?: string): Blocked {
  return { subject, reason, message: `why ${reason}`, numbers: {}, ...(nodePool !== undefined && { nodePool }) };
}

const nominate = (pods: readonly string[]): Action => ({
  kind: 'nominate-node',
  node: 'node-1',
  pods,
  untilMs: NOW_MS,
});
const POD = { namespace: 'default', name: 'web', uid: 'uid-web' };
const EVICT: Action = { kind: 'evict-pod', nodeClaim: 'general-1', pod: POD };
const RECORD = launchedClaim({
  nodeName: 'node-1',
  deletion: { reason: 'spot_interrupted', message: 'in 2 minutes', requestedAtMs: NOW_MS, deadlineMs: NOW_MS + SECOND },
});

describe('F12: pods', () => {
  test('an unschedulable pod gets one event with the reason of each NodePool', () => {
    const why = [
      blocked({ kind: 'Pod', namespace: 'default', name: 'web' }, 'InsufficientResources', 'a'),
      blocked({ kind: 'Pod', namespace: 'default', name: 'web' }, 'Taint', 'b'),
    ];
    const pods = [aPod({ name: 'web' })];
    expect(eventsOf(aDecision({ blocked: why }), { pods })).toEqual([
      {
        regarding: { kind: 'Pod', namespace: 'default', name: 'web', uid: pods[0]?.metadata.uid },
        type: 'Warning',
        reason: 'FailedScheduling',
        message: 'NodePool a: why InsufficientResources; NodePool b: why Taint',
      },
    ]);
  });

  test('a run publishes at most ten Nominated events', () => {
    const pods = Array.from({ length: 50 }, (_, index) => `default/web-${index}`);
    const events = eventsOf(aDecision({ actions: [nominate(pods)] }));
    expect(events).toHaveLength(10);
    expect(events[0]).toMatchObject({ reason: 'Nominated', message: 'Pod should schedule on: node/node-1' });
  });

  test('nominations do not displace refusals', () => {
    const pods = Array.from({ length: 50 }, (_, index) => `default/web-${index}`);
    const decision = aDecision({
      actions: [nominate(pods)],
      blocked: [blocked({ kind: 'Pod', namespace: 'default', name: 'web' }, 'Taint')],
    });
    expect(eventsOf(decision)).toHaveLength(11);
  });

  test('an eviction gives an event with the reason on the pod; a refused eviction gives one on the node', () => {
    const actions = [EVICT];
    const decision = aDecision({ controller: 'termination', actions });
    expect(eventsOf(decision, { record: RECORD })).toMatchObject([
      { regarding: { kind: 'Pod', uid: 'uid-web' }, reason: 'Evicted', message: 'Evicted pod: SpotInterrupted' },
    ]);
    const held = { ...decision, blocked: [blocked({ kind: 'Pod', namespace: 'default', name: 'web' }, 'PDB')] };
    expect(eventsOf(held, { record: RECORD })).toMatchObject([
      { regarding: { kind: 'Node', name: 'node-1' }, type: 'Warning', reason: 'FailedDraining' },
    ]);
  });

  test('an annotation that has no effect gives an event on the pod', () => {
    const pod = { kind: 'Pod', namespace: 'default', name: 'web' } as const;
    const ignored = aDecision({ controller: 'disruption', blocked: [blocked(pod, 'InvalidDoNotDisruptAnnotation')] });
    expect(eventsOf(ignored)).toMatchObject([{ regarding: pod, reason: 'InvalidDoNotDisruptAnnotation' }]);
  });

  test('a forced deletion gives an event with the grace period', () => {
    const actions: readonly Action[] = [
      { ...EVICT, kind: 'evict-pod', nodeClaim: 'general-1', pod: POD, force: { graceSeconds: 7 } },
    ];
    const [event] = eventsOf(aDecision({ controller: 'termination', actions }), { record: RECORD });
    expect(event).toMatchObject({ reason: 'Disrupted', message: expect.stringContaining('7s grace') });
  });
});

describe('F13–F15: nodes, claims and pools', () => {
  test('the begin of a drain gives events on node and claim with the reason and the deadline', () => {
    const cordon: Action = { kind: 'cordon-node', nodeClaim: 'general-1', node: { name: 'node-1' }, patch: {} };
    const owner = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name: 'general-1', uid: 'uid-claim' };
    const node = { ...aNode(), metadata: { name: 'node-1', ownerReferences: [owner] } };
    const events = eventsOf(aDecision({ controller: 'termination', actions: [cordon] }), {
      record: RECORD,
      nodes: [node],
    });
    expect(events.map(({ regarding, reason }) => [regarding.kind, regarding.uid, reason])).toEqual([
      ['Node', 'node-1', 'SpotInterrupted'],
      ['Node', 'node-1', 'TerminationGracePeriodExpiring'],
      ['NodeClaim', 'uid-claim', 'SpotInterrupted'],
      ['NodeClaim', 'uid-claim', 'TerminationGracePeriodExpiring'],
    ]);
    expect(events[0]?.message).toBe('Disrupting Node: SpotInterrupted: in 2 minutes');
  });

  test('a blocked disruption gives an event on the node; an exhausted budget gives one event on the NodePool', () => {
    const nodePool = aNodePool();
    const decision = aDecision({
      controller: 'disruption',
      blocked: [
        blocked({ kind: 'Node', name: 'a' }, 'DoNotDisrupt', 'general'),
        blocked({ kind: 'Node', name: 'b' }, 'KeepsBuffer', 'general'),
        blocked({ kind: 'Node', name: 'd' }, 'NotCheaper', 'general'),
        blocked({ kind: 'Node', name: 'c' }, 'BudgetExhausted', 'general'),
      ],
    });
    const pools = [{ ...nodePool, metadata: { ...nodePool.metadata, uid: 'uid-pool' } }];
    expect(
      eventsOf(decision, { nodePools: pools }).map(({ regarding, reason }) => [regarding.kind, regarding.uid, reason]),
    ).toEqual([
      ['Node', 'a', 'DisruptionBlocked'],
      ['Node', 'b', 'Unconsolidatable'],
      ['Node', 'd', 'Unconsolidatable'],
      ['NodePool', 'uid-pool', 'DisruptionBlocked'],
    ]);
  });

  test('a refused termination of its instance gives an event on the claim that is being deleted', () => {
    const refused = aDecision({ blocked: [blocked({ kind: 'Instance', name: 'i-1' }, 'ActionRefused')] });
    expect(eventsOf(refused, { record: RECORD })).toEqual([
      {
        regarding: { kind: 'NodeClaim', name: 'general-1' },
        type: 'Warning',
        reason: 'ActionRefused',
        message: 'why ActionRefused',
      },
    ]);
    expect(eventsOf(refused)).toEqual([]);
  });

  test('a replacement has an event, and the node that waits for it', () => {
    const replacing = { state: 'replacing', replacingSinceMs: NOW_MS, replacementClaims: ['general-2'] } as const;
    const command = { ...aCommand({ reason: 'Underutilized', candidates: candidatesNamed('a') }), ...replacing };
    const actions: readonly Action[] = [
      { kind: 'continue-disruption', command },
      {
        kind: 'create-node-claim',
        nodeClaim: launchedClaim({ name: 'general-2', command: command.id, pods: ['a/b'] }),
      },
    ];
    expect(eventsOf(aDecision({ controller: 'disruption', actions }))).toEqual([
      {
        regarding: { kind: 'NodeClaim', name: 'general-2' },
        type: 'Normal',
        reason: 'DisruptionLaunching',
        message: 'Launching NodeClaim: Underutilized: replaces node/a',
      },
      {
        regarding: { kind: 'Node', name: 'a', uid: 'a' },
        type: 'Normal',
        reason: 'DisruptionWaitingReadiness',
        message: 'Waiting on readiness to continue disruption: Underutilized: replaced by nodeclaim/general-2',
      },
    ]);
  });

  test('E26, E29: nodes that consolidation would remove have an event, with the score of the move, and one with the outcome', () => {
    const about = { reason: 'Underutilized', candidates: candidatesNamed('a') } as const;
    const command = aCommand({ ...about, method: 'multi-node', evictions: 2, savingUsdPerHour: 0.1, score: 1.234 });
    const end = { kind: 'end-disruption', command: command.id, why: 'a pod arrived', nodes: ['a'] } as const;
    const actions: readonly Action[] = [
      { kind: 'start-disruption', command },
      { ...end, outcome: 'executed' },
      { ...end, outcome: 'rejected' },
    ];
    const events = eventsOf(aDecision({ controller: 'disruption', actions }));
    expect(events.map(({ regarding, reason, message }) => [regarding.name, reason, message])).toEqual([
      ['a', 'ConsolidationCandidate', 'multi-node: 1 node → 0, 2 evictions, saves $0.1/h, score 1.23'],
      ['a', 'ConsolidationApproved', 'a pod arrived'],
      ['a', 'ConsolidationRejected', 'a pod arrived'],
    ]);
    const empty = { kind: 'start-disruption', command: aCommand({ candidates: candidatesNamed('a') }) } as const;
    expect(eventsOf(aDecision({ controller: 'disruption', actions: [empty] }))).toEqual([]);
  });

  test('E29: of a command with a refused deletion, the node that stays has the event of a rejection', () => {
    const refused = [{ nodeClaim: 'claim-b', node: 'b', message: 'denied' }];
    const end = { kind: 'end-disruption', command: 'one', outcome: 'executed', why: '', nodes: ['a', 'b'] } as const;
    const events = eventsOf(aDecision({ controller: 'disruption', actions: [{ ...end, refused }] }));
    expect(events.map(({ regarding, reason }) => [regarding.name, reason])).toEqual([
      ['a', 'ConsolidationApproved'],
      ['b', 'ConsolidationRejected'],
    ]);
  });

  test('E26: a move that its NodePool does not approve has the event of a rejection', () => {
    const why = blocked({ kind: 'Node', name: 'a' }, 'BalancedScore', 'general');
    const events = eventsOf(aDecision({ controller: 'disruption', blocked: [why] }));
    expect(events.map(({ reason }) => reason)).toEqual(['ConsolidationRejected']);
  });

  test('F14: a NodePool that can launch no node for any pod has one event', () => {
    const pods = ['web-1', 'web-2'].map((name) => ({ kind: 'Pod', namespace: 'default', name }) as const);
    const unready = {
      reason: 'AMINotFound',
      message: 'EC2NodeClass default is not ready: no image',
      numbers: {},
    } as const;
    const why = pods.flatMap((subject) => [
      blocked(subject, 'NodeClassNotFound', 'a'),
      blocked(subject, 'NoCompatibleInstanceTypes', 'b'),
      { subject, nodePool: 'c', ...unready },
      blocked(subject, 'InsufficientResources', 'd'),
    ]);
    const events = eventsOf(aDecision({ blocked: why })).filter(({ regarding }) => regarding.kind === 'NodePool');
    expect(events.map(({ regarding, reason }) => [regarding.name, reason])).toEqual([
      ['a', 'NodeClassNotReady'],
      ['b', 'NoCompatibleInstanceTypes'],
      ['c', 'NodeClassNotReady'],
    ]);
  });

  test('a claim without capacity gets an event before it is deleted', () => {
    const action = {
      kind: 'delete-node-claim',
      nodeClaim: 'general-1',
      reason: 'insufficient_capacity',
      message: 'none',
    } as const;
    expect(eventsOf(aDecision({ controller: 'lifecycle', actions: [action] }))).toMatchObject([
      { regarding: { kind: 'NodeClaim', name: 'general-1' }, reason: 'InsufficientCapacityError', message: 'none' },
    ]);
  });
});
