import { describe, expect, test } from 'vitest';
import { interrupt } from '../../../lib/core/interruption/interrupt.ts';
import { parseInterruption } from '../../../lib/core/interruption/message.ts';
import { anInstanceEvent, anInterruptionEvent } from '../../builders/interruptions.ts';
import { aClaim, launchedClaim } from '../../builders/node-claims.ts';
import { NOW_MS, SECOND } from '../../builders/times.ts';

const SPOT = 'EC2 Spot Instance Interruption Warning';
const STATE = 'EC2 Instance State-change Notification';

/** A value of JSON that cannot be converted to a text. */
const NO_TEXT = { toString: 1 };

function health(over: object = {}, envelope: object = {}): unknown {
  return anInterruptionEvent(
    'AWS Health Event',
    {
      service: 'EC2',
      eventTypeCategory: 'scheduledChange',
      affectedEntities: [{ entityValue: 'i-1' }, { entityValue: 'vol-1' }, { entityValue: 'i-2' }],
      ...over,
    },
    { source: 'aws.health', ...envelope },
  );
}

describe('messages of EventBridge (C79, C80)', () => {
  test.each<[string, unknown, unknown]>([
    ['spot interruption', anInstanceEvent(SPOT), { kind: 'spot-interruption', instanceIds: ['i-1'] }],
    [
      'rebalance',
      anInstanceEvent('EC2 Instance Rebalance Recommendation'),
      { kind: 'rebalance-recommendation', instanceIds: ['i-1'] },
    ],
    [
      'state change',
      anInstanceEvent(STATE, { state: 'Stopping' }),
      { kind: 'state-change', state: 'stopping', instanceIds: ['i-1'] },
    ],
    [
      'capacity reservation',
      anInstanceEvent('EC2 Capacity Reservation Instance Interruption Warning'),
      { kind: 'reservation-interruption', instanceIds: ['i-1'] },
    ],
    [
      'capacity reservation, by its other name',
      anInstanceEvent('EC2 Interruptible Capacity Reservation Instance Interruption Warning'),
      { kind: 'reservation-interruption', instanceIds: ['i-1'] },
    ],
    [
      'scheduled change with an entity without a value, which is set aside',
      health({ affectedEntities: [{ entityValue: 'i-1' }, { value: 'i-2' }] }),
      { kind: 'scheduled-change', instanceIds: ['i-1'], setAside: ['{"value":"i-2"}'] },
    ],
    ['scheduled change', health(), { kind: 'scheduled-change', instanceIds: ['i-1', 'i-2'] }],
    [
      'scheduled change, with ARNs, some of them twice',
      health(
        {
          affectedEntities: [
            { entityValue: 'arn:aws:ec2:eu-west-3:123456789012:instance/i-1' },
            { entityValue: 'i-3' },
          ],
        },
        { resources: ['i-1', 'arn:aws-cn:ec2:cn-north-1:123456789012:instance/i-4', 'arn:aws:ec2:x:1:volume/vol-1'] },
      ),
      { kind: 'scheduled-change', instanceIds: ['i-1', 'i-3', 'i-4'] },
    ],
    ['health without entities', health({ affectedEntities: undefined }), { kind: 'scheduled-change', instanceIds: [] }],
  ])('%s', (_, message, expected) => {
    expect(parseInterruption(message)).toEqual({ kind: 'message', message: { ...Object(expected), atMs: NOW_MS } });
  });

  test.each<[string, unknown]>([
    ['of another service', health({ service: 'RDS' })],
    ['that is not a scheduled change', health({ eventTypeCategory: 'accountNotification' })],
    ['that is over', health({ statusCode: 'closed' })],
  ])('health %s is understood, and none of our business', (_, message) => {
    expect(parseInterruption(message)).toMatchObject({ kind: 'irrelevant' });
  });

  test.each<[string, unknown, string]>([
    ['text', 'hello', 'not an object'],
    ['nothing', null, 'not an object'],
    ['a list', [], 'not an object'],
    ['another version', anInterruptionEvent(SPOT, { 'instance-id': 'i-1' }, { version: '1' }), 'version is "1"'],
    ['no version', anInterruptionEvent(SPOT, { 'instance-id': 'i-1' }, { version: undefined }), 'version is missing'],
    ['another source', anInterruptionEvent(SPOT, { 'instance-id': 'i-1' }, { source: 'me' }), 'source is "me"'],
    ['no time', anInterruptionEvent(SPOT, { 'instance-id': 'i-1' }, { time: 'soon' }), 'time is "soon"'],
    ['no detail', anInterruptionEvent(SPOT, 'i-1'), 'detail is "i-1"'],
    ['an unknown type', anInstanceEvent('EC2 Something New'), 'detail-type is "EC2 Something New"'],
    ['the name of an object’s own member', anInstanceEvent('constructor'), 'detail-type is "constructor"'],
    ['no instance', anInterruptionEvent(SPOT, {}), 'instance-id is missing'],
    [
      'an id that is not an instance id',
      anInterruptionEvent(SPOT, { 'instance-id': 'vol-1' }),
      'instance-id is "vol-1"',
    ],
    ['an unknown state', anInstanceEvent(STATE, { state: 'sleeping' }), 'state is "sleeping"'],
    ['a type that is an object', anInterruptionEvent(SPOT, {}, { 'detail-type': NO_TEXT }), 'detail-type is {'],
    ['a state that is an object', anInstanceEvent(STATE, { state: NO_TEXT }), 'state is {'],
    ['health without a service', health({ service: undefined }), 'service is missing'],
    ['health with entities that are not a list', health({ affectedEntities: 'i-1' }), 'affectedEntities are "i-1"'],
  ])('%s is not understood, so that it is kept', (_, message, why) => {
    const parsed = parseInterruption(message);
    expect(parsed.kind === 'not-understood' && parsed.why).toContain(why);
  });
});

function markedAt(atMs: number): number | undefined {
  const message = { kind: 'spot-interruption', instanceIds: ['i-1'], atMs } as const;
  const { actions } = interrupt(message, launchedClaim(), NOW_MS);
  return actions.find((action) => action.kind === 'mark-unavailable')?.offering.atMs;
}

describe('the actions on the claim', () => {
  const of = { instanceIds: ['i-1'], atMs: NOW_MS };
  test('a spot interruption drains the node and marks the offering (C80, C81)', () => {
    expect(
      interrupt({ kind: 'spot-interruption', ...of }, launchedClaim({}, { capacityType: 'spot' }), NOW_MS),
    ).toEqual({
      actions: [
        {
          kind: 'delete-node-claim',
          nodeClaim: 'general-1',
          reason: 'spot_interrupted',
          message: 'spot-interruption of instance i-1',
        },
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
      ],
      blocked: [],
    });
  });

  test.each([
    [{ kind: 'scheduled-change', ...of }, 'scheduled_change'],
    [{ kind: 'state-change', state: 'stopping', ...of }, 'instance_stopped'],
    [{ kind: 'state-change', state: 'stopped', ...of }, 'instance_stopped'],
    [{ kind: 'state-change', state: 'shutting-down', ...of }, 'instance_terminated'],
    [{ kind: 'state-change', state: 'terminated', ...of }, 'instance_terminated'],
  ] as const)('%j deletes it as %s (C80)', (message, reason) => {
    expect(interrupt(message, launchedClaim(), NOW_MS).actions).toMatchObject([{ kind: 'delete-node-claim', reason }]);
  });

  test('a reservation’s interruption drains the node and marks its reservation (C80, C81)', () => {
    const record = launchedClaim({}, { capacityType: 'reserved', reservation: { id: 'cr-1', kind: 'interruptible' } });
    expect(interrupt({ kind: 'reservation-interruption', ...of }, record, NOW_MS).actions).toMatchObject([
      { kind: 'delete-node-claim', reason: 'capacity_reservation_interrupted' },
      {
        kind: 'mark-unavailable',
        offering: { instanceType: 'm5.large', zone: 'eu-west-3a', capacityType: 'reserved', reservationId: 'cr-1' },
      },
    ]);
  });

  test('a mark has the time of its message, but never a future time', () => {
    expect(markedAt(NOW_MS - 90 * SECOND)).toBe(NOW_MS - 90 * SECOND);
    expect(markedAt(NOW_MS + 90 * SECOND)).toBe(NOW_MS);
  });

  test.each([
    [{ kind: 'rebalance-recommendation', ...of }, 'RebalanceRecommended'],
    [{ kind: 'state-change', state: 'running', ...of }, 'NoAction'],
    [{ kind: 'state-change', state: 'pending', ...of }, 'NoAction'],
  ] as const)('%j is only noted, as %s (C80)', (message, reason) => {
    expect(interrupt(message, launchedClaim(), NOW_MS)).toMatchObject({
      actions: [],
      blocked: [{ subject: { kind: 'NodeClaim', name: 'general-1' }, reason }],
    });
  });

  test('a claim that is being deleted is deleted again, because the first wake may be lost', () => {
    const record = launchedClaim({ deletion: { reason: 'empty', message: '', requestedAtMs: NOW_MS } });
    const { actions } = interrupt({ kind: 'spot-interruption', ...of }, record, NOW_MS);
    expect(actions.map(({ kind }) => kind)).toEqual(['delete-node-claim', 'mark-unavailable']);
  });

  test('a claim without an instance is unchanged', () => {
    expect(interrupt({ kind: 'spot-interruption', ...of }, aClaim(), NOW_MS).actions).toEqual([]);
  });
});
