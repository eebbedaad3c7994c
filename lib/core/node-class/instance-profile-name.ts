import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { fingerprint } from '../identity.ts';

/** Whose nodes a profile is for. Profiles are the account's, so the region is part of their name. */
export interface ProfilePlace {
  readonly cluster: string;
  readonly region: string;
}

/**
 * The instance profile of a NodeClass, by name: its own, or the one that is made for its role. Undefined where it has neither.
 *
 * *Shape:* another role is another profile, so that running instances keep theirs. *Source:* A3.10, C67.
 */
export function instanceProfileNameOf(place: ProfilePlace, nodeClass: EC2NodeClass): string | undefined {
  const { instanceProfile, role } = nodeClass.spec;
  if (instanceProfile !== undefined || role === undefined) return instanceProfile;
  return managedProfileName(place, { owner: profileOwnerOf(nodeClass), role });
}

/** The name that Kerf gives the profile of a role. *Shape:* within IAM's 128 characters, for a cluster has at most 100. */
function managedProfileName(
  { cluster, region }: ProfilePlace,
  made: { readonly owner: string; readonly role: string },
): string {
  return `${cluster}_${fingerprint(JSON.stringify([region, made.owner, made.role]))}`;
}

/** The class as the name and the path of its profiles know it: one that is made anew under its name is another. */
export function profileOwnerOf({ metadata }: EC2NodeClass): string {
  return metadata.uid ?? metadata.name;
}

/** Where IAM keeps the managed profiles of a cluster in a region, or of one of its classes. */
export function managedProfilePath({ cluster, region }: ProfilePlace, owner?: string): string {
  return `/karpenter/${region}/${cluster}/${owner === undefined ? '' : `${owner}/`}`;
}
