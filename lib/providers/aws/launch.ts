import {
  CreateFleetCommand,
  type CreateFleetCommandInput,
  type CreateFleetCommandOutput,
  type CreateFleetError,
  type CreateFleetInstance,
  type EC2Client,
  type _InstanceType as Ec2InstanceType,
} from '@aws-sdk/client-ec2';
import { ANY } from '../../core/action.ts';
import { unavailableKey } from '../../core/instance-type/unavailable.ts';
import type { FleetOverride, Instance, LaunchRequest } from '../../core/node-claim/record.ts';
import type { LaunchOutcome, MissingCapacity } from '../../ports/cloud-provider.ts';
import { RefusedError, UnreachableError } from '../../ports/errors.ts';
import { type CapacityProblem, capacityProblem, isTemplateMissing, nameOf, portErrorOf } from './errors.ts';
import { type LaunchTemplate, type LaunchTemplates, launchTemplateOf } from './launch-template.ts';
import { ec2Tags, instanceTags } from './tags.ts';

/** CreateFleet takes no more; the overrides come cheapest first. */
const MOST_OVERRIDES = 300;

export interface LaunchTools {
  readonly client: EC2Client;
  readonly templates: LaunchTemplates;
}

/** One instance through CreateFleet, whatever is replayed: the request's token names the launch. */
export async function launch(tools: LaunchTools, request: LaunchRequest): Promise<LaunchOutcome> {
  const doing = `launch ${request.nodeClaim}`;
  if (request.capacityType === 'reserved') {
    throw new RefusedError(
      `${doing}: capacity type reserved cannot be launched yet: let the pool allow on-demand or spot`,
    );
  }
  try {
    return outcomeOf(request, await createFleet(tools, request));
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : '';
    const errors = [{ ErrorCode: nameOf(thrown), ErrorMessage: message }];
    const missing = missingOf(request, errors);
    if (missing.length === 0) throw portErrorOf(thrown, doing);
    return { kind: 'refused', missing, message: summaryOf(errors) };
  }
}

async function createFleet(tools: LaunchTools, request: LaunchRequest): Promise<CreateFleetCommandOutput> {
  const templates = request.templates.map((spec) => launchTemplateOf(request, spec));
  const command = new CreateFleetCommand(fleetInput(request, templates));
  await Promise.all(templates.map((template) => tools.templates.ensure(template)));
  try {
    return await tools.client.send(command);
  } catch (thrown) {
    if (!isTemplateMissing(thrown)) throw thrown;
    // C52: it was deleted since we saw it. EC2 keeps no token of a call that it refused.
    for (const { name } of templates) tools.templates.forget(name);
    await Promise.all(templates.map((template) => tools.templates.ensure(template)));
    return tools.client.send(command);
  }
}

/** C46, C47, C49. */
function fleetInput(request: LaunchRequest, templates: readonly LaunchTemplate[]): CreateFleetCommandInput {
  const tags = ec2Tags(instanceTags(request));
  const overrides = request.overrides.slice(0, MOST_OVERRIDES);
  return {
    Type: 'instant',
    ClientToken: request.clientToken,
    TargetCapacitySpecification: {
      TotalTargetCapacity: 1,
      DefaultTargetCapacityType: request.capacityType === 'spot' ? 'spot' : 'on-demand',
    },
    ...allocationOf(request),
    LaunchTemplateConfigs: templates.map((template, place) => ({
      LaunchTemplateSpecification: { LaunchTemplateName: template.name, Version: '$Latest' },
      Overrides: overrides
        .filter((override) => override.template === place)
        .map((override) => ({
          InstanceType: instanceTypeOf(override.instanceType),
          SubnetId: override.subnetId,
          AvailabilityZone: override.zone,
          ImageId: override.imageId,
          Priority: override.priceUsdPerHour,
        })),
    })),
    TagSpecifications: (['fleet', 'instance', 'volume'] as const).map((ResourceType) => ({ ResourceType, Tags: tags })),
  };
}

function allocationOf(request: LaunchRequest): Pick<CreateFleetCommandInput, 'SpotOptions' | 'OnDemandOptions'> {
  const prioritized = request.prioritized === true;
  return request.capacityType === 'spot'
    ? {
        SpotOptions: {
          AllocationStrategy: prioritized ? 'capacity-optimized-prioritized' : 'price-capacity-optimized',
        },
      }
    : { OnDemandOptions: { AllocationStrategy: prioritized ? 'prioritized' : 'lowest-price' } };
}

function instanceTypeOf(name: string): Ec2InstanceType {
  if (isInstanceType(name)) return name;
  throw new RefusedError(`"${name}" is no EC2 instance type: correct the requirements of the NodePool`);
}

/** The SDK lists the types of its own day; what is for sale today is EC2's to say. */
function isInstanceType(name: string): name is Ec2InstanceType {
  return /^[a-z0-9-]+\.[a-z0-9-]+$/.test(name);
}

function outcomeOf(request: LaunchRequest, answer: CreateFleetCommandOutput): LaunchOutcome {
  const errors = answer.Errors ?? [];
  const missingCapacity = missingOf(request, errors);
  const launched = answer.Instances?.find((each) => (each.InstanceIds ?? []).length > 0);
  if (launched !== undefined) {
    return { kind: 'launched', instance: instanceOf(request, launched), missing: missingCapacity };
  }
  // Whether it launched is unknown: the same request is asked again.
  if (errors.length === 0) {
    throw new UnreachableError(`launch ${request.nodeClaim}: EC2 gave neither an instance nor a reason: ask again`);
  }
  // Whatever EC2 objects to, the token is spent: only another attempt can succeed.
  return { kind: 'refused', missing: missingCapacity, message: summaryOf(errors) };
}

/** C53: each error names a type and a place; one that names neither stands for all that was asked. */
function missingOf(request: LaunchRequest, errors: readonly CreateFleetError[]): readonly MissingCapacity[] {
  const found = new Map<string, MissingCapacity>();
  for (const error of errors) {
    const problem = capacityProblem(error.ErrorCode, error.ErrorMessage);
    if (problem === undefined) continue;
    const where = error.LaunchTemplateAndOverrides?.Overrides;
    for (const override of request.overrides) {
      if (where?.InstanceType !== undefined && where.InstanceType !== override.instanceType) continue;
      if (where?.SubnetId !== undefined && where.SubnetId !== override.subnetId) continue;
      if (where?.AvailabilityZone !== undefined && where.AvailabilityZone !== override.zone) continue;
      const missing = missingFrom(override, problem);
      const key = unavailableKey(missing);
      if (!found.has(key)) found.set(key, missing);
    }
  }
  return [...found.values()];
}

/** C32: as wide as the error reaches. */
function missingFrom(override: FleetOverride, { scope, reason }: CapacityProblem): MissingCapacity {
  const { instanceType, zone, capacityType, subnetId } = override;
  switch (scope) {
    case 'offering':
      return { instanceType, zone, capacityType, reason };
    case 'subnet':
      return { instanceType: ANY, zone, capacityType, subnetId, reason };
    case 'capacity-type':
      return { instanceType: ANY, zone: ANY, capacityType, reason };
  }
}

/** The override that EC2 chose, found by type and subnet. */
function instanceOf(request: LaunchRequest, launched: CreateFleetInstance): Instance {
  const where = launched.LaunchTemplateAndOverrides?.Overrides;
  const type = launched.InstanceType ?? where?.InstanceType;
  const ofType = request.overrides.filter((override) => override.instanceType === type);
  const chosen =
    ofType.find((override) => override.subnetId === where?.SubnetId) ??
    ofType.find((override) => override.zone === (launched.AvailabilityZone ?? where?.AvailabilityZone)) ??
    (ofType.length === 1 ? ofType[0] : undefined);
  const id = launched.InstanceIds?.[0];
  if (chosen === undefined || id === undefined) {
    throw new UnreachableError(
      `launch ${request.nodeClaim}: EC2 launched ${id} as ${type}, and does not say where: ask again`,
    );
  }
  const { instanceType, zone, capacityType, imageId, priceUsdPerHour } = chosen;
  return { id, instanceType, zone, capacityType, imageId: where?.ImageId ?? imageId, priceUsdPerHour };
}

function summaryOf(errors: readonly CreateFleetError[]): string {
  const lines = errors.map(({ ErrorCode, ErrorMessage }) => `${ErrorCode ?? 'unknown'}: ${ErrorMessage ?? ''}`);
  return [...new Set(lines)].toSorted().slice(0, 5).join('; ');
}
