import {
  CreateFleetCommand,
  type EC2Client,
  RunInstancesCommand,
  type RunInstancesCommandInput,
} from '@aws-sdk/client-ec2';
import { MINUTE_MS } from '../../../apis/formats/time.ts';
import type { LaunchRequest } from '../../../core/model/node-claim-record.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { MissingPermission } from '../../../ports/cloud-provider.ts';
import { awsPortError, errorNameOf, isTransientCode, readable } from '../client/errors.ts';
import { instanceTags, tagSpecifications } from '../instances/tags.ts';
import { fleetInput } from './fleet-input.ts';
import { type LaunchTemplate, type LaunchTemplates, launchTemplateOf } from './launch-template.ts';

/** A3.29: how long an allowed call is not checked again. */
const ALLOWED_MS = 30 * MINUTE_MS;

export interface AuthorizationOptions {
  readonly client: EC2Client;
  readonly clock: Clock;
  readonly templates: LaunchTemplates;
}

/** Checks the permissions of a launch by dry runs; only the template is created. Allowed calls are cached in this process. */
export class Authorization {
  readonly #options: AuthorizationOptions;
  readonly #allowedUntilMs = new Map<string, number>();

  constructor(options: AuthorizationOptions) {
    this.#options = options;
  }

  /** *Expects:* a different `subject` for a different request. *Errors:* UnreachableError, RefusedError. */
  async whyNot(subject: string, request: LaunchRequest): Promise<MissingPermission | undefined> {
    const { clock } = this.#options;
    if ((this.#allowedUntilMs.get(subject) ?? 0) > clock.now()) return undefined;
    for (const { reason, call, isNeeded } of trials(this.#options, request)) {
      const answer = await answerOf(call);
      if (answer.kind === 'denied') return { reason, message: answer.message };
      if (answer.kind === 'unclear' && isNeeded === true) return undefined;
    }
    this.#allowedUntilMs.set(subject, clock.now() + ALLOWED_MS);
    return undefined;
  }
}

interface Trial {
  readonly reason: MissingPermission['reason'];
  readonly call: () => Promise<unknown>;
  /** True if the other checks have no meaning without it. @default false */
  readonly isNeeded?: true;
}

/**
 * Creates the template, because the permission to use one depends on its tags. It is deleted as those of launches are (A3.30, C57).
 */
function trials({ client, templates }: AuthorizationOptions, request: LaunchRequest): readonly Trial[] {
  const wanted = request.templates.map((spec) => launchTemplateOf(request, spec));
  return [
    {
      reason: 'CreateLaunchTemplateAuthCheckFailed',
      call: () => makeAll(templates, wanted),
      isNeeded: true,
    },
    {
      reason: 'CreateFleetAuthCheckFailed',
      call: async () => client.send(trialFleet(request, wanted)),
    },
    {
      reason: 'RunInstancesAuthCheckFailed',
      call: async () => client.send(new RunInstancesCommand({ ...trialRun(request, wanted), DryRun: true })),
    },
  ];
}

/** Includes templates that existed before, because they or the permission may have been removed. */
async function makeAll(templates: LaunchTemplates, wanted: readonly LaunchTemplate[]): Promise<void> {
  for (const template of wanted) {
    templates.forget(template.name);
    await templates.ensure(template);
  }
}

/** Without the client token, which belongs to a launch. */
function trialFleet(request: LaunchRequest, templates: readonly LaunchTemplate[]): CreateFleetCommand {
  const { ClientToken: _token, ...fleet } = fleetInput(request, templates);
  return new CreateFleetCommand({ ...fleet, DryRun: true });
}

/**
 * The RunInstances call that CreateFleet makes with Kerf's permissions. Metadata options and volumes are part of the request,
 * because policies of an organization may require them and are evaluated only on the request.
 * *Source:* aws/karpenter-provider-aws#9018, #7927.
 */
function trialRun(request: LaunchRequest, templates: readonly LaunchTemplate[]): RunInstancesCommandInput {
  const [line] = request.overrides;
  const [template] = templates;
  const [config] = fleetInput(request, templates).LaunchTemplateConfigs ?? [];
  const { InstanceType, ImageId } = config?.Overrides?.[0] ?? {};
  const { MetadataOptions, BlockDeviceMappings, NetworkInterfaces = [] } = template?.data ?? {};
  return {
    LaunchTemplate: config?.LaunchTemplateSpecification,
    InstanceType,
    ImageId,
    MinCount: 1,
    MaxCount: 1,
    MetadataOptions,
    BlockDeviceMappings,
    // RunInstances rejects a subnet together with network interfaces, so each interface gets the subnet.
    NetworkInterfaces: NetworkInterfaces.map((one) => ({ SubnetId: line?.subnetId, ...one })),
    TagSpecifications: tagSpecifications(['instance', 'volume', 'network-interface'], instanceTags(request)),
  };
}

type Answer =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'denied'; readonly message: string }
  /** EC2 rejects the call for a reason other than permissions, which a launch will report. */
  | { readonly kind: 'unclear' };

async function answerOf(call: () => Promise<unknown>): Promise<Answer> {
  try {
    await call();
  } catch (thrown) {
    const code = errorNameOf(thrown);
    if (code === 'UnauthorizedOperation') return { kind: 'denied', message: whatIsMissing(thrown) };
    if (code === 'DryRunOperation') return { kind: 'allowed' };
    const isAnswer = thrown instanceof Error && '$metadata' in thrown;
    if (isTransientCode(code) || !isAnswer) throw awsPortError(thrown, 'dry-run a launch');
    return { kind: 'unclear' };
  }
  return { kind: 'allowed' };
}

function whatIsMissing(thrown: unknown): string {
  return (thrown instanceof Error && readable(thrown.message)) || 'EC2 gave no message';
}
