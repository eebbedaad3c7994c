import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../../lib/apis/kubernetes.ts';
import type { DisruptionBudget } from '../../../../lib/apis/node-pool.ts';
import { stateNodes } from '../../../../lib/core/cluster/state-node.ts';
import { givesUpAtMs } from '../../../../lib/core/disruption/command/patience.ts';
import { disruptBy } from '../../../../lib/core/disruption/disrupt.ts';
import { emptiness } from '../../../../lib/core/disruption/methods/emptiness.ts';
import type { ClusterSnapshot } from '../../../../lib/core/model/cluster-snapshot.ts';
import { requeueAt } from '../../../../lib/core/model/decision.ts';
import type { ReplacingCommand } from '../../../../lib/core/model/disruption-command.ts';
import type { NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import { refusedClaims } from '../../../../lib/core/provisioning/unreadable-claims.ts';
import { aReplacingCommand, candidatesNamed } from '../../../builders/decisions.ts';
import { launchedClaim } from '../../../builders/node-claims.ts';
import { aPoolView } from '../../../builders/node-pools.ts';
import { aBudget, CORDONED, type NodeOptions } from '../../../builders/nodes.ts';
import { pendingPod, runningPod } from '../../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../../builders/snapshots.ts';
import { HOUR, MINUTE, NOW_MS, SECOND } from '../../../builders/times.ts';

const COMMAND = aReplacingCommand({ candidates: candidatesNamed('a', 'b'), replacementClaims: ['claim-new'] });
const LATER = COMMAND.replacingSinceMs + MINUTE;
const DELETED = { reason: 'spot_interrupted', message: 'EC2 interrupts it', requestedAtMs: NOW_MS } as const;
const KEPT = { 'karpenter.sh/do-not-disrupt': 'true' };

function candidate(name: string, node: NodeOptions = {}, claim: Partial<NodeClaimRecord> = {}) {
  return initializedNode({ name, taints: CORDONED.taints, ...node }, claim);
}

/** A schedule that fires each day in the minute of a time. */
function cronAt(atMs: number): string {
  const at = new Date(atMs);
  return `${at.getUTCMinutes()} ${at.getUTCHours()} * * *`;
}

function withBudgets(...budgets: readonly DisruptionBudget[]) {
  return { nodePools: [aPoolView({ disruption: { consolidateAfter: '0s', budgets } })] };
}

function podsOf(...nodes: readonly string[]): readonly Pod[] {
  return nodes.map((node) => runningPod(node, { name: `web-${node}` }));
}

/** Candidates a and b, and the replacement `claim-new`, which is initialized. */
function cluster(over: Partial<ClusterSnapshot> = {}, nodes = [candidate('a'), candidate('b')]): ClusterSnapshot {
  return snapshotOf([...nodes, initializedNode({ name: 'new' })], {
    nodePools: [aPoolView({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] } })],
    pods: podsOf('a', 'b'),
    commands: [COMMAND],
    ...over,
  });
}

function decide(snapshot: ClusterSnapshot, nowMs = LATER) {
  return disruptBy([emptiness], snapshot, { decisionId: 'decision-1', nowMs });
}

function words(snapshot: ClusterSnapshot, nowMs = LATER): readonly string[] {
  return decide(snapshot, nowMs).actions.map((action) => {
    if (action.kind === 'delete-node-claim') return `delete ${action.nodeClaim}`;
    if (action.kind === 'end-disruption') return `${action.outcome}: ${action.why}`;
    return 'node' in action && typeof action.node !== 'string' ? `${action.kind} ${action.node.name}` : action.kind;
  });
}

/** The same cluster before the replacement is initialized. */
function starting(over: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  const snapshot = cluster(over);
  return {
    ...snapshot,
    nodes: snapshot.nodes.filter(({ metadata }) => metadata.name !== 'new'),
    nodeClaims: [
      ...snapshot.nodeClaims.filter(({ name }) => name !== 'claim-new'),
      launchedClaim({ name: 'claim-new' }, { id: 'i-new' }),
    ],
  };
}

describe('a command that waits for its replacements (E34)', () => {
  test('deletes its candidates when all replacements are initialized, and nominates these for the pods', () => {
    const { actions } = decide(cluster());
    expect(actions).toMatchObject([
      { kind: 'nominate-node', node: 'new', pods: ['default/web-a', 'default/web-b'] },
      { kind: 'delete-node-claim', nodeClaim: 'claim-a', reason: 'underutilized' },
      {
        kind: 'delete-node-claim',
        nodeClaim: 'claim-b',
        message: 'node b is underutilized (single-node), replaced by claim-new',
      },
      { kind: 'end-disruption', command: 'command-1', outcome: 'executed' },
    ]);
  });

  test('saves the prices of its candidates less those at which its replacements were launched', () => {
    const end = decide(cluster()).actions.at(-1);
    // Two nodes for $0.1/h each. The replacement was planned for $0.05/h, and launched for $0.1/h.
    expect(end).toMatchObject({ kind: 'end-disruption', savingUsdPerHour: 0.1 });
  });

  test('waits while a replacement is not initialized, and runs again when it would give up', () => {
    const verdict = decide(starting());
    expect(verdict.actions).toEqual([]);
    expect(verdict.due).toContainEqual({ atMs: COMMAND.replacingSinceMs + 10 * MINUTE, kind: 'settling' });
  });

  test('waits while the record of a replacement cannot be read, and while its node is not Ready', () => {
    const snapshot = starting();
    const unreadable = refusedClaims([{ name: 'claim-new', message: 'it is damaged' }]);
    const nodeClaims = snapshot.nodeClaims.filter(({ name }) => name !== 'claim-new');
    expect(words({ ...snapshot, nodeClaims, ignoredObjects: unreadable })).toEqual([]);
    const notReady = initializedNode({ name: 'new', ready: false });
    expect(words(snapshotOf([candidate('a'), candidate('b'), notReady], { commands: [COMMAND] }))).toEqual([]);
  });

  test('a candidate that leaves for another reason does not affect the others', () => {
    const gone = candidate('b', {}, { deletion: DELETED });
    expect(words(cluster({}, [candidate('a'), gone]))).toEqual([
      'nominate-node',
      'delete claim-a',
      'executed: all replacements are initialized, 1 other candidates were removed for other reasons',
    ]);
    expect(words(cluster({ pods: [] }, [candidate('a')]))).toContain('delete claim-a');
  });

  test('ends if all candidates left for other reasons', () => {
    const nodes = ['a', 'b'].map((name) => candidate(name, {}, { deletion: DELETED }));
    expect(words(cluster({}, nodes))).toEqual(['rejected: its nodes were removed for other reasons']);
  });

  test('waits while a PodDisruptionBudget or a budget of the NodePool allows no disruption', () => {
    const pods = [...podsOf('a'), runningPod('b', { name: 'guarded', labels: { app: 'web' } })];
    const pdb = { pods, podDisruptionBudgets: [aBudget()] };
    expect(words(cluster(pdb))).toEqual([]);
    const closed = [aPoolView({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '1' }] } })];
    expect(words(cluster({ nodePools: closed }))).toEqual([]);
  });

  test('does not count its own nodes against the budget, and counts those of commands before it', () => {
    const nodePools = [aPoolView({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '2' }] } })];
    expect(words(cluster({ nodePools }))).toContain('delete claim-a');
    const earlier = aReplacingCommand({
      id: 'command-0',
      candidates: candidatesNamed('c'),
      replacementClaims: ['claim-d'],
    });
    const nodes = [candidate('a'), candidate('b'), candidate('c')];
    const snapshot = cluster({ nodePools, commands: [COMMAND, earlier] }, nodes);
    const waiting = {
      ...snapshot,
      nodeClaims: [...snapshot.nodeClaims, launchedClaim({ name: 'claim-d' }, { id: 'i-d' })],
    };
    expect(words(waiting)).toEqual([]);
  });

  describe('whose window of a budget has closed since its replacements were launched', () => {
    const closing = (over: Partial<DisruptionBudget> = {}): DisruptionBudget => ({
      nodes: '0',
      schedule: cronAt(COMMAND.replacingSinceMs + MINUTE),
      duration: '23h',
      ...over,
    });
    const closedMs = COMMAND.replacingSinceMs + 5 * MINUTE;

    test('deletes its candidates', () => {
      const shut = withBudgets({ nodes: '2' }, closing());
      expect(words(cluster(shut), closedMs)).toContain('delete claim-b');
      expect(words(cluster(withBudgets({ nodes: '2' }, closing({ nodes: '1' }))), closedMs)).toContain(
        'delete claim-b',
      );
    });

    test('waits if the window was closed at their launch too, or if an edited budget has no schedule', () => {
      const earlier = closing({ schedule: cronAt(COMMAND.replacingSinceMs - MINUTE) });
      expect(words(cluster(withBudgets({ nodes: '2' }, earlier)), closedMs)).toEqual([]);
      expect(words(cluster(withBudgets({ nodes: '0' }, closing())), closedMs)).toEqual([]);
    });

    test('waits for nodes that are not Ready and for commands before it, as the budget at the launch requires', () => {
      const shut = withBudgets({ nodes: '2' }, closing());
      const unready = [candidate('a'), candidate('b'), candidate('c', { ready: false, taints: [] })];
      expect(words(cluster(shut, unready), closedMs)).toEqual([]);
      const earlier = aReplacingCommand({
        id: 'command-0',
        candidates: candidatesNamed('c'),
        replacementClaims: ['claim-d'],
      });
      const snapshot = cluster(
        { ...shut, commands: [COMMAND, earlier] },
        ['a', 'b', 'c'].map((name) => candidate(name)),
      );
      const starts = launchedClaim({ name: 'claim-d' }, { id: 'i-d' });
      expect(words({ ...snapshot, nodeClaims: [...snapshot.nodeClaims, starts] }, closedMs)).toEqual([]);
    });

    test('gives up with the numbers of the budget at the launch, which the window does not explain', () => {
      const unready = [candidate('a'), candidate('b'), candidate('c', { ready: false, taints: [] })];
      const why = words(
        cluster(withBudgets({ nodes: '2' }, closing()), unready),
        COMMAND.replacingSinceMs + 10 * MINUTE,
      );
      expect(why[0]).toBe(
        'rejected: after 10m, the budget for Underutilized allows 2 disruptions at once, and 2 are in progress',
      );
    });

    test('deletes its candidates too if a window has ended that was open at their launch', () => {
      const ended = closing({ nodes: '1', schedule: cronAt(COMMAND.replacingSinceMs - MINUTE), duration: '2m' });
      expect(words(cluster(withBudgets({ nodes: '2' }, ended)), closedMs)).toContain('delete claim-b');
    });
  });

  test('does not count a candidate twice that is not Ready any more', () => {
    const nodePools = [aPoolView({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '2' }] } })];
    const nodes = [candidate('a', { ready: false }), candidate('b')];
    expect(words(cluster({ nodePools }, nodes))).toContain('delete claim-a');
  });

  test('counts a candidate that leaves for another reason', () => {
    const nodePools = [aPoolView({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '1' }] } })];
    const gone = candidate('b', {}, { deletion: DELETED });
    expect(words(cluster({ nodePools }, [candidate('a'), gone]))).toEqual([]);
  });
});

describe('a command gives up (E35)', () => {
  function rejected(snapshot: ClusterSnapshot, nowMs = LATER): string {
    const all = words(snapshot, nowMs);
    expect(all.slice(1)).toEqual(['uncordon-node a', 'uncordon-node b']);
    return all[0] ?? '';
  }

  test('if a replacement no longer exists or is being deleted', () => {
    const snapshot = starting();
    const without = snapshot.nodeClaims.filter(({ name }) => name !== 'claim-new');
    expect(rejected({ ...snapshot, nodeClaims: without })).toBe('rejected: replacement claim-new no longer exists');
    const deleted = [...without, launchedClaim({ name: 'claim-new', deletion: DELETED }, { id: 'i-new' })];
    expect(rejected({ ...snapshot, nodeClaims: deleted })).toBe(
      'rejected: replacement claim-new is being deleted (spot_interrupted): EC2 interrupts it',
    );
  });

  test('if a pod or a node must not be disrupted since, without waiting for the replacements', () => {
    const pods = [...podsOf('a', 'b'), runningPod('b', { name: 'kept', annotations: KEPT })];
    expect(rejected(starting({ pods }))).toBe(
      'rejected: node b must stay: pod default/kept has the annotation karpenter.sh/do-not-disrupt',
    );
    const kept = candidate('a', { annotations: KEPT });
    expect(rejected(cluster({}, [kept, candidate('b')]))).toContain('node a must stay');
  });

  test('if pods of the PodDisruptionBudget that keeps a candidate are pending for a minute', () => {
    const web = { labels: { app: 'web' } };
    const guarded = [...podsOf('a'), runningPod('b', { name: 'guarded', ...web })];
    const pdb = (pods: readonly Pod[]) => cluster({ pods, podDisruptionBudgets: [aBudget()] });
    const pending = pdb([...guarded, pendingPod({ name: 'new', ...web })]);
    const initialized = pending.nodeClaims.find(({ name }) => name === 'claim-new')?.initializedAtMs ?? 0;
    expect(words(pending, initialized + MINUTE - SECOND)).toEqual([]);
    expect(decide(pending, initialized + MINUTE - SECOND).due).toContainEqual(requeueAt(initialized + MINUTE));
    expect(rejected(pending, initialized + MINUTE)).toBe(
      'rejected: node b must stay: PodDisruptionBudget web allows no disruption; pending pods of this budget: 1',
    );
    expect(
      words(pdb([...guarded, pendingPod({ name: 'other', labels: { app: 'other' } })]), initialized + MINUTE),
    ).toEqual([]);
  });

  test('if the NodePool is gone', () => {
    expect(rejected(cluster({ nodePools: [] }))).toBe(
      'rejected: node a must stay: its NodePool general does not exist',
    );
  });

  test('after ten minutes, with the reason for which it waited', () => {
    const since = COMMAND.replacingSinceMs;
    expect(words(starting(), since + 10 * MINUTE - SECOND)).toEqual([]);
    expect(rejected(starting(), since + 10 * MINUTE)).toBe(
      'rejected: after 10m, replacements are not initialized: claim-new',
    );
    const closed = [aPoolView({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '0' }] } })];
    expect(rejected(cluster({ nodePools: closed }), since + 10 * MINUTE)).toBe(
      'rejected: after 10m, the budget for Underutilized allows 0 disruptions at once, and 0 are in progress',
    );
  });

  test('after an hour, if only PodDisruptionBudgets that may allow evictions later keep its candidates', () => {
    const since = COMMAND.replacingSinceMs;
    const guarded = [...podsOf('a'), runningPod('b', { name: 'guarded', labels: { app: 'web' } })];
    const held = cluster({ pods: guarded, podDisruptionBudgets: [aBudget()] });
    expect(words(held, since + HOUR - SECOND)).toEqual([]);
    expect(decide(held, since + HOUR - SECOND).due).toContainEqual(requeueAt(since + HOUR));
    expect(rejected(held, since + HOUR)).toBe(
      'rejected: after 1h, node b must stay: PodDisruptionBudget web allows no disruption',
    );
    const notComputed = aBudget({
      metadata: { name: 'web', namespace: 'default', generation: 2 },
      status: { observedGeneration: 1, disruptionsAllowed: 0 },
    });
    expect(rejected({ ...held, podDisruptionBudgets: [notComputed] }, since + 10 * MINUTE)).toBe(
      'rejected: after 10m, node b must stay: PodDisruptionBudget web allows no disruption',
    );
  });

  test('a minute after the replacements, if a PodDisruptionBudget that can never allow an eviction keeps a candidate', () => {
    const pods = [...podsOf('a'), runningPod('b', { name: 'guarded', labels: { app: 'web' } })];
    const never = aBudget({ status: { disruptionsAllowed: 0, expectedPods: 1, desiredHealthy: 1, currentHealthy: 1 } });
    const held = cluster({ pods, podDisruptionBudgets: [never] });
    const initialized = held.nodeClaims.find(({ name }) => name === 'claim-new')?.initializedAtMs ?? 0;
    expect(words(held, initialized + MINUTE - SECOND)).toEqual([]);
    expect(rejected(held, initialized + MINUTE)).toBe(
      'rejected: node b must stay: PodDisruptionBudget default/web (minAvailable: 1) requires 1 of 1 pods, so none can ever be evicted: raise maxUnavailable, lower minAvailable, or add replicas',
    );
  });

  test('not for a budget that does not hold the node: its pod is not ready, and may be evicted', () => {
    const { status: _ready, ...crashing } = runningPod('b', { name: 'crashing', labels: { app: 'single' } });
    const pods = [...podsOf('a'), runningPod('b', { name: 'guarded', labels: { app: 'web' } }), crashing];
    const single = aBudget({
      metadata: { name: 'single', namespace: 'default' },
      spec: { selector: { matchLabels: { app: 'single' } }, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
      status: { disruptionsAllowed: 0, expectedPods: 1, desiredHealthy: 1, currentHealthy: 0 },
    });
    const held = cluster({ pods, podDisruptionBudgets: [aBudget(), single] });
    expect(words(held, COMMAND.replacingSinceMs + 10 * MINUTE)).toEqual([]);
    expect(rejected(held, COMMAND.replacingSinceMs + HOUR)).toContain(
      'after 1h, node b must stay: PodDisruptionBudget web',
    );
  });

  test('after 80 ms for each command in flight, from ten minutes to an hour', () => {
    const patience = [1, 7_500, 10_000, 100_000].map(
      (count) => givesUpAtMs({ ...COMMAND, replacingSinceMs: 0 }, count)[0],
    );
    expect(patience).toEqual([10 * MINUTE, 10 * MINUTE, 800 * SECOND, HOUR]);
  });
});

test('if a budget became smaller, commands in flight are carried out in their order, and do not wait for each other', () => {
  const first = aReplacingCommand({
    id: 'command-1',
    candidates: candidatesNamed('a'),
    replacementClaims: ['claim-new'],
  });
  const second = { ...first, id: 'command-2', candidates: candidatesNamed('b') };
  const nodePools = [aPoolView({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '1' }] } })];
  expect(words(cluster({ commands: [first, second], nodePools }))).toEqual([
    'nominate-node',
    'delete claim-a',
    'executed: all replacements are initialized',
  ]);
});

function leaving(snapshot: ClusterSnapshot): readonly string[] {
  return stateNodes(snapshot).flatMap(({ name, deleting }) => (deleting ? [name] : []));
}

describe('the nodes of a command that waits', () => {
  test('count as being deleted for the placement of pods, while all replacements exist', () => {
    expect(leaving(starting())).toEqual(['a', 'b']);
    expect(leaving(starting({ commands: [] }))).toEqual([]);
    const snapshot = starting();
    const lost = snapshot.nodeClaims.filter(({ name }) => name !== 'claim-new');
    expect(leaving({ ...snapshot, nodeClaims: lost })).toEqual([]);
  });

  test('and their replacements are not candidates of another command', () => {
    const waiting: ReplacingCommand = { ...COMMAND, replacementClaims: ['claim-new', 'claim-other'] };
    const snapshot = cluster({ commands: [waiting] });
    const other = launchedClaim({ name: 'claim-other' }, { id: 'i-other' });
    // The node new is empty, and is not proposed.
    expect(words({ ...snapshot, nodeClaims: [...snapshot.nodeClaims, other] })).toEqual([]);
  });
});
