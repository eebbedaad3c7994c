import { describe, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../lib/apis/formats/time.ts';

import { type BilledInstance, instanceLedger } from '../../../lib/simulator/summary/instance-ledger.ts';

const START_MS = 1_000_000;

function anInstance(id: string, over: Partial<BilledInstance> = {}): BilledInstance {
  return {
    id,
    instanceType: 'c7g.large',
    zone: 'us-east-1a',
    capacityType: 'spot',
    priceUsdPerHour: 0.03,
    nodePool: 'general',
    launchedAtMs: START_MS,
    ...over,
  };
}

function aLedger() {
  const clock = { nowMs: START_MS, now: () => clock.nowMs };
  return { clock, ledger: instanceLedger(clock) };
}

describe('the cost of instances', () => {
  test('counts from the launch to the shutdown, by NodePool, and to now for those that run', () => {
    const { clock, ledger } = aLedger();
    ledger.begin(anInstance('a'));
    ledger.begin(anInstance('b', { nodePool: 'batch', capacityType: 'on-demand', priceUsdPerHour: 0.0725 }));
    clock.nowMs = START_MS + 2 * HOUR_MS;
    ledger.end('a');
    clock.nowMs = START_MS + 10 * HOUR_MS;
    ledger.gone('a');
    // 2 h × $0.03 and 10 h × $0.0725.
    expect(ledger.report()).toMatchObject({
      costUsd: 0.785,
      usdPerHourAtEnd: 0.0725,
      nodePools: [
        { nodePool: 'batch', launched: 1, atEnd: 1, costUsd: 0.725, usdPerHourAtEnd: 0.0725 },
        { nodePool: 'general', launched: 1, atEnd: 0, costUsd: 0.06, usdPerHourAtEnd: 0 },
      ],
    });
    expect(ledger.now()).toEqual({ nodes: 1, nodesLaunched: 2, nodesEnded: 1, usdPerHour: 0.0725, costUsd: 0.785 });
  });

  test('an instance that shuts down costs nothing more, and is not one at the end', () => {
    const { clock, ledger } = aLedger();
    ledger.begin(anInstance('a'));
    clock.nowMs = START_MS + HOUR_MS;
    ledger.end('a');
    ledger.end('a');
    clock.nowMs = START_MS + HOUR_MS + 15_000;
    expect(ledger.report()).toMatchObject({ costUsd: 0.03, atEnd: 0, shuttingDown: 1 });
    ledger.gone('a');
    expect(ledger.report()).toMatchObject({ costUsd: 0.03, shuttingDown: 0 });
  });

  test('an instance that was found costs from then on, and was not launched', () => {
    const { clock, ledger } = aLedger();
    clock.nowMs = START_MS + HOUR_MS;
    ledger.begin(anInstance('old', { launchedAtMs: START_MS - 24 * HOUR_MS, nodePool: '', priceUsdPerHour: 1 }), true);
    clock.nowMs += 30 * MINUTE_MS;
    expect(ledger.report()).toMatchObject({
      launched: 0,
      atEnd: 1,
      costUsd: 0.5,
      nodePools: [{ nodePool: '', launched: 0, atEnd: 1, costUsd: 0.5 }],
    });
  });

  test('a hundred thousand instances of a second cost what they cost together, to the cent', () => {
    const { clock, ledger } = aLedger();
    for (let index = 0; index < 100_000; index += 1) {
      ledger.begin(anInstance(`i-${index}`, { launchedAtMs: clock.nowMs, priceUsdPerHour: 0.0361 }));
      clock.nowMs += 1_000;
      ledger.end(`i-${index}`);
      ledger.gone(`i-${index}`);
    }
    // 100,000 s × $0.0361/h ÷ 3,600.
    expect(ledger.report().costUsd).toBe(1.002778);
  });
});

describe('the counts of instances', () => {
  test('at the peak and at the end are by type, zone and capacity type; the largest peak is first', () => {
    const { clock, ledger } = aLedger();
    ledger.begin(anInstance('a', { zone: 'us-east-1b' }));
    ledger.begin(anInstance('b'));
    clock.nowMs = START_MS + 90_000;
    ledger.begin(anInstance('c'));
    ledger.end('a');
    ledger.begin(anInstance('d', { capacityType: 'on-demand', priceUsdPerHour: 0.0725 }));
    ledger.end('b');
    const report = ledger.report();
    expect(report).toMatchObject({ launched: 4, atPeak: 3, peakAtSeconds: 90, atEnd: 2 });
    const kind = { instanceType: 'c7g.large', zone: 'us-east-1a', capacityType: 'spot', usdPerHourEach: 0.03 };
    expect(report.instances).toEqual([
      { ...kind, launched: 2, atPeak: 2, atEnd: 1 },
      { ...kind, zone: 'us-east-1b', launched: 1, atPeak: 1, atEnd: 0 },
      { ...kind, capacityType: 'on-demand', usdPerHourEach: 0.0725, launched: 1, atPeak: 0, atEnd: 1 },
    ]);
  });

  test('an instance that is unknown changes nothing when it ends', () => {
    const { ledger } = aLedger();
    ledger.end('i-other');
    ledger.gone('i-other');
    expect(ledger.report()).toMatchObject({ atEnd: 0, shuttingDown: 0, instances: [], nodePools: [] });
  });
});
