import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { NodePool } from '../../../lib/apis/node-pool.ts';
import { aDeployment, someManifests } from '../../builders/cluster-manifests.ts';
import { aNodePool, asking } from '../../builders/node-pools.ts';
import { entriesOf, played, saidOf } from './played.ts';

/** On-demand c7g.large in two zones: each node has room for one pod of 1.5 CPUs. */
const POOL: NodePool = aNodePool({
  requirements: [
    asking('karpenter.sh/capacity-type', 'In', 'on-demand'),
    asking('topology.kubernetes.io/zone', 'In', 'us-east-1a', 'us-east-1b'),
    asking('node.kubernetes.io/instance-type', 'In', 'c7g.large'),
  ],
  disruption: { budgets: [{ nodes: '100%' }], consolidateAfter: 'Never', consolidationPolicy: 'WhenEmpty' },
});

function cluster(replicas: number, zone?: string): ReturnType<typeof someManifests> {
  const web = aDeployment('web', replicas, '1500m');
  const { template } = web.spec;
  const topologySpreadConstraints = [
    {
      maxSkew: 1,
      topologyKey: 'topology.kubernetes.io/zone',
      whenUnsatisfiable: 'ScheduleAnyway' as const,
      labelSelector: { matchLabels: { app: 'web' } },
    },
  ];
  const where =
    zone === undefined ? { topologySpreadConstraints } : { nodeSelector: { 'topology.kubernetes.io/zone': zone } };
  const spec = { ...web.spec, template: { ...template, spec: { ...template.spec, ...where } } };
  return someManifests({ nodePools: [POOL], deployments: [{ ...web, spec }] });
}

const OUTAGE = { kind: 'zoneOutage', atMs: 10 * MINUTE_MS, zone: 'us-east-1a', forMs: 20 * MINUTE_MS } as const;

describe('a zone outage', () => {
  test('without nodes leaves running nodes alone, and lets no new one begin until it is over', async () => {
    const grow = { kind: 'scale', atMs: 12 * MINUTE_MS, deployment: 'default/web', replicas: 2 } as const;
    const result = await played([{ ...OUTAGE, nodes: false }, grow], { manifests: cluster(1, 'us-east-1a') });
    const [first, second, ...more] = entriesOf(result, 'instance-launched');
    expect(first?.at).toBeLessThan(10);
    expect(more).toEqual([]);
    // EC2 has capacity from minute 30 on. A mark of missing capacity lasts up to 30 minutes.
    expect(second?.at).toBeGreaterThan(30 * 60);
    expect(entriesOf(result, 'instance-terminated')).toEqual([]);
    expect(saidOf(result)).toEqual([
      '600 zone us-east-1a fails for 20m: EC2 has no capacity there',
      '720 Deployment default/web is scaled from 1 to 2',
      '1800 the outage of zone us-east-1a is over',
    ]);
    expect(result).toMatchObject({ podsRunning: 2, podsPending: [] });
  });

  test('with nodes makes its nodes unreachable after 50 s; Kerf replaces them in the other zone', async () => {
    const result = await played([{ ...OUTAGE, nodes: true }], { manifests: cluster(4) });
    const launched = entriesOf(result, 'instance-launched');
    const lost = launched.filter(({ at, zone }) => zone === 'us-east-1a' && at < 600);
    expect(launched.map(({ zone }) => zone).toSorted()).toEqual([
      ...Array(2).fill('us-east-1a'),
      ...Array(4).fill('us-east-1b'),
    ]);
    expect(new Set(entriesOf(result, 'node-unreachable').map(({ at, node }) => `${at} ${node.split('.')[0]}`))).toEqual(
      new Set(lost.map(({ instanceId }) => `650 ${instanceId}`)),
    );
    // The status checks fail one minute after the outage, and Kerf waits two minutes.
    for (const { nodeClaim } of lost) {
      const [deleted] = entriesOf(result, 'delete-node-claim').filter((one) => one.nodeClaim === nodeClaim);
      expect(deleted).toMatchObject({ reason: 'unhealthy' });
      expect(deleted?.at).toBeGreaterThan(780);
      expect(deleted?.at).toBeLessThan(850);
    }
    expect(saidOf(result)).toEqual([
      '600 zone us-east-1a fails for 20m: EC2 has no capacity there, and 2 instances there lose power',
      '1800 the outage of zone us-east-1a is over; 0 instances of 2 start again',
    ]);
    expect(result).toMatchObject({ podsRunning: 4, podsPending: [], nodesAtEnd: 4 });
  });

  test('of 90 s ends before Kerf acts: the instances start again, and their pods run on them', async () => {
    const short = { ...OUTAGE, nodes: true, forMs: 90_000 };
    const result = await played([short], { manifests: cluster(4) });
    expect(result).toMatchObject({ nodesLaunched: 4, nodesAtEnd: 4, podsRunning: 4, podsPending: [] });
    const lost = entriesOf(result, 'node-unreachable').map(({ node }) => node);
    const back = entriesOf(result, 'node-ready').filter(({ at }) => at > 600);
    expect(back.map(({ node }) => node).toSorted()).toEqual(lost.toSorted());
    // An instance reports 30 to 90 s after the return of the power at 690 s.
    expect(back.every(({ at }) => at >= 720 && at < 780)).toBe(true);
    expect(saidOf(result).at(-1)).toBe('690 the outage of zone us-east-1a is over; 2 instances of 2 start again');
  });

  test('stops instances that boot; they join after the outage', async () => {
    const early = { ...OUTAGE, nodes: true, atMs: 10_000, forMs: 2 * MINUTE_MS };
    const result = await played([early], { manifests: cluster(1, 'us-east-1a') });
    const [joined] = entriesOf(result, 'node-joined');
    expect(joined?.at).toBeGreaterThanOrEqual(130 + 30);
    expect(result).toMatchObject({ nodesLaunched: 1, podsRunning: 1 });
  });

  test('is over when the last of several outages of the zone ends', async () => {
    const second = { ...OUTAGE, atMs: 20 * MINUTE_MS, nodes: false };
    const result = await played([{ ...OUTAGE, nodes: false }, second], { manifests: cluster(1) });
    expect(saidOf(result).slice(2)).toEqual(['2400 the outage of zone us-east-1a is over']);
  });

  test('without capacity for longer than without power names the return of the power', async () => {
    const dark = { ...OUTAGE, nodes: true, forMs: 90_000 };
    const result = await played([dark, { ...OUTAGE, nodes: false }], { manifests: cluster(4) });
    expect(saidOf(result).slice(2)).toEqual([
      '690 zone us-east-1a has power again, and no capacity; 2 instances of 2 start again',
      '1800 the outage of zone us-east-1a is over',
    ]);
  });

  test('is the same each time for one seed', async () => {
    const runs = [1, 2].map(async () => played([{ ...OUTAGE, nodes: true }], { manifests: cluster(4) }));
    const [first, second] = await Promise.all(runs);
    expect(JSON.stringify(first)).toBe(JSON.stringify(second));
  });

  test('of a zone that the region does not have says so', async () => {
    const result = await played([{ ...OUTAGE, zone: 'eu-west-3a', nodes: true }], { manifests: cluster(1) });
    expect(saidOf(result)).toEqual(['600 us-east-1 does not have eu-west-3a: no zone fails']);
  });
});
