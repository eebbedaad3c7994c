import { describe, expect, test } from 'vitest';
import { HOSTNAME } from '../../../../lib/apis/labels.ts';
import { UNREGISTERED_TAINT } from '../../../../lib/apis/taints.ts';
import type { Action } from '../../../../lib/core/model/decision.ts';
import type { NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import { decisionParts } from '../../../../lib/core/provisioning/decision-parts.ts';
import {
  awaitedStarts,
  awaitedUntilMs,
  startTurns,
} from '../../../../lib/core/provisioning/follow-plan/start-together.ts';
import { provision } from '../../../../lib/core/provisioning/provision.ts';
import { someBufferPods } from '../../../builders/capacity-buffers.ts';
import { decide, viewOf } from '../../../builders/claim-view.ts';
import { aDecision } from '../../../builders/decisions.ts';
import { launchedClaim } from '../../../builders/node-claims.ts';
import { aNode, type NodeOptions } from '../../../builders/nodes.ts';
import { affinityTerm, joining, type PodOptions, pendingPods, spread } from '../../../builders/pods.ts';
import { aSnapshot } from '../../../builders/snapshots.ts';
import { MINUTE, NOW_MS, SECOND } from '../../../builders/times.ts';

const LARGE = { requests: { cpu: '1500m' } };
const OVER_ZONES = { labels: { app: 'web' }, spec: { topologySpreadConstraints: [spread()] } };
const IN_ONE_ZONE = { labels: { app: 'web' }, spec: { affinity: joining(affinityTerm()) } };

/** The turns of the new claims. */
function turnsOf(count: number, options: PodOptions): readonly unknown[] {
  const { actions } = provision(aSnapshot({ pods: pendingPods(count, options) }), { decisionId: 'one', nowMs: NOW_MS });
  return actions.flatMap(newClaimOf).map(({ startTurn }) => startTurn);
}

function newClaimOf(action: Action): readonly NodeClaimRecord[] {
  return action.kind === 'create-node-claim' ? [action.nodeClaim] : [];
}

describe('B67: which nodes start together', () => {
  test('those of a decision with pods that must run in the same zone', () => {
    const turns = turnsOf(40, { ...LARGE, ...IN_ONE_ZONE });
    expect(turns.length).toBeGreaterThan(1);
    expect(new Set(turns)).toEqual(new Set([1]));
  });

  test('the nodes for such pods come first', () => {
    const others = { pods: pendingPods(2) };
    expect(startTurns([others, { pods: pendingPods(2, IN_ONE_ZONE) }, others])).toEqual([2, 1, 2]);
  });

  test('those of a decision with a hundred pods that are spread over zones, all at once', () => {
    const others = { pods: pendingPods(2) };
    const many = { pods: pendingPods(100, OVER_ZONES) };
    expect(startTurns([others, many])).toEqual([1, 1]);
    expect(startTurns([others, { pods: many.pods.slice(1) }])).toBeUndefined();
    expect(startTurns([others, many, { pods: pendingPods(2, IN_ONE_ZONE) }])).toEqual([2, 2, 1]);
    const soft = { topologySpreadConstraints: [spread({ whenUnsatisfiable: 'ScheduleAnyway' })] };
    const overHosts = { topologySpreadConstraints: [spread({ topologyKey: HOSTNAME })] };
    for (const spec of [soft, overHosts])
      expect(startTurns([others, { pods: pendingPods(100, { ...OVER_ZONES, spec }) }])).toBeUndefined();
  });

  test('not for the virtual pods of a CapacityBuffer, which are never bound', () => {
    const virtual = someBufferPods(100).map((pod) => ({
      ...pod,
      spec: { ...pod.spec, ...IN_ONE_ZONE.spec, ...OVER_ZONES.spec },
    }));
    expect(startTurns([{ pods: virtual }, { pods: pendingPods(2) }])).toBeUndefined();
    expect(startTurns([{ pods: virtual }, { pods: pendingPods(2, IN_ONE_ZONE) }])).toEqual([2, 1]);
  });

  test('not a single node, and not those of pods without such affinity', () => {
    expect(turnsOf(1, IN_ONE_ZONE)).toEqual([undefined]);
    expect(new Set(turnsOf(40, LARGE))).toEqual(new Set([undefined]));
    const onOneNode = { affinity: joining(affinityTerm({ topologyKey: HOSTNAME })) };
    expect(startTurns([{ pods: pendingPods(2, { spec: onOneNode }) }, { pods: pendingPods(1) }])).toBeUndefined();
  });
});

const AT = (seconds: number): string => new Date(NOW_MS + seconds * SECOND).toISOString();

interface Seen {
  readonly node?: NodeOptions;
  readonly over?: Partial<NodeClaimRecord>;
  /** How many seconds after the recorded launch EC2 launched the instance, by its clock. @default EC2 does not describe it */
  readonly launchedAfter?: number;
}

const secondsOf = (ms: number | undefined) => (ms === undefined ? undefined : (ms - NOW_MS) / SECOND);

/** Until when the nodes of a decision wait, in seconds, by their turn. */
function awaited(claims: readonly Seen[], isSingle = false): readonly unknown[] {
  const records = claims.map(({ over }, at) =>
    launchedClaim({ name: `claim-${at}`, startTurn: at === 0 ? 1 : 2, ...over }, { id: `i-${at}` }),
  );
  const nodeOf = ({ name }: NodeClaimRecord) => {
    const { node } = claims[records.findIndex((one) => one.name === name)] ?? {};
    return node === undefined ? undefined : aNode(node);
  };
  const launchedAtMs = ({ name, launch }: NodeClaimRecord) => {
    const { launchedAfter } = claims[records.findIndex((one) => one.name === name)] ?? {};
    return launchedAfter === undefined || launch.kind !== 'launched' ? undefined : launch.atMs + launchedAfter * SECOND;
  };
  const [until] = awaitedStarts(records, { nodeOf, launchedAtMs, isSingle }).values();
  return until === undefined ? [] : [secondsOf(until[1]), secondsOf(until[2])];
}

describe('B67: until when they wait', () => {
  const first = { node: { creationTimestamp: AT(5) } };

  test('until all are Ready, at the latest 20 s after the first Node was created', () => {
    expect(awaited([first, {}])).toEqual([25, 25]);
    expect(awaited([first, { node: { creationTimestamp: AT(3), ready: false } }])).toEqual([23, 23]);
    expect(awaited([first, { node: { creationTimestamp: AT(3) } }])).toEqual([undefined, undefined]);
  });

  test('those of the second turn do not wait until those of the first one are registered: one run registers them', () => {
    const second = { node: { creationTimestamp: AT(3) } };
    const registered = { ...first, over: { registeredAtMs: NOW_MS + 9 * SECOND } };
    expect(awaited([registered, second])).toEqual([undefined, undefined]);
  });

  test('not for a claim that gets no node or is deleted, and not once all are registered', () => {
    const refused = { launch: { kind: 'refused', attempt: 1, message: '', atMs: NOW_MS } } as const;
    expect(awaited([first, { over: refused }])).toEqual([undefined, undefined]);
    const deletion = { reason: 'deleted', message: '', requestedAtMs: NOW_MS } as const;
    expect(awaited([first, { over: { deletion } }])).toEqual([undefined, undefined]);
    expect(awaited([{ ...first, over: { registeredAtMs: NOW_MS } }])).toEqual([]);
  });

  test('also if the decision is recorded in parts, of which some have only nodes of the second turn', () => {
    const pods = [
      ...pendingPods(60, { requests: { cpu: '5' } }),
      ...pendingPods(2, { ...IN_ONE_ZONE, requests: { cpu: '5' } }),
    ];
    const decision = aDecision(provision(aSnapshot({ pods }), { decisionId: 'one', nowMs: NOW_MS }));
    const parts = decisionParts(decision).map(({ actions }) => actions.flatMap(newClaimOf));
    expect(parts.map((claims) => claims.length)).toEqual([50, 12]);
    const records = parts.flat();
    const [joined] = records;
    const until = awaitedStarts(records, {
      nodeOf: (record) => (record === joined ? aNode(first.node) : undefined),
      launchedAtMs: () => undefined,
      isSingle: false,
    });
    const waits = records.map((record) => secondsOf(awaitedUntilMs(record, until)));
    expect(waits).toEqual(Array.from(records, () => 25));
  });

  test('a run for a single claim does not know the other nodes, so it waits, and for a node of the second turn 2 s longer', () => {
    expect(awaited([first], true)).toEqual([25, 27]);
    expect(awaited([{ ...first, over: { startTurn: 2 } }], true)).toEqual([25, 27]);
  });

  test.each<[string, readonly [Seen, Seen], number]>([
    ['two minutes behind', [{ launchedAfter: 120 }, { launchedAfter: 121 }], -95],
    ['behind, as one launch shows', [{ launchedAfter: 120 }, {}], -95],
    ['ahead, or the response was late', [{ launchedAfter: -60 }, { launchedAfter: -61 }], 25],
    ['behind only for one of the launches', [{ launchedAfter: 120 }, { launchedAfter: -1 }], 25],
  ])('20 s, if the clock of lifecycle is %s', (_, [one, other], until) => {
    expect(awaited([{ ...first, ...one }, other])).toEqual([until, until]);
  });

  test('nothing is known before the first node has joined', () => {
    expect(awaited([{}, {}])).toEqual([]);
  });
});

describe('B67: the registration', () => {
  const WAITS = { awaitsOthersUntilMs: NOW_MS + 20 * SECOND };
  const seen = (taints: NodeOptions['taints'] = [UNREGISTERED_TAINT], labels: NodeOptions['labels'] = {}) =>
    viewOf(launchedClaim(), { node: aNode({ taints, labels }), ...WAITS });

  test('waits with a reason and is reconciled at the end of the time', () => {
    const { actions, blocked, due } = decide(seen(), NOW_MS);
    expect(actions).toEqual([]);
    expect(blocked).toEqual([expect.objectContaining({ reason: 'AwaitsOtherNodes' })]);
    expect(due).toContainEqual({ atMs: NOW_MS + 20 * SECOND, kind: 'settling' });
  });

  test('waits also for a node that joins with the label of the registration (D5)', () => {
    const joined = seen([UNREGISTERED_TAINT], { 'karpenter.sh/registered': 'true' });
    expect(decide(joined, NOW_MS)).toMatchObject({ actions: [], blocked: [{ reason: 'AwaitsOtherNodes' }] });
    expect(decide(joined, NOW_MS + 20 * SECOND).actions[0]?.kind).toBe('register-node');
  });

  test('is made at the end of the time, and at once for a node to which pods may be bound already', () => {
    expect(decide(seen(), NOW_MS + 20 * SECOND).actions[0]?.kind).toBe('register-node');
    expect(decide(seen([]), NOW_MS).actions[0]?.kind).toBe('register-node');
  });

  test('does not wait in the last minute before the registration timeout', () => {
    const nowMs = NOW_MS + 14 * MINUTE;
    const waits = { awaitsOthersUntilMs: nowMs + 20 * SECOND };
    const view = viewOf(launchedClaim(), { node: aNode({ taints: [UNREGISTERED_TAINT] }), ...waits });
    expect(decide(view, nowMs - 30 * SECOND).due).toContainEqual({ atMs: nowMs, kind: 'settling' });
    expect(decide(view, nowMs).actions[0]?.kind).toBe('register-node');
  });

  test('does not wait for a node that was registered before', () => {
    const lost = launchedClaim({ registeredAtMs: NOW_MS, nodeName: 'node-1' });
    const { actions } = decide(viewOf(lost, { node: aNode({ taints: [UNREGISTERED_TAINT] }), ...WAITS }), NOW_MS);
    expect(actions[0]?.kind).toBe('register-node');
  });
});
