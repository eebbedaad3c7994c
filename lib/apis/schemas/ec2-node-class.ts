import { FAMILY_OF_ALIAS } from '../ami-family.ts';
import { AGE_COLUMN, type CustomResource, READY_COLUMN } from './custom-resource.ts';
import { INSTANCE } from './ec2-node-class-instance.ts';
import { AMIS, CAPACITY_RESERVATIONS, PLACEMENT_GROUP, SECURITY_GROUPS, SUBNETS } from './ec2-node-class-selectors.ts';
import { EC2_NODE_CLASS_STATUS } from './ec2-node-class-status.ts';
import { BLOCK_DEVICES } from './ec2-node-class-storage.ts';
import {
  closed,
  described,
  enumSchema,
  type Rule,
  type Schema,
  STRING,
  STRING_MAP,
  TEXT,
  withRules,
} from './schema.ts';

/** A3.14 */
const OWN_TAGS = [
  'eks:eks-cluster-name',
  'karpenter.sh/nodepool',
  'karpenter.sh/nodeclaim',
  'karpenter.k8s.aws/ec2nodeclass',
];

const TAGS: Schema = described(
  'Tags of every instance and of the resources created with it. The default of the tag Name is the name of the node.',
  withRules(
    STRING_MAP,
    { rule: "x != ''", message: 'has an empty key', allowed: 'the key of a tag', each: true },
    {
      rule: `!(x in [${OWN_TAGS.map((tag) => `'${tag}'`).join(', ')}])`,
      message: 'is a reserved tag',
      allowed: 'another tag',
      each: true,
    },
    {
      rule: "!x.startsWith('kubernetes.io/cluster')",
      message: 'is a reserved tag',
      allowed: 'another tag',
      each: true,
    },
  ),
);

/** A3.6: one rule for each family, so the message contains the family. */
const FAMILY_RULES: readonly Rule[] = [...FAMILY_OF_ALIAS].map(([alias, family]) => ({
  rule: `!has(self.amiFamily) || self.amiFamily in ['Custom', '${family}'] || !self.amiSelectorTerms.exists(x, has(x.alias) && x.alias.startsWith('${alias}@'))`,
  message: 'is not the family of the alias',
  allowed: `${family}, Custom or no amiFamily`,
  fieldPath: '.amiFamily',
}));

/** A3.6, A3.10 */
const SPEC_RULES: readonly Rule[] = [
  {
    rule: 'has(self.amiFamily) || self.amiSelectorTerms.exists(x, has(x.alias))',
    message: 'is missing, and no amiSelectorTerm has an alias',
    allowed: 'amiFamily, or an alias such as al2023@latest',
    fieldPath: '.amiFamily',
  },
  ...FAMILY_RULES,
  {
    rule: 'has(self.role) || has(self.instanceProfile)',
    message: 'is missing, and so is instanceProfile',
    allowed: 'the name of the IAM role of the nodes, or an instanceProfile',
    fieldPath: '.role',
  },
  {
    rule: '!has(self.role) || !has(self.instanceProfile)',
    message: 'cannot be set together with role',
    allowed: 'one of role and instanceProfile',
    fieldPath: '.instanceProfile',
  },
];

/** A3.15: the server does not check the contents; core/validation/kubelet.ts does. */
const KUBELET: Schema = {
  tsType: 'KubeletConfiguration',
  ...described(
    'The configuration of the kubelet: any field of KubeletConfiguration (kubelet.config.k8s.io/v1beta1) except registerWithTaints. With an unknown field the class is not ready.',
    {
      type: 'object',
      additionalProperties: { 'x-kubernetes-preserve-unknown-fields': true },
      'x-kubernetes-preserve-unknown-fields': true,
    },
  ),
};

/** A3.1 to A3.25 */
const SPEC: Schema = {
  title: 'EC2NodeClassSpec',
  ...described(
    'The settings for launching instances.',
    withRules(
      closed(
        {
          amiSelectorTerms: AMIS,
          amiFamily: described(
            'The AMI family, which determines user data and volumes. Default: the family of the alias. With Custom, the user data is used unchanged.',
            enumSchema('AL2', 'AL2023', 'Bottlerocket', 'Custom', 'Windows2019', 'Windows2022', 'Windows2025'),
          ),
          subnetSelectorTerms: SUBNETS,
          securityGroupSelectorTerms: SECURITY_GROUPS,
          capacityReservationSelectorTerms: CAPACITY_RESERVATIONS,
          placementGroupSelector: PLACEMENT_GROUP,
          role: described('The name of the IAM role of the nodes. Kerf creates an instance profile for it.', TEXT),
          instanceProfile: described('The name of an existing instance profile, instead of role.', TEXT),
          userData: described(
            'User data in the format of the AMI family. It is merged with the settings that join the node to the cluster.',
            STRING,
          ),
          tags: TAGS,
          kubelet: KUBELET,
          blockDeviceMappings: BLOCK_DEVICES,
          ...INSTANCE,
          context: described('Text that is passed to EC2 with each launch. Reserved by AWS.', STRING),
        },
        ['amiSelectorTerms', 'subnetSelectorTerms', 'securityGroupSelectorTerms'],
      ),
      ...SPEC_RULES,
    ),
  ),
};

/** A3.1 to A3.30 */
export const EC2_NODE_CLASS: CustomResource = {
  group: 'karpenter.k8s.aws',
  version: 'v1',
  kind: 'EC2NodeClass',
  plural: 'ec2nodeclasses',
  shortNames: ['ec2nc', 'ec2ncs'],
  category: 'karpenter',
  scope: 'Cluster',
  description: 'The settings for launching instances of a NodePool: subnets, security groups, AMIs, role and volumes.',
  columns: [READY_COLUMN, AGE_COLUMN, { name: 'Role', type: 'string', jsonPath: '.spec.role', priority: 1 }],
  // As in Karpenter's CRD. A class without a spec selects nothing and never becomes ready.
  specIsOptional: true,
  spec: SPEC,
  status: EC2_NODE_CLASS_STATUS,
};
