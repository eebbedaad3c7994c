import { describe, expect, test } from 'vitest';
import { optional } from '../../../../lib/apis/optional.ts';
import { disruptBy } from '../../../../lib/core/disruption/disrupt.ts';
import type { Method } from '../../../../lib/core/disruption/method.ts';
import { emptiness } from '../../../../lib/core/disruption/methods/emptiness.ts';
import type { ClusterSnapshot } from '../../../../lib/core/model/cluster-snapshot.ts';
import { requeueAt, type Verdict } from '../../../../lib/core/model/decision.ts';
import { NO_MEMORY } from '../../../../lib/core/model/disruption/pass-memory.ts';
import type { DisruptionCommand } from '../../../../lib/core/model/disruption-command.ts';
import { aCommand, aReplacingCommand, candidatesNamed } from '../../../builders/decisions.ts';
import { aPoolView } from '../../../builders/node-pools.ts';
import { runningPod } from '../../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../../builders/snapshots.ts';
import { HOUR, MINUTE, NOW_MS, SECOND } from '../../../builders/times.ts';

const DO_NOT_DISRUPT = { 'karpenter.sh/do-not-disrupt': 'true' };
const NODE_POOLS = [aPoolView({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] } })];

/** A method whose proposals are never valid. */
const unsound: Method = { ...emptiness, name: 'fleet', validate: () => undefined };

function cluster(over: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  return snapshotOf([initializedNode({ name: 'a' }), initializedNode({ name: 'b' })], {
    nodePools: NODE_POOLS,
    ...over,
  });
}

function decide(snapshot: ClusterSnapshot, nowMs: number, methods: readonly Method[] = [unsound]): Verdict {
  return disruptBy(methods, snapshot, { decisionId: `d-${nowMs}`, nowMs });
}

function proposedIn({ actions }: Verdict): readonly DisruptionCommand[] {
  return actions.flatMap((action) => (action.kind === 'start-disruption' ? [action.command] : []));
}

/** The times at which commands are proposed if each due time has a run. The nodes do not change. */
function proposals(untilMs: number, methods: readonly Method[] = [unsound]): readonly number[] {
  const times: number[] = [];
  let [snapshot, nowMs] = [cluster(), NOW_MS];
  while (nowMs <= untilMs) {
    const verdict = decide(snapshot, nowMs, methods);
    const ended = new Set(verdict.actions.flatMap((one) => (one.kind === 'end-disruption' ? [one.command] : [])));
    const proposed = proposedIn(verdict);
    if (proposed.length > 0) times.push(nowMs - NOW_MS);
    const commands = [...snapshot.commands.filter(({ id }) => !ended.has(id)), ...proposed];
    snapshot = { ...snapshot, commands, ...kept(verdict) };
    nowMs = Math.min(...verdict.due.map(({ atMs }) => atMs), nowMs + MINUTE);
  }
  return times;
}

/** The cluster after a command for both nodes was rejected at `NOW_MS`. */
function afterRejection(of: Partial<ClusterSnapshot> = {}, command = rejectedCommand()): ClusterSnapshot {
  const before = cluster({ ...of, commands: [command] });
  return { ...before, commands: [], ...kept(decide(before, NOW_MS)) };
}

function kept({ passMemory }: Verdict): Pick<ClusterSnapshot, 'passMemory'> {
  return optional({ passMemory });
}

function rejectedCommand(): DisruptionCommand {
  return aCommand({ method: 'fleet', candidates: candidatesNamed('a', 'b'), decidedAtMs: NOW_MS - 15 * SECOND });
}

function namesIn(snapshot: ClusterSnapshot, nowMs: number): readonly string[] {
  return proposedIn(decide(snapshot, nowMs)).flatMap(({ candidates }) => candidates.map(({ node }) => node));
}

describe('nodes of a rejected command (E25)', () => {
  test('E25: a move that is always rejected is proposed after a minute, two minutes and so on, and not in each pass', () => {
    const minutes = proposals(NOW_MS + 4 * HOUR).map((ms) => Math.floor(ms / MINUTE));
    expect(minutes).toEqual([0, 1, 3, 7, 16, 32, 64, 124, 185]);
  });

  test('E25: they stay for the pause, with the reason, and the function is due at its end', () => {
    const { blocked, due, actions } = decide(afterRejection(), NOW_MS + SECOND);
    expect(actions).toEqual([]);
    expect(blocked).toMatchObject([
      { subject: { kind: 'Node', name: 'a' }, reason: 'RejectedBefore', numbers: { rejections: 1 } },
      { subject: { kind: 'Node', name: 'b' }, reason: 'RejectedBefore' },
    ]);
    expect(blocked[0]?.message).toBe(
      'the last command of fleet for the node was rejected, although the node had not changed: it is evaluated again from 2026-01-31T08:01:00Z, or when its pods, its NodePool or its EC2NodeClass change',
    );
    expect(due).toEqual([requeueAt(NOW_MS + MINUTE)]);
    expect(namesIn(afterRejection(), NOW_MS + MINUTE)).toEqual(['a', 'b']);
  });

  test('E25: a node whose pods change may be proposed again at once', () => {
    const after = afterRejection({ pods: [runningPod('a', { name: 'web' })] });
    expect(namesIn(after, NOW_MS + SECOND)).toEqual([]);
    expect(namesIn({ ...after, pods: [] }, NOW_MS + SECOND)).toEqual(['a']);
  });

  test('E25: all nodes may be proposed again at once if their NodePool changes', () => {
    const nodePools = [aPoolView({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '90%' }] } })];
    expect(namesIn({ ...afterRejection(), nodePools }, NOW_MS + SECOND)).toEqual(['a', 'b']);
  });

  test.each<[string, readonly string[]]>([
    ['kerf.dev/minimum-saving', ['a', 'b']],
    ['example.com/owner', []],
  ])('E25: they may be proposed again at once if an annotation of Kerf changes: %s', (key, expected) => {
    const after = afterRejection();
    const nodePools = after.nodePools.map((view) => {
      const { metadata } = view.nodePool;
      return { ...view, nodePool: { ...view.nodePool, metadata: { ...metadata, annotations: { [key]: '1%' } } } };
    });
    expect(namesIn({ ...after, nodePools }, NOW_MS + SECOND)).toEqual(expected);
  });

  test.each<[string, ClusterSnapshot]>([
    ['is gone', snapshotOf([initializedNode({ name: 'a' })], { nodePools: NODE_POOLS })],
    [
      'must stay now',
      snapshotOf([initializedNode({ name: 'a' }), initializedNode({ name: 'b', annotations: DO_NOT_DISRUPT })], {
        nodePools: NODE_POOLS,
      }),
    ],
    [
      'has other pods than when it was proposed',
      snapshotOf(
        [initializedNode({ name: 'a' }), initializedNode({ name: 'b' }, { lastPodEventAtMs: NOW_MS - SECOND })],
        { nodePools: NODE_POOLS },
      ),
    ],
  ])('E25: there is no pause if one of the nodes %s, which explains the rejection', (_, snapshot) => {
    const verdict = decide({ ...snapshot, commands: [rejectedCommand()] }, NOW_MS);
    expect(verdict.actions).toMatchObject([{ kind: 'end-disruption', outcome: 'rejected' }]);
    expect(verdict.passMemory).toBeUndefined();
  });

  /** The cluster after a command for the node a, whose replacement was awaited from `NOW_MS` for these minutes, was rejected. */
  function afterReplacing(minutes: number, before: Pick<ClusterSnapshot, 'passMemory'> = {}): ClusterSnapshot {
    const command = aReplacingCommand({
      method: 'fleet',
      candidates: candidatesNamed('a'),
      replacingSinceMs: NOW_MS,
    });
    const nodes = [initializedNode({ name: 'a' }, { lastPodEventAtMs: NOW_MS + MINUTE })];
    const snapshot = snapshotOf(nodes, { nodePools: NODE_POOLS, ...before });
    const verdict = decide({ ...snapshot, commands: [command] }, NOW_MS + minutes * MINUTE);
    return { ...snapshot, ...kept(verdict) };
  }

  test.each([
    [0, 1],
    [2, 2],
    [10, 10],
  ])(
    'E25, E35: a command whose replacement fails after %i minutes is paused for %i, whatever the pods of its nodes do meanwhile',
    (took, pause) => {
      const after = afterReplacing(took);
      const nowMs = NOW_MS + took * MINUTE;
      expect(after.passMemory?.rejected).toMatchObject([
        { nodeClaim: 'claim-a', reason: 'Underutilized', times: 1, untilMs: nowMs + pause * MINUTE },
      ]);
      const [why] = decide(after, nowMs + SECOND, [{ ...unsound, reason: 'Underutilized' }]).blocked;
      expect(why?.message).toMatch(
        /^the last command for the node as Underutilized was rejected after replacements were launched: /,
      );
    },
  );

  test('E25, E35: after replacements were launched, all methods of the reason leave the node out, and others do not', () => {
    const after = afterReplacing(10);
    const asked = (name: Method['name'], reason: Method['reason']): number =>
      proposedIn(decide(after, NOW_MS + 11 * MINUTE, [{ ...emptiness, name, reason }])).length;
    expect(asked('single-node', 'Underutilized')).toBe(0);
    expect(asked('multi-node', 'Underutilized')).toBe(0);
    expect(asked('drift', 'Drifted')).toBe(1);
  });

  test('E25, E35: they are remembered for two hours after the pause, so that the next failure doubles it', () => {
    const times = (laterMs: number): number | undefined => {
      const [one] = afterReplacing(10).passMemory?.rejected ?? [];
      const rejected = one === undefined ? [] : [{ ...one, untilMs: NOW_MS + 10 * MINUTE - laterMs }];
      return afterReplacing(10, { passMemory: { ...NO_MEMORY, rejected } }).passMemory?.rejected[0]?.times;
    };
    expect(times(2 * HOUR - SECOND)).toBe(2);
    expect(times(2 * HOUR)).toBe(1);
  });

  test('E25: another method may propose them meanwhile', () => {
    const other: Method = { ...emptiness, name: 'single-node' };
    expect(proposedIn(decide(afterRejection(), NOW_MS + SECOND, [unsound, other]))).toMatchObject([
      { method: 'single-node' },
    ]);
  });

  test('E25: a rejected command of emptiness has no pause: only a change or a budget rejects it', () => {
    const commands = [aCommand({ candidates: candidatesNamed('a'), decidedAtMs: NOW_MS - MINUTE })];
    const verdict = decide(cluster({ commands }), NOW_MS, [{ ...emptiness, validate: () => undefined }]);
    expect(verdict.actions).toMatchObject([{ kind: 'end-disruption', outcome: 'rejected' }]);
    expect(verdict.passMemory).toBeUndefined();
  });

  test('E25: a node that was not rejected again for ten minutes after its pause begins with a minute again', () => {
    const before = afterRejection();
    const nowMs = NOW_MS + HOUR;
    const again = {
      ...before,
      commands: [aCommand({ method: 'fleet', candidates: candidatesNamed('b'), decidedAtMs: nowMs - MINUTE })],
    };
    const { passMemory } = decide(again, nowMs);
    expect(passMemory?.rejected).toMatchObject([{ nodeClaim: 'claim-b', times: 1, untilMs: nowMs + MINUTE }]);
  });

  test('E25: the memory has no nodes that no longer exist', () => {
    const { passMemory: before } = afterRejection();
    const nodes = snapshotOf([initializedNode({ name: 'b' })], { nodePools: NODE_POOLS });
    const commands = [aCommand({ method: 'fleet', candidates: candidatesNamed('b'), decidedAtMs: NOW_MS })];
    const { passMemory } = decide({ ...nodes, commands, ...optional({ passMemory: before }) }, NOW_MS + 15 * SECOND);
    expect(passMemory?.rejected).toMatchObject([{ nodeClaim: 'claim-b', times: 2 }]);
  });
});
