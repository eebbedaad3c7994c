/** The Node that an instance of EC2 registers, from its user data and its type. */
import type { InstanceTypeFacts } from '../../lib/core/instance-type/facts.ts';
import type { FakeNode } from './node-objects.ts';

export interface Machine {
  readonly instanceId: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly nodePool: string;
  readonly privateDnsName: string;
}

/** It has the labels that the kubelet and EKS's cloud controller write, and that of its NodePool; registration adds the others. */
export function machineNode(machine: Machine, facts: readonly InstanceTypeFacts[]): FakeNode {
  const { instanceId, instanceType, zone, nodePool, privateDnsName } = machine;
  const fact = facts.find(({ name }) => name === instanceType);
  if (fact === undefined) throw new Error(`${instanceId} is a ${instanceType}, which is not in the catalogue`);
  const { vcpus, memoryMib, architecture, maxNetworkInterfaces, ipv4PerInterface } = fact;
  return {
    name: privateDnsName,
    providerId: `aws:///${zone}/${instanceId}`,
    taints: [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }],
    labels: {
      'karpenter.sh/nodepool': nodePool,
      'kubernetes.io/arch': architecture,
      'node.kubernetes.io/instance-type': instanceType,
      'topology.kubernetes.io/zone': zone,
      'topology.kubernetes.io/region': zone.slice(0, -1),
    },
    // The kernel uses a part of the memory of the type.
    capacity: {
      cpu: String(vcpus),
      memory: `${Math.floor(memoryMib * 0.95)}Mi`,
      'ephemeral-storage': '20Gi',
      pods: String(maxNetworkInterfaces * (ipv4PerInterface - 1) + 2),
    },
  };
}
