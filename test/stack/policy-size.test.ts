/** The most clusters that the configuration takes make policies that IAM takes. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import type { Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import cdk from '../../cdk.json' with { type: 'json' };
import type { ClusterOptions } from '../../lib/operator/options/cluster-options.ts';
import { configuredClusters } from '../../lib/stack/configuration.ts';
import { KerfStack } from '../../lib/stack/kerf-stack.ts';
import { propertiesOf, templateOf } from './assembly.ts';
import { readJson, recordAt } from './json.ts';

/** The managed policies that IAM attaches to a role, without a higher quota. */
const MAX_POLICIES = 10;

/** As CloudFormation resolves it, every reference at its longest. */
function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved);
  const fields = recordAt(value);
  const { Ref: reference, 'Fn::Join': joined, 'Fn::GetAtt': attribute } = fields;
  if (Array.isArray(joined)) return [joined[1]].flat().map(resolved).join('');
  if (reference === 'AWS::Partition') return 'aws-us-gov';
  if (reference === 'AWS::Region') return 'ap-southeast-1';
  if (reference === 'AWS::AccountId') return '123456789012';
  if (reference !== undefined || attribute !== undefined) return 'x'.repeat(100);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, resolved(field)]));
}

/** The managed policies of the role with most of them. */
function mostAttached(template: Template): number {
  const attached = propertiesOf(template, 'AWS::IAM::ManagedPolicy').map((one) => JSON.stringify(one['Roles']));
  const counts = [...Map.groupBy(attached, (roles) => roles).values()].map(({ length }) => length);
  return Math.max(0, ...counts);
}

test('the most clusters that the configuration takes make policies that IAM takes', () => {
  const many = Array.from({ length: 100 }, (_, index) => ({ name: `cluster-${index}` }));
  const accepted = (count: number): boolean => {
    try {
      return configuredClusters((key) => (key === 'clusters' ? many.slice(0, count) : undefined)).length === count;
    } catch {
      return false;
    }
  };
  const most = many.findLastIndex((_, index) => accepted(index + 1)) + 1;
  expect(most).toBeGreaterThanOrEqual(50);
  const template = templateOf(many.slice(0, most));
  const largest = (type: string): number =>
    Math.max(...propertiesOf(template, type).map((one) => JSON.stringify(resolved(one['PolicyDocument'])).length));
  expect(largest('AWS::IAM::ManagedPolicy')).toBeLessThanOrEqual(6_144);
  expect(largest('AWS::IAM::Policy')).toBeLessThanOrEqual(10_240);
  expect(mostAttached(template)).toBeLessThanOrEqual(MAX_POLICIES);
});

test('a role has room for the tags of each of twenty clusters', () => {
  const template = templateOf(Array.from({ length: 20 }, (_, index) => ({ name: `cluster-${index}` })));
  expect(JSON.stringify(template.toJSON())).toContain('aws:ResourceTag/kubernetes.io/cluster/cluster-19');
  expect(mostAttached(template)).toBeLessThanOrEqual(MAX_POLICIES);
});

function networkOf(index: number): Pick<ClusterOptions, 'network'> {
  if (index % 3 === 0) return {};
  const vpcId = `vpc-${index % 3}1111111`;
  return { network: { vpcId, subnetIds: ['subnet-aaaaaaaa'], securityGroupIds: ['sg-11111111'] } };
}

test('the template of 100 clusters in three networks has at most 1 MB and 500 resources, as CloudFormation requires', () => {
  const clusters = Array.from({ length: 100 }, (_, index) => ({ name: `cluster-${index}`, ...networkOf(index) }));
  const folder = mkdtempSync(join(tmpdir(), 'kerf-size-'));
  const app = new App({ outdir: folder, context: { ...cdk.context, 'aws:cdk:bundling-stacks': [] } });
  const { templateFile } = new KerfStack(app, 'Kerf', { clusters });
  app.synth();
  const file = join(folder, templateFile);
  expect(statSync(file).size).toBeLessThanOrEqual(1_000_000);
  expect(Object.keys(recordAt(readJson(file), 'Resources')).length).toBeLessThanOrEqual(500);
  rmSync(folder, { recursive: true });
});
