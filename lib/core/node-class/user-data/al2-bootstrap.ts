import { isIpv6 } from './cluster-dns.ts';
import type { NodeSettings } from './node-settings.ts';

/** The script that joins an AL2 instance to the cluster (C70). *Source:* AWS's documentation of `/etc/eks/bootstrap.sh`. */
export function al2Bootstrap(
  { bootstrap, clusterDns, joinDisks, kubelet }: NodeSettings,
  kubeletArguments: string,
): string {
  const { clusterName, endpoint, certificateAuthority, serviceCidr } = bootstrap;
  const lines = [
    `/etc/eks/bootstrap.sh ${shellQuoted(clusterName)}`,
    `--apiserver-endpoint ${shellQuoted(endpoint)}`,
    `--b64-cluster-ca ${shellQuoted(certificateAuthority)}`,
    ...(clusterDns === undefined ? [] : [`--dns-cluster-ip ${shellQuoted(clusterDns)}`]),
    ...(isIpv6(serviceCidr) ? ['--ip-family ipv6', `--service-ipv6-cidr ${shellQuoted(serviceCidr)}`] : []),
    // Otherwise the script writes the limit of the network to the kubelet's configuration file.
    ...(kubelet.maxPods === undefined ? [] : ['--use-max-pods false']),
    ...(joinDisks ? ['--local-disks raid0'] : []),
    `--kubelet-extra-args ${shellQuoted(kubeletArguments)}`,
  ];
  return `#!/bin/bash\nset -e\n${lines.join(' \\\n  ')}\n`;
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
