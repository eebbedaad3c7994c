import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../../lib/apis/kubernetes.ts';
import { isProvisionable } from '../../../../lib/core/cluster/pods.ts';
import { compareText } from '../../../../lib/core/compare-text.ts';
import type { ClusterSnapshot } from '../../../../lib/core/model/cluster-snapshot.ts';
import type { NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import {
  awaitedNodes,
  awaitedNominations,
  doSeveralStart,
  lostNominations,
  withdrawnNominations,
} from '../../../../lib/core/provisioning/follow-plan/pod-nominations.ts';
import { provision } from '../../../../lib/core/provisioning/provision.ts';
import { launchedClaim } from '../../../builders/node-claims.ts';
import { avoiding, pendingPod, pendingPods, runningPod, spread } from '../../../builders/pods.ts';
import { aSnapshot, initializedNode } from '../../../builders/snapshots.ts';
import { NOW_MS, SECOND } from '../../../builders/times.ts';

function nominationsOf(over: Partial<ClusterSnapshot>) {
  const { podNominations } = provision(aSnapshot(over), { decisionId: 'decision-1', nowMs: NOW_MS });
  return podNominations.map(({ pod, before, node }) => `${pod.name}: ${before ?? '-'} → ${node ?? '-'}`);
}

function placesOf(over: Partial<ClusterSnapshot>) {
  const { schedule } = provision(aSnapshot(over), { decisionId: 'decision-1', nowMs: NOW_MS });
  return schedule.existing
    .flatMap(({ stateNode, pods }) => pods.map(({ metadata }) => `${metadata.name} → ${stateNode.name}`))
    .toSorted();
}

/** The pod with a nomination that the manager has written. */
function nominated(pod: Pod, node: string, manager = 'kerf'): Pod {
  const managedFields = [{ manager: 'kubectl' }, { manager, subresource: 'status' }];
  return { ...pod, metadata: { ...pod.metadata, managedFields }, status: { ...pod.status, nominatedNodeName: node } };
}

const SMALL = { requests: { cpu: '100m' } };
const starting = (name: string, pods: readonly string[], expectedNodeName?: string) =>
  launchedClaim({ name, pods, ...(expectedNodeName !== undefined && { expectedNodeName }) }, { id: `i-${name}` });

describe('B66: nominations', () => {
  test('the pods of a claim are nominated as soon as the name of its node is known, before the node exists', () => {
    const pods = pendingPods(2, SMALL);
    const keys = ['default/web-1', 'default/web-2'];
    expect(nominationsOf({ pods, nodeClaims: [starting('a', keys)] })).toEqual([]);
    expect(nominationsOf({ pods, nodeClaims: [starting('a', keys, 'node-a')] })).toEqual([
      'web-1: - → node-a',
      'web-2: - → node-a',
    ]);
  });

  test('a pod that is placed on an existing node is nominated for it, and a pod with its nomination is not written again', () => {
    const { node, nodeClaim } = initializedNode();
    const pods = [pendingPod({ name: 'new', ...SMALL }), nominated(pendingPod({ name: 'old', ...SMALL }), 'node-1')];
    expect(nominationsOf({ nodes: [node], nodeClaims: [nodeClaim], pods })).toEqual(['new: - → node-1']);
  });

  test('pods with a node, and pods with the nomination of another component, are left alone (B6)', () => {
    const { node, nodeClaim } = initializedNode();
    const preempting = nominated(pendingPod({ name: 'preempting' }), 'node-1', 'kube-scheduler');
    expect(isProvisionable(preempting)).toBe(false);
    expect(isProvisionable(nominated(pendingPod(), 'node-1'))).toBe(true);
    const pods = [preempting, nominated(runningPod('node-1', { name: 'bound' }), 'node-1')];
    expect(nominationsOf({ nodes: [node], nodeClaims: [nodeClaim], pods })).toEqual([]);
  });

  test('a nomination is removed if its claim is deleted, and replaced if the pod is planned for another node', () => {
    const gone = nominated(pendingPod(SMALL), 'node-a');
    const deletion = { reason: 'launch_timeout', message: '', requestedAtMs: NOW_MS } as const;
    const dying = { ...starting('a', ['default/web-1'], 'node-a'), deletion };
    expect(nominationsOf({ pods: [gone], nodeClaims: [dying] })).toEqual(['web-1: node-a → -']);
    const { node, nodeClaim } = initializedNode();
    expect(nominationsOf({ pods: [gone], nodes: [node], nodeClaims: [nodeClaim, dying] })).toEqual([
      'web-1: node-a → node-1',
    ]);
  });

  test('a nominated pod keeps its node, so that later runs do not nominate another one', () => {
    const two = [initializedNode({ name: 'node-1' }), initializedNode({ name: 'node-2' })];
    const world = { nodes: two.map(({ node }) => node), nodeClaims: two.map(({ nodeClaim }) => nodeClaim) };
    for (const name of ['node-1', 'node-2']) {
      expect(nominationsOf({ ...world, pods: [nominated(pendingPod(SMALL), name)] })).toEqual([]);
    }
  });

  test('a pod keeps the initialized node that was launched for it while it is not bound, if it still fits there', () => {
    const planned = { pods: ['default/web-1'] };
    const two = [initializedNode({ name: 'node-1' }), initializedNode({ name: 'node-2' }, planned)];
    const world = { nodes: two.map(({ node }) => node), nodeClaims: two.map(({ nodeClaim }) => nodeClaim) };
    const pods = pendingPods(2, SMALL);
    expect(nominationsOf({ ...world, pods })).toEqual(['web-1: - → node-2', 'web-2: - → node-1']);
    const full = runningPod('node-2', { name: 'other', requests: { cpu: '3900m' } });
    expect(nominationsOf({ ...world, pods: [...pods, full] })).toEqual(['web-1: - → node-1', 'web-2: - → node-1']);
  });

  test('pods without a nomination keep the claims that were launched for them, although other pods are nominated', () => {
    const { node, nodeClaim } = initializedNode();
    const old = nominated(pendingPod({ name: 'old', ...SMALL }), 'node-1');
    const pods = pendingPods(2, { requests: { cpu: '400m' } });
    const launched = [starting('a', ['default/web-1']), starting('b', ['default/web-2'])];
    for (const nodeClaims of [launched, launched.toReversed()]) {
      const places = placesOf({ pods: [...pods, old], nodes: [node], nodeClaims: [nodeClaim, ...nodeClaims] });
      expect(places).toEqual(['old → node-1', 'web-1 → a', 'web-2 → b']);
    }
  });

  test('a pod keeps an initialized node only if its topology rules allow it beside all pods that keep theirs', () => {
    const nodes = ['a', 'b', 'c'].map((zone) => initializedNode({ name: `node-${zone}`, zone: `eu-west-3${zone}` }));
    const world = { nodes: nodes.map(({ node }) => node), nodeClaims: nodes.map(({ nodeClaim }) => nodeClaim) };
    const web = { labels: { app: 'web' }, ...SMALL, spec: { topologySpreadConstraints: [spread()] } };
    const bound = ['b', 'c'].map((zone) => runningPod(`node-${zone}`, { ...web, name: `bound-${zone}` }));
    const inC = nominated(pendingPod({ ...web, name: 'in-c' }), 'node-c');
    // The kube-scheduler binds the pod of the zone a first, and then allows the zone c.
    const inA = nominated(pendingPod({ ...web, name: 'in-a' }), 'node-a');
    expect(placesOf({ ...world, pods: [...bound, inC, inA] })).toEqual(['in-a → node-a', 'in-c → node-c']);
    expect(placesOf({ ...world, pods: [...bound, inC] })).toEqual(['in-c → node-a']);
  });

  test('those come first whose place matters most: affinity to pods, anti-affinity on nodes, spread over nodes, large pods', () => {
    const { node, nodeClaim } = initializedNode();
    const app = { app: 'web' };
    const topologyKey = 'kubernetes.io/hostname';
    const alone = { labelSelector: { matchLabels: { app: 'alone' } }, topologyKey };
    const near = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [inZoneOf(app)] } };
    const pods = [
      pendingPod({ name: 'small', ...SMALL }),
      pendingPod({ name: 'large', requests: { cpu: '300m' } }),
      pendingPod({
        name: 'spread',
        labels: app,
        ...SMALL,
        spec: { topologySpreadConstraints: [spread({ topologyKey })] },
      }),
      pendingPod({ name: 'apart', ...SMALL, spec: { affinity: avoiding(alone) } }),
      pendingPod({ name: 'together', labels: app, ...SMALL, spec: { affinity: near } }),
    ];
    const order = nominationsOf({ nodes: [node], nodeClaims: [nodeClaim], pods }).map((text) => text.split(':')[0]);
    expect(order).toEqual(['together', 'apart', 'spread', 'large', 'small']);
  });

  test('of pods that are spread over zones and count each other, one is nominated for a node: they block each other', () => {
    const web = { ...SMALL, labels: { app: 'web' }, spec: { topologySpreadConstraints: [spread({ maxSkew: 3 })] } };
    const pods = pendingPods(2, web);
    const keys = ['default/web-1', 'default/web-2'];
    const { node, nodeClaim } = initializedNode({ name: 'node-a' }, { pods: keys });
    const running = { nodes: [node], nodeClaims: [nodeClaim] };
    const first = nominated(pendingPod(web), 'node-a');
    for (const world of [{ nodeClaims: [starting('a', keys, 'node-a')] }, running]) {
      expect(nominationsOf({ ...world, pods })).toEqual(['web-1: - → node-a']);
      expect(nominationsOf({ ...world, pods: [first, ...pods.slice(1)] })).toEqual([]);
      // Both are kept.
      expect(nominationsOf({ ...world, pods: pods.map((pod) => nominated(pod, 'node-a')) })).toEqual([]);
    }
    // They do not count each other, so one of them can be bound first.
    const apart = spread({ labelSelector: { matchLabels: { app: 'other' } } });
    const inTurn = pendingPod({ ...web, name: 'other', spec: { topologySpreadConstraints: [apart] } });
    const counted = pendingPod({ ...web, name: 'other', labels: { app: 'other' } });
    for (const other of [inTurn, counted])
      expect(nominationsOf({ ...running, pods: [first, other] })).toEqual(['other: - → node-a']);
    const soft = { topologySpreadConstraints: [spread({ whenUnsatisfiable: 'ScheduleAnyway' })] };
    const both = ['web-1: - → node-a', 'web-2: - → node-a'];
    expect(nominationsOf({ ...running, pods: pendingPods(2, { ...web, spec: soft }) })).toEqual(both);
  });

  test('a pod that is spread over zones keeps the nomination of a node that has become initialized, until it is planned elsewhere', () => {
    const nodes = ['a', 'b', 'c'].map((zone) => initializedNode({ name: `node-${zone}`, zone: `eu-west-3${zone}` }));
    const world = { nodes: nodes.map(({ node }) => node), nodeClaims: nodes.map(({ nodeClaim }) => nodeClaim) };
    const web = { labels: { app: 'web' }, ...SMALL, spec: { topologySpreadConstraints: [spread()] } };
    const inA = nominated(pendingPod({ ...web, name: 'in-a' }), 'node-a');
    const boundIn = (...zones: readonly string[]) =>
      zones.map((zone) => runningPod(`node-${zone}`, { ...web, name: `bound-${zone}` }));
    expect(nominationsOf({ ...world, pods: [inA] })).toEqual([]);
    expect(nominationsOf({ ...world, pods: [inA, ...boundIn('b', 'c')] })).toEqual([]);
    // The kube-scheduler refuses the zone a while it has one pod more than the zone c.
    expect(nominationsOf({ ...world, pods: [inA, ...boundIn('a', 'b')] })).toEqual(['in-a: node-a → node-c']);
    expect(nominationsOf({ nodes: [], pods: [inA] })).toEqual(['in-a: node-a → -']);
  });

  test('without the setting, only those of Kerf are removed', () => {
    const pods = [
      nominated(pendingPod({ name: 'own' }), 'node-1'),
      nominated(pendingPod({ name: 'other' }), 'node-1', 'kube-scheduler'),
      pendingPod({ name: 'none' }),
    ];
    expect(withdrawnNominations(pods).map(({ pod, before, node }) => [pod.name, before, node])).toEqual([
      ['own', 'node-1', undefined],
    ]);
  });
});

const inZoneOf = (matchLabels: Readonly<Record<string, string>>) => ({
  labelSelector: { matchLabels },
  topologyKey: 'topology.kubernetes.io/zone',
});

const byName = (a: NodeClaimRecord, b: NodeClaimRecord) => compareText(a.name, b.name);

/** What `lostNominations` returns, in words. */
function lost(records: readonly NodeClaimRecord[], pods: readonly Pod[] = pendingPods(2, SMALL)): readonly string[] {
  return lostNominations(pods, records).map(
    ({ pod, before, node }) => `${pod.name}: ${before ?? '-'} → ${node ?? '-'}`,
  );
}

describe('B66: nominations that pods have lost while nodes start', () => {
  const KEYS = ['default/web-1', 'default/web-2'];
  const joined = { ...starting('a', KEYS), nodeName: 'node-a' };

  test('are written again from the time at which the node joins until it is initialized', () => {
    expect(lost([joined])).toEqual(['web-1: - → node-a', 'web-2: - → node-a']);
    expect(lost([starting('a', KEYS, 'node-a')])).toEqual([]);
    expect(lost([{ ...joined, initializedAtMs: NOW_MS }])).toEqual([]);
    const deletion = { reason: 'deleted', message: '', requestedAtMs: NOW_MS } as const;
    expect(lost([{ ...joined, deletion }])).toEqual([]);
  });

  test('are written again for one of the pods of a node that are spread over zones and count each other', () => {
    const spec = { topologySpreadConstraints: [spread()] };
    const pods = pendingPods(2, { ...SMALL, labels: { app: 'web' }, spec });
    const [first, ...others] = pods;
    expect(lost([joined], pods)).toEqual(['web-1: - → node-a']);
    expect(first && lost([joined], [nominated(first, 'node-a'), ...others])).toEqual([]);
  });

  test('are written again before the node joins if it waits for others then (B67)', () => {
    const expected = { ...starting('a', KEYS, 'node-a'), startTurn: 2 } as const;
    expect(lost([expected])).toEqual(['web-1: - → node-a', 'web-2: - → node-a']);
    expect(lost([{ ...starting('a', KEYS), startTurn: 2 }])).toEqual([]);
  });

  test('a nomination that a pod has is not changed, also if it is of another component or for another node', () => {
    const [one, two] = [
      nominated(pendingPod(SMALL), 'node-b'),
      nominated(pendingPod(SMALL), 'node-c', 'kube-scheduler'),
    ];
    expect(lost([joined], [one])).toEqual([]);
    expect(lost([joined], [two])).toEqual([]);
  });

  test('are written again for the youngest of several claims for a pod, whatever the names are', () => {
    const pods = pendingPods(1, SMALL);
    const later = { createdAtMs: NOW_MS + SECOND };
    for (const name of ['0-younger', 'z-younger']) {
      const younger = { ...starting(name, ['default/web-1']), ...later };
      const both = (over: Partial<NodeClaimRecord>) => lost([{ ...younger, ...over }, joined].toSorted(byName), pods);
      expect(both({ nodeName: 'node-b' })).toEqual(['web-1: - → node-b']);
      // The older one had become impossible, also while the younger one has no node yet.
      expect(both({})).toEqual([]);
      expect(both({ nodeName: 'node-b', initializedAtMs: NOW_MS })).toEqual([]);
    }
  });

  test('a nomination is replaced or removed if the claim of its node has ended: what removed it was not written', () => {
    const [first, ...others] = pendingPods(2, SMALL);
    const pods = [nominated(first ?? pendingPod(), 'node-z'), ...others];
    const deletion = { reason: 'expired', message: '', requestedAtMs: NOW_MS } as const;
    const before = { ...starting('z', []), nodeName: 'node-z' };
    expect(lost([joined, { ...before, initializedAtMs: NOW_MS }], pods)).toEqual(['web-2: - → node-a']);
    const both = ['web-1: node-z → node-a', 'web-2: - → node-a'];
    expect(lost([joined, { ...before, deletion }], pods)).toEqual(both);
    expect(lost([joined, { ...before, nodeLostAtMs: NOW_MS }], pods)).toEqual(both);
    expect(lost([{ ...starting('z', KEYS, 'node-z'), deletion }], pods)).toEqual(['web-1: node-z → -']);
    // Another instance has got the name.
    expect(
      lost(
        [
          { ...before, deletion },
          { ...joined, nodeName: 'node-z' },
        ],
        pods,
      ),
    ).toEqual(['web-2: - → node-z']);
  });

  test('pods of other claims keep what they have', () => {
    const other = pendingPod({ name: 'other', ...SMALL });
    expect(lost([joined], [other, nominated(pendingPod({ name: 'far' }), 'node-z')])).toEqual([]);
  });

  test('one node that starts alone gets its pods: only several compete for pods', () => {
    expect(doSeveralStart([joined])).toBe(false);
    const other = { ...starting('b', ['default/web-3']), nodeName: 'node-b' };
    expect(doSeveralStart([joined, other])).toBe(true);
    expect(doSeveralStart([joined, { ...other, initializedAtMs: NOW_MS }])).toBe(false);
    expect(doSeveralStart([joined, { ...other, pods: [] }])).toBe(false);
  });
});

describe('pods that wait for nodes', () => {
  test('keep the nomination of another node unless it is gone; then it is replaced, or removed while the name of theirs is not known', () => {
    const pods = [nominated(pendingPod(SMALL), 'node-b')];
    const written = (expected: string | undefined, gone: readonly string[]) =>
      awaitedNominations(new Map([[starting('a', ['default/web-1'], expected), pods]]), new Set(gone)).map(
        ({ before, node }) => `${before ?? '-'} → ${node ?? '-'}`,
      );
    expect(written('node-a', [])).toEqual([]);
    expect(written('node-a', ['node-b'])).toEqual(['node-b → node-a']);
    expect(written(undefined, ['node-b'])).toEqual(['node-b → -']);
  });

  test('a pod waits for the youngest of the claims that were made for it, whatever the names are', () => {
    const pods = [pendingPod({ name: 'web-1', createdAtMs: NOW_MS - SECOND, ...SMALL })];
    const older = starting('m-older', ['default/web-1'], 'node-a');
    for (const name of ['a-younger', 'z-younger']) {
      const younger = { ...starting(name, ['default/web-1'], 'node-b'), createdAtMs: NOW_MS + SECOND };
      const waiting = (over: Partial<NodeClaimRecord>) => {
        const { awaited } = awaitedNodes(pods, [older, { ...younger, ...over }].toSorted(byName), NOW_MS + 2 * SECOND);
        return [...awaited.keys()].map((record) => record.name);
      };
      expect(waiting({})).toEqual([name]);
      // Only a decision can plan it for the older one again.
      expect(waiting({ initializedAtMs: NOW_MS + 2 * SECOND })).toEqual([]);
    }
  });
});
