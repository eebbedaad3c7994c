/**
 * The address of the cluster's DNS (C75): EKS assigns the tenth address of the service range to kube-dns. *Shape:* undefined
 * where the range is invalid. *Source:* the bootstrap script of AL2 and nodeadm compute it in the same way.
 */
export function clusterDnsOf(serviceCidr: string): string | undefined {
  const base = serviceCidr.split('/')[0] ?? '';
  if (isIpv6(base)) return base.endsWith('::') ? `${base}a` : undefined;
  const network = /^(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/.exec(base)?.[1];
  return network === undefined ? undefined : `${network}.10`;
}

export function isIpv6(address: string): boolean {
  return address.includes(':');
}
