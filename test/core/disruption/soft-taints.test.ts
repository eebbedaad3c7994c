import { describe, expect, test } from 'vitest';
import type { Taint } from '../../../lib/apis/kubernetes.ts';
import { optional } from '../../../lib/apis/optional.ts';
import { disruptBy } from '../../../lib/core/disruption/disrupt.ts';
import { ALL_METHODS } from '../../../lib/core/disruption/methods/all-methods.ts';
import { softTaintChanges } from '../../../lib/core/disruption/soft-taints.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { aCommand, candidatesNamed } from '../../builders/decisions.ts';
import { claimSpec } from '../../builders/node-claims.ts';
import { aPoolView, type NodePoolOptions } from '../../builders/node-pools.ts';
import { runningPod } from '../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { NOW_MS } from '../../builders/times.ts';
import { worldOf } from './worlds.ts';

const UNDERUTILIZED: Taint = { key: 'kerf.dev/underutilized', effect: 'PreferNoSchedule' };
const TEAM: Taint = { key: 'team', effect: 'NoSchedule' };

interface Used {
  /** The CPU of the pod on the node. @default no pod */
  readonly cpu?: string;
  readonly zone?: string;
  readonly taints?: readonly Taint[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly drift?: NodeClaimRecord['drift'];
  readonly unschedulable?: boolean;
  /** The taints of its NodePool. @default none */
  readonly poolTaints?: readonly Taint[];
}

/** Nodes of 2 cpu, each with at most one pod. */
function clusterOf(nodes: Readonly<Record<string, Used>>, over: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  return snapshotOf(
    Object.entries(nodes).map(([name, { zone, taints, annotations, drift, unschedulable, poolTaints }]) =>
      initializedNode(
        { name, ...optional({ zone, taints, annotations, unschedulable }) },
        { ...optional({ drift }), ...(poolTaints !== undefined && { spec: claimSpec({ taints: poolTaints }) }) },
      ),
    ),
    {
      pods: Object.entries(nodes).flatMap(([name, { cpu }]) =>
        cpu === undefined ? [] : [runningPod(name, { name: `on-${name}`, requests: { cpu } })],
      ),
      ...over,
    },
  );
}

function changesIn(snapshot: ClusterSnapshot) {
  return softTaintChanges(worldOf(snapshot)).map(({ node, patch }) => [node.name, patch.taints]);
}

function poolWith(options: NodePoolOptions) {
  return { nodePools: [aPoolView(options)] };
}

const FULL = { full: { cpu: '1500m' }, also: { cpu: '1500m' } };

describe('nodes that the kube-scheduler uses last (E38)', () => {
  test('a node whose pods are worth less of its price than on average gets the taint', () => {
    expect(changesIn(clusterOf({ ...FULL, low: { cpu: '300m', taints: [TEAM] } }))).toEqual([
      ['low', [TEAM, UNDERUTILIZED]],
    ]);
  });

  test('it loses the taint when it is used more than others', () => {
    const nodes = {
      ...FULL,
      full: { cpu: '1500m', taints: [TEAM, UNDERUTILIZED] },
      low: { cpu: '300m', taints: [UNDERUTILIZED] },
    };
    expect(changesIn(clusterOf(nodes))).toEqual([['full', [TEAM]]]);
  });

  test('nodes near the average keep what they have', () => {
    const a = { cpu: '1000m', taints: [UNDERUTILIZED] };
    expect(changesIn(clusterOf({ a, b: { cpu: '1010m' }, c: { cpu: '1010m' } }))).toEqual([]);
    expect(changesIn(clusterOf({ a, b: { cpu: '990m' }, c: { cpu: '1010m' }, d: { cpu: '1010m' } }))).toEqual([]);
  });

  test('each zone has nodes without the taint, so that pods can be spread over the zones', () => {
    const low = { cpu: '300m', zone: 'eu-west-3b' };
    const lower = { ...low, cpu: '100m' };
    expect(changesIn(clusterOf({ ...FULL, low, also2: low, lower }))).toEqual([['lower', [UNDERUTILIZED]]]);
  });

  test('the two best used nodes of a zone never have the taint, so that pods can be spread over nodes', () => {
    const low = { cpu: '300m', taints: [UNDERUTILIZED] };
    expect(changesIn(clusterOf({ full: { cpu: '1500m' }, low, lower: { ...low, cpu: '200m' } }))).toEqual([
      ['low', []],
    ]);
    expect(changesIn(clusterOf({ full: { cpu: '1500m' }, low: { cpu: '300m' } }))).toEqual([]);
  });

  test('a node that must stay does not get the taint, and keeps it for as long as it is used less', () => {
    const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
    const kept = { cpu: '300m', annotations };
    expect(changesIn(clusterOf({ ...FULL, kept }))).toEqual([]);
    expect(changesIn(clusterOf({ ...FULL, kept: { ...kept, taints: [UNDERUTILIZED] } }))).toEqual([]);
  });

  test('a cordoned node counts neither as well used nor for the average', () => {
    const cordoned = { cpu: '1900m', unschedulable: true };
    const low = { cpu: '300m' };
    expect(changesIn(clusterOf({ cordoned, also: cordoned, low, other: low, third: low }))).toEqual([]);
  });

  test('the taint of the NodePool itself is left as it is', () => {
    const own = { taints: [UNDERUTILIZED], poolTaints: [UNDERUTILIZED] };
    expect(changesIn(clusterOf({ full: { cpu: '1500m', ...own }, low: { cpu: '300m', ...own } }))).toEqual([]);
  });

  test('a node that is promised to pending pods does not get the taint', () => {
    expect(changesIn(clusterOf({ ...FULL, next: {} }, { nominated: ['next'] }))).toEqual([]);
  });

  test('a drifted node gets the taint, however it is used, and does not change the average of the others', () => {
    const drifted = { cpu: '1900m', drift: { reason: 'NodePoolDrifted', message: 'hash', sinceMs: NOW_MS } } as const;
    const pool = poolWith({ disruption: { consolidationPolicy: 'WhenEmpty' } });
    expect(changesIn(clusterOf({ drifted, other: { cpu: '300m' } }))).toEqual([['drifted', [UNDERUTILIZED]]]);
    expect(changesIn(clusterOf({ drifted, other: { cpu: '300m' } }, pool))).toEqual([['drifted', [UNDERUTILIZED]]]);
  });

  test.each([
    ['whose NodePool consolidates only empty nodes', poolWith({ disruption: { consolidationPolicy: 'WhenEmpty' } })],
    ['whose NodePool never consolidates', poolWith({ disruption: { consolidateAfter: 'Never' } })],
    ['of a static NodePool', poolWith({ replicas: 2 })],
    ['with softTaints: false', { options: { softTaints: false } }],
  ])('a node %s loses the taint', (_, over) => {
    const nodes = { ...FULL, low: { cpu: '300m' }, last: { cpu: '200m', taints: [UNDERUTILIZED] } };
    expect(changesIn(clusterOf(nodes, over))).toEqual([['last', []]]);
  });

  test('at most 200 nodes change in a run: those that are used least', () => {
    const low = Array.from({ length: 250 }, (_, at) => [`low-${at}`, { cpu: `${100 + at}m` }] as const);
    const full = Array.from({ length: 250 }, (_, at) => [`full-${at}`, { cpu: '1900m' }] as const);
    const changed = changesIn(clusterOf(Object.fromEntries([...low, ...full]))).map(([name]) => name);
    expect(changed).toHaveLength(200);
    expect(changed[0]).toBe('low-0');
    expect(changed).not.toContain('low-249');
  });
});

test('only nodes that get the taint are compared with all PodDisruptionBudgets', () => {
  const low = Array.from({ length: 250 }, (_, at) => [`low-${at}`, { cpu: '100m', taints: [UNDERUTILIZED] }] as const);
  const world = worldOf(clusterOf({ ...FULL, ...Object.fromEntries(low), lower: { cpu: '50m' } }));
  const judged: string[] = [];
  const judge: typeof world.candidates.judge = (node) => {
    judged.push(node.name);
    return world.candidates.judge(node);
  };
  softTaintChanges({ ...world, candidates: { ...world.candidates, judge } });
  expect(judged).toEqual(['lower']);
});

test('nodes whose taints were refused a short time ago are left as they are, and others have their turn', () => {
  const low = Array.from({ length: 201 }, (_, at) => [`low-${at}`, { cpu: `${100 + at}m` }] as const);
  const full = Array.from({ length: 201 }, (_, at) => [`full-${at}`, { cpu: '1900m' }] as const);
  const world = worldOf(clusterOf(Object.fromEntries([...low, ...full])));
  const refused = new Set(low.slice(0, 200).map(([name]) => name));
  expect(softTaintChanges(world, refused).map(({ node }) => node.name)).toEqual(['low-200']);
});

describe('the verdict of disruption', () => {
  const snapshot = clusterOf({ ...FULL, low: { cpu: '300m' } });
  const context = { decisionId: 'decision-1', nowMs: NOW_MS };

  test('has the changes beside its actions', () => {
    expect(disruptBy(ALL_METHODS, snapshot, context).softTaints).toEqual([
      { nodeClaim: 'claim-low', node: { name: 'low' }, patch: { taints: [UNDERUTILIZED] } },
    ]);
  });

  test('has them also in a run that ends a command', () => {
    const command = aCommand({ candidates: candidatesNamed('lost'), validateAtMs: NOW_MS });
    const verdict = disruptBy(ALL_METHODS, { ...snapshot, commands: [command] }, context);
    expect(verdict.actions).toMatchObject([{ kind: 'end-disruption', outcome: 'rejected' }]);
    expect(verdict.softTaints).toHaveLength(1);
  });

  test('has none in shadow', () => {
    expect(disruptBy(ALL_METHODS, snapshot, { ...context, taints: false }).softTaints).toBeUndefined();
  });
});
