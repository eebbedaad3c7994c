import { currentLabelName, ZONE } from '../../../apis/labels.ts';
import type { StorageClass } from '../../../apis/storage.ts';
import { compareText } from '../../../core/compare-text.ts';
import type { KubernetesState } from '../state.ts';

/**
 * Chooses the zone of each volume of a class with Immediate binding: the zones of its allowedTopologies, else those of the
 * NodePools, in turn, in the order of their names. *Shape:* undefined if there is no zone.
 */
export function zoneTurns(
  { nodePools }: Pick<KubernetesState, 'nodePools'>,
  zones: readonly string[],
): (storageClass: StorageClass) => string | undefined {
  let made = 0;
  const ofPools = (): readonly string[] =>
    [...nodePools.values()].flatMap(({ spec }) => {
      const asked = spec.template.spec.requirements.filter((one) => currentLabelName(one.key) === ZONE);
      return zones.filter((zone) =>
        asked.every(({ operator, values = [] }) => operator !== 'In' || values.includes(zone)),
      );
    });
  return ({ allowedTopologies = [] }) => {
    const allowed = allowedTopologies.flatMap(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.flatMap(({ key, values = [] }) => (currentLabelName(key) === ZONE ? values : [])),
    );
    const from = [...new Set(allowed.length > 0 ? allowed : ofPools())].toSorted(compareText);
    made += 1;
    return from[(made - 1) % Math.max(1, from.length)];
  };
}
