import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { ProfilePlace } from '../../core/node-class/instance-profile-name.ts';
import type { InstanceProfileState } from '../../ports/cloud-provider.ts';

/** IAM, as far as nodes need it: apart from EC2, so that only the function that makes profiles carries IAM's client. */
export interface InstanceProfiles {
  ensure(place: ProfilePlace, nodeClass: EC2NodeClass): Promise<InstanceProfileState>;
  /** `isUsed` says of a profile's ARN whether an instance has it. */
  removeUnused(
    place: ProfilePlace,
    nodeClasses: readonly EC2NodeClass[],
    isUsed: (arn: string) => Promise<boolean>,
  ): Promise<void>;
  release(place: ProfilePlace, nodeClass: EC2NodeClass): Promise<void>;
}

/** Where IAM cannot be reached (F20 ISOLATED_VPC), a profile of one's own is believed, and a role has none. */
export const withoutIam: InstanceProfiles = {
  ensure: async (_place, { metadata, spec: { instanceProfile: name } }) => {
    if (name !== undefined) return { kind: 'ready', name };
    const message = `EC2NodeClass ${metadata.name}: no profile can be made for spec.role, for IAM is not reached from here: set spec.instanceProfile`;
    return { kind: 'not-ready', reason: 'IamNotReachable', message };
  },
  removeUnused: async () => {},
  release: async () => {},
};
