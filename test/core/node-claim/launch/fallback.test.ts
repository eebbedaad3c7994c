import { expect, test } from 'vitest';
import type { Instance, NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import { fallbackOf } from '../../../../lib/core/node-claim/launch/fallback.ts';
import { aClaim } from '../../../builders/node-claims.ts';

const PLANNED = { instanceType: 'm5.large', zone: 'eu-west-3a', capacityType: 'spot', priceUsdPerHour: 0.04 } as const;
const OTHER = {
  instanceType: 'm5.large',
  zone: 'eu-west-3a',
  capacityType: 'on-demand',
  priceUsdPerHour: 0.1,
} as const;

function instance(option: typeof PLANNED | typeof OTHER): Instance {
  return { id: 'i-1', imageId: 'ami-1', ...option };
}

const record: NodeClaimRecord = aClaim({ name: 'general-1', nodePool: 'general', options: [PLANNED, OTHER] });
const second: NodeClaimRecord = { ...record, launch: { kind: 'refused', attempt: 2, message: 'x', atMs: 0 } };

test('an instance that costs more than planned after a refusal is reported with both prices', () => {
  expect(fallbackOf(record, instance(OTHER), 3)).toEqual({
    subject: { kind: 'NodeClaim', name: 'general-1' },
    nodePool: 'general',
    reason: 'CapacityFallback',
    message:
      'planned as m5.large spot in eu-west-3a at $0.04/h, launched as m5.large on-demand in eu-west-3a at $0.1/h, because 3 offerings had no capacity',
    numbers: { plannedUsdPerHour: 0.04, launchedUsdPerHour: 0.1 },
  });
});

test.each([
  ['in an earlier attempt', { of: second, option: OTHER, missing: 0 }, true],
  ['never: EC2 chose among the options', { of: record, option: OTHER, missing: 0 }, false],
  ['and the planned offering was launched nevertheless', { of: second, option: PLANNED, missing: 3 }, false],
])('it is reported only if something was refused: %s', (_, { of, option, missing }, isReported) => {
  expect(fallbackOf(of, instance(option), missing) !== undefined).toBe(isReported);
});
