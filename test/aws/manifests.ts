/** A user's objects in the cluster: one NodePool, its EC2NodeClass, and pending pods. */
import type { FakeApiServer } from '../fakes/api-server.ts';
import type { Address, Json } from '../fakes/api-store.ts';

export interface Workload {
  /** The value of the tag `karpenter.sh/discovery` on subnets and security groups. */
  readonly discovery: string;
  /** The role or instance profile of its nodes. */
  readonly node: { readonly role: string } | { readonly instanceProfile: string };
  readonly pods: readonly string[];
  /** A pod's request. @default 1 */
  readonly cpu?: string;
  /** Of the NodePool. @default any */
  readonly requirements?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values: readonly string[];
  }[];
}

export interface Manifest {
  readonly address: Address;
  readonly object: Json;
}

export function applyManifests({ store }: FakeApiServer, workload: Workload): void {
  for (const { address, object } of manifestsOf(workload)) store.put(address, object);
}

export function manifestsOf(workload: Workload): readonly Manifest[] {
  return [
    nodePool(workload.requirements ?? []),
    nodeClass(workload),
    ...workload.pods.map((name) => ({ address: podAt(name), object: pendingPod(name, workload.cpu ?? '1') })),
  ];
}

function nodePool(own: NonNullable<Workload['requirements']>): Manifest {
  const requirements = [
    { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
    { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
    ...own,
  ];
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  return {
    address: { group: '/apis/karpenter.sh/v1', resource: 'nodepools', name: 'general' },
    object: {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'general' },
      spec: { template: { spec: { nodeClassRef, requirements } } },
    },
  };
}

function nodeClass({ discovery, node }: Workload): Manifest {
  const selector = [{ tags: { 'karpenter.sh/discovery': discovery } }];
  return {
    address: { group: '/apis/karpenter.k8s.aws/v1', resource: 'ec2nodeclasses', name: 'default' },
    object: {
      apiVersion: 'karpenter.k8s.aws/v1',
      kind: 'EC2NodeClass',
      metadata: { name: 'default', uid: `uid-${discovery}` },
      spec: {
        amiFamily: 'AL2023',
        amiSelectorTerms: [{ alias: 'al2023@latest' }],
        ...node,
        subnetSelectorTerms: selector,
        securityGroupSelectorTerms: selector,
      },
    },
  };
}

export function podAt(name: string) {
  return { group: '/api/v1', resource: 'pods', namespace: 'default', name };
}

function pendingPod(name: string, cpu: string) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: `uid-${name}` },
    spec: { containers: [{ name: 'web', resources: { requests: { cpu, memory: '1Gi' } } }] },
    status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] },
  };
}
