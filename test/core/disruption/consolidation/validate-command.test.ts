import { describe, expect, test } from 'vitest';
import { disruptBy } from '../../../../lib/core/disruption/disrupt.ts';
import { multiNode } from '../../../../lib/core/disruption/methods/multi-node.ts';
import { singleNode } from '../../../../lib/core/disruption/methods/single-node.ts';
import type { ClusterSnapshot } from '../../../../lib/core/model/cluster-snapshot.ts';
import type { DisruptionCommand } from '../../../../lib/core/model/disruption-command.ts';
import { aPoolView, asking } from '../../../builders/node-pools.ts';
import { aBudget } from '../../../builders/nodes.ts';
import { type PodOptions, runningPod } from '../../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../../builders/snapshots.ts';
import { NOW_MS, SECOND } from '../../../builders/times.ts';
import { worldOf } from '../worlds.ts';

const METHODS = [multiNode, singleNode];
const LATER = NOW_MS + 15 * SECOND;

const POOL = aPoolView({
  requirements: [asking('karpenter.sh/capacity-type', 'In', 'on-demand')],
  disruption: { budgets: [{ nodes: '100%' }] },
});

function node(name: string, type = 'm5.large', annotations = {}) {
  const cpu = type === 'm5.large' ? 2 : 8;
  const allocatable = { cpu: String(cpu), memory: `${cpu * 4}Gi`, pods: '29' };
  return initializedNode({ name, allocatable, annotations, labels: { 'node.kubernetes.io/instance-type': type } });
}

function pod(on: string, cpu: string, over: PodOptions = {}) {
  return runningPod(on, { name: `on-${on}`, requests: { cpu, memory: '100Mi' }, ...over });
}

function commandsFor(snapshot: ClusterSnapshot): readonly DisruptionCommand[] {
  return disruptBy(METHODS, snapshot, { decisionId: 'd', nowMs: NOW_MS }).actions.flatMap((action) =>
    action.kind === 'start-disruption' ? [action.command] : [],
  );
}

/** What is left of the first command if the cluster is as `after` when it is validated. */
function validated(before: ClusterSnapshot, after: Partial<ClusterSnapshot>) {
  const [command] = commandsFor(before);
  if (command === undefined) throw new Error('nothing was proposed');
  const method = METHODS.find(({ name }) => name === command.method);
  const move = method?.validate(command, worldOf({ ...before, ...after }, LATER));
  return (
    move && {
      nodes: move.candidates.map(({ stateNode }) => stateNode.name),
      types: move.replacements.map(({ instanceTypes }) => instanceTypes.map(({ name }) => name)),
    }
  );
}

describe('validation of a deletion (E29)', () => {
  const nodes = [node('a'), node('b'), node('c')];
  const pods = [pod('a', '600m'), pod('b', '600m'), pod('c', '600m')];
  const before = snapshotOf(nodes, { nodePools: [POOL], pods });

  test('E29: a command that is still valid is kept', () => {
    expect(validated(before, {})).toEqual({ nodes: ['a', 'b'], types: [] });
  });

  test.each<[string, Partial<ClusterSnapshot>]>([
    ['one of its nodes is not a candidate any more', { nominated: ['b'] }],
    [
      'a pod of one of its nodes has an exhausted PodDisruptionBudget now',
      {
        pods: [pod('a', '600m', { labels: { app: 'web' } }), pod('b', '600m'), pod('c', '600m')],
        podDisruptionBudgets: [aBudget()],
      },
    ],
    ['one of its nodes is gone', snapshotOf([node('b'), node('c')], { pods: pods.slice(1) })],
    ['one of its nodes is empty now', { pods: pods.slice(1) }],
    ['its pods do not fit any more', { pods: [...pods, runningPod('c', { name: 'more', requests: { cpu: '900m' } })] }],
    [
      'the budgets allow fewer nodes',
      { nodePools: [{ ...POOL, nodePool: aPoolView({ disruption: { budgets: [{ nodes: '1' }] } }).nodePool }] },
    ],
    [
      'the policy has changed',
      { nodePools: [{ ...POOL, nodePool: aPoolView({ disruption: { consolidationPolicy: 'WhenEmpty' } }).nodePool }] },
    ],
  ])('E29: a command is rejected if %s', (_, after) => {
    expect(validated(before, after)).toBeUndefined();
  });
});

describe('validation of a replacement (E29)', () => {
  const before = snapshotOf([node('a', 'm5.2xlarge')], { nodePools: [POOL], pods: [pod('a', '1500m')] });

  /** The instance types without those of these names. */
  function without(...names: readonly string[]): Partial<ClusterSnapshot> {
    return { nodePools: [{ ...POOL, instanceTypes: POOL.instanceTypes.filter(({ name }) => !names.includes(name)) }] };
  }

  test('E29: a command that is still valid is kept, with its types', () => {
    expect(validated(before, {})).toEqual({ nodes: ['a'], types: [['m5.large', 'm5.xlarge']] });
  });

  test('E29: types that have become available since are not used', () => {
    expect(validated({ ...before, ...without('m5.xlarge') }, { nodePools: [POOL] })).toEqual({
      nodes: ['a'],
      types: [['m5.large']],
    });
  });

  test.each<[string, Partial<ClusterSnapshot>]>([
    ['one of its types is not available any more', without('m5.large')],
    ['its pods fit on one of its types only', { pods: [pod('a', '3500m')] }],
    ['its pods fit on another node', snapshotOf([node('a', 'm5.2xlarge'), node('b')], { pods: before.pods })],
    ['its pods need a node that costs as much', { pods: [pod('a', '7500m')] }],
  ])('E29: a command is rejected if %s', (_, after) => {
    expect(validated(before, after)).toBeUndefined();
  });

  test('E29: a validated command uses the budgets', () => {
    const [command] = commandsFor(before);
    const nodePools = [{ ...POOL, nodePool: aPoolView({ disruption: { budgets: [{ nodes: '1' }] } }).nodePool }];
    const world = worldOf({ ...before, nodePools }, LATER);
    expect(command && singleNode.validate(command, world)).toBeDefined();
    expect(command && singleNode.validate(command, world)).toBeUndefined();
  });
});
