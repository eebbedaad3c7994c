import type {
  CreateFleetCommandInput,
  DefaultTargetCapacityType,
  _InstanceType as Ec2InstanceType,
  FleetLaunchTemplateOverridesRequest,
} from '@aws-sdk/client-ec2';
import type { FleetOverride, HeldReservation, LaunchRequest } from '../../../core/model/node-claim-record.ts';
import { RefusedError } from '../../../ports/errors.ts';
import { instanceTags, tagSpecifications } from '../instances/tags.ts';
import type { LaunchTemplate } from './launch-template.ts';

/** The input of a CreateFleet call (C46 to C49). *Expects:* one template for each template of the request, in order. */
export function fleetInput(request: LaunchRequest, templates: readonly LaunchTemplate[]): CreateFleetCommandInput {
  const kind = reservationKindOf(request);
  const priorityOf = priorities(request);
  return {
    Type: 'instant',
    ClientToken: request.clientToken,
    Context: request.context,
    TargetCapacitySpecification: {
      TotalTargetCapacity: request.members?.length ?? 1,
      DefaultTargetCapacityType: targetCapacityType(request, kind),
    },
    ...allocationOf(request, kind),
    LaunchTemplateConfigs: templates.map((template, place) => ({
      LaunchTemplateSpecification: { LaunchTemplateName: template.name, Version: '$Latest' },
      Overrides: request.overrides
        .filter((override) => override.template === place)
        .map((override) => ({ ...overrideOf(request, override), ...priorityOf(override) })),
    })),
    TagSpecifications: tagSpecifications(['fleet', 'instance', 'volume'], instanceTags(request)),
  };
}

/** C38: all reservations of a request have the same kind. */
function reservationKindOf({ capacityType, templates }: LaunchRequest): HeldReservation['kind'] | undefined {
  return capacityType === 'reserved' ? (templates[0]?.reservation?.kind ?? 'default') : undefined;
}

/** C46, C47: reserved capacity of the default kind is launched as on-demand, with the reservation in the template. */
function targetCapacityType(
  { capacityType }: LaunchRequest,
  kind: HeldReservation['kind'] | undefined,
): DefaultTargetCapacityType {
  if (kind === 'capacity-block') return 'capacity-block';
  if (kind === 'interruptible') return 'reserved-capacity';
  return capacityType === 'spot' ? 'spot' : 'on-demand';
}

type Allocation = Pick<CreateFleetCommandInput, 'SpotOptions' | 'OnDemandOptions' | 'ReservedCapacityOptions'>;

function allocationOf(request: LaunchRequest, kind: HeldReservation['kind'] | undefined): Allocation {
  const prioritized = request.prioritized === true;
  if (kind === 'capacity-block') return {};
  if (kind === 'interruptible') {
    return { ReservedCapacityOptions: { ReservationTypes: ['interruptible-capacity-reservation'] } };
  }
  if (request.capacityType !== 'spot') {
    return { OnDemandOptions: { AllocationStrategy: prioritized ? 'prioritized' : 'lowest-price' } };
  }
  const AllocationStrategy = prioritized ? 'capacity-optimized-prioritized' : 'price-capacity-optimized';
  return { SpotOptions: { AllocationStrategy } };
}

/** C46: the subnet is set once, here or in the template. */
function overrideOf(request: LaunchRequest, override: FleetOverride): FleetLaunchTemplateOverridesRequest {
  const isInTemplate = request.templates[override.template]?.subnetId !== undefined;
  return {
    InstanceType: instanceTypeOf(override.instanceType),
    ...(isInTemplate ? {} : { SubnetId: override.subnetId }),
    AvailabilityZone: override.zone,
    ImageId: override.imageId,
  };
}

/** C47: cheaper options come first. EC2 requires whole numbers as priorities, and none where it uses its own prices. */
function priorities({
  prioritized,
  overrides,
}: LaunchRequest): (override: FleetOverride) => Pick<FleetLaunchTemplateOverridesRequest, 'Priority'> {
  if (prioritized !== true) return () => ({});
  const prices = [...new Set(overrides.map(({ priceUsdPerHour }) => priceUsdPerHour))].toSorted((a, b) => a - b);
  return ({ priceUsdPerHour }) => ({ Priority: prices.indexOf(priceUsdPerHour) });
}

function instanceTypeOf(name: string): Ec2InstanceType {
  if (isInstanceType(name)) return name;
  throw new RefusedError(`"${name}" is not an EC2 instance type; correct the requirements of the NodePool`);
}

/** The SDK's list of types may be outdated, so any well-formed name is accepted. */
function isInstanceType(name: string): name is Ec2InstanceType {
  return /^[a-z0-9-]+\.[a-z0-9-]+$/.test(name);
}
