import { expect, test } from 'vitest';
import { propertiesOf, templateOf } from './assembly.ts';
import { at, listAt } from './json.ts';

const template = templateOf([{ name: 'blue' }, { name: 'green' }]);

test('the catalogue is refreshed twice a day, once for all clusters, and when a function finds none', () => {
  const rules = propertiesOf(template, 'AWS::Events::Rule');
  const scheduled = rules.filter((rule) => rule['ScheduleExpression'] === 'rate(12 hours)');
  const missing = rules.filter(
    (rule) => at(rule, 'EventPattern', 'detail-type') !== undefined && rule['EventBusName'] !== undefined,
  );
  expect(missing).toMatchObject([{ EventPattern: { source: ['kerf.wakes'], 'detail-type': ['Catalogue'] } }]);
  const targets = [
    ...scheduled.flatMap((rule) => listAt(rule, 'Targets')),
    ...missing.flatMap((rule) => listAt(rule, 'Targets')),
  ];
  const arns = targets.map((target) => JSON.stringify(at(target, 'Arn')));
  expect(arns).toEqual([expect.stringContaining('CatalogueFunction'), expect.stringContaining('CatalogueFunction')]);
});

test('a refresh of the catalogue that fails in each attempt becomes a dead letter, which has an alarm', () => {
  const [catalogue] = propertiesOf(template, 'AWS::Lambda::Function').filter(
    (one) => one['Description'] === 'Kerf catalogue',
  );
  expect(JSON.stringify(at(catalogue, 'DeadLetterConfig'))).toContain('WakeDeadLetters');
});

test('the catalogue is refreshed by one invocation at a time, however often functions report that there is none', () => {
  const [catalogue] = propertiesOf(template, 'AWS::Lambda::Function').filter(
    (one) => one['Description'] === 'Kerf catalogue',
  );
  expect(at(catalogue, 'ReservedConcurrentExecutions')).toBe(1);
});
