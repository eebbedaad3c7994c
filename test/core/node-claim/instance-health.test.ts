import { describe, expect, test } from 'vitest';
import { decideHealth, type InstanceHealth } from '../../../lib/core/node-claim/instance-health.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { NOW_MS, SECOND } from '../../builders/times.ts';

const EVENT = { code: 'instance-retirement', description: 'The instance is running on degraded hardware' };

function health(over: Partial<InstanceHealth> = {}): InstanceHealth {
  return { id: 'i-1', events: [], ...over };
}

function verdict(over: Partial<InstanceHealth>, deletion?: { readonly deadlineMs?: number }) {
  const going = { reason: 'empty', message: '', requestedAtMs: NOW_MS, ...deletion } as const;
  const action = decideHealth(launchedClaim(deletion === undefined ? {} : { deletion: going }), health(over), NOW_MS);
  return action === undefined ? 'stays' : `${action.reason} ${action.deadlineMs === NOW_MS ? 'now' : 'in peace'}`;
}

describe('what EC2 says of an instance (C82)', () => {
  test.each<[string, Partial<InstanceHealth>, string]>([
    ['nothing', {}, 'stays'],
    ['an instance check that fails for 120 s', { instanceImpairedSinceMs: NOW_MS - 120 * SECOND }, 'unhealthy now'],
    ['a system check that fails for 120 s', { systemImpairedSinceMs: NOW_MS - 120 * SECOND }, 'unhealthy now'],
    ['a check that fails for less', { systemImpairedSinceMs: NOW_MS - 119 * SECOND }, 'stays'],
    [
      'one check that fails for long, the other not yet',
      { systemImpairedSinceMs: NOW_MS, instanceImpairedSinceMs: NOW_MS - 300 * SECOND },
      'unhealthy now',
    ],
    ...['instance-reboot', 'instance-retirement', 'instance-stop', 'system-maintenance', 'system-reboot'].map(
      (code): [string, Partial<InstanceHealth>, string] => [
        code,
        { events: [{ ...EVENT, code }] },
        'scheduled_change in peace',
      ],
    ),
    ['an event of another kind', { events: [{ ...EVENT, code: 'ebs-something' }] }, 'stays'],
    ['an event that is over', { events: [{ ...EVENT, description: `[Completed] ${EVENT.description}` }] }, 'stays'],
    [
      'an event that was called off',
      { events: [{ ...EVENT, description: `[Canceled] ${EVENT.description}` }] },
      'stays',
    ],
    [
      'an event that is over beside one that is not',
      { events: [{ ...EVENT, description: '[Completed] the last one' }, EVENT] },
      'scheduled_change in peace',
    ],
    ['both', { systemImpairedSinceMs: NOW_MS - 120 * SECOND, events: [EVENT] }, 'unhealthy now'],
  ])('%s', (_, over, expected) => {
    expect(verdict(over)).toBe(expected);
  });

  test('a claim that drains in peace on a broken instance gets its deadline now, once', () => {
    const broken = { systemImpairedSinceMs: NOW_MS - 120 * SECOND };
    expect(verdict(broken, {})).toBe('unhealthy now');
    expect(verdict(broken, { deadlineMs: NOW_MS + SECOND })).toBe('unhealthy now');
    expect(verdict(broken, { deadlineMs: NOW_MS })).toBe('stays');
    expect(verdict({ events: [EVENT] }, {})).toBe('stays');
  });
});
