import { regionOfZone, ZONE } from '../apis/labels.ts';
import type { NodePool } from '../apis/node-pool.ts';

export const DEFAULT_REGION = 'us-east-1';

export interface RegionChoice {
  readonly region: string;
  /** The source of the region: `zone eu-west-3a of NodePool/arm`, `--region` or `the default`. */
  readonly because: string;
}

/** The region of the first zone in a NodePool, or else `requested`, or else us-east-1. */
export function chooseRegion(nodePools: readonly NodePool[], requested?: RegionChoice): RegionChoice {
  for (const { metadata, spec } of nodePools) {
    const required = spec.template.spec.requirements
      .filter((one) => one.key === ZONE && one.operator === 'In')
      .flatMap((one) => one.values ?? []);
    const labels = Object.entries(spec.template.metadata?.labels ?? {});
    for (const zone of [...required, ...labels.flatMap(([key, value]) => (key === ZONE ? [value] : []))]) {
      const region = regionOfZone(zone);
      if (region !== undefined) return { region, because: `zone ${zone} of NodePool/${metadata.name}` };
    }
  }
  return requested ?? { region: DEFAULT_REGION, because: 'the default' };
}
