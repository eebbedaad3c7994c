import { describe, expect, test } from 'vitest';
import { isCandidate } from '../../../lib/core/disruption/candidates.ts';
import { disruptBy } from '../../../lib/core/disruption/disrupt.ts';
import type { Method, Proposal, World } from '../../../lib/core/disruption/method.ts';
import { emptiness } from '../../../lib/core/disruption/methods/emptiness.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import { requeueAt } from '../../../lib/core/model/decision.ts';
import type { DisruptionCommand } from '../../../lib/core/model/disruption-command.ts';
import { aCommand, candidatesNamed } from '../../builders/decisions.ts';
import { aPoolView } from '../../builders/node-pools.ts';
import { runningPod } from '../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { MINUTE, NOW_MS, SECOND } from '../../builders/times.ts';

const LATER = NOW_MS + 15 * SECOND;
const DO_NOT_DISRUPT = { 'karpenter.sh/do-not-disrupt': 'true' };

const NOTHING: Proposal = { moves: [], blocked: [], due: [] };

/** A method with nothing to do. */
function idle(over: Partial<Method> = {}): Method {
  return { ...emptiness, propose: () => NOTHING, validate: () => undefined, ...over };
}

function decide(methods: readonly Method[], snapshot: ClusterSnapshot, nowMs = NOW_MS) {
  // With Karpenter's packing, so that each method is called once.
  const inOneWay = { ...snapshot, options: { packing: 'first-fit' } } as const;
  return disruptBy(methods, inOneWay, { decisionId: 'decision-1', nowMs });
}

function pools(consolidateAfter: string, nodes = '100%') {
  return [aPoolView({ disruption: { consolidateAfter, budgets: [{ nodes }] } })];
}

function command(id: string, name: string, decidedAtMs = NOW_MS): DisruptionCommand {
  return aCommand({ id, candidates: candidatesNamed(name), decidedAtMs });
}

describe('methods are asked in turn (E2)', () => {
  const young = initializedNode({ name: 'a' }, { initializedAtMs: NOW_MS });
  const refused = initializedNode({ name: 'b', annotations: DO_NOT_DISRUPT });
  const snapshot = snapshotOf([young, refused], { nodePools: pools('5m') });

  test('the wake-up and the refusals of a method stay where another one with nothing to do stands behind it', () => {
    const verdict = decide([emptiness, idle()], snapshot);
    expect(verdict.due).toEqual([requeueAt(NOW_MS + 5 * MINUTE)]);
    expect(verdict.blocked).toMatchObject([
      { subject: { kind: 'Node', name: 'b' }, reason: 'DoNotDisrupt' },
      { subject: { kind: 'Node', name: 'a' }, reason: 'ConsolidateAfter', numbers: { waitSeconds: 300 } },
    ]);
  });

  test('those of all methods that are asked are collected, a refusal that two of them share once', () => {
    const behind = idle({
      propose: (world) => ({ ...emptiness.propose(world), due: [requeueAt(NOW_MS + MINUTE)] }),
    });
    const verdict = decide([emptiness, behind], snapshot);
    expect(verdict.due).toEqual([requeueAt(NOW_MS + 5 * MINUTE), requeueAt(NOW_MS + MINUTE)]);
    expect(verdict.blocked).toHaveLength(2);
  });

  test('the first that proposes a command wins, and no other is asked', () => {
    const eager = snapshotOf([initializedNode({ name: 'a' })], { nodePools: pools('0s') });
    const unasked = idle({
      propose: () => {
        throw new Error('it is asked');
      },
    });
    expect(decide([idle(), emptiness, unasked], eager).actions).toMatchObject([
      { kind: 'start-disruption', command: { id: 'decision-1', state: 'proposed', replacements: [] } },
    ]);
  });

  test('a method asks what would become of the pods of nodes that were gone (E20)', () => {
    const pods = [runningPod('a', { name: 'web' })];
    const two = snapshotOf([initializedNode({ name: 'a' }), initializedNode({ name: 'b' })], {
      nodePools: pools('0s'),
      pods,
    });
    const seen: string[] = [];
    const asking = idle({
      propose: ({ whatIf }: World) => {
        for (const { stateNode, pods: moved } of whatIf(['a']).existing)
          seen.push(`${moved.map(({ metadata }) => metadata.name).join()} to ${stateNode.name}`);
        return NOTHING;
      },
    });
    decide([asking], two);
    expect(seen).toEqual(['web to b']);
  });

  test('pods that ignoreAtZero selects are placed in that answer, though they do not count on their node', () => {
    const web = runningPod('a', { name: 'web', namespace: 'kube-system' });
    const snapshotAtZero = snapshotOf([initializedNode({ name: 'a' }), initializedNode({ name: 'b' })], {
      nodePools: pools('0s'),
      pods: [web],
      ignoreAtZero: [{ namespace: 'kube-system' }],
    });
    const seen: number[] = [];
    const asking = idle({
      propose: ({ whatIf, candidates }: World) => {
        seen.push(candidates.nodes.flatMap((node) => node.pods).length, whatIf(['a']).existing.length);
        return NOTHING;
      },
    });
    decide([asking], snapshotAtZero);
    expect(seen).toEqual([0, 1]);
  });

  test('what a method takes from the budgets is not available to it again in the same pass', () => {
    const three = ['a', 'b', 'c'].map((name) => initializedNode({ name }));
    const seen: number[] = [];
    const taking = idle({
      propose: ({ budgets, candidates }: World) => {
        for (const node of candidates.nodes) {
          const found = candidates.judge(node);
          seen.push(budgets.take(isCandidate(found) ? [found] : [], 'Empty').within.length);
        }
        return NOTHING;
      },
    });
    decide([taking], snapshotOf(three, { nodePools: pools('0s', '2') }));
    expect(seen).toEqual([1, 1, 0]);
  });
});

function outcomeOf(snapshot: ClusterSnapshot, nowMs = LATER + SECOND): readonly string[] {
  return decide([emptiness], snapshot, nowMs).actions.map((action) => {
    if (action.kind === 'delete-node-claim') return `delete ${action.nodeClaim}`;
    return action.kind === 'end-disruption' ? `${action.command} ${action.outcome}` : action.kind;
  });
}

describe('two runs that proposed side by side (E29, promise 3)', () => {
  const nodes = ['a', 'b'].map((name) => initializedNode({ name }));

  function outcome(commands: readonly DisruptionCommand[], budget: string, nowMs = LATER + SECOND): readonly string[] {
    return outcomeOf(snapshotOf(nodes, { nodePools: pools('0s', budget), commands }), nowMs);
  }

  test('the same node is deleted once: by the command that was decided first', () => {
    const commands = [command('late', 'a', NOW_MS + SECOND), command('soon', 'a')];
    expect(outcome(commands, '100%')).toEqual(['delete claim-a', 'soon executed', 'late rejected']);
  });

  test('a candidate that is rejected leaves its room in the budget to the next command', () => {
    const both = { ...command('one', 'a'), candidates: candidatesNamed('gone', 'a') };
    const snapshot = snapshotOf([...nodes, initializedNode({ name: 'gone', annotations: DO_NOT_DISRUPT })], {
      nodePools: pools('0s', '2'),
      commands: [both, command('two', 'b')],
    });
    expect(outcomeOf(snapshot)).toEqual(['delete claim-a', 'one executed', 'delete claim-b', 'two executed']);
  });

  test('a command whose node no longer exists is rejected', () => {
    expect(outcome([command('one', 'no-such-node')], '100%')).toEqual(['one rejected']);
  });

  test('different nodes are deleted as far as the budget goes, ties by id', () => {
    expect(outcome([command('two', 'b'), command('one', 'a')], '1')).toEqual([
      'delete claim-a',
      'one executed',
      'two rejected',
    ]);
    expect(outcome([command('two', 'b'), command('one', 'a')], '2')).toEqual([
      'delete claim-a',
      'one executed',
      'delete claim-b',
      'two executed',
    ]);
  });

  test('a command that is not due yet keeps its room from those decided after it, and from no other', () => {
    const early = command('early', 'a');
    const late = { ...command('late', 'b', NOW_MS + SECOND), validateAtMs: LATER };
    const waiting = { ...early, validateAtMs: LATER + MINUTE };
    expect(outcome([waiting, late], '1', LATER)).toEqual(['late rejected']);
    expect(outcome([early, { ...late, validateAtMs: LATER + MINUTE }], '1', LATER)).toEqual([
      'delete claim-a',
      'early executed',
    ]);
  });
});
