import { describe, expect, test } from 'vitest';
import { HOUR_MS } from '../../../lib/apis/formats/time.ts';
import type { SpotInterruptions } from '../../../lib/apis/scenario/scenario.ts';
import type { SimulationResult } from '../../../lib/simulator/result.ts';
import { aDeployment, someManifests } from '../../builders/cluster-manifests.ts';
import { aNodePool, asking } from '../../builders/node-pools.ts';
import { played, saidOf } from './played.ts';

/** Ten spot nodes, each with one pod. */
const MANIFESTS = someManifests({
  nodePools: [
    aNodePool({
      requirements: [
        asking('karpenter.sh/capacity-type', 'In', 'spot'),
        asking('topology.kubernetes.io/zone', 'In', 'us-east-1a'),
        asking('node.kubernetes.io/instance-type', 'In', 'c7g.large'),
      ],
      disruption: { budgets: [{ nodes: '100%' }], consolidateAfter: 'Never', consolidationPolicy: 'WhenEmpty' },
    }),
  ],
  deployments: [aDeployment('web', 10, '1500m')],
});

async function interrupted(rule: SpotInterruptions, seed = 1): Promise<SimulationResult> {
  return played([], {
    manifests: MANIFESTS,
    seed,
    durationMs: 4 * HOUR_MS,
    scenario: { name: 'spot', events: [], spotInterruptions: [rule] },
  });
}

function hoursOf(result: SimulationResult): readonly number[] {
  return saidOf(result)
    .filter((message) => message.includes('EC2 interrupts'))
    .map((message) => Number(message.split(' ')[0]) / 3_600);
}

describe('spot interruptions', () => {
  test('at a rate interrupt that share of the running instances in an hour', async () => {
    // Half of the instances in an hour is a risk of ln 2 an hour: of 10 nodes for 4 hours, 27.7 with a deviation of 5.3.
    const result = await interrupted({ rate: { percentPerHour: 50 }, fromMs: 0 });
    expect(hoursOf(result).length).toBeGreaterThan(14);
    expect(hoursOf(result).length).toBeLessThan(42);
    expect(result.nodesLaunched).toBe(hoursOf(result).length + result.nodesAtEnd);
  });

  test('by number come that often, however many instances run, from and to their times', async () => {
    const result = await interrupted({ rate: { perHour: 10 }, fromMs: HOUR_MS, toMs: 3 * HOUR_MS });
    // 20 with a deviation of 4.5.
    expect(hoursOf(result).length).toBeGreaterThan(8);
    expect(hoursOf(result).length).toBeLessThan(32);
    expect(hoursOf(result).filter((hour) => hour < 1 || hour >= 3)).toEqual([]);
  });

  test.each<readonly [string, SpotInterruptions]>([
    ['zones', { rate: { percentPerHour: 90 }, fromMs: 0, zones: ['us-east-1b'] }],
    ['types', { rate: { perHour: 60 }, fromMs: 0, instanceTypes: ['m7g.large'] }],
    ['NodePools', { rate: { percentPerHour: 90 }, fromMs: 0, nodePool: 'other' }],
    ['times', { rate: { percentPerHour: 90 }, fromMs: 5 * HOUR_MS }],
  ])('of other %s interrupt nothing', async (_, rule) => {
    const result = await interrupted(rule);
    expect(hoursOf(result)).toEqual([]);
    expect(result).toMatchObject({ nodesLaunched: 10, podsRunning: 10 });
  });

  test('that find no instance are named in the notes', async () => {
    const result = await interrupted({ rate: { perHour: 60 }, fromMs: 0, zones: ['us-east-1b'] });
    expect(result.notes).toEqual(['spotInterruptions: interruptions found no matching spot instance']);
  });

  test('are the same each time for one seed, and others for another seed', async () => {
    const rule = { rate: { percentPerHour: 30 }, fromMs: 0 };
    const [first, second, other] = [await interrupted(rule), await interrupted(rule), await interrupted(rule, 2)];
    expect(JSON.stringify(first)).toBe(JSON.stringify(second));
    expect(hoursOf(first)).not.toEqual(hoursOf(other));
  });
});
