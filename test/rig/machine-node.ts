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
  return {
    name: privateDnsName,
    providerId: `aws:///${zone}/${instanceId}`,
    taints: [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }],
    labels: {
      'karpenter.sh/nodepool': nodePool,
      'kubernetes.io/arch': fact.architecture,
      'node.kubernetes.io/instance-type': instanceType,
      'topology.kubernetes.io/zone': zone,
      'topology.kubernetes.io/region': zone.slice(0, -1),
    },
    capacity: machineCapacity(fact),
  };
}

/** What the kubelet reports. @param memoryShare the kernel uses the rest of the memory of the type */
export function machineCapacity(
  { vcpus, memoryMib, maxNetworkInterfaces, ipv4PerInterface }: InstanceTypeFacts,
  memoryShare = 0.95,
): Readonly<Record<string, string>> {
  return {
    cpu: String(vcpus),
    memory: `${Math.floor(memoryMib * memoryShare)}Mi`,
    'ephemeral-storage': '20Gi',
    pods: String(maxNetworkInterfaces * (ipv4PerInterface - 1) + 2),
  };
}
