import { describe, expect, test } from 'vitest';
import { afterActions } from '../../../lib/core/disruption/command/after-actions.ts';
import { disrupt } from '../../../lib/core/disruption/disrupt.ts';
import type { DisruptionCommand } from '../../../lib/core/model/disruption-command.ts';
import { aCommand, candidatesNamed } from '../../builders/decisions.ts';
import { aPoolView, asking } from '../../builders/node-pools.ts';
import { runningPod } from '../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { NOW_MS, SECOND } from '../../builders/times.ts';

const LATER = NOW_MS + 15 * SECOND;

function node(name: string, type: string, cpu: number) {
  const allocatable = { cpu: String(cpu), memory: `${cpu * 4}Gi`, pods: '29' };
  const holds = { cpu: cpu * 1_000, memory: cpu * 2 ** 32, pods: 29 };
  return initializedNode({ name, allocatable, labels: { 'node.kubernetes.io/instance-type': type } }, { holds });
}

/** What is decided for an empty node of 2 cpu and for one of 8 cpu, which a node of 2 cpu can replace, with this limit of the NodePool. */
function decided(cpu: string): readonly string[] {
  const large = node('large', 'm5.2xlarge', 8);
  const pods = [runningPod('large', { requests: { cpu: '1500m', memory: '100Mi' } })];
  const [start] = disrupt(snapshotOf([large], { nodePools: pools(), pods }), {
    decisionId: 'second',
    nowMs: NOW_MS,
  }).actions;
  if (start?.kind !== 'start-disruption') throw new Error('a node is replaced');
  const commands = [aCommand({ id: 'first', candidates: candidatesNamed('empty') }), start.command];
  const nodes = [node('empty', 'm5.large', 2), large];
  const snapshot = snapshotOf(nodes, { nodePools: pools({ cpu }), commands, pods });
  return disrupt(snapshot, { decisionId: 'decision-1', nowMs: LATER }).actions.map((action) =>
    action.kind === 'end-disruption' ? `${action.command} is ${action.outcome}` : action.kind,
  );
}

function pools(limits: Readonly<Record<string, string>> = {}) {
  const requirements = [asking('karpenter.sh/capacity-type', 'In', 'on-demand')];
  return [aPoolView({ requirements, disruption: { budgets: [{ nodes: '100%' }] }, limits })];
}

test('B23: a node that the same decision deletes holds its share, because its deletion may fail (promise 2)', () => {
  expect(decided('12')).toEqual([
    'delete-node-claim',
    'first is executed',
    'continue-disruption',
    'create-node-claim',
    'cordon-node',
  ]);
  expect(decided('11')).toEqual(['delete-node-claim', 'first is executed', 'second is rejected']);
});

describe('E29: commands that need more steps than a run has', () => {
  const names = ['c', 'a', 'b'];
  const byAge = names.map((name, at) =>
    aCommand({ id: `of-${name}`, candidates: candidatesNamed(name), decidedAtMs: NOW_MS - 60 * SECOND + at }),
  );

  /** How the commands end, run after run, a second later each. */
  function runs(commands: readonly DisruptionCommand[], steps: number) {
    let snapshot = snapshotOf(
      names.map((name) => node(name, 'm5.large', 2)),
      { nodePools: pools(), commands },
    );
    return names.map((_, run) => {
      const nowMs = LATER + run * SECOND;
      const { actions, due } = disrupt(snapshot, { decisionId: `decision-${run}`, nowMs, steps });
      snapshot = afterActions(snapshot, actions, nowMs);
      const ended = actions.flatMap((one) => (one.kind === 'end-disruption' ? [`${one.command} ${one.outcome}`] : []));
      return { ended, inMs: due.map(({ atMs }) => atMs - nowMs) };
    });
  }

  test('each run takes the oldest that are left, one at least, and the next run follows a second later', () => {
    expect(runs(byAge.toReversed(), 1)).toEqual([
      { ended: ['of-c executed'], inMs: [SECOND] },
      { ended: ['of-a executed'], inMs: [SECOND] },
      { ended: ['of-b executed'], inMs: [SECOND] },
    ]);
  });

  test('the steps count the nodes of commands, and the looks at the cluster between them', () => {
    expect(runs(byAge, 3).map(({ ended }) => ended)).toEqual([
      ['of-c executed', 'of-a executed'],
      ['of-b executed'],
      [],
    ]);
  });

  test('with enough steps, one run takes all', () => {
    expect(runs(byAge, 1_000)[0]).toEqual({ ended: ['of-c executed', 'of-a executed', 'of-b executed'], inMs: [] });
  });
});
