import { expect, test } from 'vitest';
import { compareText } from '../../lib/core/compare-text.ts';
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

test('a tick that Lambda throttles is dropped after six minutes, and a refresh of the catalogue waits for the one before', () => {
  const configured = propertiesOf(template, 'AWS::Lambda::EventInvokeConfig');
  expect(configured.map((one) => one['MaximumEventAgeInSeconds'])).toEqual([360, 360, 360, 360]);
  const names = configured.map((one) => String(at(one, 'FunctionName', 'Ref'))).toSorted(compareText);
  const ticked = ['Disruption', 'Lifecycle', 'Provisioning', 'Termination'];
  expect(names).toEqual(ticked.map((name) => expect.stringContaining(name)));
});
