import { expect, test } from 'vitest';
import { SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { isCandidate } from '../../../lib/core/disruption/candidates.ts';
import { disruptBy } from '../../../lib/core/disruption/disrupt.ts';
import type { Method, Move, World } from '../../../lib/core/disruption/method.ts';
import { emptiness } from '../../../lib/core/disruption/methods/emptiness.ts';
import { planDisruption } from '../../../lib/core/disruption/plan-disruption.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import { aPoolView } from '../../builders/node-pools.ts';
import { runningPod } from '../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { NOW_MS } from '../../builders/times.ts';

/** Two nodes, of which the budget allows one. */
function clusterOf(pods: number, options: ClusterSnapshot['options'] = {}): ClusterSnapshot {
  const nodes = [initializedNode({ name: 'small' }), initializedNode({ name: 'large', labels: LARGE })];
  const nodePools = [aPoolView({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '1' }] } })];
  const running = Array.from({ length: pods }, (_, index) => runningPod('elsewhere', { name: `pod-${index}` }));
  return { ...snapshotOf(nodes, { nodePools }), pods: running, options };
}

const LARGE = { 'node.kubernetes.io/instance-type': 'm5.xlarge' };

/** A method that may remove the large node only with Karpenter's packing, and the small one only without it. */
const method: Method = {
  ...emptiness,
  name: 'single-node',
  reason: 'Underutilized',
  propose: (world) => ({ moves: removing(nodeFor(world), world), blocked: [], due: [] }),
  validate: ({ candidates }, world) =>
    candidates.some(({ node }) => node === nodeFor(world)) ? removing(nodeFor(world), world)[0] : undefined,
};

function nodeFor({ options }: World): string {
  return options.packing === 'first-fit' ? 'large' : 'small';
}

function removing(name: string, { candidates, budgets }: World): readonly Move[] {
  const judged = candidates.nodes.filter((node) => node.name === name).map((node) => candidates.judge(node));
  const { within } = budgets.take(judged.filter(isCandidate), 'Underutilized');
  return within.map((one) => ({ candidates: [one], replacements: [] }));
}

function planned(snapshot: ClusterSnapshot, methods = [method]): readonly (string | undefined)[] {
  return planDisruption(methods, snapshot, NOW_MS).commands.map(({ candidates }) => candidates[0]?.stateNode.name);
}

test("E21: for few pods, Karpenter's packing is used if a plan with it saves more", () => {
  expect(planned(clusterOf(300))).toEqual(['large']);
});

test('E21: more pods are packed in one way', () => {
  expect(planned(clusterOf(301))).toEqual(['small']);
});

test('E21: a plan with the same savings has the cheapest packing', () => {
  const same: Method = { ...method, propose: (world) => ({ moves: removing('small', world), blocked: [], due: [] }) };
  expect(planned(clusterOf(0), [same])).toEqual(['small']);
});

test("E29: a command with Karpenter's packing is validated with this packing", () => {
  const snapshot = clusterOf(0);
  const proposed = disruptBy([method], snapshot, { decisionId: 'decision-1', nowMs: NOW_MS });
  const commands = proposed.actions.flatMap((action) => (action.kind === 'start-disruption' ? [action.command] : []));
  expect(commands.map(({ candidates }) => candidates[0]?.node)).toEqual(['large']);
  const nowMs = NOW_MS + 15 * SECOND_MS;
  const { actions } = disruptBy([method], { ...snapshot, commands }, { decisionId: 'decision-2', nowMs });
  expect(actions.map(({ kind }) => kind)).toEqual(['delete-node-claim', 'end-disruption']);
});
