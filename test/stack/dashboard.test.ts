import { describe, expect, test } from 'vitest';
import { CLUSTER_FUNCTIONS, METRICS } from '../../lib/operator/options/options.ts';
import { type LogQuery, QUERIES, queryLines } from '../../lib/stack/monitoring/queries.ts';
import { propertiesOf, synthesize } from './assembly.ts';
import { at, listAt, textAt } from './json.ts';
import { resolved } from './resolve.ts';

const NETWORK = { vpcId: 'vpc-01234567', subnetIds: ['subnet-01234567'], securityGroupIds: ['sg-01234567'] };

function clustersNamed(count: number) {
  return Array.from({ length: count }, (_, index) => ({ name: `cluster-with-a-name-of-some-length-${index}` }));
}

/** 40 clusters without a network, and 60 in two networks. */
const HUNDRED = clustersNamed(100).map((cluster, index) => {
  if (index < 40) return cluster;
  return { ...cluster, network: { ...NETWORK, vpcId: index < 70 ? 'vpc-01234567' : 'vpc-76543210' } };
});

const one = synthesize(clustersNamed(1));
const two = synthesize([{ name: 'open' }, { name: 'closed', network: NETWORK }]);
const hundred = synthesize(HUNDRED);

function bodyTextOf(template: typeof one): string {
  const [dashboard, ...others] = propertiesOf(template, 'AWS::CloudWatch::Dashboard');
  expect(others).toEqual([]);
  return String(resolved(dashboard?.['DashboardBody']));
}

function widgetsOf(template: typeof one): readonly unknown[] {
  return listAt(JSON.parse(bodyTextOf(template)), 'widgets');
}

function metricsOf(template: typeof one): readonly unknown[] {
  return widgetsOf(template).flatMap((widget) => listAt(widget, 'properties', 'metrics'));
}

describe('a deployment has one dashboard', () => {
  test('with a variable for the cluster, so that its widgets are the same for each cluster', () => {
    const [variable] = listAt(JSON.parse(bodyTextOf(hundred)), 'variables');
    expect(variable).toMatchObject({ type: 'pattern', pattern: 'KERF_CLUSTER', inputType: 'select' });
    expect(at(variable, 'defaultValue')).toBe(HUNDRED[0]?.name);
    expect(listAt(variable, 'values').map((value) => at(value, 'value'))).toEqual(HUNDRED.map(({ name }) => name));
    expect(widgetsOf(hundred)).toHaveLength(widgetsOf(one).length);
  });

  test('which is free for two networks, and within the limits of CloudWatch for 100 clusters in three networks', () => {
    // Three dashboards of at most 50 metrics are free. More networks have more queues and functions.
    expect(metricsOf(one).length).toBeLessThanOrEqual(50);
    expect(metricsOf(two).length).toBeLessThanOrEqual(50);
    expect(metricsOf(hundred).length).toBeLessThanOrEqual(100);
    for (const widget of widgetsOf(hundred)) expect(listAt(widget, 'properties', 'metrics').length).toBeLessThan(500);
    expect(bodyTextOf(hundred).length).toBeLessThan(100_000);
  });

  test('with the errors and throttles of every function that runs by itself', () => {
    const functions = propertiesOf(one, 'AWS::Lambda::Function').filter(
      ({ Description }) => !['Kerf installer', 'Kerf webhook-secret', 'Kerf widgets'].includes(String(Description)),
    );
    for (const name of ['Errors', 'Throttles'])
      expect(metricsOf(one).filter((metric) => at(metric, '1') === name)).toHaveLength(functions.length);
  });

  test('with every alarm', () => {
    const [alarms] = widgetsOf(hundred).filter((widget) => at(widget, 'type') === 'alarm');
    expect(listAt(alarms, 'properties', 'alarms')).toHaveLength(propertiesOf(hundred, 'AWS::CloudWatch::Alarm').length);
  });

  test('with the metric of a cluster that is always written, and the log lines of the others', () => {
    const queries = widgetsOf(one).map((widget) => at(widget, 'properties', 'query'));
    for (const { lines } of [QUERIES.pendingPods, QUERIES.nodes, QUERIES.hourlyCost, QUERIES.actions])
      expect(queries.filter((query) => String(query).includes(lines[0]))).toHaveLength(1);
    const shown = metricsOf(one).map((metric) => at(metric, '1'));
    expect(shown).toContain(METRICS.failures);
    const clusters = metricsOf(one).filter((metric) => at(metric, '0') === METRICS.namespace);
    expect(clusters.map((metric) => at(metric, '3'))).toEqual(clusters.map(() => 'KERF_CLUSTER'));
  });

  test('whose widgets do not overlap', () => {
    const places = widgetsOf(one).flatMap((widget) => {
      const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((key) => Number(at(widget, key)));
      if (x === undefined || y === undefined) return [];
      expect(x + (width ?? 0)).toBeLessThanOrEqual(24);
      const cells = Array.from({ length: (width ?? 0) * (height ?? 0) }, (_, cell) => cell);
      return cells.map((cell) => `${x + (cell % (width ?? 1))}/${y + Math.floor(cell / (width ?? 1))}`);
    });
    expect(new Set(places).size).toBe(places.length);
  });
});

describe('saved queries', () => {
  const saved = propertiesOf(hundred, 'AWS::Logs::QueryDefinition');

  test('are those of the dashboard, for all clusters', () => {
    expect(saved.map((query) => textAt(query, 'Name')).toSorted()).toEqual(
      Object.values(QUERIES)
        .map(({ title }) => `Kerf/${title}`)
        .toSorted(),
    );
    for (const query of saved) expect(textAt(query, 'QueryString')).not.toContain('KERF_CLUSTER');
  });

  test('show the pods, nodes and price of each cluster, and not those of the largest one', () => {
    const gauges = saved.map((query) => textAt(query, 'QueryString')).filter((text) => text.includes('max(gauges.'));
    expect(gauges.length).toBeGreaterThan(3);
    for (const text of gauges) expect(text).toMatch(/ by bin\(\w+\), cluster$/);
  });

  test('read the log groups of their functions in each network, once', () => {
    for (const query of saved) {
      const groups = listAt(query, 'LogGroupNames').map((group) => JSON.stringify(group));
      expect(groups.length).toBeGreaterThan(0);
      expect(groups.length).toBeLessThanOrEqual(50);
      expect(new Set(groups).size).toBe(groups.length);
    }
    const all = saved.find((query) => textAt(query, 'Name').endsWith(QUERIES.failures.title));
    // Five functions of each of three networks, and the catalogue.
    expect(listAt(all, 'LogGroupNames')).toHaveLength(3 * (CLUSTER_FUNCTIONS.length + 1) + 1);
  });

  test.each(Object.entries(QUERIES))('%s selects one cluster on the dashboard', (_, query: LogQuery) => {
    const [filter] = queryLines(query, 'shop');
    expect(filter?.includes('cluster = "shop"')).toBe(!query.filter.startsWith('@type'));
  });
});
