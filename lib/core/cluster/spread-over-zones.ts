import type { Pod, TopologySpreadConstraint } from '../../apis/kubernetes.ts';
import { HOSTNAME } from '../../apis/labels.ts';

/** The required spreads of a pod that count the pods of several nodes together, as those over zones do. */
export function spreadOverZones({ spec }: Pod): readonly TopologySpreadConstraint[] {
  const spread = spec.topologySpreadConstraints ?? [];
  return spread.filter((one) => one.topologyKey !== HOSTNAME && one.whenUnsatisfiable === 'DoNotSchedule');
}

export function isSpreadOverZones(pod: Pod): boolean {
  return spreadOverZones(pod).length > 0;
}
