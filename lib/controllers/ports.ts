import type { Controller, Decision, Due } from '../core/action.ts';
import type { ClusterSettings } from '../core/cluster/settings.ts';
import type { CatalogueStore } from '../ports/catalogue-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { CloudProvider } from '../ports/cloud-provider.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Messages, Wake } from '../ports/messages.ts';
import type { NodeClaimStore } from '../ports/node-claim-store.ts';

/** All that a controller of one cluster may reach. */
export interface ControllerPorts {
  readonly cluster: Cluster;
  readonly cloud: CloudProvider;
  readonly store: NodeClaimStore;
  readonly catalogue: CatalogueStore;
  readonly messages: Messages;
  readonly clock: Clock;
  /** Of this cluster. */
  readonly settings: ClusterSettings;
}

/** What one run did and saw: for metrics, logs and the simulator, never for another decision. */
export interface RunReport {
  readonly controller: Controller;
  readonly cluster: string;
  readonly decisions: readonly Decision[];
  readonly due: readonly Due[];
  /** What the run saw, by metric name: `PendingPods`, `Nodes`, `HourlyCostUsd`. */
  readonly gauges: Readonly<Record<string, number>>;
  /** Claims that failed by themselves; the others were looked at all the same (promise 7). */
  readonly failures: readonly Error[];
}

/** One run of a function for one cluster. */
export type Reconcile = (ports: ControllerPorts, wake: Wake) => Promise<RunReport>;
