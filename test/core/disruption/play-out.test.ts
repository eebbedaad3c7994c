import { describe, expect, test } from 'vitest';
import { isCandidate } from '../../../lib/core/disruption/candidates.ts';
import { disruptBy } from '../../../lib/core/disruption/disrupt.ts';
import type { Method, World } from '../../../lib/core/disruption/method.ts';
import { emptiness } from '../../../lib/core/disruption/methods/emptiness.ts';
import { planDisruption } from '../../../lib/core/disruption/plan-disruption.ts';
import { STEPS_OF_RUN } from '../../../lib/core/disruption/step-ledger.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import { staticClaims } from '../../../lib/core/provisioning/static-claims.ts';
import type { PlannedNodeClaim } from '../../../lib/core/scheduling/schedule.ts';
import { aPoolView } from '../../builders/node-pools.ts';
import { initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { NOW_MS } from '../../builders/times.ts';

const TYPES = { small: 'm5.large', large: 'm5.xlarge', largest: 'm5.2xlarge' };

/** With Karpenter's packing, so that the plans differ in their methods alone. */
const snapshot: ClusterSnapshot = {
  ...snapshotOf(
    Object.entries(TYPES).map(([name, type]) =>
      initializedNode({ name, labels: { 'node.kubernetes.io/instance-type': type } }),
    ),
    { nodePools: [aPoolView({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '2' }] } })] },
  ),
  options: { packing: 'first-fit' },
};

/** Deletes these nodes, one in each pass, in this order, as far as the budgets allow. */
function deleting(name: Method['name'], nodes: readonly string[], over: Partial<Method> = {}): Method {
  const propose = ({ candidates, budgets }: World) => {
    const next = nodes.find((node) => candidates.nodes.some((one) => one.name === node));
    const judged = candidates.nodes.filter((node) => node.name === next).map((node) => candidates.judge(node));
    const { within } = budgets.take(judged.filter(isCandidate), 'Underutilized');
    return { moves: within.map((one) => ({ candidates: [one], replacements: [] })), blocked: [], due: [] };
  };
  return { ...emptiness, name, reason: 'Underutilized', propose, ...over };
}

function planned(methods: readonly Method[]): readonly string[] {
  const { commands } = planDisruption(methods, snapshot, NOW_MS);
  return commands.map(({ method, candidates }) => `${method} ${candidates[0]?.stateNode.name ?? ''}`);
}

test('E28: the moves that wait come after the others, which the function makes before them', () => {
  const waiting: Method = {
    ...deleting('single-node', []),
    propose: (world) => deleting('single-node', world.waits === true ? ['large'] : ['small', 'large']).propose(world),
  };
  const ofPlan = planDisruption(
    [waiting],
    { ...snapshot, options: { ...snapshot.options, lowScoreWaits: true } },
    NOW_MS,
  );
  expect(ofPlan.commands.map(({ candidates }) => candidates[0]?.stateNode.name)).toEqual(['large', 'small']);
});

function proposed(methods: readonly Method[]): readonly string[] {
  const { actions } = disruptBy(methods, snapshot, { decisionId: 'decision-1', nowMs: NOW_MS });
  return actions.flatMap((action) => (action.kind === 'start-disruption' ? [action.command.method] : []));
}

describe('an optional method', () => {
  const required = deleting('single-node', ['largest', 'large']);

  test('is used if the plan with it saves more', () => {
    const methods = [deleting('fleet', ['largest'], { isOptional: true }), deleting('single-node', ['small', 'large'])];
    expect(planned(methods)).toEqual(['fleet largest', 'single-node small']);
    expect(proposed(methods)).toEqual(['fleet']);
  });

  test('is left out if the plan without it saves more', () => {
    const methods = [deleting('fleet', ['small'], { isOptional: true }), required];
    expect(planned(methods)).toEqual(['single-node largest', 'single-node large']);
    expect(proposed(methods)).toEqual(['single-node']);
  });

  test('is used if both plans save the same', () => {
    const optional = deleting('fleet', ['large', 'largest'], { isOptional: true });
    expect(planned([optional, required])).toEqual(['fleet large', 'fleet largest']);
    expect(proposed([optional, required])).toEqual(['fleet']);
  });

  test('other methods are used in their order, whatever they save', () => {
    expect(planned([deleting('fleet', ['small', 'large']), required])).toEqual(['fleet small', 'fleet large']);
    expect(proposed([deleting('fleet', ['small']), required])).toEqual(['fleet']);
  });
});

function claimOf({ nodePools, options }: World): PlannedNodeClaim {
  const [view] = nodePools;
  const claim = view && staticClaims({ nodePools, nodes: [], options }).next(view);
  if (claim === undefined || 'reason' in claim) throw new Error('the NodePool launches nothing');
  return claim;
}

test('a move that the limits have no room for uses no budget', () => {
  const limited = snapshotOf([initializedNode({ name: 'small' }), initializedNode({ name: 'large' })], {
    nodePools: [
      aPoolView({ limits: { nodes: '2' }, disruption: { consolidateAfter: '0s', budgets: [{ nodes: '1' }] } }),
    ],
  });
  const replacing: Method = {
    ...deleting('fleet', []),
    propose: (world) => {
      const { moves } = deleting('fleet', ['small']).propose(world);
      return { moves: moves.map((move) => ({ ...move, replacements: [claimOf(world)] })), blocked: [], due: [] };
    },
  };
  const { commands } = planDisruption([replacing, deleting('single-node', ['large'])], limited, NOW_MS);
  expect(commands.map(({ method }) => method)).toEqual(['single-node']);
});

describe('the steps of a run', () => {
  /** Each pass takes so many steps. */
  function spending(method: Method, steps: number): Method {
    return {
      ...method,
      propose(world) {
        spent += Math.min(steps, world.steps.left());
        world.steps.spend(Math.min(steps, world.steps.left()));
        return method.propose(world);
      },
    };
  }
  let spent = 0;

  /** Without the optional method, more is saved. */
  function methods(steps: number): readonly Method[] {
    spent = 0;
    return [
      deleting('fleet', ['small'], { isOptional: true }),
      spending(deleting('single-node', ['largest', 'large']), steps),
    ];
  }

  test('are those of all its passes together', () => {
    expect(proposed(methods(10_000))).toEqual(['single-node']);
    expect(proposed(methods(20_000))).toEqual(['fleet']);
    expect(spent).toBeLessThanOrEqual(STEPS_OF_RUN);
  });

  test('are not limited in a plan', () => {
    expect(planned(methods(20_000))).toEqual(['single-node largest', 'single-node large']);
  });
});
