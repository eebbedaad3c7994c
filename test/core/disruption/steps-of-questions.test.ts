import { describe, expect, test } from 'vitest';
import { disruptBy } from '../../../lib/core/disruption/disrupt.ts';
import type { Method, World } from '../../../lib/core/disruption/method.ts';
import { drift } from '../../../lib/core/disruption/methods/drift.ts';
import { emptiness } from '../../../lib/core/disruption/methods/emptiness.ts';
import { fleet } from '../../../lib/core/disruption/methods/fleet.ts';
import { singleNode } from '../../../lib/core/disruption/methods/single-node.ts';
import { STEPS_OF_METHOD, STEPS_OF_RUN, shareOf, stepLedger } from '../../../lib/core/disruption/step-ledger.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { aCommand, candidatesNamed } from '../../builders/decisions.ts';
import { aPoolView, asking } from '../../builders/node-pools.ts';
import { runningPod } from '../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { NOW_MS, SECOND } from '../../builders/times.ts';
import { worldOf } from './worlds.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'];
const POOL = aPoolView({
  requirements: [asking('karpenter.sh/capacity-type', 'In', 'on-demand')],
  disruption: { budgets: [{ nodes: '100%' }] },
});

function node(name: string, over: Partial<NodeClaimRecord> = {}) {
  const labels = { 'node.kubernetes.io/instance-type': 'm5.large' };
  return initializedNode({ name, labels, allocatable: { cpu: '2', memory: '8Gi', pods: '110' } }, over);
}

/** Full nodes, of which none can be saved, beside one with so many pods that is being deleted. */
function cluster(leaving: number, over: Partial<NodeClaimRecord> = {}) {
  const deletion = { reason: 'underutilized', message: '', requestedAtMs: NOW_MS } as const;
  const nodes = [...NAMES.map((name) => node(name, over)), node('gone', { deletion })];
  const pods = [
    ...NAMES.map((name) => runningPod(name, { name: `on-${name}`, requests: { cpu: '1500m', memory: '1Gi' } })),
    ...Array.from({ length: leaving }, (_, at) => runningPod('gone', { name: `p-${at}`, requests: { cpu: '1m' } })),
  ];
  return snapshotOf(nodes, { nodePools: [POOL], pods });
}

describe('E28: the steps of a question', () => {
  function spentBy(leaving: number, asks: (world: World) => void): number {
    const steps = stepLedger(1_000);
    asks(worldOf(cluster(leaving)).withSteps(steps));
    return 1_000 - steps.left();
  }

  test('count the pods of nodes that are being deleted, which each question places again', () => {
    expect(spentBy(100, ({ whatIf }) => whatIf(['a']))).toBe(5);
    expect(spentBy(0, ({ whatIf }) => whatIf(['a']))).toBe(0);
  });

  test('also after moves', () => {
    const move = { candidates: [], replacements: [], targets: [] };
    const none = { ...move, sourceUsdPerHour: 0, savingsUsdPerHour: 0, evictions: 0 };
    expect(spentBy(100, (world) => world.after(none).whatIf(['a']))).toBe(5);
  });

  test('limit the nodes of a pass: fleet', () => {
    const stopped = (leaving: number) => fleet.propose(worldOf(cluster(leaving)).withSteps(stepLedger(60))).stopped;
    expect(stopped(0)).toBeUndefined();
    expect(stopped(100)).toMatchObject({ after: 'c', evaluated: 3, candidates: 5 });
  });

  test('limit the nodes of a pass: single-node', () => {
    // Without bounds, each node needs a question.
    const bounds = { priceOfOneClaim: () => 0, priceOfHomeless: () => 0, worthOf: () => 0 };
    const stopped = (leaving: number) =>
      singleNode.propose({ ...worldOf(cluster(leaving)).withSteps(stepLedger(20)), bounds }).stopped;
    expect(stopped(0)).toBeUndefined();
    expect(stopped(100)).toMatchObject({ candidates: 5 });
  });

  test('limit the nodes of a pass: drift, which takes one at least, and the others after it', () => {
    const drifted = { drift: { reason: 'AMIDrift' as const, message: '', sinceMs: 0 } };
    const found = (leaving: number) => {
      const { moves, blocked } = drift.propose(worldOf(cluster(leaving, drifted)).withSteps(stepLedger(1)));
      const nodes = moves.flatMap(({ candidates }) => candidates.map(({ stateNode }) => stateNode.name));
      return {
        nodes,
        blocked: blocked.map(({ subject, reason }) => ('name' in subject ? [subject.name, reason] : [])),
      };
    };
    expect(found(0)).toEqual({ nodes: NAMES, blocked: [] });
    expect(found(100)).toEqual({
      nodes: ['a'],
      blocked: ['b', 'c', 'd', 'e'].map((name) => [name, 'NotEvaluated']),
    });
  });
});

test('E29: the run that carries out a command compares no plans before its decision is recorded', () => {
  const calls: string[] = [];
  const counted = (name: Method['name'], over: Partial<Method> = {}): Method => ({
    ...emptiness,
    name,
    propose(world) {
      calls.push(name);
      return emptiness.propose(world);
    },
    ...over,
  });
  const methods = [counted('fleet', { isOptional: true }), counted('single-node')];
  const commands = [aCommand({ method: 'single-node', candidates: candidatesNamed('a') })];
  const snapshot = snapshotOf([node('a'), node('b')], { nodePools: [POOL], commands });
  const nowMs = NOW_MS + 15 * SECOND;
  const { actions, due } = disruptBy(methods, snapshot, { decisionId: 'd', nowMs });
  expect(actions.map(({ kind }) => kind)).toContain('delete-node-claim');
  expect(due).toEqual([{ atMs: nowMs + SECOND, kind: 'settling' }]);
  expect(calls).toEqual(['fleet']);
});

test('a method that needs more than its share takes no steps from the others, so that blocked drift does not stop consolidation', () => {
  const run = stepLedger(STEPS_OF_RUN);
  const ofDrift = shareOf(run);
  for (let questions = 0; questions < 1_000; questions += 1) ofDrift.spend(100);
  expect(ofDrift.left()).toBeLessThanOrEqual(0);
  expect(run.left()).toBe(STEPS_OF_RUN - STEPS_OF_METHOD);
  for (const _ of ['fleet', 'multi-node', 'single-node']) {
    const share = shareOf(run);
    expect(share.left()).toBe(STEPS_OF_METHOD);
    share.spend(STEPS_OF_METHOD);
  }
});

test('the nodes of a drift command stay together in its validation, although few steps are left', () => {
  const drifted = { drift: { reason: 'AMIDrift', message: '', sinceMs: 0 } } as const;
  const snapshot = cluster(100, drifted);
  const command = aCommand({ method: 'drift', reason: 'Drifted', candidates: candidatesNamed(...NAMES) });
  const valid = drift.validate(command, worldOf(snapshot).withSteps(stepLedger(3)));
  expect(valid?.candidates.map(({ nodeClaim }) => nodeClaim.name)).toEqual(NAMES.map((name) => `claim-${name}`));
});
