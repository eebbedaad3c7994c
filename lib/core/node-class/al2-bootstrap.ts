import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { type NodeIntroduction, nodeLabelsFlag, taintsFlag } from './node-introduction.ts';

/** The script that makes an AL2 instance a node (C70). *Source:* AWS's documentation of `/etc/eks/bootstrap.sh`. */
export function al2Bootstrap(nodeClass: EC2NodeClass, node: NodeIntroduction): string {
  const { clusterName, endpoint, certificateAuthority } = node.bootstrap;
  const { maxPods } = nodeClass.spec.kubelet ?? {};
  const density = typeof maxPods === 'number' ? [`--max-pods=${maxPods}`] : [];
  const kubelet = [nodeLabelsFlag(node.labels), taintsFlag(node.taints), ...density].join(' ');
  const options = [
    `--apiserver-endpoint ${shellQuoted(endpoint)}`,
    `--b64-cluster-ca ${shellQuoted(certificateAuthority)}`,
    ...(density.length > 0 ? ['--use-max-pods false'] : []),
    ...(nodeClass.spec.instanceStorePolicy === 'RAID0' ? ['--local-disks raid0'] : []),
    `--kubelet-extra-args ${shellQuoted(kubelet)}`,
  ];
  return `#!/bin/bash\nset -e\n/etc/eks/bootstrap.sh ${shellQuoted(clusterName)} ${options.join(' ')}\n`;
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
