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
 * The launch options and amounts of a claim that is not launched yet, derived from its spec. It counts as the largest of its
 * types against limits and offers the allocatable resources of the smallest (promise 2, B17), as its original record did.
 * Offerings without capacity are included. *Shape:* if no type matches, both amounts are the requests of its pods, so that
 * these pods are not placed twice.
 */
export function claimInFlight(
  { spec, labels }: { readonly spec: NodeClaimSpec; readonly labels: Labels },
  known: readonly InstanceType[],
): Pick<NodeClaimRecord, 'options' | 'types' | 'holds' | 'allocatable' | 'launch'> {
  const { [NODE_POOL]: _pool, [NODE_CLASS]: _class, ...own } = labels;
  const requirements = merge(requirementsFrom(spec.requirements), requirementsFromLabels(own));
  const requested = parseResources(spec.resources.requests);
  const meets = placeFilter(requirements);
  const types = suitableTypes(known, requirements).filter(
    ({ allocatable, offerings }) => fits(requested, allocatable) && offerings.some(meets),
  );
  const [first, ...others] = types;
  return {
    options: optionsOf(types, requirements),
    types: types.map(launchTypeOf),
    holds:
      first === undefined ? requested : types.reduce<Resources>((most, { capacity }) => larger(most, capacity), {}),
    allocatable:
      first === undefined
        ? requested
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
