import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import type { Labels } from '../apis/kubernetes.ts';
import type { Catalogue } from '../core/instance-type/facts.ts';
import type { UnavailableMark } from '../core/model/decision.ts';
import type { Instance, LaunchRequest } from '../core/model/node-claim-record.ts';
import type { ResolvedNodeClass } from '../core/model/resolved-node-class.ts';
import type { InstanceHealth } from '../core/node-claim/instance-health.ts';

/** A selector that finds nothing, or an image family we cannot start: the pool is skipped, with this reason (A3.28). */
export interface UnresolvedNodeClass {
  readonly reason:
    | 'SubnetsNotFound'
    | 'SecurityGroupsNotFound'
    | 'AMINotFound'
    | 'InstanceProfileNotFound'
    | 'PlacementGroupNotFound'
    /** AWS makes no such image for the cluster's Kubernetes version (C65). */
    | 'UnsupportedKubernetesVersion'
    | 'Unsupported'
    | 'Refused';
  readonly message: string;
}

export type NodeClassResolution =
  | { readonly kind: 'resolved'; readonly nodeClass: ResolvedNodeClass }
  /** The first problem, all of them, and what was found all the same: each condition of the class is told by itself. */
  | ({
      readonly kind: 'unresolved';
      readonly problems: readonly UnresolvedNodeClass[];
      readonly found: Partial<ResolvedNodeClass>;
    } & UnresolvedNodeClass);

/** Whether instances of a NodeClass can be launched as its role, and if not, what has to change (A3.10, C67). */
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

/** A3.29: which call of a launch we may not make, and what EC2 says of it. */
export interface MissingPermission {
  readonly reason: 'CreateLaunchTemplateAuthCheckFailed' | 'CreateFleetAuthCheckFailed' | 'RunInstancesAuthCheckFailed';
  readonly message: string;
}

/** What is known without capacity after a launch, also after one that succeeded (C53): as wide as `UnavailableOffering` may be. */
export type MissingCapacity = Omit<UnavailableMark, 'atMs'>;

export type LaunchOutcome =
  | { readonly kind: 'launched'; readonly instance: Instance; readonly missing: readonly MissingCapacity[] }
  /** EC2's answer to the token: nothing was launched. Where nothing is missing, EC2 objects to something else: the message says what. */
  | { readonly kind: 'refused'; readonly missing: readonly MissingCapacity[]; readonly message: string }
  /** This very call was turned down and launched nothing; what a call before it launched it does not tell. */
  | { readonly kind: 'rejected'; readonly missing: readonly MissingCapacity[]; readonly message: string }
  /** The token was used before, to an end that EC2 does not tell: only a list shows what was launched. */
  | { readonly kind: 'spent'; readonly missing: readonly MissingCapacity[]; readonly message: string };

/** As it is just now: it may have outlived its reservation. */
export interface DescribedInstance extends Instance {
  readonly nodeClaim: string;
  /** As its tags say; empty where they do not. */
  readonly nodePool: string;
  readonly nodeClass: string;
  readonly state: 'pending' | 'running' | 'stopping' | 'stopped' | 'shutting-down';
  readonly launchedAtMs: number;
}

/** Whose an instance is, by its tags. */
export interface InstanceOwner {
  readonly instanceId: string;
  readonly cluster: string;
  readonly nodeClaim: string;
}

/**
 * EC2, as far as Kerf needs it.
 *
 * *Contract* (`test/contract/cloud-provider.ts`): `launch` with a client token that was used before answers with the
 * instance of the first call and launches nothing; `terminate` of an instance that is gone is success; only instances
 * with the cluster's ownership tags are seen or touched.
 *
 * *Errors:* UnreachableError (replay the same request), RefusedError.
 */
export interface CloudProvider {
  describeCatalogue(): Promise<Catalogue>;
  resolveNodeClass(nodeClass: EC2NodeClass): Promise<NodeClassResolution>;
  /** A3.10: `instanceProfile` is only looked for; of a `role`, the managed profile is made or mended, by anyone, any number of times. */
  ensureInstanceProfile(nodeClass: EC2NodeClass): Promise<InstanceProfileState>;
  /** C67: lets go of managed profiles that none of these classes names any more and no instance uses, an hour after that was first seen. Looks every half hour, however often it is called. */
  removeUnusedInstanceProfiles(cluster: string, nodeClasses: readonly EC2NodeClass[]): Promise<void>;
  /** A3.30: deletes what was made for the class: its managed instance profiles and its launch templates. Nothing left is success. */
  releaseNodeClass(cluster: string, nodeClass: EC2NodeClass): Promise<void>;
  /** Deletes launch templates of ours that are so old that no launch needs them; a later one makes its own again. Looks every hour, however often it is called. */
  removeOldLaunchTemplates(cluster: string): Promise<void>;
  /** Tries the calls of a launch without making them. Undefined where all are allowed, or where that is not to be asked (F20). */
  whyNotAuthorized(nodeClass: EC2NodeClass, resolved: ResolvedNodeClass): Promise<MissingPermission | undefined>;
  launch(request: LaunchRequest): Promise<LaunchOutcome>;
  /** Instances of the cluster that are not terminated yet, by id: all, or those of the ids. */
  describeInstances(cluster: string, instanceIds?: readonly string[]): Promise<readonly DescribedInstance[]>;
  /** Of any cluster of the account; instances that are gone, or nobody's of ours, are left out. */
  instanceOwners(instanceIds: readonly string[]): Promise<readonly InstanceOwner[]>;
  /** C82: those of the ids that have something wrong, by id. */
  describeInstanceHealth(instanceIds: readonly string[]): Promise<readonly InstanceHealth[]>;
  /** Calls at about the same time become one (C51); the failure of one is its own. */
  terminate(cluster: string, instanceId: string): Promise<void>;
  /** C36: the names of the zones that the cluster is shifted away from just now; none where its configuration leaves shifts alone. */
  shiftedZones(): Promise<readonly string[]>;
  /** Whether EKS Auto Mode runs in the cluster; undefined where its configuration spares EKS. */
  autoMode(): Promise<boolean | undefined>;
  /** C84. An instance that is gone needs no tags: success. */
  tagInstance(cluster: string, instanceId: string, tags: Labels): Promise<void>;
}
