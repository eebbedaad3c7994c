import {
  CreateFleetCommand,
  type CreateFleetCommandOutput,
  type CreateFleetError,
  type CreateFleetInstance,
  type EC2Client,
  type LaunchTemplateAndOverridesResponse,
} from '@aws-sdk/client-ec2';
import { optional } from '../../../apis/optional.ts';
import { compareText } from '../../../core/compare-text.ts';
import { NOT_TRIED } from '../../../core/instance-type/offerings/marked.ts';
import {
  markedClass,
  type Placement,
  placementOfTemplate,
  unavailableKey,
} from '../../../core/instance-type/offerings/unavailable.ts';
import { ANY_OFFERING } from '../../../core/model/decision.ts';
import type { FleetOverride, Instance, LaunchRequest } from '../../../core/model/node-claim-record.ts';
import type { LaunchOutcome, MissingCapacity } from '../../../ports/cloud-provider.ts';
import { RefusedError, UnreachableError } from '../../../ports/errors.ts';
import {
  awsPortError,
  type CapacityProblem,
  callsOf,
  capacityProblem,
  errorNameOf,
  isTemplateLimit,
  isTemplateMissing,
  isThrottleCode,
  isThrottled,
  isTokenSpent,
  readable,
} from '../client/errors.ts';
import { fleetInput } from './fleet-input.ts';
import { type LaunchTemplate, type LaunchTemplates, launchTemplateOf } from './launch-template.ts';

export interface LaunchTools {
  readonly client: EC2Client;
  readonly templates: LaunchTemplates;
  /** Deletes templates of a cluster that are not used, if EC2 accepts no more. @default none are deleted */
  readonly makeRoom?: (cluster: string) => Promise<void>;
}

/** Launches an instance for each claim of the request with CreateFleet. Its client token makes repeated calls idempotent. */
export async function launch(tools: LaunchTools, request: LaunchRequest): Promise<LaunchOutcome> {
  const templates = request.templates.map((spec) => launchTemplateOf(request, spec));
  const sent: SentRequest = { request, templates };
  try {
    return outcomeOf(tools, sent, await createFleet(tools, sent));
  } catch (thrown) {
    return outcomeOfFailure(sent, thrown);
  }
}

interface SentRequest {
  readonly request: LaunchRequest;
  readonly templates: readonly LaunchTemplate[];
}

async function createFleet(tools: LaunchTools, sent: SentRequest): Promise<CreateFleetCommandOutput> {
  const { request, templates } = sent;
  const command = new CreateFleetCommand(fleetInput(request, templates));
  await ensureTemplates(tools, sent);
  try {
    return await tools.client.send(command);
  } catch (thrown) {
    if (!isTemplateMissing(errorNameOf(thrown))) throw thrown;
    // C52: the template was deleted meanwhile. EC2 does not store the token of a rejected call.
    for (const { name } of templates) tools.templates.forget(name);
    await ensureTemplates(tools, sent);
    return tools.client.send(command);
  }
}

async function ensureTemplates(tools: LaunchTools, { request, templates }: SentRequest): Promise<void> {
  const ensure = () => Promise.all(templates.map((template) => tools.templates.ensure(template)));
  try {
    await ensure();
  } catch (thrown) {
    if (!isTemplateLimit(thrown) || tools.makeRoom === undefined) throw thrown;
    await tools.makeRoom(request.cluster);
    await ensure();
  }
}

/** A rejected call launched nothing. If the SDK called twice, only a list shows what the first call did. */
function outcomeOfFailure(sent: SentRequest, thrown: unknown): LaunchOutcome {
  const errors = [{ ErrorCode: errorNameOf(thrown), ErrorMessage: thrown instanceof Error ? thrown.message : '' }];
  const missing = missingOf(sent, errors);
  const kind = isTokenSpent(thrown) || callsOf(thrown) > 1 ? 'spent' : 'rejected';
  if (missing.length > 0) return { kind, missing, message: summaryOf(errors) };
  if (kind === 'rejected' && isThrottled(thrown)) return { kind, missing, message: summaryOf(errors), throttled: true };
  const failure = awsPortError(thrown, `launch ${sent.request.nodeClaim}`);
  if (!(failure instanceof RefusedError)) throw failure;
  return { kind, missing, message: failure.message };
}

function outcomeOf(tools: LaunchTools, sent: SentRequest, answer: CreateFleetCommandOutput): LaunchOutcome {
  const { request, templates } = sent;
  const errors = answer.Errors ?? [];
  const missing = missingOf(sent, errors);
  if (errors.some(({ ErrorCode }) => isTemplateMissing(ErrorCode))) {
    for (const { name } of templates) tools.templates.forget(name);
  }
  const throttled = errors.some(({ ErrorCode }) => isThrottleCode(ErrorCode)) || undefined;
  const [first, ...others] = instancesOf(sent, answer.Instances ?? []);
  if (first !== undefined) {
    const message = errors.length === 0 ? undefined : summaryOf(errors);
    return { kind: 'launched', instances: [first, ...others], missing, ...optional({ message, throttled }) };
  }
  // It is unknown whether an instance was launched, so the same request is repeated.
  if (errors.length === 0) {
    throw new UnreachableError(`launch ${request.nodeClaim}: EC2 returned neither an instance nor an error; try again`);
  }
  // The token is used up after any error, so only a new attempt can succeed.
  return { kind: 'refused', missing, message: summaryOf(errors), ...optional({ throttled }) };
}

/** C53: each error has a type and a zone. An error without them applies to the whole request. */
function missingOf(sent: SentRequest, errors: readonly CreateFleetError[]): readonly MissingCapacity[] {
  const { cluster, nodeClass, overrides, templates } = sent.request;
  const found = new Map<string, MissingCapacity>();
  const problems = errors.map((error) => capacityProblem(error.ErrorCode, error.ErrorMessage));
  const isObjection = problems.includes(undefined);
  for (const [at, error] of errors.entries()) {
    const problem = problems[at];
    // If EC2 rejects the request itself, offerings that it did not try are unknown.
    if (problem === undefined || (isObjection && problem.reason === NOT_TRIED)) continue;
    for (const override of overrides.filter(isMeant(sent, error.LaunchTemplateAndOverrides))) {
      const placement = placementOfTemplate(templates[override.template]);
      const ofClass = problem.scope === 'node-class' && { nodeClass: markedClass(cluster, nodeClass) };
      const missing = missingFrom(override, problem, { ...placement, ...ofClass });
      const key = unavailableKey(missing);
      if (!found.has(key)) found.set(key, missing);
    }
  }
  return [...found.values()];
}

/** Whether the error has an override. EC2 sometimes returns only the id of the template, which is unknown here. */
function isMeant(
  { templates }: SentRequest,
  where: LaunchTemplateAndOverridesResponse | undefined,
): (override: FleetOverride) => boolean {
  const { InstanceType, SubnetId, AvailabilityZone } = where?.Overrides ?? {};
  const template = where?.LaunchTemplateSpecification?.LaunchTemplateName;
  return (override) =>
    (template === undefined || template === templates[override.template]?.name) &&
    (InstanceType === undefined || InstanceType === override.instanceType) &&
    (SubnetId === undefined || SubnetId === override.subnetId) &&
    (AvailabilityZone === undefined || AvailabilityZone === override.zone);
}

/** C32: the offerings in the scope of the error. */
function missingFrom(
  override: FleetOverride,
  { scope, reason }: CapacityProblem,
  placement: Placement,
): MissingCapacity {
  const { instanceType, zone, capacityType, subnetId, reservationId } = override;
  switch (scope) {
    case 'offering':
    case 'node-class':
      // C34: for reserved capacity, only the one reservation.
      return {
        instanceType,
        zone,
        capacityType,
        ...(reservationId === undefined ? placement : optional({ reservationId, nodeClass: placement.nodeClass })),
        reason,
      };
    case 'subnet':
      return { instanceType: ANY_OFFERING, zone, capacityType, subnetId, reason };
    case 'capacity-type':
      return { instanceType: ANY_OFFERING, zone: ANY_OFFERING, capacityType, reason };
  }
}

/** By id. EC2 returns one entry for each override that it used, with all its instances. */
function instancesOf(sent: SentRequest, launched: readonly CreateFleetInstance[]): readonly Instance[] {
  return launched
    .flatMap((entry) => (entry.InstanceIds ?? []).map((id) => instanceOf(sent, entry, id)))
    .toSorted((a, b) => compareText(a.id, b.id));
}

/** The override that EC2 used, by type and zone. */
function instanceOf(sent: SentRequest, launched: CreateFleetInstance, id: string): Instance {
  const { nodeClaim, overrides, templates } = sent.request;
  const where = launched.LaunchTemplateAndOverrides;
  const type = launched.InstanceType ?? where?.Overrides?.InstanceType;
  const zone = launched.AvailabilityZone ?? where?.Overrides?.AvailabilityZone;
  const ofType = overrides.filter((override) => override.instanceType === type);
  const meant = ofType.filter(isMeant(sent, where));
  const isThere = (override: FleetOverride): boolean => override.zone === zone;
  const chosen =
    meant.find(isThere) ?? meant[0] ?? ofType.find(isThere) ?? (ofType.length === 1 ? ofType[0] : undefined);
  if (chosen === undefined) {
    throw new UnreachableError(`launch ${nodeClaim}: EC2 launched ${id} as ${type}, without a zone; try again`);
  }
  const { instanceType, capacityType, imageId, priceUsdPerHour } = chosen;
  const reservation = templates[chosen.template]?.reservation;
  return {
    id,
    instanceType,
    zone: chosen.zone,
    capacityType,
    priceUsdPerHour,
    imageId: where?.Overrides?.ImageId ?? imageId,
    ...optional({ reservation }),
  };
}

function summaryOf(errors: readonly CreateFleetError[]): string {
  const lines = errors.map(
    ({ ErrorCode, ErrorMessage }) => `${ErrorCode ?? 'unknown'}: ${readable(ErrorMessage ?? '')}`,
  );
  return [...new Set(lines)].toSorted().slice(0, 5).join('; ');
}
