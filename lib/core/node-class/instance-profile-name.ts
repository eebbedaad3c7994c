import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { fingerprint } from '../identity.ts';

/** The cluster and region of a profile. Profiles are global in an account, so the region is part of their name. */
export interface ProfilePlace {
  readonly cluster: string;
  readonly region: string;
}

/**
 * The name of the instance profile of a NodeClass: the one that it specifies, or the one that Kerf creates for its role.
 * Undefined where it has neither.
 *
 * *Shape:* a different role gives a different profile, so running instances keep theirs. *Source:* A3.10, C67.
 */
export function instanceProfileNameOf(place: ProfilePlace, nodeClass: EC2NodeClass): string | undefined {
  const { instanceProfile, role } = nodeClass.spec;
  if (instanceProfile !== undefined || role === undefined) return instanceProfile;
  return managedProfileName(place, { owner: profileOwnerOf(nodeClass), role });
}

/** The name of the profile that Kerf creates for a role. *Shape:* at most IAM's 128 characters, because a cluster name has at most 100. */
function managedProfileName(
  { cluster, region }: ProfilePlace,
  made: { readonly owner: string; readonly role: string },
): string {
  return `${cluster}_${fingerprint(JSON.stringify([region, made.owner, made.role]))}`;
}

/** Identifies the class in the names and paths of its profiles. A class that is recreated with the same name is a new owner. */
export function profileOwnerOf({ metadata }: EC2NodeClass): string {
  return metadata.uid ?? metadata.name;
}

/** The IAM path of the managed profiles of a cluster in a region, or of one of its classes. */
export function managedProfilePath({ cluster, region }: ProfilePlace, owner?: string): string {
  return `/karpenter/${region}/${cluster}/${owner === undefined ? '' : `${owner}/`}`;
}
