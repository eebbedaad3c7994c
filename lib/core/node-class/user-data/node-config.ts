import { nodeLabelsFlag, registrationTaints } from './node-introduction.ts';
import type { NodeSettings } from './node-settings.ts';

/**
 * The NodeConfig with which nodeadm on AL2023 joins a node (C69). It is JSON, which is valid YAML, in ASCII, which MIME readers
 * do not change. nodeadm derives the cluster's DNS and the IP family from the service range.
 * *Source:* AWS's documentation of NodeConfig, `node.eks.aws/v1alpha1`.
 */
export function nodeConfig({ bootstrap, kubelet, labels, taints, joinDisks }: NodeSettings): string {
  const { clusterName, endpoint, certificateAuthority, serviceCidr } = bootstrap;
  const config = {
    apiVersion: 'node.eks.aws/v1alpha1',
    kind: 'NodeConfig',
    spec: {
      cluster: { name: clusterName, apiServerEndpoint: endpoint, certificateAuthority, cidr: serviceCidr },
      kubelet: {
        config: { ...kubelet, registerWithTaints: registrationTaints(taints) },
        flags: [nodeLabelsFlag(labels)],
      },
      ...(joinDisks ? { instance: { localStorage: { strategy: 'RAID0' } } } : {}),
    },
  };
  return `${JSON.stringify(config, undefined, 2).replaceAll(/[^\0-\x7e]/g, escaped)}\n`;
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
