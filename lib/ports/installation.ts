import type { CustomResourceDefinition } from '../apis/custom-resource-definition.ts';
import type { ClusterClaim } from '../core/cluster/cluster-claim.ts';
import type { AutoscalerTraces } from '../core/cluster/other-autoscalers.ts';
import type { AdmissionPolicy } from '../core/install/admission-policy.ts';
import type { FoundDefinition } from '../core/install/definitions.ts';
import type { ClusterRole, ClusterRoleBinding } from '../core/install/rbac.ts';
import type { ValidatingWebhookConfiguration } from '../core/install/webhook-configuration.ts';

/** Objects that Kerf installs in a cluster, except its CustomResourceDefinitions. */
export type InstalledObject = ClusterRole | ClusterRoleBinding | ValidatingWebhookConfiguration | AdmissionPolicy;

/** Kinds of objects to which Kerf adds finalizers. */
export type HeldKind = 'Node' | 'NodeClaim' | 'EC2NodeClass';

export interface HeldObject {
  readonly kind: HeldKind;
  readonly name: string;
  /** Of a node, and of a claim with a known instance. */
  readonly providerId?: string;
  /** Whether its deletion has been requested. @default false */
  readonly isDeleted?: true;
  /** A node without the finalizer that has the taint with which its kubelet registers. @default false */
  readonly isUnregistered?: true;
}

/**
 * The API of one cluster, for the installer.
 *
 * *Contract:* applying an unchanged object changes nothing. Removing an object that does not exist is success. Only objects that
 * Kerf installed are removed. `letGo` removes only Kerf's finalizers, and from nodes its taints: from one that keeps its finalizer or is
 * being deleted only `kerf.dev/underutilized`.
 * *Errors:* ConflictError, UnreachableError, RefusedError.
 */
export interface Installation {
  /** Why the installer does not have the permissions that it needs; undefined if it has them. */
  whyNoRights(): Promise<string | undefined>;
  findDefinition(name: string): Promise<FoundDefinition | undefined>;
  /** @param instead whether the same write removes a conversion webhook. */
  applyDefinition(definition: CustomResourceDefinition, instead: boolean): Promise<void>;
  /** Why objects of the kind cannot be written yet; undefined if they can. */
  whyNotEstablished(name: string): Promise<string | undefined>;
  /** *Shape:* `unsupported` if the cluster does not have the kind, which only an admission policy may be. */
  apply(object: InstalledObject): Promise<'applied' | 'unsupported'>;
  /** Whether another deployment has installed Kerf in the cluster since then, and owns the installed objects now. */
  isTakenOver(): Promise<boolean>;
  remove(object: InstalledObject): Promise<void>;
  /** Objects with Kerf's finalizer, and nodes that have not registered; none if the kind is not installed. */
  listHeld(kind: HeldKind): Promise<readonly HeldObject[]>;
  /**
   * *Shape:* `kept` if the object keeps its finalizer: also a node or claim whose deletion has been requested since the list.
   * @param options `keepsFinalizer`: only the taint `kerf.dev/underutilized` of a node is removed
   */
  letGo(object: HeldObject, options: { readonly keepsFinalizer: boolean }): Promise<'released' | 'kept'>;
  /** The signs of other autoscalers. */
  findOtherAutoscalers(): Promise<AutoscalerTraces>;
  /** The names of NodePools of EKS Auto Mode. */
  listAutoModePools(): Promise<readonly string[]>;
  /** The deployment that holds the cluster; undefined if none does. */
  readClaim(): Promise<ClusterClaim | undefined>;
  /** As that of the functions: it claims the cluster, unless another deployment holds it. */
  claimCluster(): Promise<ClusterClaim>;
  /** Ends the claim of this deployment. The claim of another one stays. */
  releaseClaim(): Promise<void>;
  /**
   * Revokes the permissions that these bindings give to functions, so that the functions make no new decisions. `apply` restores
   * the permissions. *Shape:* the time of the first call: further calls change nothing.
   */
  revokeDeciding(bindings: readonly ClusterRoleBinding[], nowMs: number): Promise<number>;
}
