import { describe, expect, test } from 'vitest';
import {
  compareUnrecordedInstances,
  decideUnrecordedInstance,
  type UnrecordedInstance,
} from '../../../../lib/core/node-claim/adoption/garbage.ts';
import { aFoundInstance, launchedClaim } from '../../../builders/node-claims.ts';
import { aNodePool } from '../../../builders/node-pools.ts';
import { aNode } from '../../../builders/nodes.ts';
import { MINUTE, NOW_MS, SECOND } from '../../../builders/times.ts';

const REGISTERED = aNode({ labels: { 'karpenter.sh/registered': 'true' } });

function aStray(
  over: Partial<UnrecordedInstance> = {},
  instance: Partial<UnrecordedInstance['instance']> = {},
): UnrecordedInstance {
  return { cluster: 'demo', instance: aFoundInstance(instance), ...over };
}

/** The kind of what is decided, in a word, and why. */
function outcome(stray: UnrecordedInstance): string {
  const { actions, blocked } = decideUnrecordedInstance(stray, NOW_MS);
  const [action] = actions;
  return action?.kind ?? blocked[0]?.reason ?? 'left alone';
}

describe('an instance that no claim calls its own', () => {
  test.each<[string, UnrecordedInstance, string]>([
    [
      'whose claim is released is a leak',
      aStray({ record: launchedClaim({ releasedAtMs: NOW_MS }) }),
      'terminate-instance',
    ],
    [
      'whose launch is being settled is left alone',
      aStray({ record: launchedClaim({ launch: { kind: 'planned' } }) }),
      'left alone',
    ],
    ['whose claim has it by now is left alone', aStray({ record: launchedClaim() }), 'left alone'],
    ['without a record is adopted where its pool is there', aStray({ nodePool: aNodePool() }), 'create-node-claim'],
    ['without a record is adopted where its node is there', aStray({ node: aNode() }), 'create-node-claim'],
    ['without a record, a pool or a node is reported', aStray(), 'InstanceWithoutRecord'],
    [
      'beside another of its claim is ended',
      aStray({ record: launchedClaim({}, { id: 'i-2' }) }),
      'terminate-instance',
    ],
    [
      'beside another of its claim is ended where its node has joined and is not registered',
      aStray({ record: launchedClaim({}, { id: 'i-2' }), node: aNode() }),
      'terminate-instance',
    ],
    [
      'beside another of its claim is reported where pods may run on it',
      aStray({ record: launchedClaim({}, { id: 'i-2' }), node: REGISTERED }),
      'InstanceTwice',
    ],
    [
      'beside another of its claim is left alone in its first minute',
      aStray({ record: launchedClaim({}, { id: 'i-2' }) }, { launchedAtMs: NOW_MS - MINUTE + SECOND }),
      'left alone',
    ],
    [
      'is left alone in its first seconds, whatever is known of it',
      aStray({ record: launchedClaim({ releasedAtMs: NOW_MS }) }, { launchedAtMs: NOW_MS - 29 * SECOND }),
      'left alone',
    ],
  ])('%s', (_, stray, expected) => {
    expect(outcome(stray)).toBe(expected);
  });

  test('is ended and adopted with a reason, and what to do is said where nothing can be done', () => {
    const leak = decideUnrecordedInstance(aStray({ record: launchedClaim({ releasedAtMs: NOW_MS }) }), NOW_MS)
      .actions[0];
    expect(leak).toMatchObject({ instanceId: 'i-1', message: 'its NodeClaim general-1 is released' });
    const adopted = decideUnrecordedInstance(aStray({ nodePool: aNodePool() }), NOW_MS).actions[0];
    expect(adopted).toMatchObject({ message: 'instance i-1 had no record: made from NodePool general' });
    const [left] = decideUnrecordedInstance(aStray(), NOW_MS).blocked;
    expect(left).toMatchObject({ subject: { kind: 'Instance', name: 'i-1' }, nodePool: 'general' });
    expect(left?.message).toContain('NodePool general does not exist');
  });

  test('and whose node is registered comes before one whose node is not, and the older before the younger', () => {
    const strays = [
      aStray({}, { id: 'i-4', launchedAtMs: 2 }),
      aStray({}, { id: 'i-3', launchedAtMs: 1 }),
      aStray({ node: aNode() }, { id: 'i-2' }),
      aStray({ node: REGISTERED }, { id: 'i-1' }),
    ];
    expect(strays.toSorted(compareUnrecordedInstances).map(({ instance }) => instance.id)).toEqual([
      'i-1',
      'i-2',
      'i-3',
      'i-4',
    ]);
  });
});
