import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../../lib/apis/kubernetes.ts';
import { disruptBy } from '../../../../lib/core/disruption/disrupt.ts';
import type { Method, Proposal } from '../../../../lib/core/disruption/method.ts';
import { drift } from '../../../../lib/core/disruption/methods/drift.ts';
import { emptiness } from '../../../../lib/core/disruption/methods/emptiness.ts';
import { fleet } from '../../../../lib/core/disruption/methods/fleet.ts';
import { multiNode } from '../../../../lib/core/disruption/methods/multi-node.ts';
import { singleNode } from '../../../../lib/core/disruption/methods/single-node.ts';
import { planDisruption } from '../../../../lib/core/disruption/plan-disruption.ts';
import { keepsMovesMs } from '../../../../lib/core/disruption/restraint/move-limits.ts';
import type { ClusterSnapshot } from '../../../../lib/core/model/cluster-snapshot.ts';
import type { Due } from '../../../../lib/core/model/decision.ts';
import { requeueAt } from '../../../../lib/core/model/decision.ts';
import type { PastMove } from '../../../../lib/core/model/disruption/past-move.ts';
import type { DisruptionCommand } from '../../../../lib/core/model/disruption-command.ts';
import { aCommand, aReplacingCommand, candidatesNamed } from '../../../builders/decisions.ts';
import { aPoolView, asking } from '../../../builders/node-pools.ts';
import { runningPod } from '../../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../../builders/snapshots.ts';
import { HOUR, MINUTE, NOW_MS, SECOND } from '../../../builders/times.ts';
import { worldOf } from '../worlds.ts';

const SAVING = 'kerf.dev/minimum-saving';
const COOL_DOWN = 'kerf.dev/disruption-cool-down';
const MAX_EVICTIONS = 'kerf.dev/max-evictions-per-hour';
const CONSOLIDATION: readonly Method[] = [fleet, multiNode, singleNode];

function pool(poolAnnotations: Readonly<Record<string, string>> = {}) {
  return aPoolView({
    requirements: [asking('karpenter.sh/capacity-type', 'In', 'on-demand')],
    disruption: { budgets: [{ nodes: '100%' }] },
    poolAnnotations,
  });
}

function node(name: string, type = 'm5.large') {
  const cpu = type === 'm5.large' ? 2 : 8;
  const allocatable = { cpu: String(cpu), memory: `${cpu * 4}Gi`, pods: '29' };
  return initializedNode({ name, allocatable, labels: { 'node.kubernetes.io/instance-type': type } });
}

/** A pod of the Deployment. */
function pod(on: string, deployment: string, cpu = '400m'): Pod {
  return runningPod(on, {
    name: `${deployment}-on-${on}`,
    ownerName: `${deployment}-5f`,
    labels: { 'pod-template-hash': '5f' },
    requests: { cpu, memory: '100Mi' },
  });
}

/** Three nodes of m5.large with one pod each. One node has room for all pods. */
function three(annotations: Readonly<Record<string, string>>, over: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  const names = ['a', 'b', 'c'];
  return snapshotOf(
    names.map((name) => node(name)),
    { nodePools: [pool(annotations)], pods: names.map((name) => pod(name, 'web')), ...over },
  );
}

function past(over: Partial<PastMove>): PastMove {
  return { command: 'before', atMs: NOW_MS, untilMs: NOW_MS + HOUR, launched: [], evicted: {}, ...over };
}

function propose(method: Method, snapshot: ClusterSnapshot, nowMs = NOW_MS): Proposal {
  return method.propose(worldOf(snapshot, nowMs));
}

function removed({ moves }: Proposal): readonly (readonly string[])[] {
  return moves.map(({ candidates }) => candidates.map(({ stateNode }) => stateNode.name));
}

function why(method: Method, snapshot: ClusterSnapshot, nowMs = NOW_MS) {
  const { blocked } = propose(method, snapshot, nowMs);
  return blocked.map(({ subject, reason, message, numbers }) => ({ name: subject.name, reason, message, numbers }));
}

describe('without annotations', () => {
  test('no history is kept, and past moves have no effect', () => {
    const pastMoves = [past({ launched: ['claim-a'], evicted: { 'Deployment default/web': 99 } })];
    expect(keepsMovesMs([pool().nodePool])).toBeUndefined();
    expect(worldOf(three({}, { pastMoves })).history).toBeUndefined();
    expect(removed(propose(multiNode, three({}, { pastMoves })))).toEqual([['a', 'b']]);
  });
});

describe('G1: the annotation minimum-saving', () => {
  // An m5.2xlarge ($0.4) with one pod can be replaced by an m5.large, which saves three quarters.
  const large = (saving: string) =>
    snapshotOf([node('a', 'm5.2xlarge')], { nodePools: [pool({ [SAVING]: saving })], pods: [pod('a', 'web')] });

  test.each([
    ['75%', 1],
    ['75.1%', 0],
    ['$0.3', 1],
    ['$0.301', 0],
  ])('of %s: %i move', (saving, moves) => {
    for (const method of [fleet, singleNode])
      expect(propose(method, large(saving)).moves, method.name).toHaveLength(moves);
  });

  test('has a refusal with its numbers', () => {
    expect(why(singleNode, large('80%'))).toMatchObject([
      {
        name: 'a',
        reason: 'MinimumSaving',
        message:
          'the move would save $0.3/h, and kerf.dev/minimum-saving of NodePool general requires $0.32/h, 80 % of $0.4/h',
        numbers: { minUsdPerHour: expect.closeTo(0.32), savingUsdPerHour: expect.closeTo(0.3) },
      },
    ]);
  });

  test('applies to each move, and a deletion saves the whole price', () => {
    expect(removed(propose(multiNode, three({ [SAVING]: '100%' })))).toEqual([['a', 'b']]);
    expect(removed(propose(multiNode, three({ [SAVING]: '$0.15' })))).toEqual([['a', 'b']]);
    expect(removed(propose(singleNode, three({ [SAVING]: '$0.15' })))).toEqual([]);
  });
});

describe('G1: the annotation disruption-cool-down', () => {
  const evicted = { 'Deployment default/web': 1 };

  test.each([
    ['a node that consolidation launched', past({ launched: ['claim-a'] }), [['b', 'c']]],
    ['a workload that consolidation moved', past({ evicted }), []],
    [
      'another workload',
      past({ evicted: { 'Deployment default/api': 1, 'StatefulSet default/web': 1 } }),
      [['a', 'b']],
    ],
  ])('keeps %s where it is', (_, move, expected) => {
    const snapshot = three({ [COOL_DOWN]: '30m' }, { pastMoves: [move] });
    for (const method of [fleet, multiNode]) {
      const nodes = removed(propose(method, snapshot, NOW_MS + 29 * MINUTE)).map((names) => names.toSorted());
      expect(nodes, method.name).toEqual(expected);
    }
    expect(removed(propose(multiNode, snapshot, NOW_MS + 30 * MINUTE)), 'after it').toEqual([['a', 'b']]);
  });

  test('has a refusal with the time that is left, when the function runs again', () => {
    const snapshot = three({ [COOL_DOWN]: '30m' }, { pastMoves: [past({ launched: ['claim-a'] }), past({ evicted })] });
    const [first] = why(singleNode, snapshot, NOW_MS + 10 * MINUTE);
    expect(first).toMatchObject({ name: 'a', reason: 'CoolDown', numbers: { waitSeconds: 20 * 60 } });
    expect(first?.message).toMatch(
      /^consolidation launched the node at \S+Z, and kerf.dev\/disruption-cool-down of NodePool general is 30m: the node may be consolidated from \S+Z$/,
    );
    const due: readonly Due[] = propose(singleNode, snapshot, NOW_MS + 10 * MINUTE).due;
    expect(due).toContainEqual({ kind: 'settling', atMs: NOW_MS + 30 * MINUTE });
  });

  test('lets one command of a pass move a workload', () => {
    // Each of the nodes could be replaced by a smaller one.
    const names = ['a', 'b', 'c'];
    const nodes = names.map((name) => node(name, 'm5.2xlarge'));
    const snapshot = (annotations: Readonly<Record<string, string>>, of: (name: string) => string) =>
      snapshotOf(nodes, { nodePools: [pool(annotations)], pods: names.map((name) => pod(name, of(name), '1500m')) });
    const moves = (annotations: Readonly<Record<string, string>>, of: (name: string) => string) =>
      propose(singleNode, snapshot(annotations, of)).moves.length;
    expect(moves({}, () => 'web')).toBeGreaterThan(1);
    expect(moves({ [COOL_DOWN]: '1h' }, () => 'web')).toBe(1);
    expect(moves({ [COOL_DOWN]: '1h' }, (name) => `web-${name}`)).toBeGreaterThan(1);
  });
});

describe('G1: the annotation max-evictions-per-hour', () => {
  test('limits the pods of one workload in a move', () => {
    const max = (count: number) => removed(propose(multiNode, three({ [MAX_EVICTIONS]: String(count) })));
    expect(max(2)).toEqual([['a', 'b']]);
    expect(max(1)).toEqual([]);
    expect(removed(propose(singleNode, three({ [MAX_EVICTIONS]: '1' })))).toEqual([['a']]);
    expect(removed(propose(fleet, three({ [MAX_EVICTIONS]: '1' })))).toEqual([]);
  });

  test('counts the evictions of the last hour, and those of commands that are not carried out yet', () => {
    const evicted = { 'Deployment default/web': 1 };
    const snapshot = three({ [MAX_EVICTIONS]: '2' }, { pastMoves: [past({ evicted })] });
    expect(propose(multiNode, snapshot, NOW_MS + HOUR - 1).moves).toEqual([]);
    expect(removed(propose(singleNode, snapshot, NOW_MS + HOUR - 1))).toEqual([['a']]);
    expect(removed(propose(multiNode, snapshot, NOW_MS + HOUR))).toEqual([['a', 'b']]);
    for (const command of [
      aCommand({ method: 'single-node', reason: 'Underutilized', candidates: candidatesNamed('a') }),
      aReplacingCommand({ candidates: candidatesNamed('a') }),
    ]) {
      const busy = three({ [MAX_EVICTIONS]: '1' }, { commands: [command] });
      expect(
        why(singleNode, busy).map(({ name, reason }) => [name, reason]),
        command.state,
      ).toEqual([
        ['b', 'MaxEvictions'],
        ['c', 'MaxEvictions'],
      ]);
    }
    const drifted = aCommand({ method: 'drift', reason: 'Drifted', candidates: candidatesNamed('a') });
    expect(propose(singleNode, three({ [MAX_EVICTIONS]: '1' }, { commands: [drifted] })).moves).toHaveLength(1);
  });

  test('has a refusal with its numbers', () => {
    const snapshot = three(
      { [MAX_EVICTIONS]: '3' },
      { pastMoves: [past({ evicted: { 'Deployment default/web': 3 } })] },
    );
    expect(why(singleNode, snapshot)[0]).toEqual({
      name: 'a',
      reason: 'MaxEvictions',
      message:
        'the node has 1 pod of Deployment default/web, consolidation has evicted 3 of it in the last hour, and kerf.dev/max-evictions-per-hour of NodePool general is 3: evictions are possible from 2026-01-31T09:00:00Z',
      numbers: { pods: 1, evictedInLastHour: 3, maxPerHour: 3, waitSeconds: 3_600 },
    });
  });

  test('wakes the function when enough evictions have left the hour, if a node has not more pods than the limit', () => {
    const evicted = { 'Deployment default/web': 1 };
    const pastMoves = [10, 30, 20].map((minutes) => past({ evicted, atMs: NOW_MS - minutes * MINUTE }));
    expect(propose(singleNode, three({ [MAX_EVICTIONS]: '2' }, { pastMoves })).due).toContainEqual(
      requeueAt(NOW_MS + 40 * MINUTE),
    );
  });
});

describe('an annotation with an invalid value', () => {
  test.each([
    [
      SAVING,
      '5',
      'is not a saving, so consolidation moves no pods of its nodes; write a percentage of the price of the nodes, such as 5%, or US dollars per hour, such as $0.02',
    ],
    [SAVING, '101%', 'is not a saving'],
    [COOL_DOWN, '1d', 'is not a duration, so consolidation moves no pods of its nodes; write a duration, such as 1h'],
    [
      MAX_EVICTIONS,
      '0',
      'is not a number of pods, so consolidation moves no pods of its nodes; write a whole number from 1, such as 3',
    ],
  ])('%s: %s keeps the nodes, with what to write', (key, value, message) => {
    for (const method of CONSOLIDATION) expect(propose(method, three({ [key]: value })).moves, method.name).toEqual([]);
    const [first] = why(singleNode, three({ [key]: value }));
    expect(first?.reason).toBe('InvalidAnnotation');
    expect(first?.message).toContain(`the annotation ${key} of NodePool general: "${value}" ${message}`);
  });
});

function proposedBy(method: Method, before: ClusterSnapshot): DisruptionCommand {
  const action = disruptBy([method], before, { decisionId: 'd', nowMs: NOW_MS }).actions[0];
  if (action?.kind !== 'start-disruption') throw new Error(`${method.name} proposed nothing`);
  return action.command;
}

describe('limits of moves', () => {
  const annotations = { [SAVING]: '$9', [COOL_DOWN]: '1h', [MAX_EVICTIONS]: '1' };

  test('do not apply to empty and drifted nodes', () => {
    const pastMoves = [past({ launched: ['claim-a', 'claim-b'], evicted: { 'Deployment default/web': 9 } })];
    const snapshot = three(annotations, { pastMoves });
    const empty = { ...snapshot, pods: [pod('c', 'web')] };
    expect(removed(propose(emptiness, empty))).toEqual([['a', 'b']]);
    const [first, ...others] = snapshot.nodeClaims;
    if (first === undefined) throw new Error('no claim');
    const found = { reason: 'AMIDrift', message: '', sinceMs: 0 } as const;
    const drifted = { ...snapshot, nodeClaims: [{ ...first, drift: found }, ...others] };
    expect(removed(propose(drift, drifted))).toEqual([['a']]);
  });

  test('are checked again when a command is validated', () => {
    const pastMoves = [past({ evicted: { 'Deployment default/web': 1 } })];
    for (const method of [fleet, multiNode]) {
      const command = proposedBy(method, three({}));
      const isValid = (after: ClusterSnapshot) =>
        method.validate(command, worldOf(after, NOW_MS + 15 * SECOND)) !== undefined;
      expect(isValid(three({ [MAX_EVICTIONS]: '3' }, { pastMoves })), method.name).toBe(true);
      expect(isValid(three({ [MAX_EVICTIONS]: '2' }, { pastMoves })), method.name).toBe(false);
      expect(isValid(three({ [COOL_DOWN]: '1m' }, { pastMoves })), method.name).toBe(false);
      expect(isValid(three({ [SAVING]: '$0.5' })), method.name).toBe(false);
    }
  });

  test('limit the commands of a plan together', () => {
    const names = ['a', 'b', 'c'];
    const nodes = names.map((name) => node(name, 'm5.2xlarge'));
    const pods = names.map((name) => pod(name, 'web', '1500m'));
    const commandsWith = (max: number) => {
      const snapshot = snapshotOf(nodes, { nodePools: [pool({ [MAX_EVICTIONS]: String(max) })], pods });
      return planDisruption([singleNode], snapshot, NOW_MS).commands.length;
    };
    expect([1, 2].map(commandsWith)).toEqual([1, 2]);
  });
});

function ended(snapshot: ClusterSnapshot) {
  return disruptBy(CONSOLIDATION, snapshot, { decisionId: 'd', nowMs: NOW_MS }).actions.flatMap((action) =>
    action.kind === 'end-disruption' ? [action] : [],
  );
}

describe('the history of moves', () => {
  const due = { method: 'single-node', reason: 'Underutilized', decidedAtMs: NOW_MS - 15 * SECOND } as const;
  const single = (id: string, on: string): DisruptionCommand =>
    aCommand({ ...due, id, candidates: candidatesNamed(on) });

  test('has the pods that a command evicts, by workload, for as long as a NodePool needs it', () => {
    const commands = [single('one', 'a')];
    const evicted = { 'Deployment default/web': 1 };
    const moved = { command: 'one', atMs: NOW_MS, launched: [], evicted };
    const [end] = ended(three({ [COOL_DOWN]: '2h', [MAX_EVICTIONS]: '3' }, { commands }));
    expect(end).toMatchObject({ outcome: 'executed', moved: { ...moved, untilMs: NOW_MS + 2 * HOUR } });
    const [short] = ended(three({ [COOL_DOWN]: '2m', [MAX_EVICTIONS]: '3' }, { commands }));
    expect(short?.moved?.untilMs).toBe(NOW_MS + HOUR);
    const [none] = ended(three({ [SAVING]: '1%' }, { commands }));
    expect(none).toMatchObject({ outcome: 'executed' });
    expect(none).not.toHaveProperty('moved');
  });

  test('has the nodes that a command launched', () => {
    const command = aReplacingCommand({ ...due, candidates: candidatesNamed('a'), replacementClaims: ['claim-b'] });
    const [end] = ended(three({ [COOL_DOWN]: '1h' }, { commands: [command] }));
    expect(end).toMatchObject({
      outcome: 'executed',
      moved: { launched: ['claim-b'], evicted: { 'Deployment default/web': 1 } },
    });
  });

  test('has the command that was carried out before another in the same pass', () => {
    const commands = [single('one', 'a'), single('two', 'b')];
    const outcomes = (max: string) =>
      ended(three({ [MAX_EVICTIONS]: max }, { commands })).map(({ outcome, moved }) => [outcome, moved !== undefined]);
    expect(outcomes('2')).toEqual([
      ['executed', true],
      ['executed', true],
    ]);
    expect(outcomes('1')).toEqual([
      ['executed', true],
      ['rejected', false],
    ]);
  });
});
