import type { Labels } from '../../../apis/kubernetes.ts';
import { NODE_CLASS, NODE_POOL } from '../../../apis/labels.ts';
import type { NodeClaimSpec } from '../../../apis/node-claim.ts';
import { compareText } from '../../compare-text.ts';
import { placeFilter } from '../../instance-type/offerings/compatible-offerings.ts';
import { suitableTypes } from '../../instance-type/suitable-types.ts';
import type { InstanceType } from '../../model/instance-type.ts';
import type { LaunchOption, NodeClaimRecord } from '../../model/node-claim-record.ts';
import { merge, type Requirements, requirementsFrom, requirementsFromLabels } from '../../requirements/requirements.ts';
import { fits, larger, parseResources, type Resources, smaller } from '../../resources/resources.ts';
import { launchTypeOf } from './launch-type.ts';

/**
 * What a claim that is not launched yet may become, by its spec: it holds the largest of its types and offers what the smallest
 * would (promise 2, B17), as the record does that was made with it. That an offering lacks capacity since changes neither.
 * *Shape:* where no type is known, it holds and offers what its pods ask for, so that they are not placed twice.
 */
export function claimInFlight(
  { spec, labels }: { readonly spec: NodeClaimSpec; readonly labels: Labels },
  known: readonly InstanceType[],
): Pick<NodeClaimRecord, 'options' | 'types' | 'holds' | 'allocatable' | 'launch'> {
  const { [NODE_POOL]: _pool, [NODE_CLASS]: _class, ...own } = labels;
  const requirements = merge(requirementsFrom(spec.requirements), requirementsFromLabels(own));
  const asked = parseResources(spec.resources.requests);
  const meets = placeFilter(requirements);
  const types = suitableTypes(known, requirements).filter(
    ({ allocatable, offerings }) => fits(asked, allocatable) && offerings.some(meets),
  );
  const [first, ...others] = types;
  return {
    options: optionsOf(types, requirements),
    types: types.map(launchTypeOf),
    holds: first === undefined ? asked : types.reduce<Resources>((most, { capacity }) => larger(most, capacity), {}),
    allocatable:
      first === undefined
        ? asked
        : others.reduce((least, { allocatable }) => smaller(least, allocatable), first.allocatable),
    launch: { kind: 'planned' },
  };
}

function optionsOf(types: readonly InstanceType[], requirements: Requirements): readonly LaunchOption[] {
  const meets = placeFilter(requirements);
  return types
    .flatMap(({ name: instanceType, offerings }) =>
      offerings
        .filter(meets)
        .map(({ zone, capacityType, priceUsdPerHour }) => ({ instanceType, zone, capacityType, priceUsdPerHour })),
    )
    .toSorted(
      (a, b) =>
        a.priceUsdPerHour - b.priceUsdPerHour ||
        compareText(a.instanceType, b.instanceType) ||
        compareText(a.zone, b.zone) ||
        compareText(a.capacityType, b.capacityType),
    );
}
