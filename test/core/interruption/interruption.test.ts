import { describe, expect, test } from 'vitest';
import { interrupt } from '../../../lib/core/interruption/interrupt.ts';
import { parseInterruption } from '../../../lib/core/interruption/message.ts';
import { aClaim, launchedClaim } from '../../builders/node-claims.ts';
import { NOW_MS } from '../../builders/times.ts';

function health(over: object = {}): unknown {
  return {
    'detail-type': 'AWS Health Event',
    detail: {
      service: 'EC2',
      eventTypeCategory: 'scheduledChange',
      affectedEntities: [{ entityValue: 'i-1' }, { entityValue: 'vol-1' }, {}, { entityValue: 'i-2' }],
      ...over,
    },
  };
}

function event(type: string, detail: object = {}): unknown {
  return { 'detail-type': type, detail: { 'instance-id': 'i-1', ...detail } };
}

describe('messages of EventBridge (C79, C80)', () => {
  test.each<[string, unknown, unknown]>([
    [
      'spot interruption',
      event('EC2 Spot Instance Interruption Warning'),
      { kind: 'spot-interruption', instanceIds: ['i-1'] },
    ],
    [
      'rebalance',
      event('EC2 Instance Rebalance Recommendation'),
      { kind: 'rebalance-recommendation', instanceIds: ['i-1'] },
    ],
    [
      'state change',
      event('EC2 Instance State-change Notification', { state: 'Stopping' }),
      { kind: 'state-change', state: 'stopping', instanceIds: ['i-1'] },
    ],
    [
      'capacity reservation',
      event('EC2 Capacity Reservation Instance Interruption Warning'),
      { kind: 'reservation-interruption', instanceIds: ['i-1'] },
    ],
    ['scheduled change', health(), { kind: 'scheduled-change', instanceIds: ['i-1', 'i-2'] }],
    ['health of another service', health({ service: 'RDS' }), { kind: 'scheduled-change', instanceIds: [] }],
    [
      'health that is no scheduled change',
      health({ eventTypeCategory: 'accountNotification' }),
      { kind: 'scheduled-change', instanceIds: [] },
    ],
    ['health without entities', health({ affectedEntities: undefined }), { kind: 'scheduled-change', instanceIds: [] }],
  ])('%s', (_, message, expected) => {
    expect(parseInterruption(message)).toEqual(expected);
  });

  test.each<[string, unknown]>([
    ['text', 'hello'],
    ['nothing', null],
    ['no detail', { 'detail-type': 'EC2 Spot Instance Interruption Warning' }],
    ['an unknown type', event('EC2 Something New')],
    ['the name of an object’s own member', event('constructor')],
    ['no instance', { 'detail-type': 'EC2 Spot Instance Interruption Warning', detail: {} }],
  ])('%s is not understood, so that it is kept', (_, message) => {
    expect(parseInterruption(message)).toBeUndefined();
  });
});

describe('what they mean for the claim', () => {
  const of = { instanceIds: ['i-1'] };
  test('a spot interruption drains the node and marks the offering (C80, C81)', () => {
    expect(
      interrupt({ kind: 'spot-interruption', ...of }, launchedClaim({}, { capacityType: 'spot' }), NOW_MS),
    ).toEqual({
      actions: [
        {
          kind: 'mark-unavailable',
          offering: {
            instanceType: 'm5.large',
            zone: 'eu-west-3a',
            capacityType: 'spot',
            atMs: NOW_MS,
            reason: 'SpotInterruption',
          },
        },
        {
          kind: 'delete-node-claim',
          nodeClaim: 'general-1',
          reason: 'spot_interrupted',
          message: 'spot-interruption of instance i-1',
        },
      ],
      blocked: [],
    });
  });

  test.each([
    [{ kind: 'scheduled-change', ...of }, 'instance_terminated'],
    [{ kind: 'reservation-interruption', ...of }, 'instance_terminated'],
    [{ kind: 'state-change', state: 'stopping', ...of }, 'instance_terminated'],
    [{ kind: 'state-change', state: 'stopped', ...of }, 'instance_terminated'],
    [{ kind: 'state-change', state: 'shutting-down', ...of }, 'instance_terminated'],
    [{ kind: 'state-change', state: 'terminated', ...of }, 'instance_terminated'],
  ] as const)('%j deletes it as %s (C80)', (message, reason) => {
    expect(interrupt(message, launchedClaim(), NOW_MS).actions).toMatchObject([{ kind: 'delete-node-claim', reason }]);
  });

  test.each([
    { kind: 'rebalance-recommendation', ...of },
    { kind: 'state-change', state: 'running', ...of },
    { kind: 'state-change', state: 'pending', ...of },
  ] as const)('%j is only noted (C80)', (message) => {
    expect(interrupt(message, launchedClaim(), NOW_MS)).toMatchObject({
      actions: [],
      blocked: [{ subject: 'nodeclaim general-1', reason: 'NoAction' }],
    });
  });

  test('a claim that is going already is told again: the wake that went with the first time may be lost', () => {
    const record = launchedClaim({ deletion: { reason: 'empty', message: '', requestedAtMs: NOW_MS } });
    const { actions } = interrupt({ kind: 'spot-interruption', ...of }, record, NOW_MS);
    expect(actions.map(({ kind }) => kind)).toEqual(['mark-unavailable', 'delete-node-claim']);
  });

  test('a claim without an instance is let be', () => {
    expect(interrupt({ kind: 'spot-interruption', ...of }, aClaim(), NOW_MS).actions).toEqual([]);
  });
});
