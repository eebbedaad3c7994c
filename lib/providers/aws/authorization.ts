import {
  CreateFleetCommand,
  type CreateFleetCommandInput,
  CreateLaunchTemplateCommand,
  type CreateLaunchTemplateCommandInput,
  type EC2Client,
  type ResourceType,
  RunInstancesCommand,
  type RunInstancesCommandInput,
  type TagSpecification,
} from '@aws-sdk/client-ec2';
import { MINUTE_MS } from '../../apis/time.ts';
import type { LaunchRequest } from '../../core/node-claim/record.ts';
import { TRIAL_TYPES } from '../../core/node-claim/trial-request.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MissingPermission } from '../../ports/cloud-provider.ts';
import { isTransientCode, nameOf, portErrorOf } from './errors.ts';
import { type LaunchTemplate, launchTemplateOf } from './launch-template.ts';
import { ec2Tags, instanceTags } from './tags.ts';

/** A3.29: what was allowed is not asked again for as long. */
const ALLOWED_MS = 30 * MINUTE_MS;

/** Tries the calls of a launch without making them, and remembers what was allowed while this process lives. */
export class Authorization {
  readonly #client: EC2Client;
  readonly #clock: Clock;
  readonly #allowedUntilMs = new Map<string, number>();

  constructor({ client, clock }: { readonly client: EC2Client; readonly clock: Clock }) {
    this.#client = client;
    this.#clock = clock;
  }

  /** *Expects:* of `subject` that another request for it is another text. *Errors:* UnreachableError, RefusedError. */
  async whyNot(subject: string, request: LaunchRequest): Promise<MissingPermission | undefined> {
    if ((this.#allowedUntilMs.get(subject) ?? 0) > this.#clock.now()) return undefined;
    for (const { reason, call } of trials(this.#client, request)) {
      const refusal = await refusalOf(call);
      if (refusal !== undefined) return { reason, message: refusal };
    }
    this.#allowedUntilMs.set(subject, this.#clock.now() + ALLOWED_MS);
    return undefined;
  }
}

interface Trial {
  readonly reason: MissingPermission['reason'];
  readonly call: () => Promise<unknown>;
}

function trials(client: EC2Client, request: LaunchRequest): readonly Trial[] {
  const templates = request.templates.map((spec) => launchTemplateOf(request, spec));
  const dry = { DryRun: true } as const;
  return [
    ...templates.map((template) => ({
      reason: 'CreateLaunchTemplateAuthCheckFailed' as const,
      call: async () => client.send(new CreateLaunchTemplateCommand({ ...templateInput(template), ...dry })),
    })),
    {
      reason: 'CreateFleetAuthCheckFailed',
      call: async () => client.send(new CreateFleetCommand({ ...trialFleet(request, templates), ...dry })),
    },
    {
      reason: 'RunInstancesAuthCheckFailed',
      call: async () => client.send(new RunInstancesCommand({ ...trialRun(request), ...dry })),
    },
  ];
}

function templateInput({ name, data, tags }: LaunchTemplate): CreateLaunchTemplateCommandInput {
  return {
    LaunchTemplateName: name,
    LaunchTemplateData: data,
    TagSpecifications: [{ ResourceType: 'launch-template', Tags: ec2Tags(tags) }],
  };
}

/** One line is enough to be told what is allowed; the template need not exist for that. */
function trialFleet(request: LaunchRequest, templates: readonly LaunchTemplate[]): CreateFleetCommandInput {
  return {
    Type: 'instant',
    TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'on-demand' },
    LaunchTemplateConfigs: templates.map(({ name }) => ({
      LaunchTemplateSpecification: { LaunchTemplateName: name, Version: '$Latest' },
      Overrides: [lineOf(request)],
    })),
    TagSpecifications: tagged(request, ['fleet', 'instance', 'volume']),
  };
}

/** What CreateFleet runs on our behalf, and with our permissions. */
function trialRun(request: LaunchRequest): RunInstancesCommandInput {
  const [spec] = request.templates;
  return {
    ...lineOf(request),
    MinCount: 1,
    MaxCount: 1,
    SecurityGroupIds: [...(spec?.securityGroupIds ?? [])],
    IamInstanceProfile: { Name: spec?.instanceProfile },
    TagSpecifications: tagged(request, ['instance', 'volume', 'network-interface']),
  };
}

function lineOf({
  overrides: [line],
}: LaunchRequest): Pick<RunInstancesCommandInput, 'InstanceType' | 'ImageId' | 'SubnetId'> {
  const InstanceType = Object.values(TRIAL_TYPES).find((type) => type === line?.instanceType);
  return { InstanceType, ImageId: line?.imageId, SubnetId: line?.subnetId };
}

function tagged(request: LaunchRequest, types: readonly ResourceType[]): TagSpecification[] {
  const tags = ec2Tags(instanceTags(request));
  return types.map((type) => ({ ResourceType: type, Tags: tags }));
}

/**
 * *Shape:* what EC2 says against it; undefined where it would do it, or objects to something else than our permissions, which
 * a launch will show.
 */
async function refusalOf(call: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await call();
  } catch (thrown) {
    const code = nameOf(thrown);
    if (code === 'UnauthorizedOperation') return whatIsMissing(thrown);
    const isAnswer = code === 'DryRunOperation' || (thrown instanceof Error && '$metadata' in thrown);
    if (isTransientCode(code) || !isAnswer) throw portErrorOf(thrown, 'try a launch');
  }
  return undefined;
}

/** Without the text that only `aws sts decode-authorization-message` can read: it is long, and another each time. */
function whatIsMissing(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : '';
  return message.replace(/\s*Encoded authorization failure message:.*$/s, '').trim() || 'EC2 does not say what';
}
