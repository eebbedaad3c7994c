import type { EC2Client } from '@aws-sdk/client-ec2';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { Labels } from '../../apis/kubernetes.ts';
import type { Catalogue } from '../../core/instance-type/facts.ts';
import type { LaunchRequest } from '../../core/model/node-claim-record.ts';
import type { ResolvedNodeClass } from '../../core/model/resolved-node-class.ts';
import type { InstanceHealth } from '../../core/node-claim/instance-health.ts';
import { trialRequest } from '../../core/node-claim/launch/trial-request.ts';
import type { ReservableBudget } from '../../ports/call-budget.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  CloudProvider,
  DescribedInstance,
  InstanceName,
  InstanceOwner,
  InstanceProfileState,
  LaunchAdmission,
  LaunchOutcome,
  MissingPermission,
  NodeClassResolution,
} from '../../ports/cloud-provider.ts';
import { describeCatalogue } from './catalogue/describe-catalogue.ts';
import type { BranchInterfaces } from './catalogue/instance-type-facts.ts';
import { batched } from './client/batch.ts';
import { despiteRefusals } from './client/despite-refusals.ts';
import { type InstanceProfiles, withoutIam } from './iam/instance-profiles.ts';
import { isProfileUsed } from './iam/profile-use.ts';
import { endInstances } from './instances/end-instances.ts';
import { lastInstanceHealth } from './instances/instance-health.ts';
import { describeInstances, instanceOwners, MAX_IDS } from './instances/instances.ts';
import { nameInstances, tagInstance } from './instances/tag-instance.ts';
import { Authorization } from './launch/authorization.ts';
import { type LaunchTools, launch } from './launch/launch.ts';
import { LaunchTemplates } from './launch/launch-template.ts';
import { deleteLaunchTemplates, OldLaunchTemplates } from './launch/our-launch-templates.ts';
import type { ClusterFacts } from './node-class/resolution.ts';
import { type RefreshIntervals, type ResolutionAnswers, resolutionAnswers } from './node-class/resolution-answers.ts';
import { resolveNodeClass } from './node-class/resolve-node-class.ts';
import type { ReadParameters } from './node-class/ssm-parameters.ts';

export interface Ec2Options {
  readonly client: EC2Client;
  /** The budget of the client. @default launches wait for no budget */
  readonly budget?: Pick<ReservableBudget, 'reserve'>;
  readonly region: string;
  readonly clock: Clock;
  readonly onDemandUsdPerHour: ReadonlyMap<string, number>;
  readonly branchInterfaces: BranchInterfaces;
  /** The cluster of the nodes. The EKS client is elsewhere, so this bundle does not include it. */
  readonly describeCluster: () => Promise<ClusterFacts>;
  /** Whether permissions are checked before a NodeClass becomes ready (A3.29). @default true */
  readonly dryRunChecks?: boolean;
  /** C64: reads the SSM parameters of aliases. Not every bundle includes the SSM client. */
  readonly readParameters: ReadParameters;
  /** @default images five minutes, subnets one */
  readonly refresh?: RefreshIntervals;
  /** @default IAM is not reachable */
  readonly profiles?: InstanceProfiles;
  /** C36. @default zonal shifts are disabled in the cluster's configuration */
  readonly shiftedZones?: () => Promise<readonly string[]>;
  /** @default EKS is not called */
  readonly autoMode?: () => Promise<boolean | undefined>;
}

/** The cloud provider of one cluster, in one EC2 region. */
export class Ec2CloudProvider implements CloudProvider {
  readonly #options: Ec2Options;
  readonly #launching: LaunchTools;
  readonly #authorization: Authorization;
  readonly #ending = new Map<string, (instanceId: string) => Promise<void>>();
  readonly #oldTemplates: OldLaunchTemplates;
  readonly #answers: ResolutionAnswers;
  readonly #profiles: InstanceProfiles;

  constructor(options: Ec2Options) {
    this.#options = options;
    const { client, clock } = options;
    const tools = { client, templates: new LaunchTemplates(client, clock) };
    this.#oldTemplates = new OldLaunchTemplates(tools, clock);
    this.#launching = { ...tools, makeRoom: (cluster) => this.#oldTemplates.makeRoom(cluster) };
    this.#authorization = new Authorization({ ...options, ...this.#launching });
    this.#answers = resolutionAnswers(options.clock, options.refresh);
    this.#profiles = options.profiles ?? withoutIam;
  }

  describeCatalogue(): Promise<Catalogue> {
    return describeCatalogue(this.#options.client, { ...this.#options, nowMs: this.#options.clock.now() });
  }

  async resolveNodeClass(nodeClass: EC2NodeClass): Promise<NodeClassResolution> {
    const cluster = await this.#options.describeCluster();
    return resolveNodeClass({ ...this.#options, cluster, answers: this.#answers }, nodeClass);
  }

  async ensureInstanceProfile(nodeClass: EC2NodeClass): Promise<InstanceProfileState> {
    const { bootstrap } = await this.#options.describeCluster();
    return await this.#profiles.ensure({ cluster: bootstrap.clusterName, region: this.#options.region }, nodeClass);
  }

  async removeUnusedInstanceProfiles(cluster: string, nodeClasses: readonly EC2NodeClass[]): Promise<void> {
    const { client, region } = this.#options;
    await this.#profiles.removeUnused({ cluster, region }, nodeClasses, (arn) => isProfileUsed(client, arn));
  }

  async releaseNodeClass(cluster: string, nodeClass: EC2NodeClass): Promise<void> {
    const { region } = this.#options;
    const releases = [
      () => deleteLaunchTemplates(this.#launching, cluster, nodeClass.metadata.name),
      () => this.#profiles.release({ cluster, region }, nodeClass),
    ];
    const [first] = await despiteRefusals(releases, (release) => release());
    if (first !== undefined) throw first;
  }

  removeOldLaunchTemplates(cluster: string): Promise<void> {
    return this.#oldTemplates.remove(cluster);
  }

  async whyNotAuthorized(nodeClass: EC2NodeClass, resolved: ResolvedNodeClass): Promise<MissingPermission | undefined> {
    if (this.#options.dryRunChecks === false) return undefined;
    const request = trialRequest(resolved.bootstrap.clusterName, nodeClass, resolved);
    const { name, uid, generation } = nodeClass.metadata;
    return request && this.#authorization.whyNot(JSON.stringify([name, uid, generation]), request);
  }

  async admitLaunch(): Promise<LaunchAdmission> {
    const grant = await this.#options.budget?.reserve('CreateFleet');
    return grant?.kind === 'wait' ? grant : { kind: 'admitted' };
  }

  launch(request: LaunchRequest): Promise<LaunchOutcome> {
    return launch(this.#launching, request);
  }

  describeInstances(cluster: string, instanceIds?: readonly string[]): Promise<readonly DescribedInstance[]> {
    return describeInstances(this.#options, cluster, instanceIds);
  }

  instanceOwners(instanceIds: readonly string[]): Promise<readonly InstanceOwner[]> {
    return instanceOwners(this.#options.client, instanceIds);
  }

  async describeInstanceHealth(instanceIds: readonly string[]): Promise<readonly InstanceHealth[]> {
    const asked = new Set(instanceIds);
    if (asked.size === 0) return [];
    const { client, clock } = this.#options;
    return (await lastInstanceHealth(client, clock)).filter(({ id }) => asked.has(id));
  }

  terminate(cluster: string, instanceId: string): Promise<void> {
    const end = this.#ending.get(cluster) ?? this.#endTogether(cluster);
    this.#ending.set(cluster, end);
    return end(instanceId);
  }

  async shiftedZones(): Promise<readonly string[]> {
    return (await this.#options.shiftedZones?.()) ?? [];
  }

  async autoMode(): Promise<boolean | undefined> {
    return await this.#options.autoMode?.();
  }

  tagInstance(cluster: string, instanceId: string, tags: Labels): Promise<void> {
    return tagInstance(this.#options, { cluster, instanceId, tags });
  }

  nameInstances(cluster: string, names: readonly InstanceName[]): Promise<void> {
    return nameInstances(this.#options, cluster, names);
  }

  #endTogether(cluster: string): (instanceId: string) => Promise<void> {
    const ender = { ...this.#options, refusedLast: new Map<string, unknown>() };
    return batched({ call: async (ids) => endInstances(ender, cluster, ids), most: MAX_IDS });
  }
}
