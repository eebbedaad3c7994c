/** The most clusters that the configuration takes make policies that IAM takes. */
import { expect, test } from 'vitest';
import { configuredClusters } from '../../lib/stack/configuration.ts';
import { propertiesOf, templateOf } from './assembly.ts';
import { recordAt } from './json.ts';

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
  // The ARN of a rule may have 119 characters. SQS allows 8,192 for the policy of a queue.
  expect(largest('AWS::SQS::QueuePolicy') + most * 19).toBeLessThanOrEqual(8_192);
});
