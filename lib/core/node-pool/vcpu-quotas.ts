import type { NodePool } from '../../apis/node-pool.ts';
import type { QuotaFamily } from '../../apis/scenario/scenario.ts';
import { compatibleOfferings } from '../instance-type/offerings/compatible-offerings.ts';
import { quotaFamilyOf } from '../instance-type/quota-family.ts';
import { suitableTypes } from '../instance-type/suitable-types.ts';
import type { InstanceType } from '../model/instance-type.ts';
import { merge, requirementsFrom, requirementsFromLabels } from '../requirements/requirements.ts';
import { parseResources } from '../resources/resources.ts';

/** A quota of EC2 for the vCPUs of running instances. *Source:* Service Quotas, service `ec2`. */
export interface VcpuQuota {
  readonly code: string;
  /** As the console names it, such as `on-demand G and VT`. */
  readonly name: string;
}

/** The NodePools that may launch instances of a quota. */
export interface QuotaUse {
  readonly quota: VcpuQuota;
  readonly nodePools: readonly PoolVcpus[];
}

export interface PoolVcpus {
  readonly name: string;
  /** Of `spec.limits.cpu`, in vCPUs. @default no limit */
  readonly limit: number | undefined;
}

const ON_DEMAND: Readonly<Record<QuotaFamily, VcpuQuota>> = {
  standard: { code: 'L-1216C47A', name: 'on-demand standard (A, C, D, H, I, M, R, T, Z)' },
  f: { code: 'L-74FC7D96', name: 'on-demand F' },
  g: { code: 'L-DB2E81BA', name: 'on-demand G and VT' },
  p: { code: 'L-417A185B', name: 'on-demand P' },
  x: { code: 'L-7295265B', name: 'on-demand X' },
  inf: { code: 'L-1945791B', name: 'on-demand Inf' },
  trn: { code: 'L-2C3B7624', name: 'on-demand Trn' },
  dl: { code: 'L-6E869C2A', name: 'on-demand DL' },
  hpc: { code: 'L-F7808C92', name: 'on-demand HPC' },
  u: { code: 'L-43DA4232', name: 'on-demand high memory (U)' },
};

/** EC2 has no quota for spot instances of HPC and high memory types. */
const SPOT_STANDARD: VcpuQuota = { code: 'L-34B43A08', name: 'spot standard (A, C, D, H, I, M, R, T, Z)' };
const SPOT: Readonly<Partial<Record<QuotaFamily, VcpuQuota>>> = {
  standard: SPOT_STANDARD,
  f: { code: 'L-88CF9481', name: 'spot F' },
  g: { code: 'L-3819A6DF', name: 'spot G and VT' },
  p: { code: 'L-C4BD4855', name: 'spot P5 and newer' },
  x: { code: 'L-E3A00192', name: 'spot X' },
  inf: { code: 'L-B5D1601B', name: 'spot Inf' },
  trn: { code: 'L-6B0D517C', name: 'spot Trn' },
  dl: { code: 'L-85EED4F7', name: 'spot DL' },
};
const OLD_SPOT_P: VcpuQuota = { code: 'L-7212CCBC', name: 'spot P2, P3 and P4' };

/** The quotas that every cluster needs: those of the standard families. */
export const USUAL_QUOTAS: readonly QuotaUse[] = [
  { quota: ON_DEMAND.standard, nodePools: [] },
  { quota: SPOT_STANDARD, nodePools: [] },
];

/**
 * The quotas under which NodePools may launch, by the instance types that their requirements allow. `typesOf`: those of the EC2NodeClass
 * of a NodePool. *Shape:* on-demand first, then in the order of EC2's table. *Cost:* O(NodePools × types).
 */
export function quotaUses(
  nodePools: readonly NodePool[],
  typesOf: (nodePool: NodePool) => readonly InstanceType[],
): readonly QuotaUse[] {
  const users = new Map<string, PoolVcpus[]>();
  for (const nodePool of nodePools) {
    const { cpu } = parseResources(nodePool.spec.limits);
    const use = { name: nodePool.metadata.name, limit: cpu === undefined ? undefined : Math.floor(cpu / 1_000) };
    for (const code of codesOf(nodePool, typesOf(nodePool))) users.set(code, [...(users.get(code) ?? []), use]);
  }
  return [...Object.values(ON_DEMAND), ...Object.values(SPOT), OLD_SPOT_P].flatMap((quota) => {
    const pools = users.get(quota.code);
    return pools === undefined ? [] : [{ quota, nodePools: pools }];
  });
}

function codesOf({ spec: { template } }: NodePool, types: readonly InstanceType[]): ReadonlySet<string> {
  const requirements = merge(
    requirementsFrom(template.spec.requirements),
    requirementsFromLabels(template.metadata?.labels ?? {}),
  );
  const codes = new Set<string>();
  for (const type of suitableTypes(types, requirements)) {
    for (const { capacityType } of compatibleOfferings(type, requirements)) {
      const quota = quotaOf(type.name, capacityType === 'spot');
      if (quota !== undefined) codes.add(quota.code);
    }
  }
  return codes;
}

function quotaOf(instanceType: string, isSpot: boolean): VcpuQuota | undefined {
  const family = quotaFamilyOf(instanceType);
  if (!isSpot) return ON_DEMAND[family];
  return /^p[234]/.test(instanceType) ? OLD_SPOT_P : SPOT[family];
}
