import {
  type CapacityReservation,
  DescribeCapacityReservationsCommand,
  DescribePlacementGroupsCommand,
} from '@aws-sdk/client-ec2';
import { beforeEach, describe, expect, test } from 'vitest';
import type { EC2NodeClass } from '../../../../lib/apis/ec2-node-class.ts';
import { awsError } from '../aws-error.ts';
import { problemsOf, resolvedOf, scriptedAccount } from '../resolving.ts';

const MINUTE_MS = 60_000;

let account: ReturnType<typeof scriptedAccount>;

beforeEach(() => {
  account = scriptedAccount();
});

const reservation = (over: Partial<CapacityReservation> = {}): CapacityReservation => ({
  CapacityReservationId: 'cr-1',
  InstanceType: 'p5.48xlarge',
  AvailabilityZone: 'us-east-1a',
  OwnerId: '123456789012',
  InstanceMatchCriteria: 'targeted',
  AvailableInstanceCount: 3,
  TotalInstanceCount: 5,
  ...over,
});
describe('C31: capacity reservations', () => {
  type Terms = EC2NodeClass['spec']['capacityReservationSelectorTerms'];
  const resolve = async (found: readonly CapacityReservation[], terms: Terms = [{ id: 'cr-1' }]) => {
    account.ec2.on(DescribeCapacityReservationsCommand).resolves({ CapacityReservations: [...found] });
    return resolvedOf(await account.resolve({ capacityReservationSelectorTerms: terms })).capacityReservations;
  };

  test('one has its owner and the number of unused instances', async () => {
    expect(await resolve([reservation()])).toEqual([
      {
        id: 'cr-1',
        instanceType: 'p5.48xlarge',
        zone: 'us-east-1a',
        ownerId: '123456789012',
        matchCriteria: 'targeted',
        type: 'default',
        interruptible: false,
        state: 'active',
        availableInstances: 3,
        countedAtMs: expect.any(Number),
      },
    ]);
  });

  test('A3.8: an id is asked for by itself, the rest by filters, and only what is active', async () => {
    await resolve(
      [],
      [{ id: 'cr-1' }, { ownerID: '123456789012', instanceMatchCriteria: 'open', tags: { team: 'ml', gpu: '*' } }],
    );
    const active = { Name: 'state', Values: ['active'] };
    expect(account.ec2.commandCalls(DescribeCapacityReservationsCommand).map((call) => call.args[0].input)).toEqual([
      { CapacityReservationIds: ['cr-1'], Filters: [active] },
      {
        Filters: [
          { Name: 'owner-id', Values: ['123456789012'] },
          { Name: 'instance-match-criteria', Values: ['open'] },
          { Name: 'tag:team', Values: ['ml'] },
          { Name: 'tag-key', Values: ['gpu'] },
          active,
        ],
      },
    ]);
  });

  test('a block expires in its last 40 minutes; an ordinary reservation that ends does not', async () => {
    const block = (id: string, minutes: number): CapacityReservation =>
      reservation({
        CapacityReservationId: id,
        ReservationType: 'capacity-block',
        EndDate: new Date(account.clock.now() + minutes * MINUTE_MS),
      });
    const found = [
      block('cr-1', 41),
      block('cr-2', 40),
      { ...block('cr-3', 40), ReservationType: 'default' as const },
      block('cr-4', 0),
    ];
    const resolved = await resolve(found);
    expect(resolved?.map(({ id, state }) => `${id} ${state}`)).toEqual(['cr-1 active', 'cr-2 expiring', 'cr-3 active']);
    account.clock.nowMs += 59_000;
    const later = await resolve(found);
    expect(later?.map(({ state }) => state)).toEqual(['active', 'expiring', 'active']);
  });

  test('one that its owner may reclaim is marked as interruptible', async () => {
    expect((await resolve([reservation({ Interruptible: true })]))?.[0]).toMatchObject({ interruptible: true });
  });

  test('an empty result is not a problem, nor is an unknown id', async () => {
    expect(await resolve([])).toEqual([]);
    account = scriptedAccount();
    account.ec2.on(DescribeCapacityReservationsCommand).rejects(awsError('InvalidCapacityReservationId.NotFound', 400));
    const resolution = await account.resolve({ capacityReservationSelectorTerms: [{ id: 'cr-1' }] });
    expect(resolvedOf(resolution).capacityReservations).toEqual([]);
  });

  test('a class without selectors makes no call', async () => {
    expect(resolvedOf(await account.resolve()).capacityReservations).toBeUndefined();
    expect(account.ec2.commandCalls(DescribeCapacityReservationsCommand)).toHaveLength(0);
    expect(await resolve([reservation()], [{}])).toEqual([]);
  });

  test('they are looked for again after a minute, also where there were none', async () => {
    await resolve([]);
    await resolve([]);
    expect(account.ec2.commandCalls(DescribeCapacityReservationsCommand)).toHaveLength(1);
    account.clock.nowMs += MINUTE_MS;
    await resolve([reservation()]);
    expect(account.ec2.commandCalls(DescribeCapacityReservationsCommand)).toHaveLength(2);
  });
});

describe('C68: a placement group', () => {
  const group = { GroupId: 'pg-1', GroupName: 'hpc', State: 'available' } as const;

  test.each([
    [{ ...group, Strategy: 'cluster' }, { strategy: 'cluster' }],
    [{ ...group, Strategy: 'spread', PartitionCount: 0 }, { strategy: 'spread' }],
    [
      { ...group, Strategy: 'partition', PartitionCount: 3 },
      { strategy: 'partition', partitions: 3 },
    ],
  ] as const)('%o', async (described, expected) => {
    account.ec2.on(DescribePlacementGroupsCommand).resolves({ PlacementGroups: [described] });
    const { placementGroup } = resolvedOf(await account.resolve({ placementGroupSelector: { name: 'hpc' } }));
    expect(placementGroup).toEqual({ id: 'pg-1', name: 'hpc', ...expected });
  });

  test('A3.9: is asked for by its id or its name, and kept for an hour', async () => {
    account.ec2.on(DescribePlacementGroupsCommand).resolves({ PlacementGroups: [{ ...group, Strategy: 'cluster' }] });
    await account.resolve({ placementGroupSelector: { id: 'pg-1' } });
    await account.resolve({ placementGroupSelector: { name: 'hpc' } });
    account.clock.nowMs += 59 * MINUTE_MS;
    await account.resolve({ placementGroupSelector: { name: 'hpc' } });
    expect(account.ec2.commandCalls(DescribePlacementGroupsCommand).map((call) => call.args[0].input)).toEqual([
      { GroupIds: ['pg-1'] },
      { GroupNames: ['hpc'] },
    ]);
  });

  test('that does not exist has its own problem', async () => {
    account.ec2.on(DescribePlacementGroupsCommand).rejects(awsError('InvalidPlacementGroup.Unknown', 400));
    const resolution = await account.resolve({ placementGroupSelector: { name: 'hpc' } });
    expect(problemsOf(resolution)).toEqual(['PlacementGroupNotFound']);
    expect(resolution).toMatchObject({ message: expect.stringContaining('hpc') });
  });

  test('that is being deleted is not found, and the message has its state', async () => {
    account.ec2
      .on(DescribePlacementGroupsCommand)
      .resolves({ PlacementGroups: [{ ...group, State: 'deleting', Strategy: 'cluster' }] });
    const resolution = await account.resolve({ placementGroupSelector: { name: 'hpc' } });
    expect(resolution).toMatchObject({
      reason: 'PlacementGroupNotFound',
      message: expect.stringContaining('deleting'),
    });
  });
});
