import {
  AddRoleToInstanceProfileCommand,
  CreateInstanceProfileCommand,
  DeleteInstanceProfileCommand,
  GetInstanceProfileCommand,
  IAMClient,
  type InstanceProfile,
  ListInstanceProfilesCommand,
  RemoveRoleFromInstanceProfileCommand,
  TagInstanceProfileCommand,
  UntagInstanceProfileCommand,
} from '@aws-sdk/client-iam';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import type { EC2NodeClass } from '../../../../lib/apis/ec2-node-class.ts';
import { instanceProfileNameOf } from '../../../../lib/core/node-class/instance-profile-name.ts';
import { IamInstanceProfiles } from '../../../../lib/providers/aws/iam/iam-instance-profiles.ts';
import { withoutIam } from '../../../../lib/providers/aws/iam/instance-profiles.ts';
import { aNodeClass } from '../../../builders/node-pools.ts';
import { NOW_MS } from '../../../builders/times.ts';
import { awsError } from '../aws-error.ts';

const HOUR_MS = 3_600_000;
const place = { cluster: 'demo', region: 'eu-west-1' };
const nodeClass: EC2NodeClass = { ...aNodeClass(), metadata: { name: 'default', uid: 'u-1' } };
const NAME = instanceProfileNameOf(place, nodeClass) ?? '';
const OURS = { 'eks:eks-cluster-name': 'demo', 'app.kubernetes.io/managed-by': 'kerf' };

const client = new IAMClient({ region: 'eu-west-1', maxAttempts: 1 });
const iam = mockClient(client);
let clock: { nowMs: number; now: () => number };
let profiles: IamInstanceProfiles;

beforeEach(() => {
  iam.reset();
  clock = { nowMs: NOW_MS, now: () => clock.nowMs };
  profiles = new IamInstanceProfiles({ client, clock });
});

function profile(
  name: string,
  roles: readonly string[],
  tags: Readonly<Record<string, string>> = OURS,
): InstanceProfile {
  return {
    InstanceProfileName: name,
    InstanceProfileId: name,
    Arn: `arn:${name}`,
    Path: '/karpenter/eu-west-1/demo/u-1/',
    CreateDate: new Date(NOW_MS),
    Roles: roles.map((RoleName) => ({ RoleName, RoleId: '', Arn: '', Path: '/', CreateDate: new Date(NOW_MS) })),
    Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
  };
}

function inAccount(...all: readonly InstanceProfile[]): void {
  iam.on(GetInstanceProfileCommand).rejects(awsError('NoSuchEntityException', 404));
  for (const one of all) {
    iam
      .on(GetInstanceProfileCommand, { InstanceProfileName: one.InstanceProfileName })
      .resolves({ InstanceProfile: one });
  }
  const listed = all.map(({ Tags: _untold, ...one }) => one);
  iam.on(ListInstanceProfilesCommand).resolves({ InstanceProfiles: listed, IsTruncated: false });
}

function own(instanceProfile: string): EC2NodeClass {
  const { role: _role, ...spec } = aNodeClass().spec;
  return { ...aNodeClass(), spec: { ...spec, instanceProfile } };
}

describe('A3.10: the instance profile of a user', () => {
  test('is read, and never created', async () => {
    inAccount(profile('own', []));
    expect(await profiles.ensure(place, own('own'))).toEqual({ kind: 'ready', name: 'own' });
    expect(await profiles.ensure(place, own('gone'))).toMatchObject({ reason: 'InstanceProfileNotFound' });
    expect(iam.calls().map((call) => call.args[0].constructor.name)).toEqual(
      Array.from({ length: 2 }, () => 'GetInstanceProfileCommand'),
    );
  });

  test('is used without access to IAM, but a role is not', async () => {
    expect(await withoutIam.ensure(place, own('own'))).toEqual({ kind: 'ready', name: 'own' });
    const state = await withoutIam.ensure(place, nodeClass);
    expect(state).toMatchObject({
      reason: 'IamNotReachable',
      message: expect.stringContaining('spec.instanceProfile'),
    });
  });
});

describe('C67: the profile of a role', () => {
  test('is created with its role, at the path of its class, with ownership tags', async () => {
    inAccount();
    iam.on(CreateInstanceProfileCommand).resolves({ InstanceProfile: profile(NAME, []) });
    const spec = { ...nodeClass.spec, tags: { team: 'web', 'eks:eks-cluster-name': 'stolen' } };
    expect(await profiles.ensure(place, { ...nodeClass, spec })).toEqual({ kind: 'ready', name: NAME });
    const [created] = iam.commandCalls(CreateInstanceProfileCommand).map((call) => call.args[0].input);
    expect(created).toMatchObject({ InstanceProfileName: NAME, Path: '/karpenter/eu-west-1/demo/u-1/' });
    expect(Object.fromEntries((created?.Tags ?? []).map(({ Key, Value }) => [Key, Value]))).toEqual({
      team: 'web',
      'karpenter.k8s.aws/ec2nodeclass': 'default',
      'topology.kubernetes.io/region': 'eu-west-1',
      'kubernetes.io/cluster/demo': 'owned',
      ...OURS,
    });
    const [added] = iam.commandCalls(AddRoleToInstanceProfileCommand).map((call) => call.args[0].input);
    expect(added).toEqual({ InstanceProfileName: NAME, RoleName: 'node' });
  });

  test('that needs no change costs one call, and none for ten minutes', async () => {
    inAccount(profile(NAME, ['node']));
    await profiles.ensure(place, nodeClass);
    clock.nowMs += HOUR_MS / 6 - 1;
    await profiles.ensure(place, nodeClass);
    expect(iam.calls()).toHaveLength(1);
    clock.nowMs += 1;
    await profiles.ensure(place, nodeClass);
    expect(iam.calls()).toHaveLength(2);
  });

  test('that another run creates at the same time is used', async () => {
    inAccount();
    iam
      .on(GetInstanceProfileCommand)
      .rejectsOnce(awsError('NoSuchEntityException', 404))
      .resolvesOnce({ InstanceProfile: profile(NAME, []) })
      .resolves({ InstanceProfile: profile(NAME, ['node']) });
    iam.on(CreateInstanceProfileCommand).rejects(awsError('EntityAlreadyExistsException', 409));
    iam.on(AddRoleToInstanceProfileCommand).rejects(awsError('LimitExceededException', 409));
    expect(await profiles.ensure(place, nodeClass)).toEqual({ kind: 'ready', name: NAME });
  });

  test('with another role gets the right role', async () => {
    inAccount(profile(NAME, ['other']));
    expect(await profiles.ensure(place, nodeClass)).toEqual({ kind: 'ready', name: NAME });
    const [removed] = iam.commandCalls(RemoveRoleFromInstanceProfileCommand).map((call) => call.args[0].input);
    expect(removed).toEqual({ InstanceProfileName: NAME, RoleName: 'other' });
    expect(iam.commandCalls(AddRoleToInstanceProfileCommand)).toHaveLength(1);
  });

  test('of another owner is not changed', async () => {
    inAccount(profile(NAME, ['other'], { 'eks:eks-cluster-name': 'demo' }));
    expect(await profiles.ensure(place, nodeClass)).toMatchObject({ reason: 'InstanceProfileConflict' });
    expect(iam.calls()).toHaveLength(1);
  });

  test('the error for a missing role has its name', async () => {
    inAccount(profile(NAME, []));
    const missing = Object.assign(awsError('NoSuchEntityException', 404), {
      message: 'The role with name node cannot be found.',
    });
    iam.on(AddRoleToInstanceProfileCommand).rejects(missing);
    const state = await profiles.ensure(place, nodeClass);
    expect(state).toMatchObject({ reason: 'RoleNotFound', message: expect.stringMatching(/default.*role node/) });
  });

  test('a profile that is not visible yet is read again', async () => {
    inAccount(profile(NAME, []));
    const missing = Object.assign(awsError('NoSuchEntityException', 404), {
      message: `Instance Profile ${NAME} cannot be found.`,
    });
    iam.on(AddRoleToInstanceProfileCommand).rejects(missing);
    await expect(profiles.ensure(place, nodeClass)).rejects.toMatchObject({ name: 'UnreachableError' });
  });

  test('a missing IAM permission is reported as a reason', async () => {
    inAccount();
    iam.on(CreateInstanceProfileCommand).rejects(awsError('AccessDenied', 403));
    expect(await profiles.ensure(place, nodeClass)).toMatchObject({ reason: 'Refused' });
  });
});

const unused = async () => await Promise.resolve(false);

describe('C67: profiles that nothing needs', () => {
  const deleted = () =>
    iam.commandCalls(DeleteInstanceProfileCommand).map((call) => call.args[0].input.InstanceProfileName);
  const old = (sinceMs?: number) =>
    profile(
      'demo_old',
      ['before'],
      sinceMs === undefined ? OURS : { ...OURS, 'kerf.dev/unused-since': String(sinceMs) },
    );

  test('are marked when they are first found, and deleted an hour later', async () => {
    inAccount(old(), profile(NAME, ['node']));
    await profiles.removeUnused(place, [nodeClass], unused);
    const [marked] = iam.commandCalls(TagInstanceProfileCommand).map((call) => call.args[0].input);
    expect(marked).toEqual({
      InstanceProfileName: 'demo_old',
      Tags: [{ Key: 'kerf.dev/unused-since', Value: String(NOW_MS) }],
    });
    inAccount(old(NOW_MS), profile(NAME, ['node']));
    clock.nowMs += HOUR_MS - 1;
    await profiles.removeUnused(place, [nodeClass], unused);
    expect(deleted()).toEqual([]);
    clock.nowMs += HOUR_MS / 2;
    await profiles.removeUnused(place, [nodeClass], unused);
    expect(deleted()).toEqual(['demo_old']);
    expect(iam.commandCalls(RemoveRoleFromInstanceProfileCommand)[0]?.args[0].input.RoleName).toBe('before');
  });

  test('a profile of an instance stays, and its hour begins again', async () => {
    inAccount(old(NOW_MS - 2 * HOUR_MS));
    await profiles.removeUnused(place, [nodeClass], async (arn) => await Promise.resolve(arn === 'arn:demo_old'));
    expect(deleted()).toEqual([]);
    expect(iam.commandCalls(UntagInstanceProfileCommand)).toHaveLength(1);
  });

  test('a profile that a class uses again stays', async () => {
    inAccount(profile(NAME, ['node'], { ...OURS, 'kerf.dev/unused-since': String(NOW_MS - 2 * HOUR_MS) }));
    await profiles.removeUnused(place, [nodeClass], unused);
    expect(deleted()).toEqual([]);
    expect(iam.commandCalls(UntagInstanceProfileCommand)).toHaveLength(1);
  });

  test('promise 4: profiles at other paths or without ownership tags are not changed', async () => {
    const since = { 'kerf.dev/unused-since': '1' };
    inAccount(
      { ...profile('elsewhere', [], { ...OURS, ...since }), Path: '/' },
      profile('karpenters', [], { 'eks:eks-cluster-name': 'demo', ...since }),
      profile('other-cluster', [], { ...OURS, ...since, 'eks:eks-cluster-name': 'other' }),
    );
    await profiles.removeUnused(place, [], unused);
    await profiles.release(place, nodeClass);
    expect(deleted()).toEqual([]);
  });

  test('a profile that IAM refuses to delete does not keep others, and they are not read before half an hour', async () => {
    const since = { ...OURS, 'kerf.dev/unused-since': String(NOW_MS - 2 * HOUR_MS) };
    inAccount(profile('demo_a', [], since), profile('demo_b', [], since));
    iam
      .on(DeleteInstanceProfileCommand, { InstanceProfileName: 'demo_a' })
      .rejects(awsError('AccessDeniedException', 403));
    await expect(profiles.removeUnused(place, [nodeClass], unused)).rejects.toThrow(/demo_a/);
    expect(deleted()).toEqual(['demo_a', 'demo_b']);
    clock.nowMs += HOUR_MS / 2 - 1;
    await profiles.removeUnused(place, [nodeClass], unused);
    expect(iam.commandCalls(ListInstanceProfilesCommand)).toHaveLength(1);
  });

  test('they are read every half hour, regardless of the number of requests', async () => {
    inAccount();
    await profiles.removeUnused(place, [nodeClass], unused);
    clock.nowMs += HOUR_MS / 2 - 1;
    await profiles.removeUnused(place, [nodeClass], unused);
    expect(iam.commandCalls(ListInstanceProfilesCommand)).toHaveLength(1);
    clock.nowMs += 1;
    await profiles.removeUnused(place, [nodeClass], unused);
    expect(iam.commandCalls(ListInstanceProfilesCommand)).toHaveLength(2);
  });

  test('A3.30: releasing a class deletes all its profiles, and a missing profile is a success', async () => {
    inAccount(profile(NAME, ['node']), { ...profile('demo_else', []), Path: '/karpenter/eu-west-1/demo/u-2/' });
    iam.on(RemoveRoleFromInstanceProfileCommand).rejects(awsError('NoSuchEntityException', 404));
    iam.on(DeleteInstanceProfileCommand).rejects(awsError('NoSuchEntityException', 404));
    await profiles.release(place, nodeClass);
    expect(deleted()).toEqual([NAME]);
  });
});
