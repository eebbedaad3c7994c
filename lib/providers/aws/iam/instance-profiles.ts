import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import type { ProfilePlace } from '../../../core/node-class/instance-profile-name.ts';
import type { InstanceProfileState } from '../../../ports/cloud-provider.ts';

/** The IAM operations for nodes. Separate from EC2, so only the function that creates profiles includes the IAM client. */
export interface InstanceProfiles {
  ensure(place: ProfilePlace, nodeClass: EC2NodeClass): Promise<InstanceProfileState>;
  /** `isUsed` tests whether an instance has the profile with this ARN. */
  removeUnused(
    place: ProfilePlace,
    nodeClasses: readonly EC2NodeClass[],
    isUsed: (arn: string) => Promise<boolean>,
  ): Promise<void>;
  release(place: ProfilePlace, nodeClass: EC2NodeClass): Promise<void>;
}

/** Without access to IAM (F20 ISOLATED_VPC), spec.instanceProfile is used without a check, and spec.role is not supported. */
export const withoutIam: InstanceProfiles = {
  ensure: async (_place, { metadata, spec: { instanceProfile: name } }) => {
    if (name !== undefined) return { kind: 'ready', name };
    const message = `EC2NodeClass ${metadata.name}: no instance profile can be created for spec.role without access to IAM; set spec.instanceProfile`;
    return { kind: 'not-ready', reason: 'IamNotReachable', message };
  },
  removeUnused: async () => {},
  release: async () => {},
};
