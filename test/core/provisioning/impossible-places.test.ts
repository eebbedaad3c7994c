import { expect, test } from 'vitest';
import { type Pod, type PodSpec, podKey } from '../../../lib/apis/kubernetes.ts';
import { provision } from '../../../lib/core/provisioning/provision.ts';
import type { NodeOptions } from '../../builders/nodes.ts';
import {
  affinityTerm,
  avoiding,
  joining,
  type PodOptions,
  pendingPod,
  runningPod,
  spread,
} from '../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { NOW_MS, SECOND } from '../../builders/times.ts';

const LABELS = { app: 'web' };
const ON_HOST = affinityTerm({ topologyKey: 'kubernetes.io/hostname' });
const A = 'eu-west-3a';
const B = 'eu-west-3b';

/** `one` in zone a was launched for the pods `web-1` to `web-3`; `other` in zone b has run for an hour. */
function placesOf(pods: readonly Pod[], { isStarting = true, zone = B } = {}): readonly string[] {
  const labels = { 'karpenter.sh/initialized': isStarting ? 'false' : 'true' };
  const planned = { pods: ['default/web-1', 'default/web-2', 'default/web-3'] };
  const nodes = [initializedNode({ name: 'one', zone: A, labels }, planned), initializedNode({ name: 'other', zone })];
  const { schedule } = provision(snapshotOf(nodes, { pods }), { decisionId: 'd', nowMs: NOW_MS });
  return schedule.existing
    .flatMap(({ stateNode, pods: placed }) => placed.map(({ metadata }) => `${metadata.name} → ${stateNode.name}`))
    .toSorted();
}

const small = (name: string, spec: Partial<PodSpec>, over: PodOptions = {}): PodOptions => ({
  name,
  labels: LABELS,
  requests: { cpu: '100m' },
  spec,
  ...over,
});

const pairWith = (spec: Partial<PodSpec>): readonly Pod[] => [
  pendingPod(small('web-1', spec)),
  pendingPod(small('web-2', spec)),
];
const elsewhere = (spec: Partial<PodSpec> = {}): Pod => runningPod('other', small('first', spec));
const KEPT = ['web-1 → one', 'web-2 → one'];
const MOVED = ['web-1 → other', 'web-2 → other'];

test('B66: a pod keeps its planned node only if bound pods of its group with affinity leave it possible', () => {
  for (const term of [affinityTerm(), ON_HOST]) {
    const together = { affinity: joining(term) };
    expect(placesOf(pairWith(together))).toEqual(KEPT);
    expect(placesOf([...pairWith(together), elsewhere(together)])).toEqual(MOVED);
    expect(placesOf([...pairWith(together), elsewhere(together)], { isStarting: false })).toEqual(MOVED);
  }
});

test('B66: affinity by zone to a pod in the same zone, on whichever node, keeps the planned node', () => {
  const together = { affinity: joining(affinityTerm()) };
  expect(placesOf([...pairWith(together), elsewhere(together)], { zone: A })).toEqual(KEPT);
});

test('B66: affinity to a pod that keeps its own planned node keeps the planned node, although others are elsewhere', () => {
  const [, follower] = pairWith({ affinity: joining(affinityTerm()) });
  const leader = pendingPod(small('web-1', {}, { requests: { cpu: '50m' } }));
  expect(placesOf([...(follower === undefined ? [] : [follower]), leader, elsewhere()])).toEqual(KEPT);
});

test('B66: a pod does not keep a planned node with a bound pod that it avoids, or that avoids it', () => {
  for (const term of [affinityTerm(), ON_HOST]) {
    const pair = [
      pendingPod(small('web-1', { affinity: avoiding(term) })),
      pendingPod(small('web-2', {}, { labels: {} })),
    ];
    expect(placesOf(pair)).toEqual(KEPT);
    const taken = runningPod('one', small('first', {}));
    expect(placesOf([...pair, taken])).toEqual(['web-1 → other', 'web-2 → one']);
    const avoider = runningPod('one', small('first', { affinity: avoiding(term) }));
    expect(placesOf([...pairWith({}), avoider])).toEqual(MOVED);
  }
});

test('B66: a spread may still become even while the node starts; once it is initialized, the constraint decides', () => {
  for (const topologyKey of ['topology.kubernetes.io/zone', 'kubernetes.io/hostname']) {
    const even = { topologySpreadConstraints: [spread({ topologyKey })] };
    const [one, two] = ['first', 'second'].map((name) => runningPod('one', small(name, even)));
    const pods = [...pairWith(even), ...(one === undefined ? [] : [one]), ...(two === undefined ? [] : [two])];
    expect(placesOf(pods)).toEqual(KEPT);
    // The other one needs a further node.
    expect(placesOf(pods, { isStarting: false })).toEqual(['web-1 → other']);
    expect(placesOf(pairWith(even), { isStarting: false })).toEqual(['web-1 → one', 'web-2 → other']);
  }
});

test('B66: a pod with a spread that counts other pods keeps its node if it can be bound there before them', () => {
  const counting = small('web-1', { topologySpreadConstraints: [spread()] }, { labels: {} });
  const counted = ['web-2', 'web-3'].map((name) => pendingPod(small(name, {}, { requests: { cpu: '300m' } })));
  const pods = [pendingPod(counting), ...counted];
  expect(placesOf(pods, { isStarting: false })).toEqual([...KEPT, 'web-3 → one']);
  const bound = ['first', 'second'].map((name) => runningPod('one', small(name, {})));
  expect(placesOf([...pods, ...bound], { isStarting: false })).toEqual(['web-1 → other', 'web-2 → one', 'web-3 → one']);
});

const launchedFor = (options: NodeOptions, createdAtMs: number) =>
  initializedNode(options, { pods: ['default/web-1'], createdAtMs });

test('B66: of two nodes that were launched for a pod, it keeps the younger one, before other pods take its room', () => {
  const together = { affinity: joining(affinityTerm()) };
  const other = initializedNode({ name: 'other', zone: B });
  const first = runningPod('other', small('first', together, { requests: { cpu: '1900m' } }));
  const follower = pendingPod(small('web-1', together, { requests: { cpu: '1200m' } }));
  const large = pendingPod({ name: 'large', requests: { cpu: '1500m' } });
  for (const isStarting of [true, false]) {
    const labels = { 'karpenter.sh/initialized': isStarting ? 'false' : 'true' };
    for (const [impossible, possible] of [
      ['one', 'two'],
      ['two', 'one'],
    ] as const) {
      const nodes = [
        launchedFor({ name: impossible, zone: A, labels }, NOW_MS - SECOND),
        launchedFor({ name: possible, zone: B, labels }, NOW_MS),
        other,
      ];
      const pods = [first, follower, large];
      const { schedule } = provision(snapshotOf(nodes, { pods }), { decisionId: 'd', nowMs: NOW_MS });
      const places = schedule.existing.map(({ stateNode, pods: placed }) => [stateNode.name, placed.map(podKey)]);
      expect(Object.fromEntries(places)).toEqual({ [possible]: ['default/web-1'], [impossible]: ['default/large'] });
      expect(schedule.newClaims).toEqual([]);
    }
  }
});
