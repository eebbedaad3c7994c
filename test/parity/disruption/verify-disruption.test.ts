import { describe, expect, test } from 'vitest';
import { aDocument, aGivenClaim, aGivenNode, aGivenPod, aGivenPool } from '../../snapshot/documents.ts';
import { disruptionPlanOf, planOf } from '../plan-of.ts';
import { type RawCommand, type RawDisruptionSnapshot, verifyDisruption } from './verify-disruption.ts';

/** The verifier of disruption plans finds each violation. */

type Json = Readonly<Record<string, unknown>>;

const NAMES = ['node-1', 'node-2', 'node-3'];

function pool(nodes: string): Json {
  return aGivenPool('general', { disruption: { consolidateAfter: '0s', budgets: [{ nodes }] } });
}

function cluster(over: Json = {}): RawDisruptionSnapshot {
  return JSON.parse(
    JSON.stringify(
      aDocument({
        nodePools: [pool('100%')],
        nodes: NAMES.map((name) => aGivenNode(name)),
        nodeClaims: NAMES.map((name) => aGivenClaim(name)),
        ...over,
      }),
    ),
  );
}

function running(name: string, nodeName: string, annotations: Json = {}): Json {
  return aGivenPod(name, { nodeName }, { metadata: { name, labels: { app: 'web' }, annotations } });
}

function deleting(...nodes: readonly string[]): RawCommand {
  const candidates = nodes.map((node) => ({ node, nodePool: 'general', price: 0.1 }));
  const usd = nodes.length * 0.1;
  return {
    method: 'multi-node',
    reason: 'Underutilized',
    candidates,
    replacements: [],
    sourceHourlyPrice: usd,
    estimatedHourlySavings: usd,
  };
}

const KEPT = { 'karpenter.sh/do-not-disrupt': 'true' };
const PDB = { metadata: { name: 'web' }, spec: { selector: { matchLabels: { app: 'web' } } } };
const full = NAMES.flatMap((node) => ['a', 'b'].map((name) => running(`${node}-${name}`, node)));

describe('a violation of a disruption plan is found', () => {
  test.each<readonly [string, { readonly over?: Json; readonly commands: readonly RawCommand[] }, RegExp]>([
    [
      'a node that is removed twice',
      { commands: [deleting('node-1'), deleting('node-1')] },
      /^node node-1 is removed twice$/,
    ],
    ['an unknown node', { commands: [deleting('node-9')] }, /^node node-9 does not exist$/],
    [
      'a pod with do-not-disrupt',
      { over: { pods: [running('web', 'node-1', KEPT)] }, commands: [deleting('node-1')] },
      /^pod default\/web has do-not-disrupt$/,
    ],
    [
      'an exhausted PodDisruptionBudget',
      { over: { pods: [running('web', 'node-1')], pdbs: [PDB] }, commands: [deleting('node-1')] },
      /^a PodDisruptionBudget allows no eviction of pod default\/web$/,
    ],
    [
      'more nodes than the budgets allow',
      { over: { nodePools: [pool('50%')] }, commands: [deleting('node-1', 'node-2'), deleting('node-3')] },
      /^3 nodes of NodePool general are disrupted; Underutilized allows 2$/,
    ],
    ['a wrong sum', { commands: [{ ...deleting('node-1'), sourceHourlyPrice: 1 }] }, /its nodes cost 0.1, not 1$/],
    ['wrong savings', { commands: [{ ...deleting('node-1'), estimatedHourlySavings: 1 }] }, /it saves 0.1, not 1$/],
    [
      'pods without a place',
      { over: { pods: full }, commands: [deleting('node-1')] },
      /^pod default\/node-1-a is evicted and has no place$/,
    ],
  ])('%s', (_what, { over = {}, commands }, message) => {
    expect(verifyDisruption(cluster(over), { commands }, planOf)).toContainEqual(expect.stringMatching(message));
  });

  test('a correct plan has none', () => {
    const snapshot = cluster({ pods: [running('web', 'node-1'), running('api', 'node-2')] });
    const plan = disruptionPlanOf(snapshot);
    expect(plan.commands).not.toEqual([]);
    expect(verifyDisruption(snapshot, plan, planOf)).toEqual([]);
  });
});
