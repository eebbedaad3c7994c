import { compareText } from '../../compare-text.ts';
import { onceFor } from '../../kept-answers.ts';
import type { NodePoolView } from '../../model/cluster-snapshot.ts';

/**
 * What a user may change to mend failures: the specs of the NodePool and its NodeClass, Kerf's annotations, and the images, subnets,
 * security groups and instance profile that the NodeClass selects. Conditions and other annotations have no effect.
 */
export const settingsOf = onceFor(({ nodePool, nodeClass }: NodePoolView): string => {
  const { metadata, spec } = nodePool;
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.startsWith('kerf.dev/'));
  const { amis, subnets, securityGroups, instanceProfile } = nodeClass?.status ?? {};
  const selected = [amis, subnets, securityGroups, instanceProfile];
  return JSON.stringify([spec, annotations.toSorted(([a], [b]) => compareText(a, b)), nodeClass?.spec, selected]);
});
