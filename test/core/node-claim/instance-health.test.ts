import { describe, expect, test } from 'vitest';
import { decideHealth, type InstanceHealth } from '../../../lib/core/node-claim/instance-health.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { NOW_MS, SECOND } from '../../builders/times.ts';

const EVENT = { code: 'instance-retirement', description: 'The instance is running on degraded hardware' };

function health(over: Partial<InstanceHealth> = {}): InstanceHealth {
  return { id: 'i-1', events: [], ...over };
}

function verdict(over: Partial<InstanceHealth>, deletion?: { readonly deadlineMs?: number }) {
  const deleted = { reason: 'empty', message: '', requestedAtMs: NOW_MS, ...deletion } as const;
  const action = decideHealth(launchedClaim(deletion === undefined ? {} : { deletion: deleted }), health(over), NOW_MS);
  return action === undefined ? 'stays' : `${action.reason} ${action.deadlineMs === NOW_MS ? 'now' : 'gracefully'}`;
}

describe('the health of an instance (C82)', () => {
  test.each<[string, Partial<InstanceHealth>, string]>([
    ['nothing', {}, 'stays'],
    ['an instance check that fails for 120 s', { instanceImpairedSinceMs: NOW_MS - 120 * SECOND }, 'unhealthy now'],
    ['a system check that fails for 120 s', { systemImpairedSinceMs: NOW_MS - 120 * SECOND }, 'unhealthy now'],
    ['a check that fails for less', { systemImpairedSinceMs: NOW_MS - 119 * SECOND }, 'stays'],
    [
      'one check that fails for 120 s, the other for less',
      { systemImpairedSinceMs: NOW_MS, instanceImpairedSinceMs: NOW_MS - 300 * SECOND },
      'unhealthy now',
    ],
    ...['instance-reboot', 'instance-retirement', 'instance-stop', 'system-maintenance', 'system-reboot'].map(
      (code): [string, Partial<InstanceHealth>, string] => [
        code,
        { events: [{ ...EVENT, code }] },
        'scheduled_change gracefully',
      ],
    ),
    ['an event of another kind', { events: [{ ...EVENT, code: 'ebs-something' }] }, 'stays'],
    ['a completed event', { events: [{ ...EVENT, description: `[Completed] ${EVENT.description}` }] }, 'stays'],
    ['an event that was canceled', { events: [{ ...EVENT, description: `[Canceled] ${EVENT.description}` }] }, 'stays'],
    [
      'a completed event and a scheduled one',
      { events: [{ ...EVENT, description: '[Completed] the last one' }, EVENT] },
      'scheduled_change gracefully',
    ],
    ['both', { systemImpairedSinceMs: NOW_MS - 120 * SECOND, events: [EVENT] }, 'unhealthy now'],
  ])('%s', (_, over, expected) => {
    expect(verdict(over)).toBe(expected);
  });

  test('a claim that drains without a deadline gets the deadline now if its instance fails, once', () => {
    const broken = { systemImpairedSinceMs: NOW_MS - 120 * SECOND };
    expect(verdict(broken, {})).toBe('unhealthy now');
    expect(verdict(broken, { deadlineMs: NOW_MS + SECOND })).toBe('unhealthy now');
    expect(verdict(broken, { deadlineMs: NOW_MS })).toBe('stays');
    expect(verdict({ events: [EVENT] }, {})).toBe('stays');
  });
});
