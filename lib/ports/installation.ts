import type { CustomResourceDefinition } from '../apis/custom-resource-definition.ts';
import type { AutoscalerTraces } from '../core/cluster/other-autoscalers.ts';
import type { FoundDefinition } from '../core/install/definitions.ts';
import type { ClusterRole, ClusterRoleBinding } from '../core/install/rbac.ts';
import type { ValidatingWebhookConfiguration } from '../core/install/webhook-configuration.ts';

/** What Kerf brings to a cluster beside its definitions. */
export type InstalledObject = ClusterRole | ClusterRoleBinding | ValidatingWebhookConfiguration;

/** Kinds of objects that hold a finalizer of ours. */
export type HeldKind = 'Node' | 'NodeClaim' | 'EC2NodeClass';

export interface HeldObject {
  readonly kind: HeldKind;
  readonly name: string;
  /** Of a node and of a claim whose instance is known. */
  readonly providerId?: string;
}

/**
 * One cluster's API, as whoever installs Kerf into it sees it.
 *
 * *Contract:* an apply of what is there already changes nothing; what is removed and gone is success; only what was installed
 * here is removed; taking a finalizer away leaves those of others.
 * *Errors:* ConflictError, UnreachableError, RefusedError.
 */
export interface Installation {
  /** Why the installer may not do all that it must; undefined where it may. */
  whyNoRights(): Promise<string | undefined>;
  findDefinition(name: string): Promise<FoundDefinition | undefined>;
  /** @param instead of a conversion webhook, which goes in the same write. */
  applyDefinition(definition: CustomResourceDefinition, instead: boolean): Promise<void>;
  /** Why objects of the kind cannot be written yet; undefined where they can. */
  whyNotEstablished(name: string): Promise<string | undefined>;
  apply(object: InstalledObject): Promise<void>;
  /** Whether another deployment installed itself there since: what was ours is its own now. */
  isTakenOver(): Promise<boolean>;
  remove(object: InstalledObject): Promise<void>;
  /** Objects that our finalizer keeps. A kind that is not installed has none. */
  listHeld(kind: HeldKind): Promise<readonly HeldObject[]>;
  letGo(object: HeldObject): Promise<void>;
  /** What shows other autoscalers at work. */
  findOtherAutoscalers(): Promise<AutoscalerTraces>;
  /**
   * Takes from these functions the right to look, so that nothing new is decided; they get it back by `apply`.
   * *Shape:* since when: a second call changes nothing.
   */
  revokeDeciding(bindings: readonly ClusterRoleBinding[], nowMs: number): Promise<number>;
}
