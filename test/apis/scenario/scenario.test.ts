import { describe, expect, test } from 'vitest';
import type { ScenarioManifestEvent } from '../../../lib/apis/generated/scenario-manifest.ts';
import { NAMED_FAULTS } from '../../../lib/apis/scenario/fault-fields.ts';
import { CALLS_OF_API, PORT_CALLS } from '../../../lib/apis/scenario/port-calls.ts';
import { parseScenario, type Scenario } from '../../../lib/apis/scenario/scenario.ts';
import { NEEDS } from '../../controllers/outages/needs.ts';

function parsed(event: Omit<ScenarioManifestEvent, 'at'>): Scenario['events'][number] | undefined {
  const events = [{ at: '10m', ...event }];
  const manifest = { apiVersion: 'kerf.dev/v1alpha1', kind: 'Scenario', metadata: { name: 'a' } } as const;
  return parseScenario({ ...manifest, spec: { events } }).events[0];
}

describe('an event', () => {
  test.each<readonly [string, Omit<ScenarioManifestEvent, 'at'>, object]>([
    ['zoneOutage', { zoneOutage: { zone: 'a' } }, { kind: 'zoneOutage', zone: 'a', nodes: false }],
    ['throttle', { throttle: { api: 'ec2', for: '1m' } }, { kind: 'throttle', api: 'ec2', percent: 50, forMs: 60_000 }],
    ['boots', { boots: { slowBy: '5m' } }, { kind: 'boots', slowByMs: 300_000, failPercent: 0 }],
    [
      'quota',
      { quota: { capacityType: 'spot', vcpus: 8 } },
      { kind: 'quota', capacityType: 'spot', vcpus: 8, family: 'standard' },
    ],
    [
      'a fault of calls',
      { fault: { kind: 'calls-fail', calls: ['store.*'], error: 'forbidden', for: '1m' } },
      {
        kind: 'fault',
        forMs: 60_000,
        fault: { kind: 'calls-fail', calls: ['store.*'], error: 403, where: 'before', percent: 100 },
      },
    ],
    [
      'a fault of messages',
      { fault: { kind: 'messages', how: 'late' } },
      { kind: 'fault', fault: { kind: 'messages', how: 'late', queues: [], upToMs: 300_000, percent: 100 } },
    ],
    [
      'a fault of machines',
      { fault: { kind: 'machines', how: 'late-ready', late: '2m', zones: ['a'], percent: 5 } },
      { kind: 'fault', fault: { kind: 'machines', how: 'late-ready', lateMs: 120_000, zones: ['a'], percent: 5 } },
    ],
  ])('%s gets its defaults, and its times in milliseconds', (_, event, expected) => {
    expect(parsed(event)).toEqual({ atMs: 600_000, ...expected });
  });
});

describe('the calls that a fault can name', () => {
  const methods = PORT_CALLS.filter((one) => !one.endsWith('.*'));

  test('are the methods of all ports', () => {
    expect(methods.toSorted()).toEqual(Object.keys(NEEDS).toSorted());
  });

  test('of the throttled APIs are calls of Kerf', () => {
    expect(
      Object.values(CALLS_OF_API)
        .flat()
        .filter((one) => !PORT_CALLS.includes(one)),
    ).toEqual([]);
  });
});

test('a fault that needs the table of the fault tester, or lasts a whole run, has no name in a Scenario', () => {
  expect(NAMED_FAULTS).not.toContain('restore-table');
  expect(NAMED_FAULTS).not.toContain('second-deployment');
});

describe('a load', () => {
  const load = { name: 'a', cpu: '1', arrivals: { poisson: { perHour: 6 } }, lifetime: { fixed: '10m' } };
  const parse = (over: object): Scenario =>
    parseScenario(
      {
        apiVersion: 'kerf.dev/v1alpha1',
        kind: 'Scenario',
        metadata: { name: 'a' },
        spec: {
          loads: [{ ...load, ...over }],
          spotInterruptions: [{ perHour: 3, to: '1h' }],
          trace: { file: 't.csv' },
        },
      },
      'dir/scenario.yaml',
    );

  test('gets a template with its requests, its times in milliseconds, and the trace its file', () => {
    expect(parse({ from: '1m' })).toEqual({
      name: 'a',
      events: [],
      loads: [
        {
          name: 'a',
          namespace: 'default',
          template: {
            metadata: { labels: { 'app.kubernetes.io/name': 'a' } },
            spec: { restartPolicy: 'Never', containers: [{ name: 'a', resources: { requests: { cpu: '1' } } }] },
          },
          arrivals: { kind: 'poisson', perHour: 6 },
          lifetime: { kind: 'fixed', ms: 600_000 },
          fromMs: 60_000,
        },
      ],
      spotInterruptions: [{ rate: { perHour: 3 }, fromMs: 0, toMs: 3_600_000 }],
      trace: { file: 't.csv', declaredIn: 'dir/scenario.yaml' },
    });
  });

  test('can follow the day', () => {
    const arrivals = { diurnal: { peakPerHour: 9, peakAt: '14h' } };
    expect(parse({ arrivals, lifetime: { exponential: '1m' }, limit: 5 }).loads?.[0]).toMatchObject({
      arrivals: { kind: 'diurnal', peakPerHour: 9, troughPerHour: 0, peakAtMs: 50_400_000 },
      lifetime: { kind: 'exponential', meanMs: 60_000 },
      limit: 5,
    });
  });
});
