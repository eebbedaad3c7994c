/** What a user has in the cluster: one NodePool, its EC2NodeClass, and pods that wait. */
import type { FakeApiServer } from '../fakes/api-server.ts';

export interface Workload {
  /** The value of the tag `karpenter.sh/discovery` on subnets and security groups. */
  readonly discovery: string;
  readonly role: string;
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

export function applyManifests({ store }: FakeApiServer, workload: Workload): void {
  const selector = [{ tags: { 'karpenter.sh/discovery': workload.discovery } }];
  const requirements = [
    { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
    { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
    ...(workload.requirements ?? []),
  ];
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  store.put(
    { group: '/apis/karpenter.sh/v1', resource: 'nodepools', name: 'general' },
    {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'general' },
      spec: { template: { spec: { nodeClassRef, requirements } } },
    },
  );
  store.put(
    { group: '/apis/karpenter.k8s.aws/v1', resource: 'ec2nodeclasses', name: 'default' },
    {
      apiVersion: 'karpenter.k8s.aws/v1',
      kind: 'EC2NodeClass',
      metadata: { name: 'default', uid: `uid-${workload.discovery}` },
      spec: {
        amiFamily: 'AL2023',
        amiSelectorTerms: [{ alias: 'al2023@latest' }],
        role: workload.role,
        subnetSelectorTerms: selector,
        securityGroupSelectorTerms: selector,
      },
    },
  );
  for (const name of workload.pods) store.put(podAt(name), pendingPod(name, workload.cpu ?? '1'));
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
