import { describe, expect, test } from 'vitest';
import type { PodDisruptionBudget } from '../../../../lib/apis/kubernetes.ts';
import { isCandidate } from '../../../../lib/core/disruption/candidates.ts';
import { disruptBy } from '../../../../lib/core/disruption/disrupt.ts';
import type { Method, World } from '../../../../lib/core/disruption/method.ts';
import { emptiness } from '../../../../lib/core/disruption/methods/emptiness.ts';
import { planDisruption } from '../../../../lib/core/disruption/plan-disruption.ts';
import type { ClusterSnapshot } from '../../../../lib/core/model/cluster-snapshot.ts';
import { nextTick } from '../../../../lib/core/model/decision.ts';
import { aCommand, candidatesNamed } from '../../../builders/decisions.ts';
import { aPoolView } from '../../../builders/node-pools.ts';
import { aBudget } from '../../../builders/nodes.ts';
import { type PodOptions, runningPod } from '../../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../../builders/snapshots.ts';
import { NOW_MS } from '../../../builders/times.ts';

/** Deletes these nodes, each in a command of its own. */
function deleting(...names: readonly string[]): Method {
  const propose = ({ candidates }: World) => {
    const nodes = candidates.nodes.filter(({ name }) => names.includes(name));
    const found = nodes.map((node) => candidates.judge(node, 'eventual')).filter(isCandidate);
    return { moves: found.map((one) => ({ candidates: [one], replacements: [] })), blocked: [], due: [] };
  };
  return { ...emptiness, name: 'single-node', reason: 'Underutilized', propose };
}

function drifting(...names: readonly string[]): Method {
  return { ...deleting(...names), name: 'drift', reason: 'Drifted' };
}

const WEB: PodOptions = { labels: { app: 'web' } };

function allowing(disruptionsAllowed: number, spec: Partial<PodDisruptionBudget['spec']> = {}): PodDisruptionBudget {
  return aBudget({
    spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
    status: { disruptionsAllowed },
  });
}

/** Three nodes with two pods of the budget each, and a node with another pod. */
function cluster(over: Partial<ClusterSnapshot>, pod: PodOptions = WEB): ClusterSnapshot {
  const names = ['a', 'b', 'c', 'other'];
  return snapshotOf(
    names.map((name) => initializedNode({ name })),
    {
      nodePools: [aPoolView({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] } })],
      pods: names.flatMap((name) =>
        [1, 2].map((at) => runningPod(name, { name: `${name}-${at}`, ...(name === 'other' ? {} : pod) })),
      ),
      ...over,
    },
  );
}

function decide(methods: readonly Method[], snapshot: ClusterSnapshot) {
  const { actions, blocked, due } = disruptBy(methods, snapshot, { decisionId: 'decision-1', nowMs: NOW_MS });
  const started = actions.flatMap((action) => (action.kind === 'start-disruption' ? [action.command] : []));
  return { nodes: started.map(({ candidates }) => candidates.map(({ node }) => node).join(' ')), blocked, due };
}

const ALL = deleting('a', 'b', 'c', 'other');

describe('moves of one decision (promise 3)', () => {
  test('evict together no more pods of a PodDisruptionBudget than it allows; the later ones wait', () => {
    const { nodes, blocked, due } = decide([ALL], cluster({ podDisruptionBudgets: [allowing(4)] }));
    expect(nodes).toEqual(['a', 'b', 'other']);
    expect(blocked).toEqual([
      {
        subject: { kind: 'Node', name: 'c' },
        nodePool: 'general',
        reason: 'PDBInUse',
        message:
          'PodDisruptionBudget default/web allows 4 evictions now, other commands evict 4 of its pods, and the node has 2 more',
        numbers: { disruptionsAllowed: 4, evictedByOthers: 4, pods: 2 },
      },
    ]);
    expect(due).toContainEqual(nextTick(NOW_MS));
  });

  test('the first may evict more than the budget allows: its node is drained step by step', () => {
    expect(decide([ALL], cluster({ podDisruptionBudgets: [allowing(1)] })).nodes).toEqual(['a', 'other']);
  });

  test('wait for commands in progress, and other methods follow if all of them wait', () => {
    const commands = [aCommand({ candidates: candidatesNamed('a'), validateAtMs: NOW_MS + 1 })];
    const snapshot = cluster({ podDisruptionBudgets: [allowing(1)], commands });
    expect(decide([deleting('b', 'c'), deleting('other')], snapshot).nodes).toEqual(['other']);
  });

  test.each<[string, readonly PodDisruptionBudget[], PodOptions]>([
    ['a budget of another namespace', [{ ...allowing(1), metadata: { name: 'web', namespace: 'shop' } }], WEB],
    [
      'pods that are not ready under a budget that always allows these evictions',
      [allowing(1, { unhealthyPodEvictionPolicy: 'AlwaysAllow' })],
      { ...WEB, status: { phase: 'Running' } },
    ],
    ['pods of a DaemonSet', [allowing(1)], { ...WEB, owner: 'DaemonSet' }],
  ])('do not wait for %s', (_, podDisruptionBudgets, pod) => {
    expect(decide([ALL], cluster({ podDisruptionBudgets }, pod)).nodes).toEqual(['a', 'b', 'c', 'other']);
  });

  test('drifted nodes with a deadline do not wait (E5), and others wait for them', () => {
    const snapshot = cluster({ podDisruptionBudgets: [allowing(1)] });
    const nodeClaims = snapshot.nodeClaims.map((one) =>
      one.name === 'claim-c' ? one : { ...one, spec: { ...one.spec, terminationGracePeriod: '1h' } },
    );
    expect(decide([drifting('a', 'b', 'c')], { ...snapshot, nodeClaims }).nodes).toEqual(['a', 'b']);
  });
});

test('a plan has every command, and says which would wait', () => {
  const snapshot = cluster({ podDisruptionBudgets: [allowing(2)] });
  const { commands } = planDisruption([deleting('a', 'b')], snapshot, NOW_MS);
  expect(commands.map(({ waitsFor }) => waitsFor?.reason)).toEqual([undefined, 'PDBInUse']);
});
