import { describe, expect, test } from 'vitest';
import type { ClusterOptions } from '../../lib/operator/options/cluster-options.ts';
import { DEPLOYMENT_METRICS } from '../../lib/operator/options/options.ts';
import { ALARMS } from '../../lib/stack/monitoring/alarms.ts';
import { propertiesOf, synthesize, templateOf } from './assembly.ts';
import { at, recordAt } from './json.ts';
import { resolved } from './resolve.ts';

const TWO = [{ name: 'blue' }, { name: 'green' }];
const NETWORK = { vpcId: 'vpc-01234567', subnetIds: ['subnet-01234567'], securityGroupIds: ['sg-01234567'] };

function alarmsOf(clusters: readonly ClusterOptions[]): readonly Readonly<Record<string, unknown>>[] {
  return propertiesOf(templateOf(clusters), 'AWS::CloudWatch::Alarm').map((alarm) =>
    recordAt({ alarm: resolved(alarm) }, 'alarm'),
  );
}

function nameOf(alarm: Readonly<Record<string, unknown>>): string {
  return /section ([A-Za-z]+)$/.exec(String(alarm['AlarmDescription']))?.[1] ?? 'no section';
}

function namesOf(clusters: readonly ClusterOptions[]): readonly string[] {
  return alarmsOf(clusters).map(nameOf).toSorted();
}

function functionOf(alarm: unknown): unknown {
  return at(alarm, 'Dimensions', '0', 'Value');
}

test('every alarm names its section of the runbook, and a deployment has each of them once for all of its clusters', () => {
  expect(namesOf(TWO)).toEqual(Object.keys(ALARMS).toSorted());
  expect(namesOf([{ name: 'blue' }])).toEqual(namesOf(TWO));
});

test('each network has its own alarms for its functions and its queue of events', () => {
  const added = ['InterruptionDeadLetters', 'TicksStopped', 'WebhookThrottled'];
  expect(namesOf([...TWO, { name: 'intern', network: NETWORK }])).toEqual([...namesOf(TWO), ...added].toSorted());
});

test('no alarm pays for a second metric', () => {
  expect(alarmsOf(TWO).filter((alarm) => 'Metrics' in alarm)).toEqual([]);
});

test('each metric of the deployment has an alarm for all clusters, which a missing value does not raise', () => {
  const alarms = alarmsOf(TWO).filter((alarm) => alarm['Namespace'] === 'Kerf');
  expect(alarms.map((alarm) => String(alarm['MetricName'])).toSorted()).toEqual(DEPLOYMENT_METRICS.toSorted());
  for (const alarm of alarms) {
    expect(alarm).toMatchObject({
      Dimensions: [{ Name: 'Table', Value: 'StateTable962DE04C' }],
      Threshold: 1,
      TreatMissingData: 'notBreaching',
    });
  }
});

describe('the alarm for missing ticks', () => {
  function ticksOf(clusters: readonly ClusterOptions[]): unknown {
    return alarmsOf(clusters).find((alarm) => nameOf(alarm) === 'TicksStopped');
  }

  test('is raised if lifecycle has had no invocation for ten minutes, and a missing value counts as none', () => {
    expect(ticksOf(TWO)).toMatchObject({
      Namespace: 'AWS/Lambda',
      MetricName: 'Invocations',
      Dimensions: [{ Name: 'FunctionName', Value: expect.stringContaining('Lifecycle') }],
      Statistic: 'Sum',
      Period: 300,
      EvaluationPeriods: 2,
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
      TreatMissingData: 'breaching',
    });
  });

  test('looks at provisioning if all clusters are in shadow, where lifecycle has no ticks', () => {
    const shadow = { name: 'blue', shadow: true };
    expect(functionOf(ticksOf([shadow]))).toContain('Provisioning');
    expect(functionOf(ticksOf([shadow, { name: 'green' }]))).toContain('Lifecycle');
  });

  test('is created after the installer, so that the first tick comes before it', () => {
    const [alarm] = Object.values(
      synthesize(TWO).findResources('AWS::CloudWatch::Alarm', { Properties: { MetricName: 'Invocations' } }),
    );
    expect(alarm?.['DependsOn']).toEqual(expect.arrayContaining([expect.stringMatching(/^Installer/)]));
  });
});
