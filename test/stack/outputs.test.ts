import { expect, test } from 'vitest';
import { describeOutput } from '../../lib/stack/monitoring/describe-output.ts';
import { templateOf } from './assembly.ts';

test('every output says what it is for', () => {
  const template = templateOf([{ name: 'a', makeNodeRole: true }]);
  const outputs: Readonly<Record<string, { readonly Description?: string }>> = template.findOutputs('*');
  expect(Object.keys(outputs).length).toBeGreaterThan(20);
  expect(Object.entries(outputs).filter(([, { Description = '' }]) => Description.length < 20)).toEqual([]);
  expect(outputs['TableName']?.Description).toContain('--table of kerf status');
  expect(outputs['LifecycleQueueUrl']?.Description).toBe('The queue of lifecycle: --queue of kerf dead-letters');
});

test('an output without a description is an error', () => {
  expect(() => describeOutput('Other')).toThrow('the output Other has no description');
});
