import { CONDITIONS } from './conditions.ts';
import { CAPACITY_RESERVATION_ID, MATCH_CRITERIA, OWNER_ID } from './ec2-node-class-selectors.ts';
import { atomicListOf, BOOLEAN, closed, DATE_TIME, described, oneOf, type Schema, STRING, STRINGS } from './schema.ts';

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
        'What an instance type must be like to run it.',
        atomicListOf({
          tsType: 'NodeSelectorRequirement',
          ...closed(
            {
              key: described('The label that is compared.', STRING),
              operator: described('How it is compared: In, NotIn, Exists, DoesNotExist, Gt or Lt.', STRING),
              values: described('What it is compared with.', { ...STRINGS, 'x-kubernetes-list-type': 'atomic' }),
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
      availabilityZone: described('The zone that it holds capacity in.', STRING),
      instanceType: described('The instance type that it holds.', STRING),
      instanceMatchCriteria: described('Which launches it takes.', MATCH_CRITERIA),
      ownerID: described('The account that it belongs to.', OWNER_ID),
      endTime: described('When it ends; without it, not by itself.', DATE_TIME),
      reservationType: {
        ...described('Whether it is a capacity block.', oneOf('default', 'capacity-block')),
        default: 'default',
      },
      state: {
        ...described(
          'Whether it is about to end; only a capacity block is ever expiring.',
          oneOf('active', 'expiring'),
        ),
        default: 'active',
      },
      interruptible: described('Whether its owner may take the capacity back.', BOOLEAN),
    },
    ['availabilityZone', 'id', 'instanceMatchCriteria', 'instanceType', 'ownerID'],
  ),
};

/** A3.27, A3.28 */
export const EC2_NODE_CLASS_STATUS: Schema = {
  title: 'EC2NodeClassStatus',
  ...described(
    'What the selectors have found.',
    closed({
      subnets: described(
        'The subnets that the terms select, the one with the most free addresses first.',
        atomicListOf(SUBNET),
      ),
      securityGroups: described('The security groups that the terms select.', atomicListOf(SECURITY_GROUP)),
      amis: described('The AMIs that the terms select, the newest first.', atomicListOf(AMI)),
      capacityReservations: described(
        'The capacity reservations that the terms select.',
        atomicListOf(CAPACITY_RESERVATION),
      ),
      instanceProfile: described('The instance profile that instances are launched with.', STRING),
      conditions: CONDITIONS,
    }),
  ),
};
