import { describe, expect, test } from 'vitest';
import { optional } from '../../../../lib/apis/optional.ts';
import { disruptBy } from '../../../../lib/core/disruption/disrupt.ts';
import { isStillQuiet, type QuietPass, quietPass } from '../../../../lib/core/disruption/memory/quiet-pass.ts';
import { describeProgress } from '../../../../lib/core/disruption/memory/turns.ts';
import type { Method } from '../../../../lib/core/disruption/method.ts';
import { emptiness } from '../../../../lib/core/disruption/methods/emptiness.ts';
import { singleNode } from '../../../../lib/core/disruption/methods/single-node.ts';
import { planDisruption } from '../../../../lib/core/disruption/plan-disruption.ts';
import { stepLedger } from '../../../../lib/core/disruption/step-ledger.ts';
import type { ClusterSnapshot } from '../../../../lib/core/model/cluster-snapshot.ts';
import { requeueAt, type Verdict } from '../../../../lib/core/model/decision.ts';
import { aPoolView, asking } from '../../../builders/node-pools.ts';
import { runningPod } from '../../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../../builders/snapshots.ts';
import { MINUTE, NOW_MS, SECOND } from '../../../builders/times.ts';

const POOL = aPoolView({
  requirements: [asking('karpenter.sh/capacity-type', 'In', 'on-demand')],
  disruption: { budgets: [{ nodes: '100%' }] },
});
const NAMES = ['a', 'b', 'c', 'd', 'e'];

/** Full nodes: none can be saved. */
function cluster(names: readonly string[] = NAMES): ClusterSnapshot {
  const nodes = names.map((name) =>
    initializedNode({
      name,
      allocatable: { cpu: '2', memory: '8Gi', pods: '29' },
      labels: { 'node.kubernetes.io/instance-type': 'm5.large' },
    }),
  );
  const pods = names.map((name) => runningPod(name, { name: `on-${name}`, requests: { cpu: '1500m', memory: '1Gi' } }));
  // With Karpenter's packing, so that each method is called once in a pass.
  return { ...snapshotOf(nodes, { nodePools: [POOL], pods }), options: { packing: 'first-fit' } };
}

/** Single-node consolidation with so many steps in a pass, and the nodes that it evaluates. */
function limited(steps: number): { readonly method: Method; readonly evaluated: string[] } {
  const evaluated: string[] = [];
  const method: Method = {
    ...singleNode,
    propose(world) {
      const proposal = singleNode.propose({ ...world, steps: stepLedger(steps) });
      for (const { subject, reason } of proposal.blocked)
        if (reason === 'NotCheaper' && 'name' in subject) evaluated.push(subject.name);
      return proposal;
    },
  };
  return { method, evaluated };
}

function decide(method: Method, snapshot: ClusterSnapshot, nowMs = NOW_MS): Verdict {
  return disruptBy([method], snapshot, { decisionId: 'd', nowMs });
}

function after(verdict: Verdict, snapshot: ClusterSnapshot): ClusterSnapshot {
  const { passMemory = snapshot.passMemory } = verdict;
  return passMemory === undefined ? snapshot : { ...snapshot, passMemory };
}

describe('a pass that has used its steps', () => {
  test('E28: the next pass continues, a second later, in the order of names, until each candidate had its turn', () => {
    const { method, evaluated } = limited(2);
    let snapshot = cluster();
    const passes = [0, 1, 2].map(() => {
      const { due, ...verdict } = decide(method, snapshot);
      snapshot = after({ due, ...verdict }, snapshot);
      return { due, stopped: snapshot.passMemory?.stopped.map((one) => [one.after, one.evaluated]) };
    });
    expect(passes).toEqual([
      { due: [requeueAt(NOW_MS + SECOND)], stopped: [['b', 2]] },
      { due: [requeueAt(NOW_MS + SECOND)], stopped: [['d', 4]] },
      { due: [], stopped: [] },
    ]);
    expect(evaluated).toEqual(NAMES);
  });

  test('E28: if its moves have used the steps, a round in the order of names begins with the first one', () => {
    const names = Array.from({ length: 9 }, (_, at) => `node-${at}`);
    const pods = names.map((name) => runningPod(name, { name: `on-${name}`, requests: { cpu: '600m' } }));
    const verdict = decide(limited(9).method, { ...cluster(names), pods });
    expect(verdict.actions.map(({ kind }) => kind)).toContain('start-disruption');
    expect(verdict.passMemory?.stopped).toMatchObject([{ method: 'single-node', after: '', candidates: 9 }]);
  });

  test('E28: nodes that come and go do not take the turn of others', () => {
    const { method, evaluated } = limited(2);
    const first = decide(method, cluster());
    decide(method, after(first, cluster(['a', 'a1', 'a2', 'a3', 'c', 'd', 'e'])));
    expect(evaluated).toEqual(['a', 'b', 'c', 'd']);
  });

  test('E28: it says how far it is, and the nodes that wait say so too', () => {
    const { method } = limited(2);
    const { passMemory, blocked } = decide(method, cluster());
    expect(describeProgress(passMemory?.stopped ?? [])).toBe('single-node: 2 of 5 candidates evaluated');
    expect(blocked.filter(({ reason }) => reason === 'NotEvaluated')).toHaveLength(3);
  });

  test('E28: the next methods wait for the end of the round', () => {
    const { method } = limited(2);
    let calls = 0;
    const next: Method = {
      ...singleNode,
      name: 'multi-node',
      propose: () => {
        calls += 1;
        return { moves: [], blocked: [], due: [] };
      },
    };
    let snapshot = cluster();
    const called = [0, 1, 2].map(() => {
      snapshot = after(disruptBy([method, next], snapshot, { decisionId: 'd', nowMs: NOW_MS }), snapshot);
      return calls;
    });
    expect(called).toEqual([0, 0, 1]);
  });

  test('E28: its round goes on after commands of an earlier method, and each candidate has its turn', () => {
    const { method, evaluated } = limited(2);
    let snapshot = cluster();
    const proposed = [0, 1, 2, 3, 4].map((pass) => {
      // In every second pass, one more node is empty.
      const names = pass % 2 === 1 ? [...NAMES, `empty-${pass}`] : NAMES;
      const seen = { ...cluster(names), pods: snapshot.pods, ...optional({ passMemory: snapshot.passMemory }) };
      const verdict = disruptBy([emptiness, method], seen, { decisionId: `pass-${pass}`, nowMs: NOW_MS });
      snapshot = after(verdict, snapshot);
      // What has not changed is not written again.
      expect(verdict.passMemory === undefined).toBe(verdict.actions.length > 0);
      return verdict.actions.filter(({ kind }) => kind === 'start-disruption').length;
    });
    expect(proposed).toEqual([0, 1, 0, 1, 0]);
    expect(evaluated).toEqual(NAMES);
    expect(snapshot.passMemory?.stopped).toEqual([]);
  });

  test('E28: its round goes on after a new round of an earlier method', () => {
    const earlier = limited(4);
    const later = limited(2);
    let snapshot = cluster();
    const stopped = Array.from({ length: 6 }, () => {
      const methods = [{ ...earlier.method, name: 'fleet' as const }, later.method];
      snapshot = after(disruptBy(methods, snapshot, { decisionId: 'd', nowMs: NOW_MS }), snapshot);
      return snapshot.passMemory?.stopped.map(({ method, after: name }) => `${method} ${name}`);
    });
    expect(stopped).toEqual([
      ['fleet d'],
      ['single-node b'],
      ['fleet d', 'single-node b'],
      ['single-node d'],
      ['fleet d', 'single-node d'],
      [],
    ]);
    expect(later.evaluated).toEqual(NAMES);
  });

  test('E28: a plan evaluates every candidate, and has the reason of each node that stays once', () => {
    const { blocked } = planDisruption([limited(2).method], cluster(), NOW_MS);
    const subjects = NAMES.map((name) => ({ subject: { kind: 'Node', name }, reason: 'NotCheaper' }));
    expect(blocked).toMatchObject(subjects);
    expect(blocked).toHaveLength(NAMES.length);
  });

  test('E28: a plan ends, although rounds of several methods are longer than a pass', () => {
    const methods = [{ ...limited(4).method, name: 'fleet' as const }, limited(2).method];
    const { blocked } = planDisruption(methods, cluster(), NOW_MS);
    expect(new Set(blocked.map(({ subject }) => ('name' in subject ? subject.name : '')))).toEqual(new Set(NAMES));
  });

  test('E28: a plan has the reason of each node that stays after commands in the middle of a round', () => {
    let calls = 0;
    const late: Method = {
      ...emptiness,
      propose(world) {
        calls += 1;
        return calls < 2 ? { moves: [], blocked: [], due: [] } : emptiness.propose(world);
      },
    };
    const full = cluster();
    const { nodes, nodeClaims } = snapshotOf([initializedNode({ name: 'empty', allocatable: { cpu: '1' } })]);
    const both = { ...full, nodes: [...full.nodes, ...nodes], nodeClaims: [...full.nodeClaims, ...nodeClaims] };
    const plan = planDisruption([late, limited(2).method], both, NOW_MS);
    expect(plan.commands.map(({ method }) => method)).toEqual(['emptiness']);
    expect(plan.blocked.map(({ subject }) => ('name' in subject ? subject.name : ''))).toEqual(NAMES);
  });

  test('E25: a whole round without a result is not repeated while nothing changes', () => {
    const { method } = limited(2);
    let [snapshot, quiet]: [ClusterSnapshot, QuietPass | undefined] = [cluster(), undefined];
    const isQuiet = [0, 1, 2].map((second) => {
      const context = { nowMs: NOW_MS + second * SECOND };
      const verdict = decide(method, snapshot, context.nowMs);
      quiet = quietPass({ snapshot, context, verdict }, quiet);
      snapshot = after(verdict, snapshot);
      return quiet !== undefined && isStillQuiet(quiet, snapshot, { nowMs: NOW_MS + MINUTE });
    });
    expect(isQuiet).toEqual([false, false, true]);
  });

  test('E25: a round in which something has changed is repeated', () => {
    const { method } = limited(2);
    let [snapshot, quiet]: [ClusterSnapshot, QuietPass | undefined] = [cluster(), undefined];
    for (const second of [0, 1, 2]) {
      const context = { nowMs: NOW_MS + second * SECOND };
      const verdict = decide(method, snapshot, context.nowMs);
      quiet = quietPass({ snapshot, context, verdict }, quiet);
      snapshot = after(verdict, snapshot);
      if (second === 0) snapshot = { ...snapshot, pods: snapshot.pods.slice(1) };
    }
    expect(quiet).toBeUndefined();
  });
});
