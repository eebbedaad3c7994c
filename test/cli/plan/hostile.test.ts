import { describe, expect, test } from 'vitest';
import { aDocument, aGivenPod, aGivenPool, aGivenType } from '../../snapshot/documents.ts';
import { aPodWith, apart, asking, HOSTNAME, type Json, near, plan, planned, range, ZONE } from './hostile-plans.ts';

/** Hostile snapshots: the command gives a reason for every pod or an error message, and no stack trace. */

function onNodesWith(...nodeSelectorTerms: readonly Json[]): Json {
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } };
}

/** An empty selector of a spread constraint selects no pods. */
const ALL_PODS = { matchExpressions: [{ key: 'other', operator: 'DoesNotExist' }] };

function spread(topologyKey: string, over: Json = {}): Json {
  return { maxSkew: 1, topologyKey, whenUnsatisfiable: 'DoNotSchedule', labelSelector: ALL_PODS, ...over };
}

function labelsOf(count: number): Json {
  return Object.fromEntries(range(count).map((at) => [`label-${at}`, 'x']));
}

/** `p0` has affinity to `p1`, and so on; the last pod has affinity to the first. */
function circle(count: number, topologyKey: string): readonly Json[] {
  return range(count).map((at) =>
    aPodWith(`p${at}`, { affinity: near({ app: `a${(at + 1) % count}` }, topologyKey) }, { app: `a${at}` }),
  );
}

function preferences(count: number): readonly Json[] {
  return range(count).map((at) => ({
    weight: 1 + (at % 100),
    preference: { matchExpressions: [{ key: 'nowhere', operator: 'In', values: [`v${at}`] }] },
  }));
}

function terms(count: number): readonly Json[] {
  return range(count).map((at) => ({ topologyKey: ZONE, labelSelector: { matchLabels: { x: `v${at}` } } }));
}

describe('circular affinity (B53)', () => {
  test.each([
    [3, HOSTNAME],
    [3, ZONE],
    [60, HOSTNAME],
    [60, ZONE],
  ])(
    'of %i pods over %s: none is placed, and each has the pods that it waits for as its reason',
    async (count, topologyKey) => {
      const { newNodeClaims, podErrors } = await planned(aDocument({ pods: circle(count, topologyKey) }));
      expect(newNodeClaims).toEqual([]);
      expect(podErrors['default/p0']).toMatchObject([{ nodePool: 'general', reason: 'PodAffinity' }]);
      expect(podErrors['default/p0']?.[0]?.message).toMatch(
        /a pod with app=a1 in namespace default: no matching pod is running/,
      );
    },
  );

  test('is met if each pod can be the first of its group', async () => {
    const all = range(3).map((at) => aPodWith(`p${at}`, { affinity: near({ app: 'a' }, HOSTNAME) }, { app: 'a' }));
    expect((await planned(aDocument({ pods: all }))).newNodeClaims).toHaveLength(1);
  });

  test('is met if one of the pods has no affinity', async () => {
    const pods = [...circle(9, ZONE).slice(0, -1), aPodWith('p8', {}, { app: 'a8' })];
    expect((await planned(aDocument({ pods }))).podErrors).toEqual({});
  });

  test('with anti-affinity to the same pods leaves the second pod unschedulable', async () => {
    const affinity = { ...near({ app: 'a' }, HOSTNAME), ...apart({ matchLabels: { app: 'a' } }, HOSTNAME) };
    const pods = ['p', 'q'].map((name) => aPodWith(name, { affinity }, { app: 'a' }));
    const { podErrors } = await planned(aDocument({ pods }));
    expect(Object.values(podErrors).map((errors) => errors.map(({ reason }) => reason))).toEqual([['PodAffinity']]);
  });
});

describe('pods that request', () => {
  test.each([
    ['nothing', { containers: [{ name: 'main' }] }],
    ['nought', asking({ cpu: '0', memory: '0' })],
    ['very small amounts', asking({ cpu: '1n', memory: '1m' })],
    ['5,000 labels that all NodePools have', {}],
  ])('%s are placed', async (_what, spec) => {
    expect((await planned(aDocument({ pods: [aPodWith('p', spec, labelsOf(5_000))] }))).podErrors).toEqual({});
  });

  test.each([
    [
      'a million CPUs',
      asking({ cpu: '1000000' }),
      'needs 1000000 cpu, but the largest compatible instance type offers 8 cpu',
    ],
    [
      'an exabyte',
      asking({ memory: '1Ei' }),
      'needs 1Ei memory, but the largest compatible instance type offers 32Gi memory',
    ],
    ['a very large number of CPUs', asking({ cpu: '1e400' }), /^needs \d+ cpu, but the largest/],
    [
      '0.1 CPU more than available',
      asking({ cpu: '8100m' }),
      'needs 8.1 cpu, but the largest compatible instance type offers 8 cpu',
    ],
    [
      'a resource of no instance type',
      asking({ 'example.com/x': '1' }),
      /^needs 1 example.com\/x, .* offers 0 example.com\/x$/,
    ],
    [
      '5,000 labels',
      { nodeSelector: labelsOf(5_000) },
      /^requires label-0 In \[x\], but nodes of the pool do not have/,
    ],
    [
      'a label without a value',
      onNodesWith({ matchExpressions: [{ key: 'a', operator: 'In', values: [] }] }),
      /^its requirements for a leave no value/,
    ],
    [
      'a topology key that no node has',
      { topologySpreadConstraints: [spread('rack')] },
      /would not have the label "rack"/,
    ],
    ['an empty topology key', { topologySpreadConstraints: [spread('')] }, /would not have the label ""/],
    ['affinity with an empty selector', { affinity: near({}, HOSTNAME) }, undefined],
    ['the name of a node', { nodeSelector: { [HOSTNAME]: 'node-9' } }, /kubernetes\.io\/hostname/],
    [
      'an invalid number',
      onNodesWith({ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['x'] }] }),
      /whole number/,
    ],
    [
      'an unknown label',
      {
        nodeSelector: Object.fromEntries([
          ['__proto__', '1'],
          ['constructor', '2'],
        ]),
      },
      /not a label name/,
    ],
  ])('%s are placed or have a reason', async (_what, spec, message) => {
    const { podErrors } = await planned(aDocument({ pods: [aPodWith('p', spec)] }));
    expect(podErrors['default/p']?.map((error) => error.message) ?? []).toEqual(
      message === undefined ? [] : [typeof message === 'string' ? message : expect.stringMatching(message)],
    );
  });

  test.each([
    ['a negative amount', asking({ cpu: '-1' }), /cpu: "-1" is not allowed/],
    ['an invalid amount', asking({ cpu: 'plenty' }), /cpu: "plenty" is not allowed/],
    ['no container', { containers: [] }, /containers: has no entry/],
    ['containers that are null', { containers: null }, /containers: is missing/],
    [
      'an unknown operator',
      onNodesWith({ matchExpressions: [{ key: 'a', operator: 'Like' }] }),
      /"Like" is not allowed/,
    ],
    [
      'an unknown operator of a toleration',
      { tolerations: [{ key: 'a', operator: 'Regex' }] },
      /"Regex" is not allowed/,
    ],
    [
      'an unknown whenUnsatisfiable',
      { topologySpreadConstraints: [spread(ZONE, { whenUnsatisfiable: 'Maybe' })] },
      /"Maybe"/,
    ],
    ['a skew of zero', { topologySpreadConstraints: [spread(ZONE, { maxSkew: 0 })] }, /maxSkew: 0 is too small/],
  ])('%s: bad input', async (_what, spec, message) => {
    const { text, code } = await plan(aDocument({ pods: [aPodWith('p', spec)] }));
    expect(code).toBe(2);
    expect(text).toMatch(message);
  });
});

describe('large numbers', () => {
  test.each([
    [
      '500 preferences of one pod',
      { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferences(500) } } },
    ],
    [
      '500 alternatives of one pod',
      onNodesWith(...range(500).map((at) => ({ matchExpressions: [{ key: `k${at}`, operator: 'Exists' }] }))),
    ],
    [
      '1,000 spread constraints of one pod',
      {
        topologySpreadConstraints: range(1_000).map((at) =>
          spread(ZONE, { labelSelector: { matchLabels: { x: `v${at}` } } }),
        ),
      },
    ],
    [
      '500 affinity terms of one pod',
      { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms(500) } } },
    ],
    [
      '500 anti-affinity terms of one pod',
      { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms(500) } } },
    ],
  ])('%s', async (_what, spec) => {
    await planned(aDocument({ pods: [aPodWith('p', spec), aPodWith('q', spec)] }));
  });

  test('1,000 pods with different labels', async () => {
    const pods = range(1_000).map((at) => aPodWith(`p${at}`, { nodeSelector: { [`label-${at}`]: 'x' } }));
    expect(Object.keys((await planned(aDocument({ pods }))).podErrors)).toHaveLength(1_000);
  });

  test('300 pods of 300 sizes on one host port', async () => {
    const ports = [{ containerPort: 80, hostPort: 80 }];
    const pods = range(300).map((at) =>
      aPodWith(`p${at}`, { containers: [{ name: 'main', ports, resources: { requests: { cpu: `${at + 1}m` } } }] }),
    );
    expect((await planned(aDocument({ pods }))).newNodeClaims).toHaveLength(300);
  });

  test('200 exhausted NodePools: each gives a reason for each pod', async () => {
    const nodePools = range(200).map((at) => aGivenPool(`pool-${at}`, { limits: { cpu: '0' } }));
    const { podErrors } = await planned(aDocument({ nodePools, pods: [aGivenPod('p')] }));
    expect(new Set(podErrors['default/p']?.map(({ nodePool, reason }) => `${nodePool} ${reason}`)).size).toBe(200);
  });

  test('500 , each in a zone of its own', async () => {
    const instanceTypes = range(500).map((at) =>
      aGivenType(`t${at}`, 2, { offerings: [{ capacityType: 'spot', zone: `z${at}`, price: 1 }] }),
    );
    const pods = range(9).map((at) => aPodWith(`p${at}`, { topologySpreadConstraints: [spread(ZONE)] }));
    expect((await planned(aDocument({ instanceTypes, pods }))).newNodeClaims).toHaveLength(9);
  });
});
