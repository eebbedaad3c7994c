import { describe, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { usageHours } from '../../../lib/controllers/record/usage-hours.ts';
import type { NodeSpan } from '../../../lib/core/decisions/node-hours.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import { costByUsage, REST, requestedShares } from '../../../lib/core/usage/cost-by-usage.ts';
import { lookAtUsage } from '../../../lib/core/usage/look-at-usage.ts';
import { MAX_KEYS, OTHERS, usageHour, withLook } from '../../../lib/core/usage/usage-book.ts';
import { hourOf, type UsageHour } from '../../../lib/core/usage/usage-hour.ts';
import { runningPod } from '../../builders/pods.ts';
import { aSnapshot, initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { NOW_MS } from '../../builders/times.ts';

const ALLOCATABLE = { cpu: '2', memory: '8Gi', pods: '29' };
const NODE = initializedNode({ name: 'node-1', allocatable: ALLOCATABLE });
const PRICE = NODE.nodeClaim.launch.kind === 'launched' ? NODE.nodeClaim.launch.instance.priceUsdPerHour : 0;
const HOUR = hourOf(NOW_MS);

function pod(key: string, requests: { readonly cpu: string; readonly memory: string }, labels = {}) {
  const [namespace = '', name = ''] = key.split('/');
  return runningPod('node-1', { name, namespace, requests, labels });
}

function cluster(...pods: ReturnType<typeof pod>[]): ClusterSnapshot {
  return snapshotOf([NODE], { pods });
}

const SHOP = pod('shop/web', { cpu: '1500m', memory: '3Gi' }, { team: 'a' });
const BATCH = pod('batch/job', { cpu: '500m', memory: '2Gi' });

function hourly(...looks: readonly ClusterSnapshot[]): UsageHour {
  const book = looks.reduce<ReturnType<typeof withLook> | undefined>(
    (before, one) => withLook(before, lookAtUsage(one, ['team']), { hourMs: HOUR, atMs: HOUR }),
    undefined,
  );
  if (book === undefined) throw new TypeError('no look');
  return usageHour('demo', book);
}

describe('a look', () => {
  test('gives a pod the mean of its shares of cpu and memory of its node', () => {
    const { namespaces, nodes, usdPerHour } = lookAtUsage(cluster(SHOP, BATCH), []);
    expect(usdPerHour).toBe(PRICE);
    expect(namespaces.get('shop')).toEqual({ cpuMillicores: 1_500, memoryMib: 3_072, usdPerHour: PRICE * 0.5625 });
    expect(namespaces.get('batch')).toEqual({ cpuMillicores: 500, memoryMib: 2_048, usdPerHour: PRICE * 0.25 });
    expect(nodes).toEqual([
      expect.objectContaining({ name: 'node-1', cpuMillicores: [2_000, 2_000], memoryMib: [5_120, 8_192], pods: 2 }),
    ]);
  });

  test('leaves out nodes of others, pods that have ended, and pods without a node', () => {
    const ended = { ...BATCH, status: { phase: 'Succeeded' as const } };
    const { namespaces } = lookAtUsage({ ...cluster(SHOP, ended), nodeClaims: [] }, []);
    expect([...namespaces]).toEqual([]);
    expect([...lookAtUsage(cluster(SHOP, ended), []).namespaces.keys()]).toEqual(['shop']);
  });

  test('never gives pods more than the price of their node', () => {
    const { nodes } = lookAtUsage(cluster(pod('shop/huge', { cpu: '64', memory: '1Ti' })), []);
    expect(nodes[0]?.requestedUsdPerHour).toBeLessThanOrEqual(PRICE);
  });
});

describe('an hour', () => {
  test('has the averages of its looks, by namespace and by the chosen labels', () => {
    const { looks, namespaces, labels, nodes } = hourly(cluster(SHOP, BATCH), cluster(SHOP));
    expect(looks).toBe(2);
    expect(namespaces['batch']).toEqual(expect.objectContaining({ cpuMillicores: 250, memoryMib: 1_024 }));
    expect(Object.keys(labels['team'] ?? {})).toEqual(['a']);
    expect(nodes[0]?.requestedUsdPerHour).toBeCloseTo(PRICE * 0.6875, 5);
  });

  test('has a limited number of namespaces, and the sum of the others', () => {
    const many = Array.from({ length: MAX_KEYS + 50 }, (_, at) => pod(`n-${at}/p-${at}`, { cpu: '1m', memory: '1Mi' }));
    const { namespaces } = hourly(cluster(...many));
    expect(Object.keys(namespaces)).toHaveLength(MAX_KEYS + 1);
    expect(namespaces[OTHERS]?.cpuMillicores).toBe(50);
  });
});

describe('the cost', () => {
  const span: NodeSpan = {
    instance: 'i-1',
    nodePool: 'general',
    instanceType: 'm5.large',
    zone: 'eu-west-3a',
    capacityType: 'on-demand',
    usdPerHour: 0.2,
    fromMs: HOUR,
  };
  const period = { spans: [span], fromMs: HOUR, untilMs: HOUR + HOUR_MS };
  const used = hourly(cluster(SHOP, BATCH));

  test('goes to namespaces by what they request, and the sum is what was paid', () => {
    const rows = costByUsage({ ...period, hours: [used] });
    expect(rows.map(({ key }) => key)).toEqual(['shop', 'batch', REST.notRequested]);
    expect(rows[0]).toEqual({ key: 'shop', cpuHours: 1.5, memoryGibHours: 3, usd: expect.closeTo(0.1125, 4) });
    expect(rows.reduce((sum, { usd }) => sum + usd, 0)).toBeCloseTo(0.2, 6);
  });

  test('goes to the values of a label, and pods without it have a row', () => {
    const rows = costByUsage({ ...period, hours: [used] }, 'team');
    expect(rows.map(({ key }) => key)).toEqual(['a', REST.withoutLabel, REST.notRequested]);
    expect(rows.reduce((sum, { usd }) => sum + usd, 0)).toBeCloseTo(0.2, 6);
  });

  test('of hours and labels without usage is not known', () => {
    expect(costByUsage({ ...period, hours: [] })).toEqual([expect.objectContaining({ key: REST.notKnown, usd: 0.2 })]);
    expect(costByUsage({ ...period, hours: [used] }, 'other').map(({ key }) => key)).toEqual([REST.notKnown]);
  });

  test('of an hour without prices is not known, and does not hide that of other hours', () => {
    const { launch, ...claim } = NODE.nodeClaim;
    if (launch.kind !== 'launched') throw new TypeError('not launched');
    const instance = { ...launch.instance, capacityType: 'reserved' as const, priceUsdPerHour: 0.096 / 10_000_000 };
    const reserved = { ...NODE, nodeClaim: { ...claim, launch: { ...launch, instance } } };
    const free = { ...hourly(snapshotOf([reserved], { pods: [SHOP] })), hourMs: HOUR + HOUR_MS };
    const rows = costByUsage({ ...period, untilMs: HOUR + 2 * HOUR_MS, hours: [used, free] });
    expect(rows.map(({ key }) => key)).toEqual([REST.notKnown, 'shop', 'batch', REST.notRequested]);
    expect(rows[1]).toEqual({ key: 'shop', cpuHours: 3, memoryGibHours: 6, usd: expect.closeTo(0.1125, 4) });
    expect(rows.reduce((sum, { usd }) => sum + usd, 0)).toBeCloseTo(0.4, 6);
    const nothing = costByUsage({ ...period, spans: [{ ...span, usdPerHour: 0 }], hours: [{ ...free, hourMs: HOUR }] });
    expect(nothing.map(({ usd }) => usd)).toEqual([0, 0, 0]);
  });

  test('of a part of an hour is that part', () => {
    const half = { ...period, untilMs: HOUR + HOUR_MS / 2, hours: [used] };
    expect(costByUsage(half).reduce((sum, { usd }) => sum + usd, 0)).toBeCloseTo(0.1, 6);
    expect(costByUsage(half).find(({ key }) => key === 'shop')?.cpuHours).toBe(0.75);
  });

  test('shows how much of it was requested, by NodePool', () => {
    expect(requestedShares([used], ({ nodePool }) => nodePool).get('general')).toBeCloseTo(0.8125, 4);
  });
});

describe('hours are written', () => {
  /** Runs of disruption each minute. *Shape:* what was written, and when. */
  function written(minutes: number, snapshotAt: (minute: number) => ClusterSnapshot) {
    const usage = usageHours();
    return Array.from({ length: minutes }, (_, minute) => {
      const atMs = HOUR + minute * MINUTE_MS;
      const snapshot = snapshotAt(minute);
      const verdict = { actions: [], blocked: [], due: [] };
      const context = { decisionId: 'd', nowMs: atMs };
      const decided = [{ controller: 'disruption' as const, snapshot, context, verdict, decisions: [] }];
      const { ended, current } = usage.due({ report: { cluster: 'demo', decided }, atMs });
      return [ended, current?.hour].flatMap((hour) => (hour === undefined ? [] : [{ minute, hour }]));
    }).flat();
  }

  test('twice an hour, and once more for what its last looks have seen', () => {
    const all = written(24 * 60, () => cluster(SHOP));
    expect(all.length).toBeLessThanOrEqual(24 * 2 + 1);
    const last = new Map(all.map(({ hour }) => [hour.hourMs, hour.looks]));
    expect([...last.values()].slice(0, -1)).toEqual(Array.from({ length: 23 }, () => 12));
  });

  test('not at all while there are no nodes', () => {
    expect(written(180, () => aSnapshot())).toEqual([]);
  });

  test('at once when the last node is gone', () => {
    const all = written(240, (minute) => (minute < 12 ? cluster(SHOP) : aSnapshot()));
    expect(all.map(({ minute, hour }) => [minute, hour.looks])).toEqual([
      [0, 1],
      [15, 4],
    ]);
  });
});
