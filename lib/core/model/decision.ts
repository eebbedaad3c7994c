import { MINUTE_MS, SECOND_MS } from '../../apis/formats/time.ts';
import type { Labels } from '../../apis/kubernetes.ts';
import type { CapacityType } from '../../apis/labels.ts';
import type { PassMemory } from './disruption/pass-memory.ts';
import type { PastMove } from './disruption/past-move.ts';
import type { DisruptionCommand, ReplacingCommand } from './disruption-command.ts';
import type { LearnedMemory } from './learned-memory.ts';
import type { DeletionReason, LaunchRequest, NodeClaimRecord } from './node-claim-record.ts';
import type { NodePatch, NodeTarget } from './node-patch.ts';
import type { UnusedLaunches } from './provisioning/unused-launches.ts';
import type { Reason } from './reasons.ts';
import type { Refusal } from './refusal.ts';
import type { Subject } from './subject.ts';

/**
 * Capacity that was recently unavailable (C32). Three forms: one offering; a whole capacity type (instance type and zone are
 * ANY); or a subnet without free addresses (`subnetId` is set and the instance type is ANY).
 */
export interface UnavailableOffering {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
  /** @default every subnet of the zone */
  readonly subnetId?: string;
  /** The exhausted reservation. @default every offering of the type, zone and capacity type */
  readonly reservationId?: string;
  /** Capacity was missing only in this placement group. @default in every launch */
  readonly placementGroupId?: string;
  /** Capacity was missing only on dedicated hardware. @default on any hardware */
  readonly tenancy?: 'dedicated';
  /** EC2 does not support the configuration of only this NodeClass, `CLUSTER/NAME`, with the type (C33). @default in every launch */
  readonly nodeClass?: string;
  /** Capacity was missing only for types with at least this number of vCPUs. @default for all types */
  readonly minVcpus?: number;
  readonly untilMs: number;
  /** @default `untilMs` less the duration of a first mark */
  readonly markedAtMs?: number;
  readonly reason: string;
}

/** Capacity that was unavailable at `atMs`. `marked` computes how long it is excluded from the number of marks in a row. */
export interface UnavailableMark extends Omit<UnavailableOffering, 'untilMs' | 'markedAtMs'> {
  readonly atMs: number;
}

/** Matches every instance type or every zone. EC2 uses no such name. */
export const ANY_OFFERING = '*';

/** D24: the deletion of a pod without the Eviction API. */
export interface ForcedDeletion {
  readonly graceSeconds: number;
  /** When the pod must have ended. If it is deleted later than at the time of the decision, its grace period is shortened by this. @default never */
  readonly endsByMs?: number;
}

/** Every change that Kerf can make. `lib/controllers/run/carry-out.ts` carries them all out. */
export type Action =
  | {
      readonly kind: 'create-node-claim';
      readonly nodeClaim: NodeClaimRecord;
      /** Why the claim is created. @default for its pods */
      readonly message?: string;
    }
  | {
      readonly kind: 'nominate-node';
      readonly node: string;
      readonly pods: readonly string[];
      readonly untilMs: number;
    }
  | {
      readonly kind: 'launch-instance';
      readonly nodeClaim: string;
      readonly attempt: number;
      readonly request: LaunchRequest;
    }
  | ({ readonly kind: 'register-node' } & NodeChange)
  | ({
      readonly kind: 'initialize-node';
      /** E34: a disruption command waits for the node. @default no command waits for it */
      readonly replaces?: true;
    } & NodeChange)
  | { readonly kind: 'start-disruption'; readonly command: DisruptionCommand }
  | { readonly kind: 'continue-disruption'; readonly command: ReplacingCommand }
  | EndDisruption
  | {
      readonly kind: 'delete-node-claim';
      readonly nodeClaim: string;
      readonly reason: DeletionReason;
      readonly message: string;
      /** The node has only pods that `ignoreAtZero` selects. @default false */
      readonly atRest?: true;
      /** D18: set for an unhealthy instance, and for a deletion by a user, which is noticed later. @default the end of the claim's terminationGracePeriod, if it has one */
      readonly deadlineMs?: number;
    }
  | ({ readonly kind: 'cordon-node' } & NodeChange)
  | ({ readonly kind: 'uncordon-node' } & NodeChange)
  | {
      readonly kind: 'evict-pod';
      readonly nodeClaim: string;
      readonly pod: PodTarget;
      /** The pod is deleted, whatever its PodDisruptionBudgets allow. @default it is evicted */
      readonly force?: ForcedDeletion;
    }
  | {
      readonly kind: 'tag-instance';
      readonly nodeClaim: string;
      readonly instanceId: string;
      readonly tags: Labels;
    }
  | {
      readonly kind: 'terminate-instance';
      readonly nodeClaim: string;
      readonly instanceId: string;
      /** @default the message of the claim's deletion */
      readonly message?: string;
    }
  | {
      readonly kind: 'release-node-claim';
      readonly nodeClaim: string;
      readonly atMs: number;
      readonly node?: NodeTarget;
      readonly finalizers?: readonly string[];
    }
  | { readonly kind: 'learn-memory'; readonly nodeClaim: string; readonly lesson: LearnedMemory }
  | { readonly kind: 'mark-unavailable'; readonly offering: UnavailableMark };

/** The end of a disruption command. It is executed if at least one of its nodes is deleted. */
export interface EndDisruption {
  readonly kind: 'end-disruption';
  readonly command: string;
  readonly outcome: 'executed' | 'rejected';
  readonly why: string;
  /** The nodes that consolidation would remove. @default the command does not consolidate */
  readonly nodes?: readonly string[];
  /** What the removed nodes cost less their replacements. @default the command is rejected, or ended by an earlier version */
  readonly savingUsdPerHour?: number;
  /** What the command moves, to be remembered. @default no NodePool limits moves, or it does not consolidate */
  readonly moved?: PastMove;
  /** The nodes that the same decision deletes for the command. @default none, or ended by an earlier version */
  readonly deletes?: readonly NodeToDelete[];
  /** The nodes that stay because their deletion was refused. @default no deletion was refused */
  readonly refused?: readonly RefusedDeletion[];
}

/** A node that a command deletes, and its part of what the command saves and moves. */
export interface NodeToDelete {
  readonly nodeClaim: string;
  readonly node: string;
  readonly priceUsdPerHour: number;
  /** The number of pods that are evicted from it, by workload: `Deployment default/web`. */
  readonly evicted: Readonly<Record<string, number>>;
}

/** A node of a command that stays, and the message of the service that refused its deletion. */
export interface RefusedDeletion {
  readonly nodeClaim: string;
  readonly node: string;
  readonly message: string;
}

/** A change of the node of a NodeClaim. */
export interface NodeChange {
  readonly nodeClaim: string;
  readonly node: NodeTarget;
  readonly patch: NodePatch;
}

/** One pod. The UID distinguishes it from a later pod of the same name. */
export interface PodTarget {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** A refusal: its subject, its reason and the numbers behind it. */
export interface Blocked {
  readonly subject: Subject;
  readonly nodePool?: string;
  /** One of the words in docs/reasons.md; dashboards and tests group by it. */
  readonly reason: Reason;
  readonly message: string;
  readonly numbers: Readonly<Record<string, number>>;
}

/** Why no existing node fits some of the pods. Pods with the same refusal share one entry. */
export interface ExistingNodesRefusal {
  /** As `namespace/name`. */
  readonly pods: readonly string[];
  readonly refusal: Refusal;
}

/**
 * When the function must run again, and why. Expiration is a kind of its own because a simulation may end before it. A tick is one
 * because it needs no wake.
 */
export interface Due {
  readonly atMs: number;
  readonly kind: 'settling' | 'expiration' | 'tick';
}

/** The next tick, for what may change at any time. A wake a minute later would be one more run in each minute that follows. */
export function nextTick(nowMs: number): Due {
  return { atMs: nowMs + MINUTE_MS, kind: 'tick' };
}

/** A requeue for everything other than expiration. */
export function requeueAt(atMs: number): Due {
  return { atMs, kind: 'settling' };
}

/** D23: the shortest interval at which a state is read again, and at which what failed is tried again. */
export const POLL_MS = 5 * SECOND_MS;

/** The next poll, at a multiple of five seconds, so that the runs of a function share one wake. With other times, wakes would add up. */
export function pollAfter(nowMs: number): Due {
  return requeueAt((Math.floor(nowMs / POLL_MS) + 1) * POLL_MS);
}

export type Controller = 'provisioning' | 'lifecycle' | 'disruption' | 'termination' | 'interruption';

/** The result of one run, as plain data. It is recorded before its first action is carried out, and published afterwards. */
export interface Decision {
  readonly id: string;
  readonly cluster: string;
  readonly controller: Controller;
  readonly atMs: number;
  readonly actions: readonly Action[];
  readonly blocked: readonly Blocked[];
  /** @default no pod was refused by existing nodes */
  readonly onExistingNodes?: readonly ExistingNodesRefusal[];
  /** Of the first part of a decision on several nodes: the price of all parts. @default it creates no nodes for pods */
  readonly price?: DecisionPrice;
  /** Made in shadow mode: it is recorded and not carried out. @default it is carried out */
  readonly shadow?: true;
}

/** What the new nodes of a decision cost. *Units:* USD per hour. */
export interface DecisionPrice {
  /** The sum of their cheapest offerings. */
  readonly usdPerHour: number;
  /**
   * `lowerBoundUsd` of the scheduling engine: no other nodes of the same NodePools for the same pods are cheaper. @default not computed,
   * because the requirements of the pods are too different
   */
  readonly lowerBoundUsdPerHour?: number;
  /** How far the price is above the lower bound (`gapPercent`). @default there is no bound */
  readonly gapPercent?: number;
}

/** The result of a pure decide function. The controller makes a Decision from it. */
export interface Verdict {
  readonly actions: readonly Action[];
  readonly blocked: readonly Blocked[];
  /** @default no pod was refused by existing nodes */
  readonly onExistingNodes?: readonly ExistingNodesRefusal[];
  /** @default it creates no nodes for pods */
  readonly price?: DecisionPrice;
  readonly due: readonly Due[];
  /** What later passes of disruption read. @default as before */
  readonly passMemory?: PassMemory;
  /** What later runs of provisioning read. @default as before */
  readonly unusedLaunches?: readonly UnusedLaunches[];
  /** Taints that are only preferences, added and removed. They are not recorded as actions. @default none */
  readonly softTaints?: readonly NodeChange[];
}

/** How far the price is above the lower bound, in percent of the bound, with two decimals. *Shape:* 0 if the bound is 0. */
export function gapPercent({ usdPerHour, lowerBoundUsdPerHour }: Required<Omit<DecisionPrice, 'gapPercent'>>): number {
  if (lowerBoundUsdPerHour <= 0) return 0;
  return Math.round((usdPerHour / lowerBoundUsdPerHour - 1) * 1e4) / 100;
}
