import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { Labels } from '../../../lib/apis/kubernetes.ts';
import type { CapacityType } from '../../../lib/apis/labels.ts';
import type { NodePool } from '../../../lib/apis/node-pool.ts';
import type { ScenarioEvent } from '../../../lib/apis/scenario/scenario.ts';
import { shippedCatalogue } from '../../../lib/catalogue/figures.ts';
import type { Catalogue } from '../../../lib/core/instance-type/facts.ts';
import type { SimulationResult } from '../../../lib/simulator/result.ts';

import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { asking } from '../../builders/node-pools.ts';
import { spread } from '../../builders/pods.ts';
import { entriesOf, played } from './played.ts';

const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'] as const;
const OUTAGE_MS = 20 * MINUTE_MS;

const MANY = ['c6g', 'c7g', 'm6g', 'm7g', 'r6g', 'r7g', 'c6i', 'm6i', 'r6i', 'c5', 'm5', 'r5'];
const THREE = ['c6g', 'm6g', 'r6g'];
const isSold = (type: string): boolean => MANY.includes(type.split('.')[0] ?? '');

const CATALOGUE = shippedCatalogue({ region: 'us-east-1', because: 'the test' });
/** The region with these families only, for speed. */
const FAMILIES: Catalogue = {
  ...CATALOGUE,
  facts: CATALOGUE.facts.filter(({ name }) => isSold(name)),
  offerings: CATALOGUE.offerings.filter(({ type }) => isSold(type)),
};

interface Outage {
  readonly families: readonly string[];
  readonly capacityTypes: readonly CapacityType[];
  readonly replicas: number;
  readonly cpu: string;
  readonly seed: number;
  /** @default the pods may run in every zone */
  readonly nodeSelector?: Labels;
  /** What EC2 lacks for 20 minutes from the start. */
  readonly lacks: Pick<ScenarioEvent & { readonly kind: 'withoutCapacity' }, 'zones' | 'capacityTypes'>;
}

function poolFor({ families, capacityTypes }: Outage): NodePool {
  const pool = aPool();
  const { template } = pool.spec;
  const requirements = [
    asking('karpenter.sh/capacity-type', 'In', ...capacityTypes),
    asking('karpenter.k8s.aws/instance-family', 'In', ...families),
    asking('topology.kubernetes.io/zone', 'In', ...ZONES),
  ];
  return { ...pool, spec: { ...pool.spec, template: { ...template, spec: { ...template.spec, requirements } } } };
}

/** The outage, with pods that are spread over the zones, or not. */
async function outage(of: Outage, whenUnsatisfiable?: 'ScheduleAnyway'): Promise<SimulationResult> {
  const { metadata, spec } = aDeployment('web', of.replicas, of.cpu);
  const { template } = spec;
  const { nodeSelector } = of;
  const topologySpreadConstraints = whenUnsatisfiable === undefined ? [] : [spread({ whenUnsatisfiable })];
  const deployment = {
    metadata,
    spec: {
      ...spec,
      template: {
        ...template,
        spec: { ...template.spec, ...(nodeSelector && { nodeSelector }), topologySpreadConstraints },
      },
    },
  };
  return played([{ kind: 'withoutCapacity', atMs: 0, forMs: OUTAGE_MS, ...of.lacks }], {
    catalogue: FAMILIES,
    manifests: someManifests({ nodePools: [poolFor(of)], deployments: [deployment] }),
    seed: of.seed,
    durationMs: 30 * MINUTE_MS,
  });
}

/** The seconds until the last pod of the Deployment ran for the first time. */
function longestWait(result: SimulationResult, { replicas }: Outage): number {
  const first = entriesOf(result, 'pod-running').slice(0, replicas);
  expect(first).toHaveLength(replicas);
  return Math.max(...first.map(({ at }) => at));
}

/** The price of each cpu of the instances, as a multiple of the cheapest of the run without an outage. */
function dearest(result: SimulationResult, usual: SimulationResult): number {
  const cpus = new Map(CATALOGUE.facts.map(({ name, vcpus }) => [name, vcpus]));
  const perCpu = ({ timeline }: SimulationResult): readonly number[] =>
    timeline.flatMap((entry) =>
      entry.kind === 'instance-launched' ? entry.priceUsdPerHour / (cpus.get(entry.instanceType) ?? 1) : [],
    );
  return Math.max(...perCpu(result)) / Math.min(...perCpu(usual));
}

const SPOT_FIRST: readonly CapacityType[] = ['spot', 'on-demand'];

const OUTAGES: readonly (readonly [string, Outage])[] = [
  [
    'many families',
    { families: MANY, capacityTypes: SPOT_FIRST, replicas: 6, cpu: '1', seed: 1, lacks: { zones: [ZONES[0]] } },
  ],
  [
    'any family, on demand',
    { families: MANY, capacityTypes: ['on-demand'], replicas: 7, cpu: '1500m', seed: 2, lacks: { zones: [ZONES[1]] } },
  ],
  [
    'three families',
    {
      families: THREE,
      capacityTypes: SPOT_FIRST,
      replicas: 9,
      cpu: '3',
      seed: 3,
      lacks: { zones: [ZONES[2]] },
    },
  ],
  [
    'one family',
    { families: ['m7g'], capacityTypes: SPOT_FIRST, replicas: 5, cpu: '500m', seed: 4, lacks: { zones: [ZONES[0]] } },
  ],
  [
    'two zones',
    {
      families: MANY,
      capacityTypes: SPOT_FIRST,
      replicas: 12,
      cpu: '2',
      seed: 5,
      lacks: { zones: [ZONES[0], ZONES[1]] },
    },
  ],
  [
    'spot in one zone',
    {
      families: MANY,
      capacityTypes: SPOT_FIRST,
      replicas: 6,
      cpu: '1',
      seed: 6,
      lacks: { zones: [ZONES[0]], capacityTypes: ['spot'] },
    },
  ],
];

describe('a zone without capacity for 20 minutes, and pods with a soft spread over the zones', () => {
  test.each(OUTAGES)('%s: no pod waits or pays for the preference', async (_, of) => {
    const preferring = await outage(of, 'ScheduleAnyway');
    const without = await outage(of);
    const usual = await outage({ ...of, lacks: { zones: [] } });
    expect(longestWait(preferring, of)).toBeLessThanOrEqual(longestWait(without, of) + 60);
    expect(dearest(preferring, usual)).toBeLessThanOrEqual(3);
    expect(preferring.podsPending).toEqual([]);
  });

  test('no pod waits for more than one claim that fails', async () => {
    const [, of] = OUTAGES[0] ?? [];
    if (of === undefined) throw new RangeError('there is no outage');
    const result = await outage(of, 'ScheduleAnyway');
    const failed = new Set(entriesOf(result, 'launch-refused').map(({ nodeClaim }) => nodeClaim));
    const pods = entriesOf(result, 'create-node-claim').flatMap((one) => (failed.has(one.nodeClaim) ? one.pods : []));
    expect(pods.length).toBeGreaterThan(0);
    expect(new Set(pods).size).toBe(pods.length);
  });
});

test('a pod that insists on the zone waits, is reported with both prices, and runs soon after the outage', async () => {
  const of: Outage = {
    families: MANY,
    capacityTypes: SPOT_FIRST,
    replicas: 6,
    cpu: '1',
    seed: 7,
    nodeSelector: { 'topology.kubernetes.io/zone': ZONES[0] },
    lacks: { zones: [ZONES[0]] },
  };
  const result = await outage(of);
  const wait = longestWait(result, of);
  expect(wait).toBeGreaterThan(OUTAGE_MS / 1_000);
  expect(wait).toBeLessThan((OUTAGE_MS + 4 * MINUTE_MS) / 1_000);
  expect(dearest(result, await outage({ ...of, lacks: { zones: [] } }))).toBeLessThanOrEqual(3);
  const refused = entriesOf(result, 'blocked').filter(({ reason }) => reason === 'PriceTooHigh');
  expect(refused[0]?.numbers).toMatchObject({ maxPriceFactor: 3 });
});

test('a launch that falls back from spot to on-demand is reported with both prices', async () => {
  const of: Outage = {
    families: MANY,
    capacityTypes: SPOT_FIRST,
    replicas: 1,
    cpu: '1',
    seed: 8,
    lacks: { capacityTypes: ['spot'] },
  };
  const result = await outage(of);
  const [launched] = entriesOf(result, 'instance-launched');
  expect(launched).toMatchObject({ capacityType: 'on-demand' });
  const [fallback] = entriesOf(result, 'blocked').filter(({ reason }) => reason === 'CapacityFallback');
  expect(fallback?.numbers['launchedUsdPerHour']).toBe(launched?.priceUsdPerHour);
  expect(fallback?.numbers['plannedUsdPerHour']).toBeLessThan(launched?.priceUsdPerHour ?? 0);
  expect(fallback?.message).toMatch(/^planned as \S+ spot in \S+ at \$[\d.]+\/h, launched as \S+ on-demand in /);
});
