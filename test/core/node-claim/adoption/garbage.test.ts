import { describe, expect, test } from 'vitest';
import { quote } from '../../../../lib/apis/formats/quote.ts';
import {
  compareUnrecordedInstances,
  decideUnrecordedInstance,
  type UnrecordedInstance,
} from '../../../../lib/core/node-claim/adoption/garbage.ts';
import { UNNAMED } from '../../../../lib/core/node-claim/launch/launch-groups.ts';
import { mirrorOf } from '../../../../lib/core/node-claim/mirror/mirror.ts';
import { aFoundInstance, launchedClaim } from '../../../builders/node-claims.ts';
import { aNodePool } from '../../../builders/node-pools.ts';
import { aNode } from '../../../builders/nodes.ts';
import { MINUTE, NOW_MS, SECOND } from '../../../builders/times.ts';

const REGISTERED = aNode({ labels: { 'karpenter.sh/registered': 'true' } });

const MIRROR = mirrorOf(launchedClaim(), { nodePool: aNodePool() });

const CLASSED_AND_REGISTERED = aNode({
  labels: { 'karpenter.k8s.aws/ec2nodeclass': 'default', 'karpenter.sh/registered': 'true' },
});

function anUnrecordedInstance(
  over: Partial<UnrecordedInstance> = {},
  instance: Partial<UnrecordedInstance['instance']> = {},
): UnrecordedInstance {
  return { cluster: 'demo', instance: aFoundInstance(instance), ...over };
}

/** The kind of the action or the reason of the refusal. */
function outcome(unrecorded: UnrecordedInstance): string {
  const { actions, blocked } = decideUnrecordedInstance(unrecorded, NOW_MS);
  const [action] = actions;
  return action?.kind ?? blocked[0]?.reason ?? 'ignored';
}

describe('an unrecorded instance (D32)', () => {
  test.each<[string, UnrecordedInstance, string]>([
    [
      'whose claim is released is terminated',
      anUnrecordedInstance({ record: launchedClaim({ releasedAtMs: NOW_MS }) }),
      'terminate-instance',
    ],
    [
      'whose launch is not complete is ignored',
      anUnrecordedInstance({ record: launchedClaim({ launch: { kind: 'planned' } }) }),
      'ignored',
    ],
    ['that is now in the record of its claim is ignored', anUnrecordedInstance({ record: launchedClaim() }), 'ignored'],
    [
      'without a record is adopted if its NodePool exists',
      anUnrecordedInstance({ nodePool: aNodePool() }),
      'create-node-claim',
    ],
    ['without a record is adopted if its node exists', anUnrecordedInstance({ node: aNode() }), 'create-node-claim'],
    ['without a record, a NodePool and a node is reported', anUnrecordedInstance(), 'InstanceWithoutRecord'],
    ...['', '../../../../api/v1/nodes/node-1', 'General', 'a'.repeat(254)].map(
      (tag): [string, UnrecordedInstance, string] => [
        `whose tag ${quote(tag)} is not the name of a NodeClaim is reported, not adopted`,
        anUnrecordedInstance({ nodePool: aNodePool(), node: REGISTERED }, { nodeClaim: tag }),
        'InstanceWithoutRecord',
      ],
    ),
    [
      'of a group is adopted with a name of its own if its node is registered',
      anUnrecordedInstance({ nodePool: aNodePool(), node: REGISTERED }, { nodeClaim: 'group/0123' }),
      'create-node-claim',
    ],
    [
      'of a group is adopted if a NodeClaim object has it',
      anUnrecordedInstance({ nodePool: aNodePool(), nodeClaim: MIRROR }, { nodeClaim: 'group/0123' }),
      'create-node-claim',
    ],
    [
      'of a group is terminated if no pods run on it: its claims were given up',
      anUnrecordedInstance({ nodePool: aNodePool(), node: aNode() }, { nodeClaim: 'group/0123' }),
      'terminate-instance',
    ],
    [
      'of a group is ignored in its first minute',
      anUnrecordedInstance(
        { nodePool: aNodePool() },
        { nodeClaim: 'group/0123', launchedAtMs: NOW_MS - MINUTE + SECOND },
      ),
      'ignored',
    ],
    [
      'whose tags cannot be read is adopted',
      anUnrecordedInstance({ nodePool: aNodePool() }, { nodeClaim: UNNAMED }),
      'create-node-claim',
    ],
    [
      'of a group whose NodePool tag makes no name is reported',
      anUnrecordedInstance({ node: CLASSED_AND_REGISTERED }, { nodeClaim: 'group/0123', nodePool: '../nodes/x' }),
      'InstanceWithoutRecord',
    ],
    [
      'whose claim has another instance is terminated',
      anUnrecordedInstance({ record: launchedClaim({}, { id: 'i-2' }) }),
      'terminate-instance',
    ],
    [
      'whose claim has another instance is terminated if its node exists and is not registered',
      anUnrecordedInstance({ record: launchedClaim({}, { id: 'i-2' }), node: aNode() }),
      'terminate-instance',
    ],
    [
      'whose claim has another instance is reported if pods may run on it',
      anUnrecordedInstance({ record: launchedClaim({}, { id: 'i-2' }), node: REGISTERED }),
      'InstanceTwice',
    ],
    [
      'whose claim had another instance and is released is reported if pods may run on it',
      anUnrecordedInstance({ record: launchedClaim({ releasedAtMs: NOW_MS }, { id: 'i-2' }), node: REGISTERED }),
      'InstanceTwice',
    ],
    [
      'whose claim had another instance and is released is terminated if no pods run on it',
      anUnrecordedInstance({ record: launchedClaim({ releasedAtMs: NOW_MS }, { id: 'i-2' }), node: aNode() }),
      'terminate-instance',
    ],
    [
      'whose claim has another instance is ignored in its first minute',
      anUnrecordedInstance({ record: launchedClaim({}, { id: 'i-2' }) }, { launchedAtMs: NOW_MS - MINUTE + SECOND }),
      'ignored',
    ],
    [
      'is ignored in its first seconds',
      anUnrecordedInstance({ record: launchedClaim({ releasedAtMs: NOW_MS }) }, { launchedAtMs: NOW_MS - 29 * SECOND }),
      'ignored',
    ],
  ])('%s', (_, unrecorded, expected) => {
    expect(outcome(unrecorded)).toBe(expected);
  });

  test('has a message for termination and adoption, and instructions if neither is possible', () => {
    const leak = decideUnrecordedInstance(
      anUnrecordedInstance({ record: launchedClaim({ releasedAtMs: NOW_MS }) }),
      NOW_MS,
    ).actions[0];
    expect(leak).toMatchObject({ instanceId: 'i-1', message: 'its NodeClaim general-1 was released' });
    const adopted = decideUnrecordedInstance(anUnrecordedInstance({ nodePool: aNodePool() }), NOW_MS).actions[0];
    expect(adopted).toMatchObject({ message: 'adopted unrecorded instance i-1: record made from NodePool general' });
    const [reported] = decideUnrecordedInstance(anUnrecordedInstance(), NOW_MS).blocked;
    expect(reported).toMatchObject({ subject: { kind: 'Instance', name: 'i-1' }, nodePool: 'general' });
    expect(reported?.message).toContain('NodePool general does not exist');
  });

  test('with a registered node comes before others, and an older before a younger one', () => {
    const instances = [
      anUnrecordedInstance({}, { id: 'i-4', launchedAtMs: 2 }),
      anUnrecordedInstance({}, { id: 'i-3', launchedAtMs: 1 }),
      anUnrecordedInstance({ node: aNode() }, { id: 'i-2' }),
      anUnrecordedInstance({ node: REGISTERED }, { id: 'i-1' }),
    ];
    expect(instances.toSorted(compareUnrecordedInstances).map(({ instance }) => instance.id)).toEqual([
      'i-1',
      'i-2',
      'i-3',
      'i-4',
    ]);
  });
});

test('the termination of an instance that still runs is requested each minute, and after ten minutes every fifth minute', () => {
  const releasedAtMs = NOW_MS - (NOW_MS % (5 * MINUTE));
  const leaked = anUnrecordedInstance(
    { record: launchedClaim({ releasedAtMs }) },
    { launchedAtMs: releasedAtMs - MINUTE },
  );
  const requestedAt = Array.from({ length: 25 }, (_, minute) => minute).filter(
    (minute) => decideUnrecordedInstance(leaked, releasedAtMs + minute * MINUTE).actions.length > 0,
  );
  expect(requestedAt).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20]);
});
