import { describe, expect, test } from 'vitest';
import type {
  LabelSelector,
  Labels,
  ObjectMeta,
  Pod,
  Service,
  TopologySpreadConstraint,
} from '../../../lib/apis/kubernetes.ts';
import type { DefaultConstraint } from '../../../lib/core/provisioning/default-constraint-problems.ts';
import { type SelectorOwners, withDefaultConstraints } from '../../../lib/core/provisioning/default-constraints.ts';
import { aPod, spread } from '../../builders/pods.ts';

const BY_ZONE: DefaultConstraint = {
  maxSkew: 3,
  topologyKey: 'topology.kubernetes.io/zone',
  whenUnsatisfiable: 'ScheduleAnyway',
};
const BY_HOST: DefaultConstraint = {
  maxSkew: 1,
  topologyKey: 'kubernetes.io/hostname',
  whenUnsatisfiable: 'DoNotSchedule',
};

function aService(selector?: Labels, over: Partial<ObjectMeta> = {}): Service {
  return {
    metadata: { name: 'web', namespace: 'default', ...over },
    spec: selector === undefined ? {} : { selector },
  };
}

function owner(selector: LabelSelector = {}): {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly selector: LabelSelector };
} {
  return { metadata: { name: 'owner', namespace: 'default' }, spec: { selector } };
}

function owners(over: Partial<SelectorOwners> = {}): SelectorOwners {
  return { services: [], replicationControllers: [], replicaSets: [], statefulSets: [], ...over };
}

/** A pod with `app: web` and `tier: front` that a ReplicaSet named `owner` keeps. */
function webPod(): Pod {
  return aPod({ labels: { app: 'web', tier: 'front' } });
}

function constraintsOf(pod: Pod, over: Partial<SelectorOwners>): readonly TopologySpreadConstraint[] | undefined {
  return withDefaultConstraints([pod], [BY_ZONE], owners(over))[0]?.spec.topologySpreadConstraints;
}

function selectorOf(pod: Pod, over: Partial<SelectorOwners>): LabelSelector | undefined {
  return constraintsOf(pod, over)?.[0]?.labelSelector;
}

describe('who gets the default constraints', () => {
  test('a pod that declares none gets them all, each with its selector (B22)', () => {
    const [pod] = withDefaultConstraints(
      [webPod()],
      [BY_ZONE, BY_HOST],
      owners({ services: [aService({ app: 'web' })] }),
    );
    const labelSelector = { matchLabels: { app: 'web' } };
    expect(pod).toEqual({
      ...webPod(),
      spec: {
        ...webPod().spec,
        topologySpreadConstraints: [
          { ...BY_ZONE, labelSelector },
          { ...BY_HOST, labelSelector },
        ],
      },
    });
  });

  test('an empty list of its own is none (B22)', () => {
    const pod = aPod({ labels: { app: 'web' }, spec: { topologySpreadConstraints: [] } });
    expect(constraintsOf(pod, { services: [aService({ app: 'web' })] })).toHaveLength(1);
  });

  test('a pod that declares one of its own stays as it is (B22)', () => {
    const pod = aPod({ labels: { app: 'web' }, spec: { topologySpreadConstraints: [spread()] } });
    const services = [aService({ app: 'web' })];
    expect(withDefaultConstraints([pod], [BY_HOST], owners({ services }))[0]).toBe(pod);
  });

  test('a pod that nothing selects stays as it is (B22)', () => {
    const pod = webPod();
    expect(withDefaultConstraints([pod], [BY_ZONE], owners())[0]).toBe(pod);
  });

  test('without a configuration nobody does (B22)', () => {
    const pods = [webPod()];
    expect(withDefaultConstraints(pods, [], owners({ services: [aService({ app: 'web' })] }))).toBe(pods);
  });
});

describe('what Services say', () => {
  test.each<[string, readonly Service[], LabelSelector | undefined]>([
    ['the selector of the one that selects it', [aService({ app: 'web' })], { matchLabels: { app: 'web' } }],
    [
      'those of all that do, together',
      [aService({ app: 'web' }), aService({ tier: 'front' })],
      { matchLabels: { app: 'web', tier: 'front' } },
    ],
    ['not of one that asks for more', [aService({ app: 'web', other: 'x' })], undefined],
    ['not of one of another namespace', [aService({ app: 'web' }, { namespace: 'shop' })], undefined],
    ['nothing of one without a selector', [aService()], undefined],
    ['nothing of one with an empty selector', [aService({})], undefined],
  ])('%s (B22)', (_, services, selector) => {
    expect(selectorOf(webPod(), { services })).toEqual(selector);
  });
});

describe('what the controller says', () => {
  const APP = { app: 'web' };
  const AS_EXPRESSION = { matchExpressions: [{ key: 'app', operator: 'In', values: ['web'] }] };

  test('a ReplicaSet its selector, beside that of the Services (B22)', () => {
    const matchExpressions = [{ key: 'tier', operator: 'Exists' }] as const;
    const replicaSets = [owner({ matchLabels: APP, matchExpressions })];
    expect(selectorOf(webPod(), { replicaSets, services: [aService({ tier: 'front' })] })).toEqual({
      matchLabels: { tier: 'front' },
      matchExpressions: [...AS_EXPRESSION.matchExpressions, ...matchExpressions],
    });
  });

  test('a StatefulSet its selector (B22)', () => {
    const pod = aPod({ owner: 'StatefulSet', labels: APP });
    expect(selectorOf(pod, { statefulSets: [owner({ matchLabels: APP })] })).toEqual(AS_EXPRESSION);
  });

  test('a ReplicationController its labels, over those of the Services (B22)', () => {
    const pod = withController(webPod(), { apiVersion: 'v1', kind: 'ReplicationController' });
    const over = {
      services: [aService({ app: 'web', tier: 'front' })],
      replicationControllers: [aService({ app: 'renamed' }, { name: 'owner' })],
    };
    expect(selectorOf(pod, over)).toEqual({ matchLabels: { app: 'renamed', tier: 'front' } });
  });

  test.each<[string, Pod]>([
    ['a ReplicaSet of another API', withController(webPod(), { apiVersion: 'example.com/v1' })],
    ['one of another name', withController(webPod(), { name: 'other' })],
    ['one of another kind', withController(webPod(), { kind: 'Job' })],
    ['an owner that is no controller', withController(webPod(), { controller: false })],
    ['one of another namespace', aPod({ namespace: 'shop', labels: APP })],
    ['none', { ...webPod(), metadata: { name: 'alone' } }],
  ])('%s says nothing (B22)', (_, pod) => {
    const both = { replicaSets: [owner({ matchLabels: APP })], statefulSets: [owner({ matchLabels: APP })] };
    expect(constraintsOf(pod, both)).toBeUndefined();
  });

  test('an empty selector counts nobody, instead of everybody (B22)', () => {
    expect(constraintsOf(webPod(), { replicaSets: [owner()] })).toBeUndefined();
  });
});

test('pods of one controller with other labels are looked at on their own (B22)', () => {
  const pods = [aPod({ labels: { app: 'web' } }), aPod({ labels: { app: 'api' } }), aPod({ labels: { app: 'web' } })];
  const services = [aService({ app: 'web' }), aService({ app: 'api' })];
  const selectors = withDefaultConstraints(pods, [BY_ZONE], owners({ services })).map(
    (pod) => pod.spec.topologySpreadConstraints?.[0]?.labelSelector?.matchLabels,
  );
  expect(selectors).toEqual([{ app: 'web' }, { app: 'api' }, { app: 'web' }]);
});

function withController(pod: Pod, over: Partial<NonNullable<ObjectMeta['ownerReferences']>[number]>): Pod {
  const ownerReferences = (pod.metadata.ownerReferences ?? []).map((one) => ({ ...one, ...over }));
  return { ...pod, metadata: { ...pod.metadata, ownerReferences } };
}
