import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../../lib/apis/kubernetes.ts';
import { HOSTNAME } from '../../../../lib/apis/labels.ts';
import { cheapestUsd } from '../../../../lib/core/scheduling/schedule.ts';
import { anInstanceType, anOffering } from '../../../builders/instance-types.ts';
import { aPoolView, asking } from '../../../builders/node-pools.ts';
import { aNode } from '../../../builders/nodes.ts';
import { pendingPod, pendingPods, spread } from '../../../builders/pods.ts';
import { place, podsOfClaims } from '../problems.ts';

const WEB = { app: 'web' };

describe('B68: pods that are spread over zones do not share claims with others while these are opened', () => {
  const [cheap, expensive] = [0.1, 0.2];
  const type = anInstanceType({
    cpu: 4,
    offerings: [anOffering('eu-west-3a', 'on-demand', cheap), anOffering('eu-west-3b', 'on-demand', expensive)],
  });
  const nodePools = [aPoolView({ types: [type] })];
  const zonal = (...sizes: readonly string[]): readonly Pod[] =>
    sizes.flatMap((cpu) =>
      pendingPods(120 / sizes.length, {
        name: `zonal-${cpu}`,
        labels: WEB,
        requests: { cpu },
        spec: { topologySpreadConstraints: [spread()] },
      }),
    );
  const others = pendingPods(240, { name: 'other', requests: { cpu: '1', memory: '1Gi' } });
  /** The number of claims in the expensive zone, and of others. */
  const claimsOf = (pods: readonly Pod[]): readonly number[] => {
    const prices = place(pods, { nodePools }).newClaims.map(({ cheapest }) => cheapest.offering.priceUsdPerHour);
    return [expensive, cheap].map((price) => prices.filter((one) => one === price).length);
  };

  test('so the others are not in the expensive zone, in which half of the spread pods must be', () => {
    expect(claimsOf([...zonal('3', '1'), ...others])).toEqual([30, 90]);
  });

  test('if the spread pods leave room that the others can use, the others are placed after them', () => {
    expect(claimsOf([...zonal('3'), ...others])).toEqual([60, 90]);
  });

  test('pods that must share a host are placed first nevertheless', () => {
    const near = {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: HOSTNAME, labelSelector: { matchLabels: WEB } },
        ],
      },
    };
    const [together = []] = podsOfClaims(
      place(
        [
          ...pendingPods(1, {
            name: 'zonal',
            labels: WEB,
            requests: { cpu: '1' },
            spec: { topologySpreadConstraints: [spread()] },
          }),
          ...pendingPods(2, { name: 'near', requests: { cpu: '1' }, spec: { affinity: near } }),
          ...pendingPods(3, { name: 'other', requests: { cpu: '2' } }),
        ],
        { nodePools },
      ),
    );
    expect(together).toEqual(expect.arrayContaining(['zonal-1', 'near-1', 'near-2']));
  });
});

describe('B69: no pod joins a claim where it would keep another from being bound, in whichever order they are bound', () => {
  const nodePools = [aPoolView({ types: [anInstanceType({ cpu: 4 })] })];
  /** The larger ones count the smaller ones on their nodes. */
  const counting = pendingPods(400, {
    name: 'counting',
    requests: { cpu: '2500m' },
    spec: { topologySpreadConstraints: [spread({ topologyKey: HOSTNAME })] },
  });
  const counted = pendingPods(800, { name: 'counted', labels: WEB, requests: { cpu: '500m' } });

  test('a pod that is spread over hosts has at most one pod beside it that it counts', () => {
    const schedule = place([...counting, ...counted], { nodePools });
    expect(schedule.unplaced).toEqual([]);
    for (const names of podsOfClaims(schedule).filter((one) => one.some((name) => name.startsWith('counting'))))
      expect(names.filter((name) => name.startsWith('counted')).length).toBeLessThanOrEqual(1);
  });

  test('if limits allow no further claim, the pods join nevertheless', () => {
    const limited = [aPoolView({ types: [anInstanceType({ cpu: 4 })], limits: { nodes: '400' } })];
    const schedule = place([...counting, ...counted], { nodePools: limited });
    expect(podsOfClaims(schedule)).toHaveLength(400);
    expect(schedule.unplaced).toEqual([]);
  });
});

test('B69: at the end of a plan, pods whose spread counts others over zones are where it allows them', () => {
  const labels = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const labelAt = (at: number): string => labels[at % labels.length] ?? '';
  const sizes = ['1500m', '1', '500m'];
  const counting = Array.from({ length: 350 }, (_, at) =>
    pendingPod({
      name: `counting-${at}`,
      labels: { app: labelAt(at) },
      requests: { cpu: sizes[at % sizes.length] ?? '' },
      spec: {
        topologySpreadConstraints: [
          spread({ labelSelector: { matchLabels: { app: labelAt(3 * at + Math.floor(at / 7)) } } }),
        ],
      },
    }),
  );
  const zones = ['eu-west-3a', 'eu-west-3b', 'eu-west-3c'];
  const types = [
    anInstanceType({ cpu: 8, offerings: zones.map((zone, at) => anOffering(zone, 'on-demand', 0.3 + at / 100)) }),
  ];
  const others = labels.flatMap((app) =>
    pendingPods(30, { name: `other-${app}`, labels: { app }, requests: { cpu: '1' } }),
  );
  const { newClaims, unplaced } = place([...counting, ...others], { nodePools: [aPoolView({ types })] });
  expect(unplaced).toEqual([]);
  const placed = newClaims.flatMap(({ pods, cheapest }) => pods.map((pod) => ({ pod, zone: cheapest.offering.zone })));
  const countIn = (zone: string, app: string | undefined): number =>
    placed.filter((one) => one.zone === zone && one.pod.metadata.labels?.['app'] === app).length;
  const refused = placed.filter(({ pod, zone }) =>
    pod.spec.topologySpreadConstraints?.some(({ labelSelector, maxSkew }) => {
      const app = labelSelector?.matchLabels?.['app'];
      return countIn(zone, app) - Math.min(...zones.map((one) => countIn(one, app))) > maxSkew;
    }),
  );
  expect(refused.map(({ pod }) => pod.metadata.name)).toEqual([]);
});

/** Pods that are spread by the number of those of another kind. */
const spreadBy = (name: string, app: string, count: number): readonly Pod[] =>
  pendingPods(count, {
    name,
    labels: { app: name },
    spec: { topologySpreadConstraints: [spread({ maxSkew: 500, labelSelector: { matchLabels: { app } } })] },
  });

test('B69: pods go to other zones if they cannot get a node in the one with the fewest of their kind', () => {
  const full = aNode({ name: 'full', zone: 'eu-west-3b', allocatable: { pods: '0' } });
  const types = [anInstanceType({ zones: ['eu-west-3a', 'eu-west-3c'] })];
  const pods = [...spreadBy('one', 'two', 310), ...spreadBy('two', 'one', 10)];
  expect(place(pods, { nodes: [full], nodePools: [aPoolView({ types })] }).unplaced).toEqual([]);
});

describe('B69: if no node can be in the zone with the fewest pods, the pods share the nodes in other zones', () => {
  const nodePools = [aPoolView({ types: [anInstanceType({ cpu: 8, memoryGib: 32 })] })];

  test('if the pods require other zones', () => {
    const required = [{ matchExpressions: [asking('topology.kubernetes.io/zone', 'In', 'eu-west-3a', 'eu-west-3c')] }];
    const affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: required } },
    };
    const elsewhere = spreadBy('one', 'one', 310).map((pod) => ({ ...pod, spec: { ...pod.spec, affinity } }));
    const { newClaims } = place([...elsewhere, ...spreadBy('two', 'one', 10)], { nodePools });
    expect(newClaims.length).toBeLessThanOrEqual(22);
  });

  test('if no type is available there', () => {
    const zones = ['eu-west-3a', 'eu-west-3b', 'eu-west-3c'];
    const offerings = zones.map((zone, at) => ({ ...anOffering(zone, 'on-demand'), available: at !== 1 }));
    const types = [anInstanceType({ cpu: 8, memoryGib: 32, offerings })];
    const full = aNode({ name: 'full', zone: 'eu-west-3b', allocatable: { pods: '0' } });
    const pods = [...spreadBy('one', 'two', 310), ...spreadBy('two', 'one', 10)];
    const { newClaims } = place(pods, { nodes: [full], nodePools: [aPoolView({ types })] });
    expect(newClaims.length).toBeLessThanOrEqual(22);
  });
});

describe('pods are not left over, and do not cost more, because pods that are spread come last (B68)', () => {
  test('if their zones are not allowed any more when the others are placed', () => {
    const team = { matchLabels: { team: 'x' } };
    const zonal = pendingPods(160, {
      name: 'zonal',
      labels: { ...WEB, team: 'x' },
      requests: { cpu: '1' },
      spec: { topologySpreadConstraints: [spread(), spread({ maxSkew: 100, labelSelector: team })] },
    });
    const others = pendingPods(200, { name: 'other', labels: { team: 'x' }, requests: { cpu: '500m' } });
    expect(place([...zonal, ...others]).unplaced).toEqual([]);
  });

  const types = [2, 4].map((cpu) =>
    anInstanceType({
      name: `m5.${cpu}`,
      cpu,
      offerings: ['a', 'b', 'c'].map((zone, at) =>
        anOffering(`eu-west-3${zone}`, 'on-demand', cpu * (0.06 - at / 200)),
      ),
    }),
  );

  test('if there is room for the others beside a few', () => {
    const spec = { topologySpreadConstraints: [spread()] };
    const zonal = pendingPods(4, { name: 'zonal', labels: WEB, requests: { cpu: '1' }, spec });
    const others = pendingPods(3, { name: 'other', requests: { cpu: '500m' } });
    const { newClaims } = place([...zonal, ...others], { nodePools: [aPoolView({ types })] });
    expect(newClaims.map(({ cheapest }) => cheapest.type.name)).toEqual(['m5.2', 'm5.2', 'm5.2']);
  });

  test('if there is room for many beside many, which count them', () => {
    const spec = { topologySpreadConstraints: [spread()] };
    const zonal = pendingPods(200, { name: 'zonal', labels: WEB, requests: { cpu: '1400m', memory: '128Mi' }, spec });
    const others = pendingPods(250, { name: 'other', labels: WEB, requests: { cpu: '600m', memory: '128Mi' } });
    const { newClaims } = place([...zonal, ...others], { nodePools: [aPoolView({ types })] });
    expect(cheapestUsd(newClaims)).toBeLessThan(24);
  });
});
