import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import type { Labels } from '../apis/kubernetes.ts';
import type { Catalogue } from '../core/instance-type/facts.ts';
import type { UnavailableMark } from '../core/model/decision.ts';
import type { Instance, LaunchRequest } from '../core/model/node-claim-record.ts';
import type { ResolvedNodeClass } from '../core/model/resolved-node-class.ts';
import type { InstanceHealth } from '../core/node-claim/instance-health.ts';

/** Why a NodeClass cannot be used. Its NodePools are skipped, with this reason (A3.28). */
export interface UnresolvedNodeClass {
  readonly reason:
    | 'SubnetsNotFound'
    | 'SecurityGroupsNotFound'
    | 'AMINotFound'
    | 'InstanceProfileNotFound'
    | 'PlacementGroupNotFound'
    /** AWS does not publish the image for the cluster's Kubernetes version (C65). */
    | 'UnsupportedKubernetesVersion'
    | 'Unsupported'
    | 'Refused';
  readonly message: string;
}

export type NodeClassResolution =
  | { readonly kind: 'resolved'; readonly nodeClass: ResolvedNodeClass }
  /** The first problem, all problems, and what was found: each condition of the class is decided separately. */
  | ({
      readonly kind: 'unresolved';
      readonly problems: readonly UnresolvedNodeClass[];
      readonly found: Partial<ResolvedNodeClass>;
    } & UnresolvedNodeClass);

/** Whether instances can use the role of a NodeClass, and if not, what has to change (A3.10, C67). */
export type InstanceProfileState =
  | { readonly kind: 'ready'; readonly name: string }
  | {
      readonly kind: 'not-ready';
      readonly reason:
        | 'InstanceProfileNotFound'
        | 'RoleNotFound'
        | 'InstanceProfileConflict'
        | 'IamNotReachable'
        | 'Refused';
      readonly message: string;
    };

/** A3.29: the call of a launch that Kerf may not make, and the message of EC2. */
export interface MissingPermission {
  readonly reason: 'CreateLaunchTemplateAuthCheckFailed' | 'CreateFleetAuthCheckFailed' | 'RunInstancesAuthCheckFailed';
  readonly message: string;
}

/** Capacity that was missing in a launch, including a launch that succeeded (C53). It can be as wide as `UnavailableOffering`. */
export type MissingCapacity = Omit<UnavailableMark, 'atMs'>;

export type LaunchOutcome =
  | {
      readonly kind: 'launched';
      /** By id, at most one for each claim of the request. Fewer: EC2 launched no more. */
      readonly instances: readonly [Instance, ...Instance[]];
      readonly missing: readonly MissingCapacity[];
      /** Why EC2 launched no more. @default it gave no reason */
      readonly message?: string;
      /** EC2 launched no more because the account launches too much at once. @default it is not the cause */
      readonly throttled?: true;
    }
  | {
      /**
       * `refused`: EC2 answered for the token that it launched nothing. If no capacity is missing, the message has another cause.
       * `rejected`: EC2 refused this call, and it launched nothing. An earlier call with the token may have launched an instance.
       */
      readonly kind: 'refused' | 'rejected';
      readonly missing: readonly MissingCapacity[];
      readonly message: string;
      /** The account launches too much at once, or calls too often. @default it is not the cause */
      readonly throttled?: true;
    }
  /** An earlier call used the token, with an unknown outcome. Only a list of instances shows what it launched. */
  | { readonly kind: 'spent'; readonly missing: readonly MissingCapacity[]; readonly message: string };

/** The current state of an instance. It can run longer than its reservation. */
export interface DescribedInstance extends Instance {
  readonly nodeClaim: string;
  /** From its tags; empty if a tag is missing. */
  readonly nodePool: string;
  readonly nodeClass: string;
  /** Only a list of ids contains terminated instances, for about an hour. */
  readonly state: 'pending' | 'running' | 'stopping' | 'stopped' | 'shutting-down' | 'terminated';
  readonly launchedAtMs: number;
  /** The name with which its kubelet registers the node. @default EC2 does not describe it yet */
  readonly privateDnsName?: string;
  /** The subnet of its primary network interface. @default EC2 does not describe it yet */
  readonly subnetId?: string;
  /** The security groups of its primary network interface. @default EC2 does not describe them yet */
  readonly securityGroupIds?: readonly string[];
  /**
   * The instance does not have the ownership tags of the cluster, so it must not be changed. Only a list of ids contains such
   * instances. @default it has the tags
   */
  readonly untagged?: true;
}

/** The owner of an instance, from its tags. */
export interface InstanceOwner {
  readonly instanceId: string;
  readonly cluster: string;
  readonly nodeClaim: string;
}

/** Whether a launch may be sent now. */
export type LaunchAdmission =
  | { readonly kind: 'admitted' }
  /** The calls that AWS allows the account are used up. */
  | { readonly kind: 'wait'; readonly untilMs: number };

/** Starts, ends and tags instances. */
export interface Launcher {
  /** Reserves the next call of `launch` of this process, for a few seconds. *Errors:* none. */
  admitLaunch(): Promise<LaunchAdmission>;
  launch(request: LaunchRequest): Promise<LaunchOutcome>;
  /**
   * Calls at about the same time become one call (C51). If it fails, only the instances that failed have an error.
   * *Errors:* NotOwnedError for an instance without the ownership tags that has not begun to shut down.
   */
  terminate(cluster: string, instanceId: string): Promise<void>;
  /** C84. An instance that does not exist is success. */
  tagInstance(cluster: string, instanceId: string, tags: Labels): Promise<void>;
  /**
   * Replaces the name of the group with that of the claim in the tags of instances. Instances that do not exist are left out.
   * *Cost:* one call for each instance, and one for all of them.
   */
  nameInstances(cluster: string, names: readonly InstanceName[]): Promise<void>;
}

/** The claim of an instance. */
export interface InstanceName {
  readonly instanceId: string;
  readonly nodeClaim: string;
}

/** Finds what the selectors of a NodeClass select. Changes nothing. */
export interface NodeClassResolver {
  resolveNodeClass(nodeClass: EC2NodeClass): Promise<NodeClassResolution>;
  /** Checks the calls of a launch by dry runs. *Shape:* undefined if all are allowed, or if the checks are off (F20). */
  whyNotAuthorized(nodeClass: EC2NodeClass, resolved: ResolvedNodeClass): Promise<MissingPermission | undefined>;
}

/** Creates and deletes the AWS resources that launches of a NodeClass need. */
export interface NodeClassResources {
  /**
   * A3.10: for `instanceProfile`, only checks that it exists. For a `role`, creates or repairs the managed profile. Any
   * function can call it, any number of times.
   */
  ensureInstanceProfile(nodeClass: EC2NodeClass): Promise<InstanceProfileState>;
  /**
   * C67: deletes managed profiles that no class refers to and no instance uses, one hour after they were first found unused.
   * *Cost:* at most one check in half an hour, regardless of the number of calls.
   */
  removeUnusedInstanceProfiles(cluster: string, nodeClasses: readonly EC2NodeClass[]): Promise<void>;
  /**
   * A3.30: deletes the managed instance profiles and launch templates of the class. If none exist, it succeeds.
   * *Errors:* the first refusal, after everything else was tried; the class then stays, so that what is left is reported.
   */
  releaseNodeClass(cluster: string, nodeClass: EC2NodeClass): Promise<void>;
  /**
   * Deletes Kerf's launch templates that were not used for a day; a later launch creates its template again.
   * *Cost:* a list in an hour, regardless of the number of calls, and at most 20 deletions in each call.
   */
  removeOldLaunchTemplates(cluster: string): Promise<void>;
}

/** Reads instances. */
export interface InstanceInspector {
  /**
   * Instances by id: all of the cluster that are not terminated, or those with the given ids. Among the latter, instances
   * without the ownership tags of the cluster are `untagged`, and EC2 shows an instance as `terminated` for about an hour.
   */
  describeInstances(cluster: string, instanceIds?: readonly string[]): Promise<readonly DescribedInstance[]>;
  /** Owners in any cluster of the account. Instances that do not exist or have no owner tags are left out. */
  instanceOwners(instanceIds: readonly string[]): Promise<readonly InstanceOwner[]>;
  /** C82: the unhealthy instances among the ids, by id. */
  describeInstanceHealth(instanceIds: readonly string[]): Promise<readonly InstanceHealth[]>;
}

/** Reads what EKS and ARC have configured for the cluster. */
export interface ClusterInspector {
  /** C36: the names of the zones that the cluster is shifted away from; none if its configuration ignores shifts. */
  shiftedZones(): Promise<readonly string[]>;
  /** Whether EKS Auto Mode is enabled; undefined if the configuration of the cluster disables this check. */
  autoMode(): Promise<boolean | undefined>;
}

/** Reads instance types, zones and network facts of the region. */
export interface CatalogueReader {
  describeCatalogue(): Promise<Catalogue>;
}

/**
 * EC2 and EKS, as far as Kerf needs them.
 *
 * *Contract* (`test/contract/cloud-provider.ts`):
 * - `launch` with a client token that was used before returns the instances of the first call and launches nothing.
 * - `launch` for several claims launches at most one instance for each; their tags have the name of the group.
 * - `terminate` of an instance that does not exist, or is terminated or shutting down, is success.
 * - Only instances with the ownership tags of the cluster are listed or changed. `terminate` of another one is a NotOwnedError.
 *
 * *Errors:* UnreachableError (send the same request again), RefusedError.
 */
export interface CloudProvider
  extends Launcher,
    NodeClassResolver,
    NodeClassResources,
    InstanceInspector,
    ClusterInspector,
    CatalogueReader {}
