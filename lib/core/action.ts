import type { Labels } from '../apis/kubernetes.ts';
import type { CapacityType } from '../apis/labels.ts';
import type { DisruptionCommand } from './disruption/command.ts';
import type { LearnedMemory } from './instance-type/learned-memory.ts';
import type { Reason } from './model/reasons.ts';
import type { Subject } from './model/subject.ts';
import type { NodePatch, NodeTarget } from './node-claim/node-patch.ts';
import type { DeletionReason, LaunchRequest, NodeClaimRecord } from './node-claim/record.ts';
import type { Refusal } from './scheduling/refusal.ts';

/**
 * What lately had no capacity (C32): an offering; a whole capacity type, where type and zone are ANY; or a subnet without
 * free addresses, where `subnetId` is set and the type is ANY.
 */
export interface UnavailableOffering {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
  /** @default the offering in every subnet of its zone */
  readonly subnetId?: string;
  /** The one reservation that is used up. @default whatever is for sale there under the capacity type */
  readonly reservationId?: string;
  readonly untilMs: number;
  /** @default as if it was marked for the first time, and for as long as a first mark lasts */
  readonly markedAtMs?: number;
  readonly reason: string;
}

/** What was seen to lack capacity, and when; for how long it is left alone follows from how often in a row (`marked`). */
export interface UnavailableMark extends Omit<UnavailableOffering, 'untilMs' | 'markedAtMs'> {
  readonly atMs: number;
}

/** Stands for every instance type, or every zone; EC2 has nothing of that name. */
export const ANY = '*';

/** Everything that Kerf can do to the world. Each is carried out in one place, `controllers/carry-out.ts`. */
export type Action =
  | {
      readonly kind: 'create-node-claim';
      readonly nodeClaim: NodeClaimRecord;
      /** @default it is made for its pods */
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
  | ({ readonly kind: 'initialize-node' } & NodeChange)
  | { readonly kind: 'start-disruption'; readonly command: DisruptionCommand }
  | {
      readonly kind: 'end-disruption';
      readonly command: string;
      readonly outcome: 'executed' | 'rejected';
      readonly why: string;
    }
  | {
      readonly kind: 'delete-node-claim';
      readonly nodeClaim: string;
      readonly reason: DeletionReason;
      readonly message: string;
      /** Pods that can wait (`ignoreAtZero`) are all that is left on its node. @default false */
      readonly atRest?: true;
      /** D18: for an instance that is broken. @default when the claim's terminationGracePeriod is over, if it has one */
      readonly deadlineMs?: number;
    }
  | ({ readonly kind: 'cordon-node' } & NodeChange)
  | {
      readonly kind: 'evict-pod';
      readonly nodeClaim: string;
      readonly pod: PodTarget;
      readonly force?: { readonly graceSeconds: number };
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
      /** @default its claim is being deleted, and says why */
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

interface NodeChange {
  readonly nodeClaim: string;
  readonly node: NodeTarget;
  readonly patch: NodePatch;
}

/** Exactly this pod: a new one of the same name is somebody else. */
export interface PodTarget {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The one shape of a "no": who, why, and by how much. */
export interface Blocked {
  readonly subject: Subject;
  readonly nodePool?: string;
  /** A word that dashboards and tests group by; docs/reasons.md lists them. */
  readonly reason: Reason;
  readonly message: string;
  readonly numbers: Readonly<Record<string, number>>;
}

/** Why no existing node takes some of the pods. Pods that were refused alike share one entry. */
export interface ExistingNodesRefusal {
  /** As `namespace/name`. */
  readonly pods: readonly string[];
  readonly refusal: Refusal;
}

/** When the next look is worth while, and what for. Expiry is told apart: a simulation may end before it. */
export interface Due {
  readonly atMs: number;
  readonly kind: 'settling' | 'expiration';
}

/** Something is still to happen by itself, or to be looked at again. */
export function settling(atMs: number): Due {
  return { atMs, kind: 'settling' };
}

export type Controller = 'provisioning' | 'lifecycle' | 'disruption' | 'termination' | 'interruption';

/** What one run decided: plain data, recorded before anything is done, published, replayed and explained. */
export interface Decision {
  readonly id: string;
  readonly cluster: string;
  readonly controller: Controller;
  readonly atMs: number;
  readonly actions: readonly Action[];
  readonly blocked: readonly Blocked[];
  /** @default no pod was refused by existing nodes */
  readonly onExistingNodes?: readonly ExistingNodesRefusal[];
  /** Made where Kerf only watches: nobody carries it out. @default it is carried out */
  readonly shadow?: true;
}

/** What a pure `decide` answers; the controller makes a Decision of it. */
export interface Verdict {
  readonly actions: readonly Action[];
  readonly blocked: readonly Blocked[];
  /** @default no pod was refused by existing nodes */
  readonly onExistingNodes?: readonly ExistingNodesRefusal[];
  readonly due: readonly Due[];
}
