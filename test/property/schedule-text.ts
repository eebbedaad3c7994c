import { formatRequirement } from '../../lib/core/requirements/requirements.ts';
import type { Schedule } from '../../lib/core/scheduling/schedule.ts';

/** A schedule as text: names, numbers and messages, in their order; requirements have no order. */
export function textOf({ newClaims, existing, unplaced }: Schedule): string {
  return JSON.stringify(
    {
      newClaims: newClaims.map(({ template, pods, instanceTypes, requirements, ...rest }) => ({
        ...rest,
        pool: template.nodePool.metadata.name,
        pods: pods.map(({ metadata }) => metadata.name),
        types: instanceTypes.map(({ name }) => name),
        requirements: [...requirements.values()]
          .map((one) => `${one.key} ${formatRequirement(one)} ${one.minValues ?? ''}`)
          .toSorted(),
      })),
      existing: existing.map(({ stateNode, pods }) => [stateNode.name, pods.map(({ metadata }) => metadata.name)]),
      unplaced: unplaced.map(({ pod, refusals, onNodes }) => [pod.metadata.name, refusals, onNodes]),
    },
    (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value instanceof Set ? [...value] : value),
  );
}
