import {
  DeleteInstanceProfileCommand,
  GetInstanceProfileCommand,
  type IAMClient,
  type InstanceProfile,
  ListInstanceProfilesCommand,
  RemoveRoleFromInstanceProfileCommand,
} from '@aws-sdk/client-iam';
import type { Labels } from '../../../apis/kubernetes.ts';
import { optional } from '../../../apis/optional.ts';
import { CLUSTER_TAG } from '../../../core/model/ownership-tags.ts';
import { managedProfilePath, type ProfilePlace } from '../../../core/node-class/instance-profile-name.ts';
import { isEntityMissing, translated } from '../client/errors.ts';
import { allPages } from '../client/pages.ts';
import { labelsOf } from '../instances/tags.ts';

export interface Profile {
  readonly name: string;
  readonly arn: string;
  readonly path: string;
  readonly roles: readonly string[];
  readonly tags: Labels;
}

/** Distinguishes Kerf's profiles from Karpenter's, which have the same path and ownership tags. */
export const MANAGED_TAGS = { 'app.kubernetes.io/managed-by': 'kerf' } as const;

/** The time when a profile was first seen unused, in milliseconds since 1970. */
export const UNUSED_SINCE = 'kerf.dev/unused-since';

/** Promise 4: a profile without one of these belongs to another owner. */
export function isManaged(place: ProfilePlace, { path, tags }: Profile): boolean {
  return (
    path.startsWith(managedProfilePath(place)) &&
    tags[CLUSTER_TAG] === place.cluster &&
    Object.entries(MANAGED_TAGS).every(([key, value]) => tags[key] === value)
  );
}

/** Undefined where the profile does not exist. */
export async function findProfile(client: IAMClient, name: string): Promise<Profile | undefined> {
  const command = new GetInstanceProfileCommand({ InstanceProfileName: name });
  return await translated(`read instance profile ${name}`, async () => {
    try {
      const { InstanceProfile: profile } = await client.send(command);
      return profile === undefined ? undefined : profileOf(profile);
    } catch (thrown) {
      if (isEntityMissing(thrown)) return undefined;
      throw thrown;
    }
  });
}

/** Kerf's profiles of a cluster or of one NodeClass. The list has no tags, and its path filter is not reliable, so each profile is read. */
export async function listManaged(client: IAMClient, place: ProfilePlace, owner?: string): Promise<readonly Profile[]> {
  const PathPrefix = managedProfilePath(place, owner);
  const listed = await allPages('list instance profiles', async (token) => {
    const command = new ListInstanceProfilesCommand({ PathPrefix, ...optional({ Marker: token }) });
    const answer = await client.send(command);
    return { items: answer.InstanceProfiles, next: answer.IsTruncated === true ? answer.Marker : undefined };
  });
  const managed: Profile[] = [];
  for (const { InstanceProfileName: name, Path = '' } of listed) {
    if (name === undefined || !Path.startsWith(PathPrefix)) continue;
    const profile = await findProfile(client, name);
    if (profile !== undefined && isManaged(place, profile)) managed.push(profile);
  }
  return managed;
}

/** A profile that no longer exists counts as success. */
export async function deleteProfile(client: IAMClient, { name, roles }: Profile): Promise<void> {
  const InstanceProfileName = name;
  await translated(`delete instance profile ${name}`, async () => {
    for (const RoleName of roles) {
      await orGone(client.send(new RemoveRoleFromInstanceProfileCommand({ InstanceProfileName, RoleName })));
    }
    await orGone(client.send(new DeleteInstanceProfileCommand({ InstanceProfileName })));
  });
}

async function orGone(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (thrown) {
    if (!isEntityMissing(thrown)) throw thrown;
  }
}

function profileOf(profile: InstanceProfile): Profile {
  const { InstanceProfileName: name = '', Arn: arn = '', Path: path = '', Roles = [], Tags = [] } = profile;
  return {
    name,
    arn,
    path,
    roles: Roles.flatMap(({ RoleName }) => (RoleName === undefined ? [] : [RoleName])),
    tags: labelsOf(Tags),
  };
}
