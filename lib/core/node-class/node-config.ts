import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { Labels, Taint } from '../../apis/kubernetes.ts';
import { DO_NOT_SYNC_TAINTS } from '../../apis/labels.ts';
import { sameTaint, UNREGISTERED_TAINT } from '../../apis/taints.ts';
import type { ClusterBootstrap } from './cluster-bootstrap.ts';

/** What a node is told about itself before it joins. */
export interface NodeIntroduction {
  readonly bootstrap: ClusterBootstrap;
  readonly labels: Labels;
  /** Startup taints included; the taint of an unregistered node is added here. */
  readonly taints: readonly Taint[];
}

/**
 * What nodeadm of AL2023 makes a node from (C69), as JSON, which is YAML.
 * *Source:* AWS's documentation of NodeConfig, `node.eks.aws/v1alpha1`.
 */
export function nodeConfig(nodeClass: EC2NodeClass, node: NodeIntroduction): string {
  const { clusterName, endpoint, certificateAuthority, serviceCidr } = node.bootstrap;
  const raid = nodeClass.spec.instanceStorePolicy === 'RAID0';
  const config = {
    apiVersion: 'node.eks.aws/v1alpha1',
    kind: 'NodeConfig',
    spec: {
      cluster: { name: clusterName, apiServerEndpoint: endpoint, certificateAuthority, cidr: serviceCidr },
      kubelet: {
        config: { ...nodeClass.spec.kubelet, registerWithTaints: registrationTaints(node.taints) },
        flags: [`--node-labels=${nodeLabels(node.labels)}`],
      },
      ...(raid ? { instance: { localStorage: { strategy: 'RAID0' } } } : {}),
    },
  };
  return JSON.stringify(config, undefined, 2);
}

/** A6.5: with the taint that keeps pods off until the node is registered. */
function registrationTaints(taints: readonly Taint[]): readonly Taint[] {
  return taints.some((taint) => sameTaint(taint, UNREGISTERED_TAINT)) ? taints : [...taints, UNREGISTERED_TAINT];
}

/** C74: by name; the kubelet's own taints are complete, and say so. */
function nodeLabels(labels: Labels): string {
  return Object.entries({ ...labels, [DO_NOT_SYNC_TAINTS]: 'true' })
    .filter(([key]) => mayKubeletSet(key))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** A kubelet does not start with a label of Kubernetes's own domains outside these two; registration adds the rest. */
function mayKubeletSet(key: string): boolean {
  const domain = key.includes('/') ? (key.split('/')[0] ?? '') : '';
  if (isWithin(domain, 'node.kubernetes.io') || isWithin(domain, 'kubelet.kubernetes.io')) return true;
  return !isWithin(domain, 'kubernetes.io') && !isWithin(domain, 'k8s.io');
}

function isWithin(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`);
}
