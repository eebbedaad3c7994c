import type { ResolvedCapacityReservation, ResolvedImage } from '../../lib/core/model/resolved-node-class.ts';
import type { LaunchContext } from '../../lib/core/node-claim/launch/launch.ts';
import { aNodeClass, asking } from './node-pools.ts';

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

/** An image for amd64 that is not deprecated. By default, its name is its ID. */
export function anImage(over: Partial<ResolvedImage> = {}): ResolvedImage {
  const { id = 'ami-amd64' } = over;
  return { id, name: id, deprecated: false, requirements: [asking('kubernetes.io/arch', 'In', 'amd64')], ...over };
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
      images: [anImage({ name: 'amd64' })],
      instanceProfile: 'node',
    },
    unavailable: [],
    ...over,
  };
}
