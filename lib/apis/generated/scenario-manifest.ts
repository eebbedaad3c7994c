/* Generated from lib/apis/schemas by `npm run generate`: do not edit. */
import type { ObjectMeta } from '../kubernetes.ts';

/**
 * The events of a simulation with `kerf simulate`, and their times. It is not installed in a cluster.
 */
export interface ScenarioManifest {
  apiVersion: 'kerf.dev/v1alpha1';
  kind: 'Scenario';
  metadata: ObjectMeta;
  spec: {
    /**
     * The seed of the random numbers. The same seed gives the same output. The option --seed overrides it. Default: 1.
     */
    seed?: number;
    /**
     * The AWS region, if no NodePool names a zone. The option --region overrides it.
     */
    region?: string;
    /**
     * The simulated time, such as 24h. The option --for overrides it. Default: 1h.
     */
    duration?: string;
    /**
     * The events. The order of the list does not matter.
     */
    events: ScenarioManifestEvent[];
  };
}
export interface ScenarioManifestEvent {
  /**
   * The time of the event from the start of the simulation, such as 10m.
   */
  at: string;
  /**
   * Changes the replicas of a Deployment.
   */
  scale?: {
    /**
     * The Deployment: its name in the namespace default, or namespace/name.
     */
    deployment: string;
    /**
     * The new number of replicas.
     */
    replicas: number;
  };
  /**
   * Deletes a Node, as `kubectl delete node` does. Exactly one of the fields chooses it.
   */
  deleteNode?: {
    /**
     * The name of the Node.
     */
    name?: string;
    /**
     * Any Node of this NodePool; the seed chooses it.
     */
    nodePool?: string;
    /**
     * true: any Node; the seed chooses it.
     */
    any?: boolean;
  };
  /**
   * EC2 interrupts running spot instances: it sends the warning, and terminates them two minutes later. The seed chooses among those that match all fields.
   */
  interruptSpot?: {
    /**
     * The name of a NodePool. Default: all NodePools.
     */
    nodePool?: string;
    /**
     * The names of zones, such as us-east-1a. Default: all zones.
     */
    zones?: string[];
    /**
     * The names of instance types, such as m7g.large. Default: all types.
     */
    instanceTypes?: string[];
    /**
     * The number of instances. If fewer match, all of these. Default: 1.
     */
    count?: number;
  };
  /**
   * EC2 refuses launches: it has no capacity for the offerings that match all fields. Running instances stay.
   */
  withoutCapacity?: {
    /**
     * The names of instance types, such as m7g.large. Default: all types.
     */
    instanceTypes?: string[];
    /**
     * The names of zones, such as us-east-1a. Default: all zones.
     */
    zones?: string[];
    /**
     * on-demand, spot or reserved. Default: all of them.
     */
    capacityTypes?: ('on-demand' | 'spot' | 'reserved')[];
    /**
     * How long it lasts, such as 10m or 1h30m. Default: until the end of the simulation.
     */
    for?: string;
  };
  /**
   * A zone fails. EC2 has no capacity there until the outage is over.
   */
  zoneOutage?: {
    /**
     * The name of the zone, such as us-east-1a.
     */
    zone: string;
    /**
     * How long it lasts, such as 10m or 1h30m. Default: until the end of the simulation.
     */
    for?: string;
    /**
     * true: the instances of the zone lose power too. Their nodes become NotReady after 50 seconds, and their pods are evicted after their tolerations, as Kubernetes does. The status checks of the instances fail. When the outage is over, the instances that still exist start again. Default: false.
     */
    nodes?: boolean;
  };
  /**
   * Deletes a pod with its grace period, as `kubectl delete pod` does.
   */
  deletePod?: {
    /**
     * The pod: its name in the namespace default, or namespace/name.
     */
    pod: string;
  };
}
