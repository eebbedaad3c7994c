import { describe, expect, test } from 'vitest';
import type { NodePool } from '../../../lib/apis/node-pool.ts';
import { disrupt } from '../../../lib/core/disruption/disrupt.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { refusedClaims } from '../../../lib/core/provisioning/unreadable-claims.ts';
import { aCommand, candidatesNamed } from '../../builders/decisions.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { aPoolView } from '../../builders/node-pools.ts';
import { aBudget, aNode, type NodeOptions } from '../../builders/nodes.ts';
import { type PodOptions, runningPod } from '../../builders/pods.ts';
import { aSnapshot, initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { MINUTE, NOW_MS, SECOND } from '../../builders/times.ts';

const ANY_NUMBER = { budgets: [{ nodes: '100%' }] } as const;

function pool(disruption: Partial<NodePool['spec']['disruption']> = {}) {
  return [aPoolView({ disruption: { ...ANY_NUMBER, ...disruption } })];
}

function nodeNamed(name: string, node: NodeOptions = {}, claim: Partial<NodeClaimRecord> = {}) {
  return initializedNode({ name, ...node }, claim);
}

function decide(snapshot: ClusterSnapshot, nowMs = NOW_MS) {
  return disrupt(snapshot, { decisionId: 'decision-1', nowMs });
}

/** The nodes of the command that the pass starts. */
function startedFor(snapshot: ClusterSnapshot, nowMs = NOW_MS): readonly string[] {
  return decide(snapshot, nowMs).actions.flatMap((action) =>
    action.kind === 'start-disruption' ? action.command.candidates.map((one) => one.node) : [],
  );
}

describe('an empty node is written down for disruption, not touched yet (E11, E13)', () => {
  test('all that are empty, in one command, validated after 15 s', () => {
    const snapshot = snapshotOf([nodeNamed('a'), nodeNamed('b'), nodeNamed('c')], {
      nodePools: pool(),
      pods: [runningPod('c')],
    });
    const verdict = decide(snapshot);
    expect(verdict.actions).toMatchObject([
      {
        kind: 'start-disruption',
        command: {
          id: 'decision-1',
          method: 'emptiness',
          reason: 'Empty',
          candidates: [{ node: 'a', nodeClaim: 'claim-a' }, { node: 'b' }],
          decidedAtMs: NOW_MS,
          validateAtMs: NOW_MS + 15 * SECOND,
        },
      },
    ]);
    expect(verdict.due).toContainEqual({ atMs: NOW_MS + 15 * SECOND, kind: 'settling' });
  });

  test('for every consolidation policy (E12)', () => {
    for (const consolidationPolicy of ['WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced'] as const) {
      expect(startedFor(snapshotOf([nodeNamed('a')], { nodePools: pool({ consolidationPolicy }) }))).toEqual(['a']);
    }
  });

  test('not while consolidateAfter has not passed since the last pod came or went (D13)', () => {
    const node = nodeNamed('a', {}, { lastPodEventAtMs: NOW_MS - MINUTE });
    const snapshot = snapshotOf([node], { nodePools: pool({ consolidateAfter: '5m' }) });
    expect(decide(snapshot)).toMatchObject({ actions: [], due: [{ atMs: NOW_MS + 4 * MINUTE, kind: 'settling' }] });
    expect(startedFor(snapshot, NOW_MS + 4 * MINUTE)).toEqual(['a']);
  });

  test('in the tick a minute later, which may begin some seconds earlier in its minute (D13)', () => {
    const node = nodeNamed('a', {}, { lastPodEventAtMs: NOW_MS + 4_900 });
    const snapshot = snapshotOf([node], { nodePools: pool({ consolidateAfter: '1m' }) });
    expect(startedFor(snapshot, NOW_MS + MINUTE - 1)).toEqual([]);
    expect(startedFor(snapshot, NOW_MS + MINUTE)).toEqual(['a']);
  });

  test('nor since it was initialized (D13)', () => {
    const node = nodeNamed('a', {}, { initializedAtMs: NOW_MS });
    expect(startedFor(snapshotOf([node], { nodePools: pool({ consolidateAfter: '30s' }) }))).toEqual([]);
  });

  test('never with consolidateAfter: Never (E12)', () => {
    const snapshot = snapshotOf([nodeNamed('a')], { nodePools: pool({ consolidateAfter: 'Never' }) });
    expect(decide(snapshot)).toMatchObject({ actions: [], blocked: [{ reason: 'ConsolidateAfterNever' }], due: [] });
  });

  test('the dearest first, as many as the budget leaves room for (E17)', () => {
    const ofType = (name: string, type: string) =>
      nodeNamed(name, { labels: { 'node.kubernetes.io/instance-type': type } });
    const nodes = [ofType('cheap', 'm5.large'), ofType('dear', 'm5.2xlarge'), ofType('middle', 'm5.xlarge')];
    const snapshot = snapshotOf(nodes, { nodePools: pool({ budgets: [{ nodes: '2' }] }) });
    expect(startedFor(snapshot)).toEqual(['dear', 'middle']);
    expect(decide(snapshot).blocked).toMatchObject([
      {
        subject: { kind: 'Node', name: 'cheap' },
        nodePool: 'general',
        reason: 'BudgetExhausted',
        numbers: { allowed: 2 },
      },
    ]);
    expect(decide(snapshot).due).toContainEqual({ atMs: NOW_MS + MINUTE, kind: 'tick' });
  });
});

test('G7: an unknown time zone of the budgets is the reason why nodes stay', () => {
  const [view] = pool({ budgets: [{ nodes: '5', schedule: '0 22 * * *', duration: '4h' }] });
  if (view === undefined) throw new Error('the builder returns one pool');
  const { nodePool } = view;
  const annotations = { 'kerf.dev/budget-time-zone': 'Mars/Olympus' };
  const nodePools = [{ ...view, nodePool: { ...nodePool, metadata: { ...nodePool.metadata, annotations } } }];
  expect(decide(snapshotOf([nodeNamed('a')], { nodePools }))).toMatchObject({
    actions: [],
    blocked: [
      {
        subject: { kind: 'Node', name: 'a' },
        reason: 'BudgetTimeZone',
        message:
          'the annotation kerf.dev/budget-time-zone of NodePool general is "Mars/Olympus", which is not the IANA name of a time zone, so budgets with a schedule allow no disruption',
        numbers: { allowed: 0, disrupting: 0 },
      },
    ],
  });
});

describe('what uses up the budget (E7)', () => {
  const going = { deletion: { reason: 'expired', message: '', requestedAtMs: NOW_MS } } as const;
  const terminating = { deletion: { ...going.deletion, terminateRequestedAtMs: NOW_MS } } as const;
  test.each<[string, NodeOptions, Partial<NodeClaimRecord>, readonly string[]]>([
    ['a node that is going', {}, going, []],
    ['a node that is not ready', { ready: false }, {}, []],
    ['not one that is all but gone', {}, terminating, ['a']],
    ['not one of another pool', { ready: false }, { nodePool: 'other' }, ['a']],
  ])('%s', (...[, node, claim, expected]) => {
    const busy = nodeNamed('busy', node, claim);
    const snapshot = snapshotOf([nodeNamed('a'), busy], {
      nodePools: pool({ budgets: [{ nodes: '1' }] }),
      pods: [runningPod('busy')],
    });
    expect(startedFor(snapshot)).toEqual(expected);
  });

  test.each([
    ['general-1', []],
    ['gpu-1', ['a']],
    ['renamed', []],
  ])('a NodeClaim whose record cannot be read, if it may be of the pool: %s', (name, expected) => {
    const ignoredObjects = refusedClaims([{ name, message: 'edited' }]);
    const nodePools = [...pool({ budgets: [{ nodes: '1' }] }), aPoolView({ name: 'gpu' })];
    const snapshot = snapshotOf([nodeNamed('a')], { nodePools, ignoredObjects });
    expect(startedFor(snapshot)).toEqual(expected);
    if (expected.length === 0)
      expect(decide(snapshot).blocked[0]?.message).toContain('1 NodeClaim whose record cannot be read');
  });

  test('a node of another command does', () => {
    const snapshot = snapshotOf([nodeNamed('a'), nodeNamed('b')], {
      nodePools: pool({ budgets: [{ nodes: '1' }] }),
      commands: [aCommand({ candidates: candidatesNamed('b') })],
    });
    expect(startedFor(snapshot)).toEqual([]);
  });

  test('nodes that are not initialized are not counted', () => {
    const starting = {
      node: aNode({ name: 'b', providerId: 'aws:///eu-west-3a/i-b', ready: false }),
      nodeClaim: launchedClaim({ name: 'claim-b' }, { id: 'i-b' }),
    };
    const snapshot = snapshotOf([nodeNamed('a'), starting], { nodePools: pool({ budgets: [{ nodes: '50%' }] }) });
    expect(startedFor(snapshot)).toEqual(['a']);
  });
});

function annotated(name: string, value: string) {
  return runningPod('a', { name, annotations: { 'karpenter.sh/do-not-disrupt': value } });
}

test('F12: a pod whose annotation do-not-disrupt has no effect is named, and does not keep its node', () => {
  const pods = [annotated('web', 'yes'), annotated('db', '-5m'), annotated('cache', 'false')];
  const { blocked } = decide(snapshotOf([nodeNamed('a')], { nodePools: pool(), pods }));
  const refused = blocked.filter(({ subject }) => subject.kind === 'Pod');
  expect(refused.map(({ subject, message }) => [subject.name, message])).toEqual([
    [
      'web',
      'the annotation karpenter.sh/do-not-disrupt is "yes", which has no effect: write true, or a duration such as 10m',
    ],
    [
      'db',
      'the annotation karpenter.sh/do-not-disrupt is "-5m", which has no effect: write true, or a duration such as 10m',
    ],
  ]);
  expect(blocked.map(({ reason }) => reason)).not.toContain('DoNotDisrupt');
});

describe('nodes that are not candidates, with the reason (E3, E4)', () => {
  const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
  const worthless: PodOptions = {
    labels: { app: 'web' },
    annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-2147483648' },
  };

  test.each<[string, Partial<ClusterSnapshot>, NodeOptions, string]>([
    ['promised to pending pods', { nominated: ['a'] }, {}, 'Nominated'],
    [
      'in a zone that the cluster is shifted away from (C36)',
      {
        unavailable: [
          { instanceType: '*', zone: 'eu-west-3a', capacityType: 'spot', untilMs: NOW_MS, reason: 'ZonalShift' },
        ],
      },
      {},
      'ZonalShift',
    ],
    ['the node says so', {}, { annotations }, 'DoNotDisrupt'],
    ['a daemon on it says so', { pods: [runningPod('a', { owner: 'DaemonSet', annotations })] }, {}, 'DoNotDisrupt'],
    ['its NodePool is gone', { nodePools: [] }, {}, 'NodePoolNotFound'],
    [
      'a budget allows no disruption',
      { pods: [runningPod('a', worthless)], podDisruptionBudgets: [aBudget()] },
      {},
      'PDB',
    ],
    [
      'a pod has two budgets',
      {
        pods: [runningPod('a', worthless)],
        podDisruptionBudgets: [
          aBudget({ status: { disruptionsAllowed: 5 } }),
          aBudget({ status: { disruptionsAllowed: 5 } }),
        ],
      },
      {},
      'MultiplePDBs',
    ],
  ])('%s', (...[, over, node, reason]) => {
    const snapshot = snapshotOf([nodeNamed('a', node)], { nodePools: pool(), ...over });
    expect(decide(snapshot)).toMatchObject({
      actions: [],
      blocked: [{ subject: { kind: 'Node', name: 'a' }, reason }],
    });
  });

  test.each<[string, Partial<ClusterSnapshot>]>([
    ['has room', { podDisruptionBudgets: [aBudget({ status: { disruptionsAllowed: 1 } })] }],
    ['is of other pods', { podDisruptionBudgets: [aBudget({ spec: { selector: { matchLabels: { app: 'api' } } } })] }],
    ['is of another namespace', { podDisruptionBudgets: [aBudget({ metadata: { name: 'web', namespace: 'other' } })] }],
  ])('a budget that %s blocks no node (E4)', (_, over) => {
    expect(
      startedFor(snapshotOf([nodeNamed('a')], { nodePools: pool(), pods: [runningPod('a', worthless)], ...over })),
    ).toEqual(['a']);
  });

  test('a pod that is not ready does not hold where its budget always lets such go (E4)', () => {
    const podDisruptionBudgets = [
      aBudget({ spec: { selector: { matchLabels: { app: 'web' } }, unhealthyPodEvictionPolicy: 'AlwaysAllow' } }),
    ];
    const withPod = (over: PodOptions) =>
      snapshotOf([nodeNamed('a')], {
        nodePools: pool(),
        pods: [runningPod('a', { ...worthless, ...over })],
        podDisruptionBudgets,
      });
    expect(
      startedFor(withPod({ status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] } })),
    ).toEqual(['a']);
    expect(startedFor(withPod({}))).toEqual([]);
  });

  test.each<[string, ClusterSnapshot]>([
    ['a stranger’s node', aSnapshot({ nodes: [aNode()], nodePools: pool() })],
    ['a claim in flight', aSnapshot({ nodeClaims: [launchedClaim()], nodePools: pool() })],
    [
      'a node that is going',
      snapshotOf([nodeNamed('a', {}, { deletion: { reason: 'empty', message: '', requestedAtMs: 0 } })], {
        nodePools: pool(),
      }),
    ],
    [
      'a node of a command',
      snapshotOf([nodeNamed('a')], { nodePools: pool(), commands: [aCommand({ candidates: candidatesNamed('a') })] }),
    ],
  ])('%s is not spoken of', (_, snapshot) => {
    expect(decide(snapshot)).toMatchObject({ actions: [], blocked: [] });
  });
});

describe('validation, 15 s later (E13, E29)', () => {
  const LATER = NOW_MS + 15 * SECOND;
  const commands = [aCommand({ candidates: candidatesNamed('a', 'b') })];
  const nodes = [nodeNamed('a'), nodeNamed('b')];
  /** The nodes whose claims are deleted, and how the command ends. */
  function outcome(snapshot: ClusterSnapshot): readonly string[] {
    return decide(snapshot, LATER).actions.map((action) => {
      if (action.kind === 'delete-node-claim') return `${action.nodeClaim} ${action.reason}`;
      return action.kind === 'end-disruption' ? `${action.outcome}: ${action.why}` : action.kind;
    });
  }

  test('before its time a command is only waited for', () => {
    expect(decide(snapshotOf(nodes, { nodePools: pool(), commands }), LATER - 1)).toMatchObject({
      actions: [],
      due: [{ atMs: LATER, kind: 'settling' }],
    });
  });

  test('what still stands is deleted', () => {
    expect(outcome(snapshotOf(nodes, { nodePools: pool(), commands }))).toEqual([
      'claim-a empty',
      'claim-b empty',
      'executed: all candidates are valid',
    ]);
  });

  test.each<[string, Partial<ClusterSnapshot>]>([
    ['got a pod', { pods: [runningPod('b')] }],
    ['was promised to pods', { nominated: ['b'] }],
    [
      'got a daemon that must not be disrupted',
      { pods: [runningPod('b', { owner: 'DaemonSet', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })] },
    ],
    [
      'got a protected note',
      { nodes: [nodeNamed('a').node, nodeNamed('b', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }).node] },
    ],
    ['is gone', { nodes: [nodeNamed('a').node], nodeClaims: [nodeNamed('a').nodeClaim] }],
    [
      'had a pod in between',
      {
        nodeClaims: [nodeNamed('a').nodeClaim, nodeNamed('b', {}, { lastPodEventAtMs: NOW_MS + 5 * SECOND }).nodeClaim],
      },
    ],
  ])('a candidate that %s is let be, the other goes', (_, over) => {
    const nodePools = pool({ consolidateAfter: '30s' });
    expect(outcome(snapshotOf(nodes, { nodePools, commands, ...over }))).toEqual([
      'claim-a empty',
      'executed: 1 of 2 candidates are no longer valid',
    ]);
  });

  test('the budget is looked at again', () => {
    expect(outcome(snapshotOf(nodes, { nodePools: pool({ budgets: [{ nodes: '1' }] }), commands }))).toEqual([
      'claim-a empty',
      'executed: 1 of 2 candidates are no longer valid',
    ]);
  });

  test('a command without valid candidates is rejected', () => {
    const pods = [runningPod('a'), runningPod('b', { name: 'other' })];
    expect(outcome(snapshotOf(nodes, { nodePools: pool(), commands, pods }))).toEqual([
      'rejected: 2 of 2 candidates are no longer valid',
    ]);
  });

  test('a pass after which nothing is left to propose does not come back', () => {
    const verdict = decide(snapshotOf(nodes, { nodePools: pool(), commands }), LATER);
    expect(verdict.actions.map(({ kind }) => kind)).toContain('delete-node-claim');
    expect(verdict.due).toEqual([]);
  });

  test('a pass that carries out proposes nothing, and comes back at once for what is left to propose', () => {
    const verdict = decide(snapshotOf([...nodes, nodeNamed('c')], { nodePools: pool(), commands }), LATER);
    expect(verdict.actions.map(({ kind }) => kind)).not.toContain('start-disruption');
    expect(verdict.due).toEqual([{ atMs: LATER + SECOND, kind: 'settling' }]);
  });
});
