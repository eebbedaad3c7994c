import type { Controller, Decision, Due } from '../../core/model/decision.ts';
import type { ClusterSettings } from '../../core/model/settings.ts';
import type { CatalogueStore } from '../../ports/catalogue-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CloudProvider } from '../../ports/cloud-provider.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Lease, Leases } from '../../ports/leases.ts';
import type { Messages } from '../../ports/messages.ts';
import type { NodeClaimStore } from '../../ports/node-claim-store.ts';
import type { WebhookRegistration } from '../../ports/webhook-registration.ts';
import type { CoalescedWake } from './coalesce-wakes.ts';

/** All that a controller of one cluster may reach. */
export interface ControllerPorts {
  readonly cluster: Cluster;
  readonly cloud: CloudProvider;
  readonly store: NodeClaimStore;
  readonly leases: Leases;
  /** What the run is fenced by. @default it decides for single claims, or nobody minds another at the same time */
  readonly lease?: Lease;
  readonly catalogue: CatalogueStore;
  readonly messages: Messages;
  readonly clock: Clock;
  /** Of this cluster. */
  readonly settings: ClusterSettings;
  /** Of the function that looks after it, where Kerf installs one. */
  readonly webhook?: WebhookRegistration;
}

/** What one run did and saw: for metrics, logs and the simulator, never for another decision. */
export interface RunReport {
  readonly controller: Controller;
  readonly cluster: string;
  /** Why it did not look: more wakes may come, a look has answered them, or another run will. @default it looked */
  readonly withoutLook?: 'collecting' | 'answered' | 'busy';
  readonly decisions: readonly Decision[];
  readonly due: readonly Due[];
  /** What the run saw, by metric name: `PendingPods`, `Nodes`, `HourlyCostUsd`. */
  readonly gauges: Readonly<Record<string, number>>;
  /** Claims that failed by themselves; the others were looked at all the same (promise 7). */
  readonly failures: readonly Error[];
}

/** One run of a function for one cluster. */
export type Reconcile = (ports: ControllerPorts, wake: CoalescedWake) => Promise<RunReport>;
