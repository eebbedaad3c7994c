import { describe, expect, test } from 'vitest';
import type { Affinity, Labels, PodAffinityTerm, TopologySpreadConstraint } from '../../../lib/apis/kubernetes.ts';
import { aNode } from '../../builders/nodes.ts';
import { affinityTerm, aPod, avoiding, joining, runningPod, spread } from '../../builders/pods.ts';
import { placesAfterPass } from './cluster-with.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOSTNAME = 'kubernetes.io/hostname';
const WEB = { app: 'web' };

/** One node a zone: `a` and `b`, and `b` is the smaller, so that a pod goes there only if it must. */
const A = aNode({
  name: 'a',
  zone: 'zone-a',
  labels: { rank: 'first' },
  allocatable: { cpu: '64', memory: '256Gi', pods: '99' },
});
const B = aNode({ name: 'b', zone: 'zone-b', labels: { rank: 'second' } });

describe('PodTopologySpread', () => {
  test.each<{
    readonly rule: string;
    readonly constraint: Partial<TopologySpreadConstraint>;
    readonly labels?: Labels;
    readonly there?: readonly string[];
    readonly goesTo: string;
  }>([
    { rule: 'a pod goes where the skew holds', constraint: {}, there: ['a'], goesTo: 'b' },
    { rule: 'a larger skew leaves the choice', constraint: { maxSkew: 2 }, there: ['a'], goesTo: 'a' },
    {
      rule: 'a pod that is not counted itself adds nothing',
      constraint: {},
      labels: { app: 'api' },
      there: ['a'],
      goesTo: 'a',
    },
    {
      rule: 'with fewer domains than minDomains the emptiest has none',
      constraint: { minDomains: 3 },
      there: ['a', 'b'],
      goesTo: 'none',
    },
    {
      rule: 'with as many domains as minDomains it has what it has',
      constraint: { minDomains: 2 },
      there: ['a', 'b'],
      goesTo: 'a',
    },
    { rule: 'a node without the label does not fit', constraint: { topologyKey: 'rack' }, goesTo: 'none' },
    {
      rule: 'hostnames are counted as other labels are',
      constraint: { topologyKey: HOSTNAME },
      there: ['a', 'b'],
      goesTo: 'a',
    },
    {
      rule: 'matchLabelKeys count pods of the same value',
      constraint: { matchLabelKeys: ['version'] },
      labels: { ...WEB, version: '2' },
      there: ['a'],
      goesTo: 'a',
    },
    {
      rule: 'matchLabelKeys that the pod has not say nothing',
      constraint: { matchLabelKeys: ['version'] },
      there: ['a'],
      goesTo: 'b',
    },
    {
      rule: 'matchLabelKeys with a name of every object say nothing either',
      constraint: { matchLabelKeys: ['constructor'] },
      there: ['a'],
      goesTo: 'b',
    },
    { rule: 'an empty selector counts no pod', constraint: { labelSelector: {} }, there: ['a', 'a'], goesTo: 'a' },
    {
      rule: 'ScheduleAnyway is a wish: granted where it can be',
      constraint: { whenUnsatisfiable: 'ScheduleAnyway' },
      there: ['a'],
      goesTo: 'b',
    },
    {
      rule: 'ScheduleAnyway is a wish: let go where it cannot',
      constraint: { whenUnsatisfiable: 'ScheduleAnyway', topologyKey: 'rack' },
      goesTo: 'a',
    },
  ])('$rule', ({ constraint, labels = WEB, there = [], goesTo }) => {
    const pods = there.map((node, index) =>
      runningPod(node, { name: `there-${index}`, labels: { ...WEB, version: '1' } }),
    );
    const pod = aPod({ name: 'new', labels, spec: { topologySpreadConstraints: [spread(constraint)] } });
    expect(placesAfterPass({ nodes: [A, B], pods: [...pods, pod] })['new']).toBe(goesTo);
  });

  test.each([
    { rule: 'nodes that the pod may not use do not count', policy: {}, goesTo: 'a' },
    {
      rule: 'they do with nodeAffinityPolicy Ignore',
      policy: { nodeAffinityPolicy: 'Ignore' as const },
      goesTo: 'none',
    },
  ])('$rule', ({ policy, goesTo }) => {
    const there = runningPod('a', { name: 'there', labels: WEB });
    const topologySpreadConstraints = [spread(policy)];
    const pod = aPod({
      name: 'new',
      labels: WEB,
      spec: { nodeSelector: { rank: 'first' }, topologySpreadConstraints },
    });
    expect(placesAfterPass({ nodes: [A, B], pods: [there, pod] })['new']).toBe(goesTo);
  });

  test.each([
    { rule: 'nodes with taints that the pod does not tolerate count', policy: {}, goesTo: 'none' },
    { rule: 'they do not with nodeTaintsPolicy Honor', policy: { nodeTaintsPolicy: 'Honor' as const }, goesTo: 'a' },
  ])('$rule', ({ policy, goesTo }) => {
    const tainted = aNode({ name: 'b', zone: 'zone-b', taints: [{ key: 'team', effect: 'NoSchedule' }] });
    const there = runningPod('a', { name: 'there', labels: WEB });
    const pod = aPod({ name: 'new', labels: WEB, spec: { topologySpreadConstraints: [spread(policy)] } });
    expect(placesAfterPass({ nodes: [A, tainted], pods: [there, pod] })['new']).toBe(goesTo);
  });

  test.each([
    { rule: 'pods of another namespace', there: runningPod('a', { name: 'there', labels: WEB, namespace: 'other' }) },
    { rule: 'pods that are asked to end', there: runningPod('a', { name: 'there', labels: WEB, deletionMs: 1 }) },
  ])('$rule do not count', ({ there }) => {
    const pod = aPod({ name: 'new', labels: WEB, spec: { topologySpreadConstraints: [spread()] } });
    expect(placesAfterPass({ nodes: [A, B], pods: [there, pod] })['new']).toBe('a');
  });

  test('a node counts for no constraint if it lacks the label of one', () => {
    const racked = aNode({ name: 'a', zone: 'zone-a', labels: { rack: '1' } });
    const constraints = [spread(), spread({ topologyKey: 'rack', maxSkew: 9 })];
    const there = runningPod('a', { name: 'there', labels: WEB });
    const pod = aPod({ name: 'new', labels: WEB, spec: { topologySpreadConstraints: constraints } });
    expect(placesAfterPass({ nodes: [racked, B], pods: [there, pod] })['new']).toBe('a');
  });

  test('the pods of one pass count each other', () => {
    const pods = ['1', '2', '3', '4'].map((name) =>
      aPod({ name, labels: WEB, spec: { topologySpreadConstraints: [spread()] } }),
    );
    expect(placesAfterPass({ nodes: [A, B], pods })).toEqual({ 1: 'a', 2: 'b', 3: 'a', 4: 'b' });
  });
});

describe('InterPodAffinity', () => {
  const there = (over: Parameters<typeof runningPod>[1] = {}) =>
    runningPod('b', { name: 'there', labels: WEB, ...over });
  const goesTo = (affinity: Affinity, over: Parameters<typeof aPod>[0] = {}, pods = [there()]) =>
    // The scheduler spreads pods of a ReplicaSet, and not those of a Job.
    placesAfterPass({
      nodes: [A, B],
      pods: [...pods, aPod({ name: 'new', owner: 'Job', spec: { affinity }, ...over })],
    })['new'];

  test.each<{
    readonly rule: string;
    readonly term: Partial<PodAffinityTerm>;
    readonly labels?: Labels;
    readonly at: string;
  }>([
    { rule: 'a pod joins those that the term means', term: {}, at: 'b' },
    { rule: 'a pod of the same group joins it too', term: {}, labels: WEB, at: 'b' },
    { rule: 'a node without the label does not fit', term: { topologyKey: 'rack' }, at: 'none' },
    {
      rule: 'pods that are nowhere cannot be joined',
      term: { labelSelector: { matchLabels: { app: 'db' } } },
      at: 'none',
    },
    {
      rule: 'the first of a group that means itself starts it',
      term: { labelSelector: { matchLabels: { app: 'db' } } },
      labels: { app: 'db' },
      at: 'a',
    },
    { rule: 'another namespace means its pods', term: { namespaces: ['other'] }, at: 'none' },
    { rule: 'an empty namespaceSelector means every namespace', term: { namespaceSelector: {} }, at: 'b' },
    {
      rule: 'matchLabelKeys mean pods of the same value',
      term: { matchLabelKeys: ['version'] },
      labels: { version: '2' },
      at: 'none',
    },
    {
      rule: 'mismatchLabelKeys mean pods of another value',
      term: { mismatchLabelKeys: ['app'] },
      labels: { app: 'web' },
      at: 'none',
    },
    {
      rule: 'mismatchLabelKeys mean pods without the label too',
      term: { mismatchLabelKeys: ['version'] },
      labels: { version: '2' },
      at: 'b',
    },
  ])('affinity: $rule', ({ term, labels = {}, at }) => {
    expect(goesTo(joining(affinityTerm(term)), { labels })).toBe(at);
  });

  test.each<{ readonly rule: string; readonly term: Partial<PodAffinityTerm>; readonly at: string }>([
    { rule: 'the labels of namespaces', term: { namespaceSelector: { matchLabels: { team: 'x' } } }, at: 'b' },
    { rule: 'no namespace without the label', term: { namespaceSelector: { matchLabels: { team: 'y' } } }, at: 'none' },
    {
      rule: 'the label with the name, which every namespace has',
      term: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'labelled' } } },
      at: 'b',
    },
    {
      rule: 'the namespaces of its list too',
      term: { namespaces: ['labelled'], namespaceSelector: { matchLabels: { team: 'y' } } },
      at: 'b',
    },
    {
      rule: 'not the namespace of the pod, if it has not the labels',
      term: {
        labelSelector: { matchLabels: { app: 'own' } },
        namespaceSelector: { matchLabels: { team: 'x' } },
      },
      at: 'none',
    },
  ])('B52: a namespaceSelector selects $rule', ({ term, at }) => {
    const namespaces = [{ metadata: { name: 'labelled', labels: { team: 'x' } } }];
    const other = there({ namespace: 'labelled' });
    const own = runningPod('a', { name: 'own', labels: { app: 'own' } });
    const pod = aPod({ name: 'new', owner: 'Job', spec: { affinity: joining(affinityTerm(term)) } });
    expect(placesAfterPass({ nodes: [A, B], pods: [other, own, pod], namespaces })['new']).toBe(at);
  });

  test('affinity: without a selector, no pod matches', () => {
    expect(goesTo(joining({ topologyKey: ZONE }))).toBe('none');
  });

  test('affinity: all terms must mean the same pod', () => {
    const other = runningPod('b', { name: 'other', labels: { tier: 'one' } });
    const terms = [affinityTerm(), affinityTerm({ labelSelector: { matchLabels: { tier: 'one' } } })];
    expect(goesTo(joining(...terms), {}, [there(), other])).toBe('none');
    expect(goesTo(joining(...terms), {}, [there({ labels: { ...WEB, tier: 'one' } })])).toBe('b');
  });

  test.each([
    { rule: 'a pod keeps away from those that the term means', at: 'a', term: affinityTerm(), on: 'b' },
    { rule: 'a pod keeps away from its like', at: 'b', term: affinityTerm({ topologyKey: HOSTNAME }), on: 'a' },
    {
      rule: 'a node without the label is in no domain',
      at: 'a',
      term: affinityTerm({ topologyKey: 'rack' }),
      on: 'a',
    },
  ])('anti-affinity: $rule', ({ at, term, on }) => {
    expect(goesTo(avoiding(term), { labels: WEB }, [there({ spec: { nodeName: on } })])).toBe(at);
  });

  test('anti-affinity: a pod that is ending is still there', () => {
    expect(goesTo(avoiding(affinityTerm()), {}, [there({ deletionMs: 1, spec: { nodeName: 'a' } })])).toBe('b');
  });

  test('anti-affinity: pods that are there keep others away', () => {
    const jealous = there({ labels: {}, spec: { nodeName: 'a', affinity: avoiding(affinityTerm()) } });
    expect(goesTo({}, { labels: WEB }, [jealous])).toBe('b');
    expect(goesTo({}, { labels: { app: 'api' } }, [jealous])).toBe('a');
  });

  test('anti-affinity: the pods of one pass keep away from each other', () => {
    const affinity = avoiding(affinityTerm({ topologyKey: ZONE }));
    const pods = ['1', '2', '3'].map((name) => aPod({ name, labels: WEB, spec: { affinity } }));
    expect(placesAfterPass({ nodes: [A, B], pods })).toEqual({ 1: 'a', 2: 'b', 3: 'none' });
  });

  test.each([
    { rule: 'affinity that is preferred', kind: 'podAffinity' as const, on: 'b', at: 'b' },
    { rule: 'anti-affinity that is preferred', kind: 'podAntiAffinity' as const, on: 'a', at: 'b' },
  ])('$rule goes before room, and keeps no pod pending', ({ kind, on, at }) => {
    const wish = { weight: 1, podAffinityTerm: affinityTerm() };
    const affinity: Affinity = { [kind]: { preferredDuringSchedulingIgnoredDuringExecution: [wish] } };
    expect(goesTo(affinity, {}, [there({ spec: { nodeName: on } })])).toBe(at);
    const impossible = { weight: 1, podAffinityTerm: affinityTerm({ topologyKey: 'rack' }) };
    expect(goesTo({ podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [impossible] } })).toBe('a');
  });
});
