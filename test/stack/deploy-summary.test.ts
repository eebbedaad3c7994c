import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { measuredCosts } from '../../benchmarks/cost/measured-costs.ts';
import measured from '../../data/kerf-cost.json' with { type: 'json' };
import type { ClusterOptions } from '../../lib/operator/options/cluster-options.ts';
import { deploySummary } from '../../lib/operator/options/deploy-summary.ts';
import { templateOf } from './assembly.ts';

/** What `cdk synth` prints before a deploy. */

const NETWORK = {
  vpcId: 'vpc-0123456789abcdef0',
  subnetIds: ['subnet-0123456789abcdef0'],
  securityGroupIds: ['sg-0123456789abcdef0'],
};

function summaryOf(clusters: readonly ClusterOptions[], alarmTopicArn?: string): readonly string[] {
  const resources: Readonly<Record<string, { readonly Type: string }>> = templateOf(clusters).toJSON()['Resources'];
  const resourceTypes = Object.values(resources).map(({ Type }) => Type);
  return deploySummary({ clusters, resourceTypes, measured, alarmTopicArn });
}

function costOf(clusters: readonly ClusterOptions[]): number {
  return Number(/about \$([\d.]+) a month without nodes/.exec(summaryOf(clusters).join('\n'))?.[1]);
}

test('ten lines say what a deploy makes and what it costs a month', () => {
  const lines = summaryOf([{ name: 'demo' }]);
  expect(lines).toHaveLength(10);
  expect(lines[0]).toBe('Kerf for 1 cluster: demo');
  const text = lines.join('\n');
  expect(text).toMatch(/10 Lambda functions, none of which runs in a cluster/);
  expect(text).toMatch(/7 alarms without an action: set alarmTopicArn/);
  expect(text).toMatch(/instances keep running/);
  expect(text).toContain(`about $${measured.noNodes.toFixed(2)} a month without nodes`);
});

test('docs/start-cluster.md shows its first lines', () => {
  const page = readFileSync(new URL('../../docs/start-cluster.md', import.meta.url), 'utf8');
  expect(page).toContain(
    `${summaryOf([{ name: 'demo' }])
      .slice(0, 3)
      .join('\n')}\n…`,
  );
});

test('the settings of the clusters are part of it', () => {
  const clusters = [
    { name: 'a', shadow: true, install: false },
    { name: 'b', onDelete: 'drain' as const },
  ];
  const text = summaryOf(clusters, 'arn:aws:sns:us-east-1:1:on-call').join('\n');
  expect(text).toContain('a (shadow: it decides, and changes nothing), b');
  expect(text).toContain('a webhook configuration, in 1 of 2');
  expect(text).toContain('drains and terminates the nodes of b');
  expect(text).toContain('that notify arn:aws:sns:us-east-1:1:on-call');
});

test('a further cluster costs what was measured, and a further network its queues and alarms', () => {
  const one = costOf([{ name: 'a' }]);
  expect(costOf([{ name: 'a' }, { name: 'b' }]) - one).toBeCloseTo(measured.furtherCluster, 2);
  expect(costOf([{ name: 'a' }, { name: 'b', network: NETWORK }]) - one).toBeGreaterThan(
    measured.furtherCluster + measured.polledQueue + measured.alarm,
  );
});

test('the costs are those of docs/operations.md (npm run generate)', () => {
  expect(readFileSync(new URL('../../data/kerf-cost.json', import.meta.url), 'utf8')).toBe(measuredCosts());
});
