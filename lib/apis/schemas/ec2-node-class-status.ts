import { CONDITIONS } from './conditions.ts';
import { CAPACITY_RESERVATION_ID, MATCH_CRITERIA, OWNER_ID } from './ec2-node-class-selectors.ts';
import {
  atomicListOf,
  BOOLEAN,
  closed,
  DATE_TIME,
  described,
  enumSchema,
  type Schema,
  STRING,
  STRINGS,
} from './schema.ts';

const SUBNET: Schema = {
  title: 'ResolvedSubnet',
  ...closed(
    {
      id: described('The id of the subnet.', STRING),
      zone: described('The name of its zone, such as eu-west-1a.', STRING),
      zoneID: described('The id of its zone, which is the same in every account.', STRING),
    },
    ['id', 'zone'],
  ),
};

const SECURITY_GROUP: Schema = {
  title: 'ResolvedSecurityGroup',
  ...closed(
    {
      id: described('The id of the security group.', STRING),
      name: described('The name of the security group.', STRING),
    },
    ['id'],
  ),
};

const AMI: Schema = {
  title: 'ResolvedAmi',
  ...closed(
    {
      id: described('The id of the AMI.', STRING),
      name: described('The name of the AMI.', STRING),
      deprecated: described('Whether its owner has deprecated the AMI.', BOOLEAN),
      requirements: described(
        'The requirements of the AMI on instance types.',
        atomicListOf({
          tsType: 'NodeSelectorRequirement',
          ...closed(
            {
              key: described('The label key.', STRING),
              operator: described('The operator: In, NotIn, Exists, DoesNotExist, Gt or Lt.', STRING),
              values: described('The values.', { ...STRINGS, 'x-kubernetes-list-type': 'atomic' }),
            },
            ['key', 'operator'],
          ),
        }),
      ),
    },
    ['id', 'requirements'],
  ),
};

const CAPACITY_RESERVATION: Schema = {
  title: 'ResolvedCapacityReservation',
  ...closed(
    {
      id: described('The id of the capacity reservation.', CAPACITY_RESERVATION_ID),
      availabilityZone: described('The zone of the reserved capacity.', STRING),
      instanceType: described('The instance type of the reserved capacity.', STRING),
      instanceMatchCriteria: described('Which launches can use it.', MATCH_CRITERIA),
      ownerID: described('The account that owns it.', OWNER_ID),
      endTime: described('The end of the reservation; absent if it has no end.', DATE_TIME),
      reservationType: {
        ...described('Whether it is a capacity block.', enumSchema('default', 'capacity-block')),
        default: 'default',
      },
      state: {
        ...described(
          'Whether the reservation is about to end. Only a capacity block can be expiring.',
          enumSchema('active', 'expiring'),
        ),
        default: 'active',
      },
      interruptible: described('Whether its owner can reclaim the capacity.', BOOLEAN),
    },
    ['availabilityZone', 'id', 'instanceMatchCriteria', 'instanceType', 'ownerID'],
  ),
};

/** A3.27, A3.28 */
export const EC2_NODE_CLASS_STATUS: Schema = {
  title: 'EC2NodeClassStatus',
  ...described(
    'The AWS resources that the class selects, and its conditions.',
    closed({
      subnets: described('The selected subnets, ordered by free addresses, most first.', atomicListOf(SUBNET)),
      securityGroups: described('The selected security groups.', atomicListOf(SECURITY_GROUP)),
      amis: described('The selected AMIs, newest first.', atomicListOf(AMI)),
      capacityReservations: described('The selected capacity reservations.', atomicListOf(CAPACITY_RESERVATION)),
      instanceProfile: described('The instance profile of instances.', STRING),
      conditions: CONDITIONS,
    }),
  ),
};
