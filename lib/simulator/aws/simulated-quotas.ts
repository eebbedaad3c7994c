import type { VcpuQuota } from '../../apis/scenario/scenario.ts';
import type { Catalogue } from '../../core/instance-type/facts.ts';
import { quotaFamilyOf } from '../../core/instance-type/quota-family.ts';
import type { FleetOverride } from '../../core/model/node-claim-record.ts';
import type { DescribedInstance } from '../../ports/cloud-provider.ts';

export type QuotaError = 'VcpuLimitExceeded' | 'MaxSpotInstanceCountExceeded';

export const QUOTA_ERRORS: ReadonlySet<string> = new Set<QuotaError>([
  'VcpuLimitExceeded',
  'MaxSpotInstanceCountExceeded',
]);

export interface Quotas {
  /** Adds a quota. *Shape:* a function that removes it. */
  add(quota: VcpuQuota): () => void;
  /** The error of EC2 for a launch that would exceed a quota. */
  refuses(line: FleetOverride, instances: Iterable<DescribedInstance>): QuotaError | undefined;
}

/** The quotas of the account for the vCPUs of running instances. The lowest one of a group applies. */
export function simulatedQuotas({ facts }: Pick<Catalogue, 'facts'>): Quotas {
  const quotas = new Set<VcpuQuota>();
  const vcpusOf = (instanceType: string): number => facts.find(({ name }) => name === instanceType)?.vcpus ?? 0;
  return {
    add(quota) {
      quotas.add(quota);
      return () => quotas.delete(quota);
    },
    refuses(line, instances) {
      const own = [...quotas].filter((quota) => counts(quota, line));
      if (own.length === 0) return undefined;
      let vcpus = vcpusOf(line.instanceType);
      for (const one of instances)
        if (one.state === 'running' && own.some((quota) => counts(quota, one))) vcpus += vcpusOf(one.instanceType);
      if (own.every((quota) => vcpus <= quota.vcpus)) return undefined;
      return line.capacityType === 'spot' ? 'MaxSpotInstanceCountExceeded' : 'VcpuLimitExceeded';
    },
  };
}

function counts(
  { capacityType, family }: VcpuQuota,
  one: Pick<FleetOverride, 'capacityType' | 'instanceType'>,
): boolean {
  return (one.capacityType === 'spot') === (capacityType === 'spot') && quotaFamilyOf(one.instanceType) === family;
}
