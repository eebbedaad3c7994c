import type { ClusterManifests } from '../../lib/apis/cluster-manifests.ts';
import type { EC2NodeClass } from '../../lib/apis/ec2-node-class.ts';
import type { Deployment, PodDisruptionBudget } from '../../lib/apis/kubernetes.ts';
import type { NodePool } from '../../lib/apis/node-pool.ts';
import { METADATA_DEFAULTS } from '../../lib/core/node-class/plain-node-class.ts';

/** A pool with c7g and m7g, spot and on-demand, in one zone. */
export function aPool(spec: Partial<NodePool['spec']> = {}): NodePool {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'general' },
    spec: {
      template: {
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
          requirements: [
            { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot', 'on-demand'] },
            { key: 'karpenter.k8s.aws/instance-family', operator: 'In', values: ['c7g', 'm7g'] },
            { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['us-east-1a'] },
          ],
          expireAfter: '720h',
        },
      },
      disruption: {
        consolidateAfter: '0s',
        consolidationPolicy: 'WhenEmptyOrUnderutilized',
        budgets: [{ nodes: '100%' }],
      },
      ...spec,
    },
  };
}

export function aNodeClass(): EC2NodeClass {
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default' },
    spec: {
      role: 'node',
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: [{ tags: { a: 'b' } }],
      securityGroupSelectorTerms: [{ tags: { a: 'b' } }],
      metadataOptions: METADATA_DEFAULTS,
    },
  };
}

export function aDeployment(name: string, replicas: number, cpu = '1'): Deployment {
  return {
    metadata: { name, namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name, resources: { requests: { cpu } } }] },
      },
    },
  };
}

export function someManifests(over: Partial<ClusterManifests> = {}): ClusterManifests {
  return {
    nodePools: [aPool()],
    nodeClasses: [aNodeClass()],
    deployments: [aDeployment('web', 3)],
    daemonSets: [],
    pods: [],
    podDisruptionBudgets: [],
    nodeOverlays: [],
    capacityBuffers: [],
    podTemplates: [],
    ...over,
  };
}

const dnsLabels = { 'k8s-app': 'kube-dns' };

/** As EKS installs it: two replicas, one of which may be unavailable. */
export const coreDns: Deployment = {
  metadata: { name: 'coredns', namespace: 'kube-system' },
  spec: {
    replicas: 2,
    selector: { matchLabels: dnsLabels },
    template: {
      metadata: { labels: dnsLabels },
      spec: {
        priorityClassName: 'system-cluster-critical',
        containers: [{ name: 'coredns', resources: { requests: { cpu: '100m', memory: '70Mi' } } }],
      },
    },
  },
};
export const coreDnsBudget: PodDisruptionBudget = {
  metadata: { name: 'coredns', namespace: 'kube-system' },
  spec: { selector: { matchLabels: dnsLabels }, maxUnavailable: 1 },
};
