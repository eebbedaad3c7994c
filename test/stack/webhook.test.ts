import { expect, test } from 'vitest';
import { fixedParts } from '../../benchmarks/cost/fixed-parts.ts';
import { templateOf } from './assembly.ts';

test('a flood of calls is limited and raises an alarm, but a short burst does not', () => {
  const template = templateOf([{ name: 'blue' }]);
  template.hasResourceProperties('AWS::Lambda::Function', {
    Description: 'Kerf webhook',
    ReservedConcurrentExecutions: 10,
  });
  template.hasResourceProperties('AWS::CloudWatch::Alarm', {
    Namespace: 'AWS/Lambda',
    MetricName: 'Throttles',
    Threshold: 1,
    EvaluationPeriods: 5,
    DatapointsToAlarm: 3,
    TreatMissingData: 'notBreaching',
  });
});

test('Lambda logs only calls that fail, and only in the log of the webhook, which has no metrics', () => {
  const template = templateOf([{ name: 'blue' }]);
  const loud = Object.values(template.findResources('AWS::Lambda::Function')).filter(
    ({ Properties }) => Properties.LoggingConfig?.LogFormat === 'Text',
  );
  template.hasResourceProperties('AWS::Lambda::Function', {
    Description: 'Kerf webhook',
    LoggingConfig: { LogFormat: 'JSON', SystemLogLevel: 'WARN' },
  });
  expect(loud.map(({ Properties }) => Properties.Description)).toContain('Kerf lifecycle');
  expect(fixedParts(1).logsOnlyFailures).toEqual(['webhook']);
});
