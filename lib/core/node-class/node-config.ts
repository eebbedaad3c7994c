import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { type NodeIntroduction, nodeLabelsFlag, registrationTaints } from './node-introduction.ts';

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
        flags: [nodeLabelsFlag(node.labels)],
      },
      ...(raid ? { instance: { localStorage: { strategy: 'RAID0' } } } : {}),
    },
  };
  return JSON.stringify(config, undefined, 2);
}
