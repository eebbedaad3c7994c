import type { ResolvedCapacityReservation } from '../../lib/core/model/resolved-node-class.ts';
import type { LaunchContext } from '../../lib/core/node-claim/launch/launch.ts';
import { aNodeClass } from './node-pools.ts';

/** A reservation of five m5.large in eu-west-3a, all free. */
export function aReservation(over: Partial<ResolvedCapacityReservation> = {}): ResolvedCapacityReservation {
  return {
    id: 'cr-1',
    instanceType: 'm5.large',
    zone: 'eu-west-3a',
    ownerId: '123456789012',
    matchCriteria: 'targeted',
    type: 'default',
    interruptible: false,
    state: 'active',
    availableInstances: 5,
    ...over,
  };
}

/** The context of a launch: an AL2023 class in two zones; every offering has capacity. */
export function launchContext(over: Partial<LaunchContext> = {}): LaunchContext {
  return {
    nodeClass: aNodeClass({ tags: { team: 'a' } }),
    resolved: {
      bootstrap: {
        clusterName: 'demo',
        endpoint: 'https://demo.eks',
        certificateAuthority: 'Q0E=',
        serviceCidr: '10.100.0.0/16',
      },
      subnets: [
        { id: 'subnet-a', zone: 'eu-west-3a', zoneId: 'euw3-az1', freeAddresses: 200 },
        { id: 'subnet-b', zone: 'eu-west-3b', zoneId: 'euw3-az2', freeAddresses: 100 },
      ],
      securityGroups: [{ id: 'sg-1', name: 'nodes' }],
      images: [
        {
          id: 'ami-amd64',
          name: 'amd64',
          deprecated: false,
          requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
        },
      ],
      instanceProfile: 'node',
    },
    unavailable: [],
    ...over,
  };
}
