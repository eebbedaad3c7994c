import { test } from 'vitest';
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
