import type { Action, Controller } from '../model/decision.ts';
import type { DisruptionMethod } from '../model/disruption-command.ts';
import type { Reason } from '../model/reasons.ts';
import type { Subject } from '../model/subject.ts';

/**
 * What one run of a function decided or newly refused, for people who ask later. No decision reads it. Names of objects are in it; their
 * content is in the snapshot.
 */
export interface DecisionRecord {
  readonly formatVersion: 1;
  /** Sorts by time: `20261124T120000.123Z-provisioning-k3x7qa`. */
  readonly id: string;
  readonly cluster: string;
  readonly function: Controller;
  /** When it was decided. */
  readonly atMs: number;
  /** How long the run took, from its start to the end of its actions. */
  readonly durationMs: number;
  /** The reasons of the wakes that the run answered, such as `tick` or `webhook`, joined by +. */
  readonly wokenBy: string;
  /** The ids of the decisions, as published on the event bus and written in NodeClaims. */
  readonly decisions: readonly string[];
  /** The ids of the earlier decisions whose disruption commands the run continued. @default none, or not known by the run */
  readonly causes?: readonly string[];
  /** Where the archive has the snapshot and the verdict. @default neither is stored */
  readonly snapshot?: string;
  readonly actions: readonly RecordedAction[];
  /** The number of refusals of the run by reason, repeated ones included. */
  readonly refused: Readonly<Partial<Record<Reason, number>>>;
  /** The refusals that no record of the last hour has. */
  readonly refusals: readonly RecordedRefusal[];
  /** @default the run decided for single objects, and did not read the cluster */
  readonly price?: RecordedPrice;
  /** Decided in shadow mode, and not carried out. @default it was carried out */
  readonly shadow?: true;
  /** The version of Kerf. */
  readonly version: string;
}

/** One action, or several equal ones, with the objects that it is about. */
export interface RecordedAction {
  readonly kind: Action['kind'];
  readonly nodeClaims?: readonly string[];
  readonly nodes?: readonly string[];
  /** As `namespace/name`, at most MAX_NAMES. */
  readonly pods?: readonly string[];
  /** The number of pods that are left out of `pods`. @default 0 */
  readonly morePods?: number;
  readonly nodePool?: string;
  /** Of a new NodeClaim: its cheapest option. */
  readonly instanceType?: string;
  readonly zone?: string;
  readonly capacityType?: string;
  readonly usdPerHour?: number;
  readonly instance?: string;
  /** When the instance was launched: with its type, zone, capacity type and price, when it registers and when it ends. */
  readonly sinceMs?: number;
  /** Of an instance whose reservation has ended: when. Until then, it was reserved. */
  readonly reservedUntilMs?: number;
  /** The disruption command. */
  readonly command?: string;
  /** Of a disruption command. */
  readonly method?: DisruptionMethod;
  readonly reason?: string;
  readonly message?: string;
  readonly savingUsdPerHour?: number;
  /** E26: of a disruption command that NodePools had to approve. */
  readonly score?: number;
}

/** Refusals of one reason with the same message. */
export interface RecordedRefusal {
  readonly reason: Reason;
  readonly kind: Subject['kind'];
  readonly nodePool?: string;
  readonly message: string;
  readonly numbers: Readonly<Record<string, number>>;
  readonly count: number;
  /** At most MAX_NAMES, as `namespace/name` for pods and CapacityBuffers. */
  readonly names: readonly string[];
}

/** The price of all NodeClaims of Kerf in the cluster: of an instance, and before its launch of its cheapest option. *Units:* USD per hour. */
export interface RecordedPrice {
  readonly beforeUsdPerHour: number;
  /** When the decision is carried out. */
  readonly afterUsdPerHour: number;
  /** Of the new nodes. @default no new nodes for pods, or a record of an earlier version */
  readonly newUsdPerHour?: number;
  /** Of the new nodes: no other nodes of the same NodePools are cheaper. @default no new nodes for pods */
  readonly lowerBoundUsdPerHour?: number;
}

/** The number of names in one list. */
export const MAX_NAMES = 200;

/** The part of the id that a person can type. */
export function shortId({ id }: Pick<DecisionRecord, 'id'>): string {
  return id.slice(id.lastIndexOf('-') + 1);
}
