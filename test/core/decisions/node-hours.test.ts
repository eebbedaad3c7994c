import { describe, expect, test } from 'vitest';
import { HOUR_MS } from '../../../lib/apis/formats/time.ts';
import type { DecisionRecord, RecordedAction } from '../../../lib/core/decisions/decision-record.ts';
import { costByKey, nodeSpans } from '../../../lib/core/decisions/node-hours.ts';
import { recordOfRun } from '../../../lib/core/decisions/record-of-run.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { aDecision } from '../../builders/decisions.ts';
import { aClaim } from '../../builders/node-claims.ts';
import { NOW_MS } from '../../builders/times.ts';

const PRICE = { instanceType: 'm7g.large', zone: 'us-east-1a', capacityType: 'spot', usdPerHour: 0.5 } as const;

function entry(kind: RecordedAction['kind'], hours: number, over: Partial<RecordedAction> = {}): DecisionRecord {
  const run = { cluster: 'demo', controller: 'lifecycle', wokenBy: 'tick', durationMs: 1, version: '1' } as const;
  const record = recordOfRun({ ...run, decisions: [aDecision({ atMs: NOW_MS + hours * HOUR_MS })] }, []);
  const action = { kind, instance: 'i-1', nodePool: 'general', ...PRICE, sinceMs: NOW_MS, ...over };
  return { ...record, actions: [action] };
}

function costs(records: readonly DecisionRecord[], running: readonly NodeClaimRecord[] = []) {
  const period = { fromMs: NOW_MS - HOUR_MS, untilMs: NOW_MS + 10 * HOUR_MS };
  return costByKey(nodeSpans(records, running), ({ capacityType }) => capacityType, period).map(
    ({ key, nodes, nodeHours, usd }) => [key, nodes, nodeHours, usd],
  );
}

describe('an instance costs its price', () => {
  test('from its launch to the request to terminate it, and not to the release of its NodeClaim', () => {
    const begun = entry('register-node', 0.1);
    expect(costs([begun])).toEqual([['spot', 1, 10, 5]]);
    expect(costs([begun, entry('terminate-instance', 2)])).toEqual([['spot', 1, 2, 1]]);
    expect(costs([begun, entry('terminate-instance', 2), entry('release-node-claim', 3)])).toEqual([['spot', 1, 2, 1]]);
    expect(costs([begun, entry('release-node-claim', 3)])).toEqual([['spot', 1, 3, 1.5]]);
  });

  test('until the last request, because EC2 may refuse the first', () => {
    expect(costs([entry('terminate-instance', 2), entry('terminate-instance', 4)])).toEqual([['spot', 1, 4, 2]]);
  });

  test('within the period alone, also if its beginning has no record', () => {
    expect(costs([entry('terminate-instance', 2, { sinceMs: NOW_MS - 50 * HOUR_MS })])).toEqual([['spot', 1, 3, 1.5]]);
  });

  test('at each price from its time on', () => {
    const onDemand = entry('register-node', 4, { capacityType: 'on-demand', usdPerHour: 1 });
    expect(costs([entry('register-node', 0.1, { capacityType: 'reserved', usdPerHour: 0 }), onDemand])).toEqual([
      ['on-demand', 1, 6, 6],
      ['reserved', 1, 4, 0],
    ]);
  });

  test('not in shadow, where nothing is carried out', () => {
    expect(costs([{ ...entry('register-node', 0.1), shadow: true }])).toEqual([]);
  });
});

describe('an instance whose reservation ended costs nothing until then', () => {
  const ended = { capacityType: 'on-demand', usdPerHour: 1, reservedUntilMs: NOW_MS + 4 * HOUR_MS } as const;
  const { capacityType, usdPerHour: priceUsdPerHour, reservedUntilMs } = ended;
  const instance = { ...PRICE, id: 'i-1', capacityType, priceUsdPerHour, imageId: 'ami-1' };
  const running = aClaim({ launch: { kind: 'launched', attempt: 0, instance, atMs: NOW_MS, reservedUntilMs } });
  const joined = entry('register-node', 0.1, { capacityType: 'reserved', usdPerHour: 0 });
  const ofBoth = [
    ['on-demand', 1, 6, 6],
    ['reserved', 1, 4, 0],
  ];

  test.each<[string, readonly DecisionRecord[], readonly NodeClaimRecord[]]>([
    ['if it joined in the period', [joined, entry('register-node', 4.1, ended)], [running]],
    ['if it joined before the period', [entry('register-node', 4.1, ended)], [running]],
    ['if the end of the reservation has no record', [joined], [running]],
    ['without a record', [], [running]],
  ])('%s', (_, records, claims) => {
    expect(costs(records, claims)).toEqual(ofBoth);
  });

  test('if only its termination has a record', () => {
    const terminated = entry('terminate-instance', 6, ended);
    expect(costs([terminated])).toEqual([
      ['on-demand', 1, 2, 2],
      ['reserved', 1, 4, 0],
    ]);
  });
});

test('a NodeClaim that runs now counts without a record, and once with one', () => {
  const instance = { id: 'i-1', ...PRICE, priceUsdPerHour: PRICE.usdPerHour, imageId: 'ami-1' };
  const running = aClaim({ launch: { kind: 'launched', attempt: 0, instance, atMs: NOW_MS } });
  expect(costs([], [running])).toEqual([['spot', 1, 10, 5]]);
  expect(costs([entry('register-node', 0.1)], [running])).toEqual([['spot', 1, 10, 5]]);
  expect(costs([], [{ ...running, releasedAtMs: NOW_MS }])).toEqual([]);
});
