import type { DecidedOn } from '../../core/decisions/decided-on.ts';
import type { Blocked, Controller, Decision, Due } from '../../core/model/decision.ts';
import type { RunningInstance } from '../../core/model/node-claim-record.ts';
import type { ClusterSettings } from '../../core/model/settings.ts';
import type { Problem } from '../../core/problems/problems.ts';
import type { CatalogueStore } from '../../ports/catalogue-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  CloudProvider,
  ClusterInspector,
  InstanceInspector,
  Launcher,
  NodeClassResolver,
  NodeClassResources,
} from '../../ports/cloud-provider.ts';
import type { Cluster, ClusterReader, ClusterWriter, EventWriter, StatusWriter } from '../../ports/cluster.ts';
import type { Lease, Leases } from '../../ports/leases.ts';
import type { Messages } from '../../ports/messages.ts';
import type {
  ClaimReader,
  ClaimWriter,
  CommandStore,
  DecisionStore,
  NodeClaimStore,
  NominationStore,
  ShadowDecisionStore,
  StandbyStore,
} from '../../ports/node-claim-store.ts';
import type { WebhookRegistration } from '../../ports/webhook-registration.ts';
import type { RemembersAutoscalers } from '../act/last-autoscalers.ts';
import type { ReportedRefusals } from '../act/reported-refusals.ts';
import type { LastLists } from '../instances/last-list.ts';
import type { MayLimitWaits } from '../wait/waits.ts';
import type { CoalescedWake } from './coalesce-wakes.ts';

/** The ports of one cluster. Functions name the parts that they use: `ReadsCluster & WritesStatus & HasClock`. */
export interface ControllerPorts extends UsesCatalogue, HasClock, HasSettings, RemembersAutoscalers, MayLimitWaits {
  readonly messages: Messages;
  readonly cluster: Cluster;
  readonly cloud: CloudProvider;
  readonly store: NodeClaimStore;
  readonly leases: Leases;
  /** The lease of the run. @default the run decides for single claims, or needs no lease */
  readonly lease?: Lease;
  /** The webhook of the cluster. Only lifecycle has it, where Kerf installs a webhook. */
  readonly webhook?: WebhookRegistration;
  /** The permanent refusals that earlier runs have reported. @default every run reports its refusals */
  readonly refusals?: ReportedRefusals;
  /** The last lists of instances. @default each run reads a list */
  readonly lists?: LastLists;
}

export interface ReadsCluster {
  readonly cluster: ClusterReader;
}
export interface WritesCluster {
  readonly cluster: ClusterWriter;
}
export interface WritesStatus {
  readonly cluster: StatusWriter;
}
export interface WritesEvents {
  readonly cluster: EventWriter;
}
export interface Launches {
  readonly cloud: Launcher;
}
export interface ResolvesNodeClasses extends MayLimitWaits {
  readonly cloud: NodeClassResolver;
}
export interface ManagesNodeClassResources {
  readonly cloud: NodeClassResources;
}
export interface InspectsInstances {
  readonly cloud: InstanceInspector;
}
export interface ReadsZonalShifts {
  readonly cloud: Pick<ClusterInspector, 'shiftedZones'>;
}
export interface ReadsAutoMode {
  readonly cloud: Pick<ClusterInspector, 'autoMode'>;
}
export interface ReadsClaims {
  readonly store: ClaimReader;
}
export interface WritesClaims {
  readonly store: ClaimReader & ClaimWriter;
}
export interface RecordsDecisions {
  readonly store: DecisionStore;
}
export interface RecordsShadowDecisions {
  readonly store: ShadowDecisionStore;
}
export interface UsesCommands {
  readonly store: CommandStore;
}
export interface UsesNominations {
  readonly store: NominationStore;
}
export interface UsesStandby {
  readonly store: StandbyStore;
}
export interface ReadsCatalogue {
  readonly catalogue: Pick<CatalogueStore, 'readCatalogue'>;
}
export interface UsesCatalogue {
  readonly catalogue: CatalogueStore;
}
export interface SendsWakes {
  readonly messages: Pick<Messages, 'wake'>;
}
export type PublishesDecisions = { readonly messages: Pick<Messages, 'publish'> };
export interface UsesLeases {
  readonly leases: Leases;
}
export type MayHoldLease = { readonly lease?: Lease };
export type MayHaveWebhook = { readonly webhook?: WebhookRegistration };
export interface RemembersRefusals {
  readonly refusals?: ReportedRefusals;
}
export type HasClock = { readonly clock: Clock };
export type HasSettings = { readonly settings: ClusterSettings };

/** The result of one run, for metrics, logs and the simulator. No decision uses it. */
export interface RunReport {
  readonly controller: Controller;
  readonly cluster: string;
  /** Why the run did not reconcile: it collects wakes, another run has answered them, or another run will. @default it reconciled */
  readonly skipped?: 'collecting' | 'answered' | 'busy';
  readonly decisions: readonly Decision[];
  readonly decided?: readonly DecidedOn[];
  /** What runs for the NodeClaims of the decisions, by name. @default not known */
  readonly instances?: ReadonlyMap<string, RunningInstance>;
  readonly due: readonly Due[];
  /** How far a pass is that has used its steps. @default it has evaluated every candidate */
  readonly progress?: string;
  /** Observed values: `PendingPods`, `Nodes`, `HourlyCostUsd`. */
  readonly gauges: Readonly<Record<string, number>>;
  /** Signs of other autoscalers that do not count, because a user of one namespace can create them. @default none was found */
  readonly ignored?: Blocked;
  /** What a person must solve. @default nothing was found */
  readonly problems?: readonly Problem[];
  /** Failures of single claims. The other claims were reconciled (promise 7). */
  readonly failures: readonly Error[];
}

/** One run of a function for one cluster. */
export type Reconcile = (ports: ControllerPorts, wake: CoalescedWake) => Promise<RunReport>;
