/**
 * The address of the cluster's DNS (C75): EKS gives kube-dns the tenth of the service range. *Shape:* undefined where the
 * range cannot be read. *Source:* the bootstrap script of AL2 and nodeadm work it out the same way.
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
