import {
  CreateFleetCommand,
  type EC2Client,
  RunInstancesCommand,
  type RunInstancesCommandInput,
} from '@aws-sdk/client-ec2';
import { MINUTE_MS } from '../../apis/time.ts';
import type { LaunchRequest } from '../../core/node-claim/record.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MissingPermission } from '../../ports/cloud-provider.ts';
import { isTransientCode, nameOf, portErrorOf, readable } from './errors.ts';
import { fleetInput } from './fleet-input.ts';
import { type LaunchTemplate, type LaunchTemplates, launchTemplateOf } from './launch-template.ts';
import { instanceTags, tagSpecifications } from './tags.ts';

/** A3.29: what was allowed is not asked again for as long. */
const ALLOWED_MS = 30 * MINUTE_MS;

export interface AuthorizationOptions {
  readonly client: EC2Client;
  readonly clock: Clock;
  readonly templates: LaunchTemplates;
}

/** Tries the calls of a launch, of which only the template is made, and remembers what was allowed while this process lives. */
export class Authorization {
  readonly #options: AuthorizationOptions;
  readonly #allowedUntilMs = new Map<string, number>();

  constructor(options: AuthorizationOptions) {
    this.#options = options;
  }

  /** *Expects:* of `subject` that another request for it is another text. *Errors:* UnreachableError, RefusedError. */
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
  /** Without it the others say nothing. @default false */
  readonly isNeeded?: true;
}

/**
 * The template is made: our permission to use one hangs on its tags, and EC2 denies what has none. It goes with the
 * NodeClass (A3.30).
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

/** Also those that were seen before: somebody may have deleted them, or taken the permission away. */
async function makeAll(templates: LaunchTemplates, wanted: readonly LaunchTemplate[]): Promise<void> {
  for (const template of wanted) {
    templates.forget(template.name);
    await templates.ensure(template);
  }
}

/** A token would be for a launch. */
function trialFleet(request: LaunchRequest, templates: readonly LaunchTemplate[]): CreateFleetCommand {
  const { ClientToken: _token, ...fleet } = fleetInput(request, templates);
  return new CreateFleetCommand({ ...fleet, DryRun: true });
}

/**
 * What CreateFleet runs on our behalf, and with our permissions. Metadata options and volumes are told beside the template:
 * an organization may deny instances without tokens for metadata or with plain volumes, and its policies see the request only.
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
    // RunInstances takes no subnet beside interfaces: theirs is told one by one.
    NetworkInterfaces: NetworkInterfaces.map((one) => ({ SubnetId: line?.subnetId, ...one })),
    TagSpecifications: tagSpecifications(['instance', 'volume', 'network-interface'], instanceTags(request)),
  };
}

type Answer =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'denied'; readonly message: string }
  /** EC2 objects to something else than our permissions, which a launch will show. */
  | { readonly kind: 'unclear' };

async function answerOf(call: () => Promise<unknown>): Promise<Answer> {
  try {
    await call();
  } catch (thrown) {
    const code = nameOf(thrown);
    if (code === 'UnauthorizedOperation') return { kind: 'denied', message: whatIsMissing(thrown) };
    if (code === 'DryRunOperation') return { kind: 'allowed' };
    const isAnswer = thrown instanceof Error && '$metadata' in thrown;
    if (isTransientCode(code) || !isAnswer) throw portErrorOf(thrown, 'try a launch');
    return { kind: 'unclear' };
  }
  return { kind: 'allowed' };
}

function whatIsMissing(thrown: unknown): string {
  return (thrown instanceof Error && readable(thrown.message)) || 'EC2 does not say what';
}
