import { regionOfZone, ZONE } from '../../apis/labels.ts';
import type { NodePool } from '../../apis/node-pool.ts';

const DEFAULT_REGION = 'us-east-1';

/** The region of the first zone that a pool names, else what was asked for, else us-east-1. */
export function chooseRegion(nodePools: readonly NodePool[], asked: string | undefined): string {
  const zones = nodePools.flatMap(({ spec }) => [
    ...spec.template.spec.requirements
      .filter((one) => one.key === ZONE && one.operator === 'In')
      .flatMap((one) => one.values ?? []),
    ...Object.entries(spec.template.metadata?.labels ?? {}).flatMap(([key, value]) => (key === ZONE ? [value] : [])),
  ]);
  const named = zones.map(regionOfZone).find((region) => region !== undefined);
  return named ?? asked ?? DEFAULT_REGION;
}
