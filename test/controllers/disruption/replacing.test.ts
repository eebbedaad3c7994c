import { describe, expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { DO_NOT_DISRUPT } from '../../../lib/apis/labels.ts';
import { isRecord, ownField } from '../../../lib/apis/record.ts';
import { isReplacing } from '../../../lib/core/model/disruption-command.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { RefusedError } from '../../../lib/ports/errors.ts';
import { around } from '../../../lib/simulator/faults.ts';
import { writePod } from '../../../lib/simulator/kubernetes/state.ts';
import type { OpenSimulation } from '../../../lib/simulator/simulation.ts';
import { expectAtRest, isTainted, ofKind, type Played, play, rejections, type Story, threeNodes } from './replacing.ts';

describe('a command with replacements (E33, E34)', () => {
  test('replaces nodes: the new nodes are initialized before the old ones are deleted', async () => {
    const played = await play();
    expectAtRest(played);
    const started = ofKind(played, 'continue-disruption');
    expect(ofKind(played, 'delete-node-claim').map(({ reason }) => reason)).toEqual(Array(3).fill('underutilized'));
    expect(rejections(played)).toEqual([]);
    expect(played.nodesLaunched).toBe(6);
    expect(new Set(started.flatMap(({ command }) => command.replacementClaims)).size).toBe(3);
    // The initialization of a node wakes the function, which does not wait for the next minute.
    const initialized = ofKind(played, 'initialize-node').flatMap(({ at, replaces }) => (replaces ? [at] : []));
    const executed = ofKind(played, 'end-disruption').map(({ at }) => at);
    expect(executed.map((at, index) => at - (initialized[index] ?? 0)).every((seconds) => seconds < 3)).toBe(true);
  });

  test('E34: nodes are deleted although the window of their budget has closed since the replacements were launched', async () => {
    const closesAtMinute = 4;
    const budgets = [{ nodes: '100%' }, { nodes: '0', schedule: `${closesAtMinute} 0 * * *`, duration: '23h' }];
    const slower = { kind: 'boots', atMs: 2 * MINUTE_MS, slowByMs: 2 * MINUTE_MS, failPercent: 0 } as const;
    const played = await play({ manifests: threeNodes({ budgets }), events: [slower] });
    expectAtRest(played);
    const times = (kind: 'continue-disruption' | 'delete-node-claim') => ofKind(played, kind).map(({ at }) => at / 60);
    expect(times('continue-disruption').every((minute) => minute < closesAtMinute)).toBe(true);
    expect(times('delete-node-claim').every((minute) => minute >= closesAtMinute)).toBe(true);
    expect([rejections(played), played.nodesLaunched, played.nodesAtEnd]).toEqual([[], 6, 3]);
  });

  test('as many commands run at once as the budget allows (E36)', async () => {
    let most = 0;
    const played = await play({
      manifests: threeNodes({ budgets: [{ nodes: '1' }] }),
      each: ({ state }) => {
        most = Math.max(most, [...state.nodes.values()].filter(isTainted).length);
      },
    });
    expectAtRest(played);
    expect(most).toBe(1);
    expect(ofKind(played, 'continue-disruption')).toHaveLength(3);
  });

  test('limits without room for the replacements keep the nodes (promise 2)', async () => {
    const manifests = threeNodes();
    const [pool] = manifests.nodePools;
    if (pool === undefined) throw new Error('no pool');
    const limited = { ...pool, spec: { ...pool.spec, limits: { nodes: '4' } } };
    const played = await play({ manifests: { ...manifests, nodePools: [limited] } });
    expectAtRest(played);
    expect(played.nodesAtPeak).toBeLessThanOrEqual(4);
    // There is room for one replacement at a time. A node that is being deleted makes room for the next one.
    expect(ofKind(played, 'continue-disruption')).toHaveLength(3);
    const why = ofKind(played, 'blocked').filter(({ reason }) => reason === 'LimitExceeded');
    expect(why[0]?.message).toContain('its replacement does not fit beside it');
    const full = await play({
      manifests: { ...manifests, nodePools: [{ ...pool, spec: { ...pool.spec, limits: { nodes: '3' } } }] },
    });
    expect(ofKind(full, 'start-disruption')).toEqual([]);
    expectAtRest(full);
  });
});

test('a command whose deletion is refused is rejected with the cause, and has saved nothing', async () => {
  let held: string | undefined;
  const played = await play({
    wrapPorts: (ports) =>
      around(ports, async ({ method, args: [record] }, go) => {
        if (method !== 'store.updateNodeClaim' || !isUnderutilized(record)) return go();
        held ??= record.name;
        if (record.name === held) throw new RefusedError('denied');
        return go();
      }),
  });
  const ends = ofKind(played, 'end-disruption').filter(({ deletes = [], refused = [] }) =>
    [...deletes, ...refused].some(({ nodeClaim }) => nodeClaim === held),
  );
  expect(ends.length).toBeGreaterThan(0);
  for (const { outcome, why, savingUsdPerHour, refused = [] } of ends) {
    expect([outcome, savingUsdPerHour]).toEqual(['rejected', undefined]);
    expect(why).toMatch(/^the deletion of i-\S+ was refused: denied$/);
    expect(refused).toMatchObject([{ nodeClaim: held, message: 'denied' }]);
  }
  expect(played.disruption.nodesReplaced).toBe(2);
  expect(played.commands).toEqual([]);
});

function isUnderutilized(record: unknown): record is NodeClaimRecord {
  return isRecord(record) && ownField(ownField(record, 'deletion'), 'reason') === 'underutilized';
}

/** Does something once, as soon as a command waits for its replacements. */
function onceReplacing(what: (simulation: OpenSimulation) => void): NonNullable<Story['each']> {
  let isDone = false;
  return (simulation) => {
    if (isDone || [...simulation.state.nodes.values()].filter(isTainted).length === 0) return;
    isDone = true;
    what(simulation);
  };
}

/** No pod ended before the time at which the commands were started, and every pod runs at the end. */
function expectNoEvictions(played: Played): void {
  expect(ofKind(played, 'evict-pod')).toEqual([]);
}

describe('a command that cannot be completed (E35)', () => {
  test('replacements that never register: it gives up, and the nodes take pods again', async () => {
    const never = { kind: 'machines', how: 'never-join', percent: 100 } as const;
    const played = await play({
      durationMs: 25 * MINUTE_MS,
      events: [{ kind: 'fault', fault: never, atMs: 2 * MINUTE_MS }],
    });
    expect(rejections(played).length).toBeGreaterThan(0);
    expectNoEvictions(played);
    expect(played.podsRunning).toBe(3);
    expect(rejections(played)[0]).toMatch(/^after 10m, replacements are not initialized|is being deleted/);
  });

  test('no capacity for the replacements: it is rejected as soon as they are given up', async () => {
    const played = await play({
      events: [{ kind: 'withoutCapacity', atMs: 3 * MINUTE_MS, forMs: 20 * MINUTE_MS }],
      durationMs: 22 * MINUTE_MS,
    });
    expectAtRest(played);
    expectNoEvictions(played);
    expect(rejections(played)[0]).toContain('is being deleted (insufficient_capacity)');
    expect(played.nodesAtEnd).toBe(3);
  });

  test('a candidate that EC2 interrupts in the middle does not affect the other commands', async () => {
    const played = await play({
      events: [{ kind: 'interruptSpot', atMs: 205 * SECOND_MS, count: 1 }],
    });
    expectAtRest(played);
    expect(played.spotInterruptions).toBe(1);
    expect(
      ofKind(played, 'end-disruption').filter(({ outcome }) => outcome === 'executed').length,
    ).toBeGreaterThanOrEqual(2);
  });

  test('a pod that must not be disrupted keeps its node', async () => {
    const played = await play({
      durationMs: 8 * MINUTE_MS,
      each: onceReplacing(({ state }) => {
        const pod = [...state.pods.values()].find(({ metadata }) => metadata.name.startsWith('web'));
        if (pod === undefined) throw new Error('no pod');
        const annotations = { ...pod.metadata.annotations, [DO_NOT_DISRUPT]: 'true' };
        writePod(state, { ...pod, metadata: { ...pod.metadata, annotations } });
      }),
    });
    expectAtRest(played);
    expect(rejections(played)).toEqual([expect.stringContaining('has the annotation karpenter.sh/do-not-disrupt')]);
    expect(ofKind(played, 'uncordon-node')).toHaveLength(1);
  });

  test.each([
    ['stay while budgets allow no removal of empty nodes', { nodes: '0' }, 6],
    ['are removed as empty if only the rollout is stopped', { nodes: '0', reasons: ['Underutilized'] }, 3],
  ] as const)(
    'a NodePool whose budget is edited to 0 in the middle delays the deletions, and the command gives up: its replacements %s',
    async (_, stopped, left) => {
      const played = await play({
        each: onceReplacing(({ state }) => {
          const pool = state.nodePools.get('general');
          if (pool === undefined) throw new Error('no pool');
          const disruption = { ...pool.spec.disruption, budgets: [{ nodes: '100%' }, stopped] };
          state.nodePools.set('general', { ...pool, spec: { ...pool.spec, disruption } });
        }),
        durationMs: 20 * MINUTE_MS,
      });
      expectAtRest(played);
      expectNoEvictions(played);
      expect(rejections(played)).toEqual(Array(3).fill(expect.stringContaining('after 10m, the budget for')));
      expect(played.nodesAtEnd).toBe(left);
    },
  );

  test('a NodePool that is deleted in the middle ends the command', async () => {
    const played = await play({
      each: onceReplacing(({ state }) => void state.nodePools.delete('general')),
      durationMs: 10 * MINUTE_MS,
    });
    expect(rejections(played).length).toBe(3);
    expect(played.commands).toEqual([]);
    expect(played.nodes.filter(isTainted)).toEqual([]);
  });

  test('while the table is throttled, no command is lost', async () => {
    const played = await play({
      durationMs: 40 * MINUTE_MS,
      events: [
        {
          kind: 'fault',
          fault: { kind: 'calls-fail', calls: ['store.*'], error: 'throttled', where: 'before', percent: 30 },
          atMs: 3 * MINUTE_MS,
          forMs: 15 * MINUTE_MS,
        },
      ],
    });
    expectAtRest(played);
  });

  test('E33: while its start cannot be recorded, no replacement is launched, so pods that arrive do not use it up', async () => {
    const played = await play({
      durationMs: 40 * MINUTE_MS,
      events: [
        {
          kind: 'fault',
          fault: {
            kind: 'calls-fail',
            calls: ['store.continueCommand'],
            error: 'throttled',
            where: 'before',
            percent: 100,
          },
          atMs: MINUTE_MS,
          forMs: 14 * MINUTE_MS,
        },
        { kind: 'scale', deployment: 'default/web', replicas: 6, atMs: 10 * MINUTE_MS },
      ],
    });
    expectAtRest(played, 6);
    const startedAt = ofKind(played, 'continue-disruption')[0]?.at ?? 0;
    expect(startedAt).toBeGreaterThanOrEqual(15 * 60);
    const launchedBefore = ofKind(played, 'instance-launched').filter(({ at }) => at < startedAt);
    expect(launchedBefore, 'one node for each pod').toHaveLength(6);
    const forPods = ofKind(played, 'create-node-claim').filter(({ controller }) => controller === 'provisioning');
    expect(forPods, 'no node for an evicted pod').toHaveLength(6);
  });
});

describe('what is left of a command (E1)', () => {
  test('nodes whose command is lost lose the taint with the next run', async () => {
    let isLost = false;
    const played = await play({
      durationMs: 12 * MINUTE_MS,
      wrapPorts: (ports) => ({
        ...ports,
        store: {
          ...ports.store,
          listCommands: async (cluster) => {
            const commands = await ports.store.listCommands(cluster);
            if (isLost || !commands.some(isReplacing)) return commands;
            isLost = true;
            for (const { id } of commands) await ports.store.endCommand(cluster, id);
            return [];
          },
        },
      }),
    });
    expect(isLost).toBe(true);
    expect(ofKind(played, 'uncordon-node').length).toBeGreaterThanOrEqual(3);
    expect(played.nodes.filter(isTainted)).toEqual([]);
    expect(played.podsRunning).toBe(3);
  });
});
